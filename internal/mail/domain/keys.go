package domain

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/secret"
)

const rsaBits = 2048

// publicKeys are a domain's DKIM keys as its records show them.
type publicKeys struct{ rsa, ed25519 string }

// keyPair is a domain's new DKIM keys: the public ones, and the private ones in
// PKCS #8.
type keyPair struct {
	public       publicKeys
	rsa, ed25519 []byte
}

func makeKeys() (k keyPair, err error) {
	r, err := rsa.GenerateKey(rand.Reader, rsaBits)
	if err != nil {
		return k, fmt.Errorf("domain: make keys: %w", err)
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return k, fmt.Errorf("domain: make keys: %w", err)
	}
	spki, err := x509.MarshalPKIXPublicKey(&r.PublicKey)
	if err != nil {
		return k, fmt.Errorf("domain: make keys: %w", err)
	}
	k.public = publicKeys{base64.StdEncoding.EncodeToString(spki), base64.StdEncoding.EncodeToString(public)}
	if k.rsa, err = x509.MarshalPKCS8PrivateKey(r); err == nil {
		k.ed25519, err = x509.MarshalPKCS8PrivateKey(private)
	}
	if err != nil {
		return k, fmt.Errorf("domain: make keys: %w", err)
	}
	return k, nil
}

// seal returns the private keys as they are stored.
func (k *keyPair) seal(box *secret.Box, tenant, id uuid.UUID, selector string) (rsa, ed25519 []byte) {
	return box.Seal(tenant, keyPlace(id, selector, "rsa"), k.rsa), box.Seal(tenant, keyPlace(id, selector, "ed25519"), k.ed25519)
}

func keyPlace(id uuid.UUID, selector, kind string) string {
	return "mail_domain/" + id.String() + "/" + selector + "/" + kind
}
