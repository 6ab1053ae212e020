// Package telephony reports which telephony a workspace has. The credit that pays for
// calls and numbers is in package wallet, the phone numbers are in package number.
//
// The tier depends on the licences only, so it is available in any state of the exchange.
package telephony
