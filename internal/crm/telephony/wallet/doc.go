// Package wallet manages the prepaid credit of a workspace: what is available, what is set
// aside, what it was spent on, and how a card payment adds to it.
//
// What always holds: amounts are whole millionths of the currency's unit; the postings of
// every entry sum to zero; the two balances of a wallet are the sums of their postings,
// and neither is ever below zero, because money is set aside by one conditional UPDATE
// before anything is bought with it. Nothing is entered twice: an entry is unique by its
// kind and its reference.
//
// A card payment goes through 3-D Secure. The card is passed to the bank in a type that
// cannot be printed or encoded, and is neither stored nor logged. A successful payment is
// credited once: the state of a top-up is stored before the bank is asked to take the
// money, and after a crash the bank is asked for the result before anything is tried
// again.
package wallet
