// Package social is the client of Meta's interface for the messages of pages
// (Messenger) and of Instagram accounts: the Send API and its webhooks.
package social
