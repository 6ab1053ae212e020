// Package calling turns calls over messaging accounts on and off, and says whether
// a customer may be called: what the provider says at the moment, the exchange, and
// the region. Nothing of it is stored; the provider is asked each time.
//
// Enabling needs the exchange: without one it is rejected as not_available and the
// provider is not touched. A provider that does not answer is never a fault of the
// button: its permission is unknown then.
package calling
