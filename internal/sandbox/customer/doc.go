// Package customer is the demo's page on which a visitor plays the customer of a workspace,
// on every channel that the demo stands in for: they write, send a picture, react, change
// and delete what they wrote, call, agree to be called, decide on templates, and make a
// provider slow, full or broken.
//
// It also stands in for the company's own software behind a custom channel: agents' answers
// there arrive as signed deliveries, whose secret the demo does not store.
//
// It is for demos only and has no sign-in. It works without its script, which only keeps
// the conversation up to date.
package customer
