// Package telegram is a stand-in for Telegram's Bot API: a server that speaks the
// same format and knows what bots and their chats do, for tests and demos. People
// are played by its methods (Write, React, Press, Connect) or by POST
// /sandbox/telegram/{bot}/messages.
//
// It refuses what Telegram refuses: tokens that no bot has, chats that nobody
// began, texts that are too long, files that are too large, news that somebody
// else asks for. It keeps nothing when it ends.
package telegram
