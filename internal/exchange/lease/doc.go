// Package lease keeps a second exchange from serving the same installation: telephones
// would be signed in at one and called at the other.
//
// An exchange claims the lease before it opens its ports and renews it while it serves.
// The holder is the exchange's own store and not the process, so that an exchange that
// crashed can continue at once. Take returns ErrHeld while another holder's lease lasts.
package lease
