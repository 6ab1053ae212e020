// Package contact is the address book: the people and companies that write to
// a workspace.
//
// Invariants: an e-mail address (folded by ASCII rules) and a phone number
// (E.164) belong to one contact of a workspace, and so does an identity on a
// channel account; the keys are constraints of the database, so two messages
// that arrive at once cannot create two contacts for one person. Every change
// goes through a gate of this package, which writes the record and its event
// in one transaction.
//
// What people say about themselves is no proof. An unverified person (a visitor
// of the live chat) is a separate contact; the address or number that they typed
// is a claim, outside the keys: nothing is sent to it or looked up by it. Linking
// a claim merges the contact into the one that has the address or number, if any.
//
// A merge moves everything to the remaining contact and stores what it moved, so
// that it can be undone. A deleted contact loses its addresses,
// notes and consents; its row stays, without a name, for the conversations
// that refer to it.
package contact
