// Package custom is the channel that a customer builds: their own software
// brings in what people write there and receives what agents answer.
//
// Messages, forms, ratings and requests for a human come in through the public
// API. Replies go out as signed deliveries of the webhook engine to the channel's
// address. The channel key and the signing secret are shown only once, when they
// are created; after a rotation the old secret signs nothing more.
//
// A test-environment key writes records but triggers nothing.
package custom
