// Package whatsapp is the business messaging channel: a number on WhatsApp that
// customers write to.
//
// An account is one number. Its token and app secret are sealed; the number is
// checked at the provider before anything is stored. Incoming calls are signed
// with the app secret and brought in once, even if the provider repeats them;
// files are fetched by a job. Outgoing messages are jobs that survive a crash and
// are tried again while the provider is busy.
//
// Free text can be sent only within 24 hours of the customer's last message; after
// that the route is refused with window_closed and only approved templates can be
// sent. A number whose token is refused twice in a row needs attention.
//
// The package knows no wire format: Provider is what it needs of the service.
package whatsapp
