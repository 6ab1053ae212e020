// Package secret handles secrets: a type that prints as stars, tokens that are stored only
// as hashes, and sealing for secrets that must be readable again.
package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Text is a secret string. Printing or encoding it in any way yields stars; only Reveal
// returns it.
type Text struct{ v string }

// Of wraps a secret.
func Of(s string) Text { return Text{s} }

// Reveal returns the secret itself.
func (t Text) Reveal() string { return t.v }

// String implements fmt.Stringer.
func (Text) String() string { return "***" }

// Format implements fmt.Formatter for every verb: a verb that does not fit a string would
// print the field itself.
func (Text) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "***") }

// LogValue implements slog.LogValuer.
func (Text) LogValue() slog.Value { return slog.StringValue("***") }

// MarshalJSON implements json.Marshaler.
func (Text) MarshalJSON() ([]byte, error) { return []byte(`"***"`), nil }

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Token prefixes: they show what a token is, so that scanners and people recognise it.
const (
	SessionPrefix = "ses_"
	KeyLivePrefix = "key_live_"
	KeyTestPrefix = "key_test_"
	CodePrefix    = "ac_"
	ClientPrefix  = "app_"
	InvitePrefix  = "inv_"
	OwnerPrefix   = "own_"
	QRPrefix      = "qrk_"
	VerifyPrefix  = "emv_"
	ResetPrefix   = "rst_"
	TicketPrefix  = "mfa_"
	ChannelPrefix = "chk_"
	VisitorPrefix = "vis_"

	// PhonePrefix marks a ticket for the phones' socket.
	PhonePrefix = "pht_"

	// HandoverPrefix marks a session that is being moved to another host.
	HandoverPrefix = "hov_"
)

// NewToken returns prefix + 32 random bytes in base62 + 6 characters of CRC32.
func NewToken(prefix string) string {
	var raw [32]byte
	if _, err := rand.Read(raw[:]); err != nil {
		panic(err) // the platform promises this cannot fail
	}
	body := prefix + encode62(raw[:])
	return body + checksum(body)
}

// NewDigits returns n random digits, for codes that people type.
func NewDigits(n int) string {
	out := make([]byte, n)
	for i := range out {
		d, err := rand.Int(rand.Reader, big.NewInt(10))
		if err != nil {
			panic(err) // the platform promises this cannot fail
		}
		out[i] = '0' + byte(d.Int64())
	}
	return string(out)
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

// Hash returns the form in which a token is stored.
func Hash(token string) []byte {
	h := sha256.Sum256([]byte(token))
	return h[:]
}

// Last4 returns the last four characters of a secret, which may be shown.
func Last4(s string) string {
	if len(s) < 4 {
		return ""
	}
	return s[len(s)-4:]
}

// checksum runs in every request, so it avoids big numbers.
func checksum(s string) string {
	var out [6]byte
	n := crc32.ChecksumIEEE([]byte(s))
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = base62[n%62]
		n /= 62
	}
	return string(out[:])
}

// encode62 encodes 32 bytes as a number of 43 digits.
func encode62(b []byte) string {
	var out [43]byte
	n, base, mod := new(big.Int).SetBytes(b), big.NewInt(62), new(big.Int)
	for i := len(out) - 1; i >= 0; i-- {
		n.DivMod(n, base, mod)
		out[i] = base62[mod.Int64()]
	}
	return string(out[:])
}

// Box seals secrets at rest. Each sealed value has its own key, which is wrapped with a key
// of the box, so for a new key of the box only that key must be wrapped again. A value
// opens only for the tenant and in the place that it was sealed for.
type Box struct {
	root    []byte // the key from which Derive derives
	current uint32 // the key that seals
	wraps   map[uint32][]byte
	master  *Box // the master key that opened the keys; nil in the box of a master key
}

// NewBox returns a box with one key of 32 bytes: a master key, which seals the keys of the
// installation (see OpenKeys).
func NewBox(master []byte) (*Box, error) {
	if len(master) != 32 {
		return nil, fmt.Errorf("secret: the master key has %d bytes, not 32", len(master))
	}
	return &Box{root: master, wraps: map[uint32][]byte{0: wrapKey(master)}}, nil
}

// NewMaster creates a random master key, and returns it with its text for the key file.
func NewMaster() (*Box, string) {
	key := newKey()
	box, err := NewBox(key)
	if err != nil {
		panic(err) // the length is right
	}
	return box, base64.StdEncoding.EncodeToString(key) + "\n"
}

