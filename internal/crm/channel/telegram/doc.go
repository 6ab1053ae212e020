// Package telegram is the chat-bot channel: a bot on Telegram that customers
// write to, and the Telegram accounts of people who let the bot answer for them
// (business connections).
//
// A bot is one account; its token is sealed, and is checked at Telegram before
// anything is stored. Telegram calls our webhook, with a secret that proves the
// call, or, if it cannot reach us, one node asks it for updates (polling, a job
// of the account). Either way an update is brought in once. Files are fetched by
// a job. Outgoing messages are jobs that survive a crash; while Telegram asks for
// a pause the account's messages wait.
//
// A business connection is a separate account, because the customer writes to
// the person and not to the bot. It begins with a link that ties a person on
// Telegram to the workspace; a connection without such a link is ignored. Its
// customers can be answered for 24 hours after their last message.
//
// The package knows no wire format: Provider is what it needs of the service.
package telegram
