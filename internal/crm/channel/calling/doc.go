// Package calling turns calls over messaging accounts on and off, and reports whether
// a customer may be called. This depends on the provider's current answer, the exchange
// and the region; nothing is stored, and the provider is asked each time.
//
// Enabling needs the exchange: without one it is rejected as not_available and the
// provider is not called. If the provider does not answer, the button's permission is
// unknown, but the button is not an error.
package calling
