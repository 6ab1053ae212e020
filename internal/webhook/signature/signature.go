// Package signature creates the secrets of webhooks and the headers that are signed with
// them.
package signature

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"konak/internal/kit/each"
	"konak/internal/kit/outbound"
)

const secretPrefix = "whsec_"

// NewSecret returns a new signing secret.
func NewSecret() string {
	var b [32]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // the platform promises this cannot fail
	}
	return secretPrefix + base64.StdEncoding.EncodeToString(b[:])
}

// Sign returns X-Service-Signature: the hex HMAC-SHA256 of the raw body with the whole
// secret as it was shown, prefix included.
func Sign(secret string, body []byte) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write(body)
	return hex.EncodeToString(m.Sum(nil))
}

// SignStandard returns one signature of the Standard Webhooks header webhook-signature. Its
// key is the part of the secret after the prefix, decoded; it covers the delivery's id and
// the time, so that a replay is noticed.
func SignStandard(secret, id, timestamp string, body []byte) string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil {
		key = []byte(secret)
	}
	m := hmac.New(sha256.New, key)
	m.Write([]byte(id + "." + timestamp + "."))
	m.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(m.Sum(nil))
}

// Signer holds an endpoint's secrets; the plain signature uses the first.
type Signer []string

// Header returns the headers to send with the body of a delivery.
func (s Signer) Header(eventType, id string, body []byte, now time.Time) outbound.Header {
	h := PlainHeader(eventType, id, now)
	stamp := h["Webhook-Timestamp"][0]
	h["X-Service-Signature"] = []string{Sign(s[0], body)}
	all := each.Map(s, func(secret string) string { return SignStandard(secret, id, stamp, body) })
	h["Webhook-Signature"] = []string{strings.Join(all, " ")}
	return h
}

// PlainHeader returns a delivery's headers without its signatures.
func PlainHeader(eventType, id string, now time.Time) outbound.Header {
	return outbound.Header{
		"Content-Type":       {"application/json"},
		"User-Agent":         {"Konak-Webhooks/1"},
		"X-Service-Event":    {eventType},
		"X-Service-Delivery": {id},
		"Webhook-Id":         {id},
		"Webhook-Timestamp":  {strconv.FormatInt(now.Unix(), 10)},
	}
}
