// Package export writes a conversation as JSON, as a self-contained page, as one e-mail, or
// as one e-mail per message. An export is audited before its first byte, and reads page by
// page while it is written.
package export
