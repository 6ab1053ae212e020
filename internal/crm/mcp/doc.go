// Package mcp serves the workspace to language-model agents over the Model
// Context Protocol: tools that search and read conversations, contacts, articles
// and provisions, and that draft replies, tag, assign and close.
//
// A caller is offered the tools that their credential permits and can call no
// other. Nothing here sends a message to a customer: a person's app leaves a
// draft, a key leaves a note with a proposed reply. Each call leaves an audit
// line, a change in the transaction that makes it. Requests stand alone: there are
// no protocol sessions that could be guessed or would tie a caller to one node.
// The package refuses batches, which would pass the rate limits, and cuts long
// texts.
package mcp
