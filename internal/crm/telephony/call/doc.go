// Package call is the calls of a workspace: how they are made, routed, paid and
// remembered.
//
// A call has legs, each one telephone or line. Nothing changes a call but the gate
// (Service.inCall), which locks it, and takes it over the table of states; what the
// exchange shall do is a command of the same transaction, and what it did comes back
// as events. An event is applied once, by its number in its leg, in the transaction
// that pays for it.
//
// What always holds: before a leg to the outside is dialled, credit for its next
// minute is set aside; the exchange is told how long that is and cuts the leg by
// itself. So the credit is never below zero, whoever dies when. A leg that has ended
// has nothing set aside any more.
package call
