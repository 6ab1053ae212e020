// Package telegram is the chat-bot channel: a bot on Telegram that customers
// write to, and the Telegram accounts of people who let the bot answer for them
// (business connections).
//
// A bot is one account; its token is sealed, and Telegram is asked for the bot
// before anything is stored. Telegram calls our webhook, with a secret that
// proves the call, or, where it cannot reach us, one node asks it for news
// (polling, a job of the account). Either way an update is brought in once.
// Files are fetched by a job. What goes out is a job that survives a crash; while
// Telegram asks for a pause the account's messages wait.
//
// A business connection is an account of its own, because the customer writes to
// the person and not to the bot. It begins with a link that ties a person on
// Telegram to the workspace; a connection that no link began is passed over. Its
// customers can be answered for 24 hours after their last message.
//
// The package knows no wire format: Provider is what it needs of the service.
package telegram
