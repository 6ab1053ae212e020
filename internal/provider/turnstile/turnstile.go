// Package turnstile checks tokens of Cloudflare Turnstile.
package turnstile

import (
	"konak/internal/kit/secret"
	"konak/internal/provider/siteverify"
)

// Address is the service's.
const Address = "https://challenges.cloudflare.com/turnstile/v0/siteverify"

// New makes a client; the address is the service's where it is empty.
func New(address string, key secret.Text) *siteverify.Client {
	if address == "" {
		address = Address
	}
	return &siteverify.Client{
		Address: address, Secret: key,
		Refusals: []string{"missing-input-response", "invalid-input-response", "timeout-or-duplicate"},
	}
}
