// Package transport is shared by the channels that reach their customers over a
// provider: WhatsApp, Telegram, Messenger and Instagram. It reads accounts with their
// credentials, sends messages in jobs, fetches the files of messages, shows customers
// that their messages were read, asks them for a rating, and ends the provider's
// updates for disconnected accounts.
//
// A kind of channel supplies a Carrier, which makes its provider's calls. These rules
// always hold:
//
//   - An accepted part is recorded immediately, part by part, so that a part is sent
//     again only if recording it failed.
//   - A message that will never be sent is shown as failed, with the reason.
//   - A provider that asks for a pause gets it; a token that it refuses twice makes the
//     account need attention.
//   - Fetching an announced file is tried for a day, even while the account is paused.
//
// It has no tables and no wire format.
package transport
