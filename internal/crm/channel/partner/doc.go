// Package partner connects everything that a company has at Meta in one go: its
// numbers on WhatsApp, its pages on Messenger and their Instagram accounts. A person
// begins the sign-up in the panel, agrees on the provider's own page, and returns with
// a code.
//
// The state in the address is valid once and for 15 minutes, and belongs to the
// workspace and the session that began the sign-up: a person who has lost the permission
// since connects nothing. What a caller claims to have shared is used only if the
// provider lists it. All accounts are stored in one transaction, after the provider
// accepted each of them; a failure names its step and undoes the steps before it.
package partner
