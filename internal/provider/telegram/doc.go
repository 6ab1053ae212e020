// Package telegram is a client of Telegram's Bot API: the bot itself, its webhook, updates,
// messages, reactions and files. It implements the wire format and none of our rules.
package telegram
