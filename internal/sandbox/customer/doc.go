// Package customer is the demo's page on which a visitor is the customer of a
// workspace, on every channel that the demo stands in for: they write, send a picture,
// react, change and take back what they wrote, call, agree to be called, decide on
// templates, and make a provider slow, full or broken.
//
// It also stands in for the company's own software behind a custom channel: what agents
// answer there arrives as signed deliveries, whose secret the demo does not keep.
//
// It is made for a demo, asks nobody who they are and is served nowhere else. It works
// without its script, which only keeps the conversation up to date.
package customer
