package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"strconv"
	"strings"
	"time"

	"konak/internal/kit/outbound"
)

const secretPrefix = "whsec_"

// NewSecret makes a signing secret.
func NewSecret() string {
	var b [32]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // the platform promises this cannot fail
	}
	return secretPrefix + base64.StdEncoding.EncodeToString(b[:])
}

// Sign is X-Service-Signature: the hex HMAC-SHA256 of the raw body with the
// whole secret as it was shown, prefix included.
func Sign(secret string, body []byte) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write(body)
	return hex.EncodeToString(m.Sum(nil))
}

// SignStandard is one signature of the Standard Webhooks header
// webhook-signature. Its key is the part of the secret after the prefix,
// decoded; it covers the delivery's id and the time, so a replay is noticed.
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

// signer holds an endpoint's secrets as keyed hashes, which cost more to make
// than to use. It is used by one goroutine at a time.
type signer struct {
	plain    hash.Hash
	standard []hash.Hash
	sum      [sha256.Size]byte
}

// newSigner takes the secrets, the one that the plain signature uses first.
func newSigner(secrets ...string) *signer {
	s := &signer{plain: hmac.New(sha256.New, []byte(secrets[0]))}
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil {
			key = []byte(secret)
		}
		s.standard = append(s.standard, hmac.New(sha256.New, key))
	}
	return s
}

// header is what is sent with a body.
func (s *signer) header(j *job, now time.Time) outbound.Header {
	id, stamp := j.id.String(), strconv.FormatInt(now.Unix(), 10)
	h := plainHeader(j.eventType, id, stamp)
	s.plain.Reset()
	s.plain.Write(j.body)
	h["X-Service-Signature"] = []string{hex.EncodeToString(s.plain.Sum(s.sum[:0]))}
	sigs := make([]byte, 0, 2*(3+base64.StdEncoding.EncodedLen(sha256.Size)))
	for _, m := range s.standard {
		if len(sigs) > 0 {
			sigs = append(sigs, ' ')
		}
		m.Reset()
		m.Write([]byte(id + "." + stamp + "."))
		m.Write(j.body)
		sigs = base64.StdEncoding.AppendEncode(append(sigs, "v1,"...), m.Sum(s.sum[:0]))
	}
	h["Webhook-Signature"] = []string{string(sigs)}
	return h
}

// plainHeader is a delivery's header without its signatures.
func plainHeader(eventType, id, stamp string) outbound.Header {
	return outbound.Header{
		"Content-Type":       {"application/json"},
		"User-Agent":         {"Konak-Webhooks/1"},
		"X-Service-Event":    {eventType},
		"X-Service-Delivery": {id},
		"Webhook-Id":         {id},
		"Webhook-Timestamp":  {stamp},
	}
}
