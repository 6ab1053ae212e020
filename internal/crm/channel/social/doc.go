// Package social is the social messaging channel: pages on Messenger and accounts on
// Instagram that customers write to.
//
// A page is one account of the kind messenger; the Instagram account that belongs to
// a page is one of the kind instagram. Both are opened by the page's token, which is
// sealed, and the provider is asked for the page before anything is stored. What
// comes in is signed with the app's secret and brought in once, whatever the provider
// repeats; files and the names of customers are fetched by jobs. What goes out is a
// job that survives a crash.
//
// Free text goes within 24 hours of the customer's last message, and where the
// provider granted the page its human-agent tag, for seven days; later the route is
// refused with window_closed. What the page's own people write in the provider's apps
// comes in as an agent's message. A page whose token is refused twice in a row needs
// attention.
//
// The package knows no wire format: Provider is what it needs of the service.
package social
