// Package commerce keeps a shop's data about a workspace's customers: orders,
// shipments, returns and the balance of their account.
//
// It is no shop. Another program writes the data through the public API, by its
// own ids: writing the same data twice changes nothing, and data that is older
// than the stored one, by the shop's own time, is ignored. Agents see it next to
// a conversation, as the customer's card.
//
// Invariants: an order belongs to a customer, a shipment and a return to an
// order; a customer's balance is the sum of their ledger entries; an amount is a
// whole number of minor units with its currency; data written with a key of the
// test environment is visible only to such keys.
//
// A customer is matched to a contact by the contact's id, or else by e-mail or
// phone when the card is read, so contacts may be added and merged later.
package commerce
