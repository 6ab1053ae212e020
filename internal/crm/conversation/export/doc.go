// Package export writes a conversation out: as JSON, as a page that stands
// alone, as one e-mail, or as an e-mail of each message. An export is audited
// before its first byte, and reads page by page while it is written.
package export
