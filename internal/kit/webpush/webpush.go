// Package webpush encrypts and signs messages for the push services of browsers: RFC 8291
// (encryption), RFC 8188 (its form) and RFC 8292 (the sender's identity, VAPID).
//
// It sends nothing: the caller posts what Encrypt returns to the subscription's address,
// with the header that Authorization returns.
package webpush

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// MaxPlain bounds the length of a message: push services accept 4096 bytes in all.
const MaxPlain = 3000

// tokenLasts is how long a signature is valid; push services accept up to a day.
const tokenLasts = 12 * time.Hour

// Keys are what a browser sends with its subscription, in URL-safe base64.
type Keys struct {
	P256dh string `json:"p256dh"` // its public key
	Auth   string `json:"auth"`   // a secret that it shares with the sender
}

// ErrKeys means that the keys of a subscription are not usable.
var ErrKeys = errors.New("webpush: the keys of the subscription cannot be used")

// parse returns the browser's public key and its secret, or ErrKeys.
func (k Keys) parse() (*ecdh.PublicKey, []byte, error) {
	point, err := decode(k.P256dh)
	if err != nil {
		return nil, nil, ErrKeys
	}
	public, err := ecdh.P256().NewPublicKey(point)
	if err != nil {
		return nil, nil, ErrKeys
	}
	auth, err := decode(k.Auth)
	if err != nil || len(auth) != 16 {
		return nil, nil, ErrKeys
	}
	return public, auth, nil
}

// Check returns ErrKeys for keys that cannot be used for encryption.
func (k Keys) Check() error {
	_, _, err := k.parse()
	return err
}

// decode decodes base64 in the URL alphabet, with or without padding.
func decode(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
}

// Encrypt returns the body of a push, in the encoding aes128gcm. It returns ErrKeys
// for keys that cannot be used.
func Encrypt(k Keys, plain []byte) ([]byte, error) {
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("webpush: %w", err)
	}
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return nil, fmt.Errorf("webpush: %w", err)
	}
	return encrypt(k, plain, private, salt)
}

func encrypt(k Keys, plain []byte, private *ecdh.PrivateKey, salt []byte) ([]byte, error) {
	if len(plain) > MaxPlain {
		return nil, fmt.Errorf("webpush: a message of %d bytes is too long", len(plain))
	}
	browser, auth, err := k.parse()
	if err != nil {
		return nil, err
	}
	shared, err := private.ECDH(browser)
	if err != nil {
		return nil, ErrKeys
	}
	own := private.PublicKey().Bytes()
	gcm, nonce, err := Cipher(shared, auth, browser.Bytes(), own, salt)
	if err != nil {
		return nil, err
	}
	out := append([]byte{}, salt...)
	out = binary.BigEndian.AppendUint32(out, 4096) // the size of a record; there is one
	out = append(out, byte(len(own)))
	out = append(out, own...)
	return gcm.Seal(out, nonce, append(append([]byte{}, plain...), 2), nil), nil // 2 marks the last record
}

// Cipher derives the cipher and the nonce of a message from what sender and browser share:
// the secret of their two keys, the browser's own secret, both public keys and the salt of
// the message.
func Cipher(shared, auth, browser, sender, salt []byte) (cipher.AEAD, []byte, error) {
	info := "WebPush: info\x00" + string(browser) + string(sender)
	secret, err := hkdf.Key(sha256.New, shared, auth, info, 32)
	if err != nil {
		return nil, nil, fmt.Errorf("webpush: %w", err)
	}
	key, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, nil, fmt.Errorf("webpush: %w", err)
	}
	nonce, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, nil, fmt.Errorf("webpush: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, nil, fmt.Errorf("webpush: %w", err)
	}
	gcm, err := cipher.NewGCM(block)
	return gcm, nonce, err
}

// Key proves that the sender is the one to which the browser subscribed.
type Key struct{ private *ecdsa.PrivateKey }

// NewKey creates a key.
func NewKey() (Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return Key{private}, err
}

// ParseKey parses a private key from Bytes.
func ParseKey(b []byte) (Key, error) {
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), b)
	if err != nil {
		return Key{}, fmt.Errorf("webpush: key: %w", err)
	}
	return Key{private}, nil
}

// Bytes returns the private key, to be sealed.
func (k Key) Bytes() ([]byte, error) { return k.private.Bytes() }

// Public returns the public key in the form that browsers need.
func (k Key) Public() (string, error) {
	b, err := k.private.PublicKey.Bytes()
	return base64.RawURLEncoding.EncodeToString(b), err
}

// Authorization returns the header of a push to an address. subject is the contact of the
// sender for the push service: a mailto: or https: address.
func (k Key) Authorization(to *url.URL, subject string, now time.Time) (string, error) {
	claims, err := json.Marshal(map[string]any{
		"aud": to.Scheme + "://" + to.Host, "exp": now.Add(tokenLasts).Unix(), "sub": subject,
	})
	if err != nil {
		return "", fmt.Errorf("webpush: %w", err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + encode(claims)
	hash := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, k.private, hash[:])
	if err != nil {
		return "", fmt.Errorf("webpush: sign: %w", err)
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	public, err := k.Public()
	return "vapid t=" + signed + "." + encode(signature) + ", k=" + public, err
}
