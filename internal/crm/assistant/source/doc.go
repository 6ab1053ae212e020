// Package source keeps the texts that a workspace names for its assistant beside its
// help articles and canned replies: web pages and files.
//
// A page is fetched by a job through kit/outbound, so it can be nothing inside the
// network, and again every day. A file is read while it is uploaded, and only its text is
// kept. Both become sections of plain text; the assistant's index is made of them.
//
// What was read is data. Nothing here acts on it, and what follows from it is decided by
// the engine's bound and by what a language model may do at all.
//
// A source that is deleted is in no answer after the transaction: every question asks for
// the revision of the sources first. Number and size of the sources are bounded.
package source
