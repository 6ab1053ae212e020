// Package social is the social messaging channel: pages on Messenger and accounts on
// Instagram that customers write to.
//
// A page is one account of the kind messenger; the Instagram account that belongs to
// a page is one of the kind instagram. Both are opened by the page's token, which is
// sealed, and the page is checked at the provider before anything is stored.
// Incoming calls are signed with the app's secret and brought in once, even if the
// provider repeats them; files and the names of customers are fetched by jobs.
// Outgoing messages are jobs that survive a crash.
//
// Free text can be sent within 24 hours of the customer's last message, or for seven
// days if the provider granted the page its human-agent tag; later the route is
// refused with window_closed. Messages that the page's own people write in the
// provider's apps come in as an agent's messages. A page whose token is refused twice in a row needs
// attention.
//
// The package knows no wire format: Provider is what it needs of the service.
package social
