// Package inbound takes what channels bring and report: messages of customers
// (Ingest), what became of ours (Delivered, Reported), files that arrive later,
// reactions and ratings. It also reads what a customer may see of a conversation,
// for channels whose customers read it here.
//
// A channel stores the files of a message with file.Prepare before it calls
// Ingest, and names the results in Inbound.Attachments. The e-mail channel gives
// the original in Email, with its raw form put into the blob store before; the
// gate holds it.
package inbound
