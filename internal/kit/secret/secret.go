// Package secret holds what must never be seen twice: a type that prints as
// stars, tokens that are stored only as hashes, and sealing for secrets that
// have to be read back.
package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"
)

// Text is a secret string. Every way of printing or encoding it gives stars;
// Reveal is the only way out.
type Text struct{ v string }

// Of wraps a secret.
func Of(s string) Text { return Text{s} }

// Reveal gives the secret itself.
func (t Text) Reveal() string { return t.v }

// String implements fmt.Stringer.
func (Text) String() string { return "***" }

// Format implements fmt.Formatter for every verb: a verb that is wrong for a
// string would print the field itself.
func (Text) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "***") }

// LogValue implements slog.LogValuer.
func (Text) LogValue() slog.Value { return slog.StringValue("***") }

// MarshalJSON implements json.Marshaler.
func (Text) MarshalJSON() ([]byte, error) { return []byte(`"***"`), nil }

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Token prefixes: a token says what it is, so scanners and people recognise it.
const (
	SessionPrefix = "ses_"
	KeyLivePrefix = "key_live_"
	KeyTestPrefix = "key_test_"
	CodePrefix    = "ac_"
	ClientPrefix  = "app_"
	InvitePrefix  = "inv_"
	QRPrefix      = "qrk_"
	VerifyPrefix  = "emv_"
	ResetPrefix   = "rst_"
	TicketPrefix  = "mfa_"
	ChannelPrefix = "chk_"
	VisitorPrefix = "vis_"

	// PhonePrefix marks a ticket for the telephones' socket.
	PhonePrefix = "pht_"

	// HandoverPrefix marks a session on its way to another host.
	HandoverPrefix = "hov_"
)

// NewToken is prefix + 32 random bytes in base62 + 6 characters of CRC32.
func NewToken(prefix string) string {
	var raw [32]byte
	if _, err := rand.Read(raw[:]); err != nil {
		panic(err) // the platform promises this cannot fail
	}
	body := prefix + encode62(raw[:])
	return body + checksum(body)
}

// WellFormed checks prefix and checksum, so that a mistyped token costs no
// look-up.
func WellFormed(token, prefix string) bool {
	if !strings.HasPrefix(token, prefix) || len(token) != len(prefix)+43+6 {
		return false
	}
	cut := len(token) - 6
	return checksum(token[:cut]) == token[cut:]
}

// Hash is what is stored of a token.
func Hash(token string) []byte {
	h := sha256.Sum256([]byte(token))
	return h[:]
}

// Last4 is what may be shown of a secret.
func Last4(s string) string {
	if len(s) < 4 {
		return ""
	}
	return s[len(s)-4:]
}

// checksum is on the way of every request, so it works without big numbers.
func checksum(s string) string {
	var out [6]byte
	n := crc32.ChecksumIEEE([]byte(s))
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = base62[n%62]
		n /= 62
	}
	return string(out[:])
}

// encode62 writes 32 bytes as a number of 43 digits.
func encode62(b []byte) string {
	var out [43]byte
	n, base, mod := new(big.Int).SetBytes(b), big.NewInt(62), new(big.Int)
	for i := len(out) - 1; i >= 0; i-- {
		n.DivMod(n, base, mod)
		out[i] = base62[mod.Int64()]
	}
	return string(out[:])
}

// Box seals secrets at rest. Each tenant has a key of its own derived from the
// master key, and a sealed value opens only in the place it was sealed for.
type Box struct{ master []byte }

// NewBox uses a 32-byte master key.
func NewBox(master []byte) (*Box, error) {
	if len(master) != 32 {
		return nil, fmt.Errorf("secret: the master key has %d bytes, not 32", len(master))
	}
	return &Box{master: master}, nil
}

// KeyPath is where the master key of a data folder lies.
func KeyPath(dir string) string { return filepath.Join(dir, "master.key") }

// ReadBox reads the master key of a data folder. The error is os.ErrNotExist where
// there is none.
func ReadBox(dir string) (*Box, error) {
	b, err := os.ReadFile(KeyPath(dir))
	if err != nil {
		return nil, err
	}
	return ParseBox(string(b))
}

// LoadBox reads the master key of a data folder, making one the first time.
func LoadBox(dir string) (*Box, error) {
	box, err := ReadBox(dir)
	if !errors.Is(err, os.ErrNotExist) {
		return box, err
	}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	err = writeNew(KeyPath(dir), []byte(base64.StdEncoding.EncodeToString(key)+"\n"))
	if errors.Is(err, os.ErrExist) {
		return ReadBox(dir) // another process was first
	}
	if err != nil {
		return nil, err
	}
	return NewBox(key)
}

// ParseBox reads a master key in base64, as the key file and KONAK_MASTER_KEY
// hold it.
func ParseBox(text string) (*Box, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("secret: the master key is not base64: %w", err)
	}
	return NewBox(key)
}

// writeNew makes the file whole or not at all, and never replaces one: two
// processes that start together must not end up with different keys.
func writeNew(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".key-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	if _, err := f.Write(b); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(f.Chmod(0o600), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), path)
}

// Derive gives a key for one purpose, e.g. signing cursors.
func (b *Box) Derive(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, b.master, nil, "konak/"+purpose, 32)
	if err != nil {
		panic(err) // only a wrong length can fail
	}
	return key
}

// Seal encrypts plain for a place such as "webhook_endpoint/<id>".
func (b *Box) Seal(tenant uuid.UUID, place string, plain []byte) []byte {
	gcm := b.gcm(tenant)
	nonce := make([]byte, gcm.NonceSize(), gcm.NonceSize()+len(plain)+gcm.Overhead())
	if _, err := rand.Read(nonce); err != nil {
		panic(err)
	}
	return gcm.Seal(nonce, nonce, plain, []byte(place))
}

// Open decrypts what Seal made for the same tenant and place.
func (b *Box) Open(tenant uuid.UUID, place string, sealed []byte) ([]byte, error) {
	gcm := b.gcm(tenant)
	if len(sealed) < gcm.NonceSize() {
		return nil, errors.New("secret: sealed value is too short")
	}
	n := gcm.NonceSize()
	return gcm.Open(nil, sealed[:n], sealed[n:], []byte(place))
}

func (b *Box) gcm(tenant uuid.UUID) cipher.AEAD {
	block, err := aes.NewCipher(b.Derive("tenant/" + tenant.String()))
	if err != nil {
		panic(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return gcm
}
