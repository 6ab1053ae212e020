// Package commerce keeps what a workspace's shop tells about its customers:
// orders, shipments, returns and the balance of their account.
//
// It is no shop. Another program feeds it through the public API, by its own
// ids: writing the same thing twice changes nothing, and what is older than
// what is stored, by the shop's own time, is left alone. Agents see it beside a
// conversation, as the customer's card.
//
// What always holds: an order belongs to a customer, a shipment and a return
// to an order; a customer's balance is the sum of their ledger entries; an
// amount is a whole number of minor units with its currency; what a key of the
// test environment writes is seen by such keys alone.
//
// A customer is matched to a contact by the contact's id, or else by e-mail or
// phone when the card is drawn, so contacts may come and merge later.
package commerce
