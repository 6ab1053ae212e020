// Package transport is what the channels share that reach their customers over a
// provider: WhatsApp, Telegram, Messenger and Instagram. It reads accounts with what
// opens them, sends messages in jobs, fetches the files of messages, tells customers
// that they were read, asks them for a rating, and ends what the provider tells of an
// account that is disconnected.
//
// A kind of channel gives a Carrier: how its provider's calls are made. What always
// holds:
//
//   - What the provider took is written down as the very next thing, part by part, so
//     that a part is sent again only where that could not be written.
//   - A message that will never be sent is shown as failed, with the reason.
//   - A provider that asks for a pause gets it; a token that it refuses twice makes the
//     account need attention.
//   - A file that was announced is fetched for a day, while the account is paused too.
//
// It has no tables and no wire format.
package transport
