// Package contact is the address book: the people and companies that write to
// a workspace.
//
// What always holds: an e-mail address (folded by ASCII rules) and a phone
// number (E.164) belong to one contact of a workspace, and so does an identity
// on a channel account; the keys are constraints of the database, so two
// messages that arrive at once cannot make two of one person. Every change
// goes through a gate of this package, which writes the record and its event
// in one transaction.
//
// What somebody says of themselves is no proof. Whom nobody vouches for (a
// visitor of the live chat) is a contact of their own; the address or number
// that they typed is a claim, outside the keys, to which nothing is sent and by
// which nothing is looked up. Linking a claim merges the two contacts.
//
// A merge moves everything to the contact that stays and remembers what it
// moved, so that it can be undone. A deleted contact loses its addresses,
// notes and consents; its row stays, without a name, for the conversations
// that refer to it.
package contact
