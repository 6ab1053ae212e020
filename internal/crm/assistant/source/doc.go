// Package source keeps the texts that a workspace adds for its assistant, besides
// its help articles and canned replies: web pages and files.
//
// A page is fetched by a job through kit/outbound, so it cannot be inside the
// network, and fetched again every day. A file is read while it is uploaded, and
// only its text is kept. Both become sections of plain text, from which the
// assistant's index is built.
//
// The text is data. Nothing here acts on it; its effect is limited by the engine's
// bound and by what a language model is allowed to do.
//
// After the transaction that deletes a source, no answer uses it: every question
// asks for the revision of the sources first. Number and size of the sources are
// limited.
package source