// KeyPath returns the path of a data folder's master key.
func KeyPath(dir string) string { return filepath.Join(dir, "master.key") }

// ReadBox reads the master key of a data folder. The error is os.ErrNotExist if there is
// none.
func ReadBox(dir string) (*Box, error) {
	b, err := os.ReadFile(KeyPath(dir))
	if err != nil {
		return nil, err
	}
	return ParseBox(string(b))
}

// LoadBox reads the master key of a data folder, creating one the first time.
func LoadBox(dir string) (*Box, error) {
	box, err := ReadBox(dir)
	if !errors.Is(err, os.ErrNotExist) {
		return box, err
	}
	box, text := NewMaster()
	err = WriteKey(KeyPath(dir), text)
	if errors.Is(err, os.ErrExist) {
		return ReadBox(dir) // another process was first
	}
	return box, err
}

// WriteKey writes the text of a master key to a new file that only its owner can read. The
// error is os.ErrExist if the file exists.
func WriteKey(path, text string) error { return writeNew(path, []byte(text)) }

// ParseBox parses a master key in base64, as in the key file and in KONAK_MASTER_KEY.
func ParseBox(text string) (*Box, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("secret: the master key is not base64: %w", err)
	}
	return NewBox(key)
}

// writeNew creates the file completely or not at all, and never replaces one: two processes
// that start together must not end up with different keys.
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
	if err := os.Link(f.Name(), path); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close()) // so that the name survives a power cut
}

// Derive returns a key for one purpose, e.g. signing cursors.
func (b *Box) Derive(purpose string) []byte { return derive(b.root, "konak/"+purpose) }

func derive(key []byte, purpose string) []byte {
	out, err := hkdf.Key(sha256.New, key, nil, purpose, 32)
	if err != nil {
		panic(err) // only a wrong length can fail
	}
	return out
}

// wrapKey derives the key that wraps the keys of sealed values.
func wrapKey(key []byte) []byte { return derive(key, "konak/wrap") }

// mark begins every sealed value, followed by the id of the key that wrapped it.
const mark = "\x93knk\x01"

const (
	headerSize  = len(mark) + 4
	nonceSize   = 12
	wrappedSize = headerSize + nonceSize + 32 + 16
)

// header returns the beginning of a value sealed with the key id.
func header(id uint32) []byte { return binary.BigEndian.AppendUint32([]byte(mark), id) }

// Seal encrypts plain for a place such as "webhook_endpoint/<id>".
func (b *Box) Seal(tenant uuid.UUID, name string, plain []byte) []byte {
	key := newKey()
	return encrypt(b.wrap(key), key, plain, boundTo(tenant, name))
}

// Open decrypts a value of Seal for the same tenant and place.
func (b *Box) Open(tenant uuid.UUID, name string, sealed []byte) ([]byte, error) {
	key, rest, err := b.unwrap(sealed)
	if err != nil {
		return nil, err
	}
	return decrypt(key, rest, boundTo(tenant, name))
}

// wrap encrypts the key of a value with the newest key of the box.
func (b *Box) wrap(key []byte) []byte {
	head := header(b.current)
	return encrypt(head, b.wraps[b.current], key, head)
}

// unwrap returns the key of a sealed value, and what it encrypts.
func (b *Box) unwrap(sealed []byte) (key, rest []byte, err error) {
	if len(sealed) < wrappedSize || string(sealed[:len(mark)]) != mark {
		return nil, nil, errors.New("secret: not a sealed value")
	}
	head := sealed[:headerSize]
	wrap := b.wraps[binary.BigEndian.Uint32(head[len(mark):])]
	if wrap == nil {
		return nil, nil, errors.New("secret: the key the value was sealed with is missing")
	}
	key, err = decrypt(wrap, sealed[headerSize:wrappedSize], head)
	return key, sealed[wrappedSize:], err
}

// encrypt appends a nonce and the encrypted text to dst.
func encrypt(dst, key, plain, bound []byte) []byte {
	nonce := make([]byte, nonceSize)
	if _, err := rand.Read(nonce); err != nil {
		panic(err) // the platform promises this cannot fail
	}
	return newGCM(key).Seal(append(slices.Clip(dst), nonce...), nonce, plain, bound)
}

// decrypt reads what encrypt appended.
func decrypt(key, sealed, bound []byte) ([]byte, error) {
	if len(sealed) < nonceSize {
		return nil, errors.New("secret: sealed value is too short")
	}
	return newGCM(key).Open(nil, sealed[:nonceSize], sealed[nonceSize:], bound)
}

func newGCM(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return gcm
}
