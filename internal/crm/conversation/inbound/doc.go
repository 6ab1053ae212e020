// Package inbound processes what channels bring and report: messages of customers
// (Ingest), the delivery of ours (RecordOutcome, RecordReport), files that arrive later,
// reactions and ratings. It also reads what a customer may see of a conversation,
// for channels whose customers read it here.
//
// A channel stores the files of a message with file.Prepare before it calls Ingest,
// and passes the results in Inbound.Attachments. The e-mail channel passes the
// original in Email, after it has put its raw form into the blob store; the gate
// holds it.
package inbound
