package domain

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/secret"
)

const rsaBits = 2048

// publicKeys are a domain's DKIM public keys as they appear in its records.
type publicKeys struct{ rsa, ed25519 string }

// keyPair is a domain's new DKIM keys: the public keys, and the private keys in PKCS #8.
type keyPair struct {
	public       publicKeys
	rsa, ed25519 []byte
}

func generateRSAKey() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, rsaBits) }

func (s *Service) makeKeys() (k keyPair, err error) {
	r, err := s.NewRSAKey()
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

// seal returns the private keys sealed for storage.
func (k *keyPair) seal(box *secret.Box, tenant, id uuid.UUID, selector string) (rsa, ed25519 []byte) {
	return box.Seal(tenant, keyPlace(id, selector, "rsa"), k.rsa), box.Seal(tenant, keyPlace(id, selector, "ed25519"), k.ed25519)
}

func keyPlace(id uuid.UUID, selector, kind string) string {
	return "mail_domain/" + id.String() + "/" + selector + "/" + kind
}

// SigningKey is a domain's DKIM key at its selector.
type SigningKey struct {
	Selector string
	Key      crypto.Signer
}

// SigningKeys returns the DKIM keys of a domain that the workspace owns, RSA first; none
// for any other domain.
func (s *Service) SigningKeys(r *db.Reader, name string) ([]SigningKey, error) {
	d, sealed, err := findKeys(r, name)
	if db.IsNoRow(err) || err == nil && !d.owned() {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("domain: find keys: %w", err)
	}
	var out []SigningKey
	for i, kind := range []struct{ name, suffix string }{{"rsa", "r"}, {"ed25519", "e"}} {
		plain, err := s.Box.Open(r.Tenant(), keyPlace(d.ID, d.Selector, kind.name), sealed[i])
		if err != nil {
			return nil, fmt.Errorf("domain: open key: %w", err)
		}
		key, err := x509.ParsePKCS8PrivateKey(plain)
		if err != nil {
			return nil, fmt.Errorf("domain: read key: %w", err)
		}
		signer, ok := key.(crypto.Signer)
		if !ok {
			return nil, fmt.Errorf("domain: a key of type %T cannot sign", key)
		}
		out = append(out, SigningKey{d.Selector + kind.suffix, signer})
	}
	return out, nil
}
