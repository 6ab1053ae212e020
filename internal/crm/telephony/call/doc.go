// Package call manages the calls of a workspace: placing, routing, paying and logging
// them.
//
// A call has legs, each one telephone or line. A call is changed only through the gate
// (Service.inCall), which locks it and checks its state machine. Requests to the exchange
// are commands of the same transaction, and their results come back as events. An event
// is applied once, by its number in its leg, in the transaction that pays for it.
//
// What always holds: before an outside leg is dialled, credit for its next minute is set
// aside; the exchange is told how long that lasts and cuts the leg by itself. So the
// credit never falls below zero, whichever process dies when. A leg that has ended has
// nothing set aside any more.
package call
