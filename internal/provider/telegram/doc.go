// Package telegram is a client of Telegram's Bot API: the bot itself, its
// webhook, updates, messages, reactions and files. It knows the wire format and
// no rule of ours.
package telegram
