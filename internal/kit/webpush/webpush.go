// Package webpush encrypts and signs messages for the push services of browsers:
// RFC 8291 (encryption), RFC 8188 (its form) and RFC 8292 (who sends, VAPID).
//
// It sends nothing: the caller posts what Encrypt returns to the subscription's
// address, with the header that Authorization returns.
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

// MaxPlain is how long a message may be: push services take 4096 bytes in all.
const MaxPlain = 3000

// tokenLasts is how long a signature counts; push services accept up to a day.
const tokenLasts = 12 * time.Hour

// Keys are what a browser gives with its subscription, in URL-safe base64.
type Keys struct {
	P256dh string `json:"p256dh"` // its public key
	Auth   string `json:"auth"`   // a secret that it shares with the sender
}

// ErrKeys says that the keys of a subscription are none.
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

// Check returns ErrKeys for keys that nothing can be encrypted with.
func (k Keys) Check() error {
	_, _, err := k.parse()
	return err
}

// decode reads base64 of the URL's alphabet, with or without padding.
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

// Cipher derives the cipher and the nonce of a message from what sender and browser
// share: the secret of their two keys, the browser's own secret, both public keys and
// the salt of the message.
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

// Key is what a sender proves with that it is the one that the browser subscribed to.
type Key struct{ private *ecdsa.PrivateKey }

// NewKey makes a key.
func NewKey() (Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return Key{private}, err
}

// ParseKey reads what Bytes returned.
func ParseKey(b []byte) (Key, error) {
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), b)
	if err != nil {
		return Key{}, fmt.Errorf("webpush: key: %w", err)
	}
	return Key{private}, nil
}

// Bytes returns the private key, to be sealed.
func (k Key) Bytes() ([]byte, error) { return k.private.Bytes() }

// Public returns the public key as browsers take it.
func (k Key) Public() (string, error) {
	b, err := k.private.PublicKey.Bytes()
	return base64.RawURLEncoding.EncodeToString(b), err
}

// Authorization returns the header of a push to an address. Subject is whom the push
// service may write to: a mailto: or https: address.
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
