// Package draft stores what agents have begun to write. It owns the table
// conversation_draft. Package file keeps the uploads of a draft.
package draft
