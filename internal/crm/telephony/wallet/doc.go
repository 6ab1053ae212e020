// Package wallet keeps the prepaid credit of a workspace: what it has, what is
// set aside, where it went, and how a card payment adds to it.
//
// What always holds: amounts are whole millionths of the currency's unit; the
// postings of every entry sum to zero; the two balances of a wallet are the sums
// of their postings, and neither is ever below zero, because money is set aside
// by one conditional UPDATE before anything is bought with it. The same thing is
// entered once: an entry is unique by its kind and what it refers to.
//
// A card payment goes through 3-D Secure. The card is handed to the bank in a
// type that cannot be printed or encoded, and is neither stored nor logged. What
// the bank said yes to is credited once: the state of a top-up is written before
// the bank is asked to take the money, and after a crash the bank is asked what
// became of the payment before anything is tried again.
package wallet
