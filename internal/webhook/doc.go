// Package webhook sends signed events to customers' servers.
//
// The dispatcher turns an event into delivery rows in its own transaction, one
// for each endpoint that asked for it, so no crash can lose the step between
// them. The deliveries table is the queue: rows are claimed with a lease,
// sent, and marked. Any 2xx means delivered, everything else is tried again;
// delivery is at least once. Ids of endpoints and deliveries are random
// (UUIDv4): knowing one is what the keyless routes ask for.
package webhook
