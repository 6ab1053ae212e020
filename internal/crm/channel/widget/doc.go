// Package widget is live chat: a small script on a customer's page that lets
// visitors write and read the answers as they come.
//
// The widget's key stands in the page and is no secret; it names the account.
// What opens a visitor's own conversation is their token, which only their
// browser keeps; its hash is stored here. A visitor sees the messages of their
// own conversation that went over this widget, and nothing else: no notes, no
// mail, no other visitor of the same name.
//
// Only pages of the origins that the account lists may use it. Whoever is no
// browser can say any origin, so this keeps other sites from showing the
// widget, and the limits keep everybody from flooding it.
package widget
