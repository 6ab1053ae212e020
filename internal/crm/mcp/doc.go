// Package mcp serves the workspace to language-model agents over the Model
// Context Protocol: tools that search and read conversations, contacts, articles
// and provisions, and that draft replies, tag, assign and close.
//
// A caller is offered the tools that their credential permits and can call no others.
// Nothing here sends a message to a customer: a person's app leaves a draft, a key
// leaves a note with a proposed reply. Each call writes an audit line; a change writes
// it in its own transaction. Requests are stateless: there are no protocol sessions
// that could be guessed or would tie a caller to one node. The package refuses
// batches, which would bypass the rate limits, and cuts long texts.
package mcp
