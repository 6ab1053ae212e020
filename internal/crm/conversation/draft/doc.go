// Package draft stores what agents have begun to write. It owns the table
// conversation_draft. Uploads that a draft holds are kept by package file.
package draft
