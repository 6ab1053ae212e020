// Package captcha asks people to show that they are no robots, if their address or account
// has had many wrong passwords or requests for mail.
//
// The answer is checked by an outside service or by the embedded proof of work, which has
// the format of ALTCHA's version 2, so that its widget solves it. The browser derives a key
// from a nonce and a counter, again and again, until the key has the required beginning.
// The server chose the counter, so it knows the key and checks an answer with one HMAC.
// Issuing a challenge stores nothing; an answer is valid once, by its nonce.
package captcha

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"time"

	"konak/internal/kit/clock"
)

const (
	algorithm = "PBKDF2/SHA-256"
	cost      = 5000
	keyLength = 32
	// Lifetime is how long a challenge can be answered.
	Lifetime = 5 * time.Minute
)

// Parameters describe the work. The fields are in alphabetical order, the order in which
// they are signed.
type Parameters struct {
	Algorithm    string `json:"algorithm" example:"PBKDF2/SHA-256"`
	Cost         int    `json:"cost" example:"5000"`
	ExpiresAt    int64  `json:"expiresAt" example:"1794733800"`
	KeyLength    int    `json:"keyLength" example:"32"`
	KeyPrefix    string `json:"keyPrefix" example:"6874819d01cd5f00ae2360a67c232469"`
	KeySignature string `json:"keySignature" example:"1ec587d7ba2d230da75eb52533c3e41b3fb7862e6f3d1bc440daac468a315ac1"`
	Nonce        string `json:"nonce" example:"3d8d32e7d78d951d1025728a0c536859"`
	Salt         string `json:"salt" example:"4d9f7f6f0ca4fc99dc159d916273c748"`
}

// Challenge is the task that the widget solves.
type Challenge struct {
	Parameters Parameters `json:"parameters"`
	Signature  string     `json:"signature" example:"ef3492617a7fd7c701c68fb6a69c1899563e2127689f3bc822f39fd6bdcce7a2"`
}

// Solution is the widget's result.
type Solution struct {
	Counter    uint32  `json:"counter"`
	DerivedKey string  `json:"derivedKey"`
	Time       float64 `json:"time"`
}

// Answer is the token that a form sends, before base64.
type Answer struct {
	Challenge Challenge `json:"challenge"`
	Solution  Solution  `json:"solution"`
}

// Work issues challenges and checks answers.
type Work struct {
	clock               clock.Source
	signing, keySigning []byte
	least               int64
}

// leastWork is the minimum number of keys derived to answer a challenge.
const leastWork = 1000

// NewWork returns a check with its two keys. An answer takes between least and twice as
// many keys.
func NewWork(c clock.Source, signing, keySigning []byte, least int) *Work {
	return &Work{clock: c, signing: signing, keySigning: keySigning, least: int64(least)}
}

// Challenge creates a challenge. Under attack it takes five times the work.
func (w *Work) Challenge(attack bool) (Challenge, error) {
	least := w.least
	if attack {
		least *= 5
	}
	n, err := rand.Int(rand.Reader, big.NewInt(least))
	if err != nil {
		return Challenge{}, fmt.Errorf("captcha: %w", err)
	}
	return w.challenge(uint32(least+n.Int64()), cost)
}

func (w *Work) challenge(counter uint32, cost int) (Challenge, error) {
	var nonce, salt [16]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		return Challenge{}, fmt.Errorf("captcha: %w", err)
	}
	if _, err := rand.Read(salt[:]); err != nil {
		return Challenge{}, fmt.Errorf("captcha: %w", err)
	}
	p := Parameters{
		Algorithm: algorithm, Cost: cost, KeyLength: keyLength, ExpiresAt: w.clock.Now().Add(Lifetime).Unix(),
		Nonce: hex.EncodeToString(nonce[:]), Salt: hex.EncodeToString(salt[:]),
	}
	key, err := Derive(p, counter)
	if err != nil {
		return Challenge{}, err
	}
	p.KeyPrefix = hex.EncodeToString(key[:keyLength/2])
	p.KeySignature = sign(w.keySigning, key)
	signature, err := w.signature(p)
	return Challenge{p, signature}, err
}

func (w *Work) signature(p Parameters) (string, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("captcha: %w", err)
	}
	return sign(w.signing, text), nil
}

// Derive computes the key for one counter value: one try of the proof of work.
func Derive(p Parameters, counter uint32) ([]byte, error) {
	nonce, err := hex.DecodeString(p.Nonce)
	if err != nil {
		return nil, fmt.Errorf("captcha: nonce: %w", err)
	}
	salt, err := hex.DecodeString(p.Salt)
	if err != nil {
		return nil, fmt.Errorf("captcha: salt: %w", err)
	}
	key, err := pbkdf2.Key(sha256.New, string(binary.BigEndian.AppendUint32(nonce, counter)), salt, p.Cost, p.KeyLength)
	if err != nil {
		return nil, fmt.Errorf("captcha: derive: %w", err)
	}
	return key, nil
}

// Check reports whether a token answers one of our challenges that is still open, and
// returns its nonce, which the caller must not accept twice before it expires.
func (w *Work) Check(token string) (nonce string, expires time.Time, ok bool) {
	text, err := base64.StdEncoding.DecodeString(token)
	if err != nil {
		return "", time.Time{}, false
	}
	var a Answer
	if err := json.Unmarshal(text, &a); err != nil {
		return "", time.Time{}, false
	}
	p := a.Challenge.Parameters
	want, err := w.signature(p)
	if err != nil || !hmac.Equal([]byte(want), []byte(a.Challenge.Signature)) {
		return "", time.Time{}, false
	}
	expires = time.Unix(p.ExpiresAt, 0).UTC()
	key, err := hex.DecodeString(a.Solution.DerivedKey)
	if err != nil || !hmac.Equal([]byte(sign(w.keySigning, key)), []byte(p.KeySignature)) {
		return "", time.Time{}, false
	}
	return p.Nonce, expires, w.clock.Now().Before(expires)
}

func sign(key, text []byte) string {
	m := hmac.New(sha256.New, key)
	m.Write(text)
	return hex.EncodeToString(m.Sum(nil))
}
