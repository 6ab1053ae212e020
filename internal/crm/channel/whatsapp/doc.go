// Package whatsapp is the business messaging channel: a number on WhatsApp that
// customers write to.
//
// An account is one number. Its token and app secret are sealed; the provider
// is asked for the number before anything is stored. What comes in is signed
// with the app secret and brought in once, whatever the provider repeats; files
// are fetched by a job. What goes out is a job that survives a crash and is
// tried again while the provider is busy.
//
// Free text goes only within 24 hours of the customer's last message; outside
// them the route is refused with window_closed and only an approved template
// goes. A number whose token is refused twice in a row needs attention.
//
// The package knows no wire format: Provider is what it needs of the service.
package whatsapp
