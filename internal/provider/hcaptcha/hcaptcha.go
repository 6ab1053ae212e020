// Package hcaptcha verifies tokens of hCaptcha.
package hcaptcha

import (
	"cmp"

	"konak/internal/kit/secret"
	"konak/internal/provider/siteverify"
)

// New creates a client; an empty address means the service's own. The site key is sent
// along, so that a token of another site is not accepted.
func New(address string, key secret.Text, siteKey string) *siteverify.Client {
	return siteverify.New(siteverify.Client{
		Address: cmp.Or(address, "https://api.hcaptcha.com") + "/siteverify", Secret: key, SiteKey: siteKey,
		Refusals: []string{
			"missing-input-response", "invalid-input-response", "expired-input-response",
			"already-seen-response", "invalid-or-already-seen-response",
		},
	})
}

// Script returns the address of the script that a page loads to show the widget.
func Script(address string) string {
	return cmp.Or(address, "https://js.hcaptcha.com") + "/1/api.js?render=explicit"
}

// Sources returns the origins from which the page must be allowed to load.
func Sources(address string) []string {
	if address != "" {
		return []string{address}
	}
	return []string{"https://hcaptcha.com", "https://*.hcaptcha.com"}
}
