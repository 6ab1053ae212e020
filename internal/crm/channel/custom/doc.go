// Package custom is the channel that a customer builds: their own software
// brings in what people write there and is sent what agents answer.
//
// The way in is the public API: messages, forms, ratings, the wish for a
// human. The way out are signed deliveries of the webhook engine to the
// channel's address. The channel key and the signing secret are shown when they
// are made and never again; a rotated secret signs nothing any more from the
// moment of its rotation.
//
// A test-environment key writes records and sets nothing off.
package custom
