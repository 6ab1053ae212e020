// Package partner connects what a company has at Meta in one go: its numbers on
// WhatsApp, its pages on Messenger and their Instagram accounts. Somebody begins it in
// the panel, agrees on the provider's own page, and comes back with a code.
//
// The state that goes around counts once and for 15 minutes, and names the workspace
// and the session that began it: who lost the right meanwhile connects nothing. What a
// caller claims to have shared counts only where the provider lists it. All accounts
// are stored in one transaction, after the provider agreed to each of them; a step that
// fails says which it was and takes back what went before.
package partner
