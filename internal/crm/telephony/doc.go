// Package telephony says which telephony a workspace has. The credit that pays for
// calls and numbers is in the package wallet, the phone numbers are in number.
//
// The tier follows from the licences alone, so that it can be asked for whatever
// state the exchange is in.
package telephony
