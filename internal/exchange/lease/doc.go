// Package lease keeps a second exchange from serving the same installation: telephones
// would be signed in at one and called at the other.
//
// An exchange claims the lease before it opens its ports and renews it while it serves.
// Who holds it is the exchange's own store and not the process, so that an exchange that
// crashed goes on at once. Take refuses with ErrHeld while another's lease lasts.
package lease
