// Package message reads and writes e-mail: it knows mails, not conversations.
//
// A mail is read from where it is stored and is never in memory as a whole:
// Parse keeps its headers and bounded texts, and files are read from the mail
// on request.
//
// Parse never panics and never loses a mail: an unreadable one is an error, and
// the caller keeps the raw mail. All text it returns is valid UTF-8 without NUL,
// so both databases accept it. Its HTML is sanitised and loads nothing from
// outside.
//
// The ids that Konak writes into its own mails (Message-ID and the reply
// address) carry a MAC that is bound to the workspace, so that only recipients
// of such a mail can name a conversation.
package message
