// Package message reads and writes e-mail: it knows mails, not conversations.
//
// A mail is read from where it lies and is never in memory as a whole: Parse
// keeps its headers and bounded texts, and files are read from the mail when
// somebody asks for them.
//
// Parse never panics and never loses: what it cannot read is an error, and
// whoever called it keeps the raw mail. Everything that it gives is valid
// UTF-8 without NUL, so both databases take it. HTML comes out sanitised;
// nothing in it loads from outside.
//
// The ids that Konak writes into its own mails (Message-ID and the reply
// address) carry a MAC that is bound to the workspace, so that nobody who did
// not get such a mail can name a conversation.
package message
