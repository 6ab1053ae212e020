// Package widget is live chat: a small script on a customer's page that lets
// visitors write and read the answers as they come.
//
// The widget's key is part of the page and no secret; it identifies the account.
// A visitor's conversation is opened with their token, which only their browser
// keeps; its hash is stored here. A visitor sees the messages of their own
// conversation that went over this widget, and nothing else: no notes, no mail,
// no other visitor of the same name.
//
// Only pages of the origins that the account lists may use it. A program that is
// not a browser can claim any origin, so this only keeps other sites from showing
// the widget; the limits prevent flooding.
package widget
