// Package smtpd is a server for mail by SMTP (RFC 5321), with PIPELINING, 8BITMIME,
// SIZE, ENHANCEDSTATUSCODES, STARTTLS, and AUTH over encrypted connections for
// sessions in which mailboxes can sign in.
//
// A stranger costs little: sessions are bounded in all, for each address and for
// each network, a session holds a few kilobytes, command lines end at 2 KiB, and
// a mail is handed on while it comes, whatever the length of its lines. Sessions
// that say nothing end, and so do those that bring no mail or never come to an
// end. Where all sessions are taken, one that brings no mail, one of the
// network that has the most, or one whose mail has been coming in for minutes, is closed
// for the next sender.
//
// It refuses a line feed without its carriage return in a mail and in a command, which
// ends the session, and commands that were sent along before encryption began: they let
// somebody smuggle text into another's conversation. A mail that is sent on may have no
// carriage return of its own and no NUL either. Who speaks HTTP is sent away: that is a
// browser which does what a page tells it.
package smtpd
