// Package turnstile verifies tokens of Cloudflare Turnstile.
package turnstile

import (
	"cmp"

	"konak/internal/kit/secret"
	"konak/internal/provider/siteverify"
)

// host is the address of the service.
const host = "https://challenges.cloudflare.com"

// New creates a client; an empty address means the service's own.
func New(address string, key secret.Text) *siteverify.Client {
	return siteverify.New(siteverify.Client{
		Address: cmp.Or(address, host) + "/turnstile/v0/siteverify", Secret: key,
		Refusals: []string{"missing-input-response", "invalid-input-response", "timeout-or-duplicate"},
	})
}

// Script returns the address of the script that a page loads to show the widget.
func Script(address string) string {
	return cmp.Or(address, host) + "/turnstile/v0/api.js?render=explicit"
}

// Sources returns the origins from which the page must be allowed to load.
func Sources(address string) []string { return []string{cmp.Or(address, host)} }
