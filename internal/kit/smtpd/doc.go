// Package smtpd is a server for mail by SMTP (RFC 5321), with PIPELINING, 8BITMIME,
// SIZE, ENHANCEDSTATUSCODES, STARTTLS, and AUTH over encrypted connections for
// sessions in which mailboxes can sign in.
//
// A stranger costs little: sessions are limited in total, per address and per
// network, a session uses a few kilobytes, command lines are at most 2 KiB long, and
// a mail is streamed while it is received, whatever the length of its lines. Silent
// sessions end, and so do those that send no mail or never come to an end. If all
// sessions are in use, one that sends no mail, one of the network with the most
// sessions, or one that has been receiving a mail for minutes is closed for the next
// sender.
//
// It refuses a bare line feed in a mail and in a command, which ends the session, and
// commands sent ahead before encryption begins: both allow somebody to smuggle text
// into another's conversation. A mail that is sent on must not contain a bare carriage
// return or NUL either. HTTP clients are disconnected: they are browsers controlled by
// a web page.
package smtpd
