// Package telegram is a stand-in for Telegram's Bot API: a server that speaks the same
// format and keeps bots and their chats, for tests and demos. Its methods act as people
// (Write, React, Press, Connect), as does POST /sandbox/telegram/{bot}/messages.
//
// It refuses what Telegram refuses: unknown tokens, chats that nobody began, texts that are
// too long, files that are too large, polls while a webhook is set. It forgets
// everything when it ends.
package telegram
