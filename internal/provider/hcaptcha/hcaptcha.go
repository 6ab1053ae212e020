// Package hcaptcha checks tokens of hCaptcha.
package hcaptcha

import (
	"konak/internal/kit/secret"
	"konak/internal/provider/siteverify"
)

// Address is the service's.
const Address = "https://api.hcaptcha.com/siteverify"

// New makes a client; the address is the service's where it is empty. The site
// key goes along, so that a token of another site does not count.
func New(address string, key secret.Text, siteKey string) *siteverify.Client {
	if address == "" {
		address = Address
	}
	return &siteverify.Client{
		Address: address, Secret: key, SiteKey: siteKey,
		Refusals: []string{
			"missing-input-response", "invalid-input-response", "expired-input-response",
			"already-seen-response", "invalid-or-already-seen-response",
		},
	}
}
