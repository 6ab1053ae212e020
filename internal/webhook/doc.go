// Package webhook sends signed events to customers' servers.
//
// The dispatcher turns an event into delivery rows in its own transaction, one for each
// endpoint that subscribes to it, so no crash can lose the step between them. A delivery's
// id follows from its event and its endpoint, so there can be only one. The routes that
// work without a credential require an endpoint's keyless id, which is shown only to
// callers who may change the endpoint; a delivery's id, which receivers know, only resends.
//
// The deliveries of an endpoint are a lane. A node claims a lane with a lease, sends what
// is due in the order of the events, marks many results in one transaction and gives the
// lane back; lane.go has its states. So an endpoint has one sender at a time in the whole
// installation, its limits hold everywhere, and claiming writes one row for any number of
// deliveries. A node that dies loses its lanes when their lease ends, or when it is started
// again; one that was only slow finds them claimed by another and can mark nothing.
//
// Any 2xx means delivered, everything else is tried again: delivery is at least once.
// Bodies are not copied: they are the outbox rows, sent as the same bytes on every attempt,
// and kept as long as a delivery is listed.
package webhook
