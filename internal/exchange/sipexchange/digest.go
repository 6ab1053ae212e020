package sipexchange

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"
)

// HA1 returns the hash of a device's password that the exchange gets instead of it.
func HA1(username, realm, password string) string {
	return md5Hex(username + ":" + realm + ":" + password)
}

func md5Hex(s string) string {
	sum := md5.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}

// params are the parameters of a digest header, by name in lower case.
type params map[string]string

// maxParams limits the parameters of a digest header.
const maxParams = 20

var errDigest = errors.New("sipexchange: invalid digest header")

// parseDigest parses the value of a header such as `Digest realm="x", nonce="y"`.
func parseDigest(value string) (params, error) {
	scheme, rest, _ := strings.Cut(strings.TrimSpace(value), " ")
	if !strings.EqualFold(scheme, "Digest") {
		return nil, errDigest
	}
	out := params{}
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		name, after, ok := strings.Cut(rest, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if _, twice := out[name]; !ok || name == "" || twice || len(out) == maxParams {
			return nil, errDigest
		}
		var text string
		if after = strings.TrimLeft(after, " "); strings.HasPrefix(after, `"`) {
			if text, after, ok = cutQuoted(after[1:]); !ok {
				return nil, errDigest
			}
			_, after, _ = strings.Cut(after, ",")
		} else {
			text, after, _ = strings.Cut(after, ",")
			text = strings.TrimSpace(text)
		}
		out[name], rest = text, after
	}
	return out, nil
}

// cutQuoted returns the text before the closing quote, and the text after it.
func cutQuoted(s string) (text, after string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:], true
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "", false
}

// isMD5 reports whether a challenge or an answer to one uses MD5.
func (p params) isMD5() bool { return p["algorithm"] == "" || strings.EqualFold(p["algorithm"], "MD5") }

// response returns the proof that the sender of a request knows HA1.
func (p params) response(ha1, method string) string {
	ha2 := md5Hex(method + ":" + p["uri"])
	if p["qop"] == "" {
		return md5Hex(ha1 + ":" + p["nonce"] + ":" + ha2)
	}
	return md5Hex(ha1 + ":" + p["nonce"] + ":" + p["nc"] + ":" + p["cnonce"] + ":" + p["qop"] + ":" + ha2)
}

// provesHA1 reports whether an Authorization header was made with HA1.
func (p params) provesHA1(ha1, method string) bool {
	if !p.isMD5() || p["uri"] == "" || p["qop"] != "" && !strings.EqualFold(p["qop"], "auth") {
		return false
	}
	return subtle.ConstantTimeCompare([]byte(p.response(ha1, method)), []byte(strings.ToLower(p["response"]))) == 1
}

// answerChallenge returns the Authorization header that answers a challenge. It returns
// errDigest for a challenge that we do not support.
func answerChallenge(challenge params, username, ha1, method, uri string) (string, error) {
	offered := strings.Split(challenge["qop"], ",")
	answer := params{"uri": uri, "nonce": challenge["nonce"]}
	if challenge["qop"] != "" {
		for _, q := range offered {
			if strings.EqualFold(strings.TrimSpace(q), "auth") {
				answer["qop"], answer["nc"], answer["cnonce"] = "auth", "00000001", rand.Text()
			}
		}
		if answer["qop"] == "" {
			return "", errDigest
		}
	}
	if !challenge.isMD5() || challenge["nonce"] == "" {
		return "", errDigest
	}
	var b strings.Builder
	fmt.Fprintf(&b, `Digest username=%s, realm=%s, nonce=%s, uri=%s, response="%s", algorithm=MD5`,
		quote(username), quote(challenge["realm"]), quote(challenge["nonce"]), quote(uri), answer.response(ha1, method))
	if answer["qop"] != "" {
		fmt.Fprintf(&b, `, qop=auth, nc=%s, cnonce="%s"`, answer["nc"], answer["cnonce"])
	}
	if opaque, ok := challenge["opaque"]; ok {
		fmt.Fprintf(&b, ", opaque=%s", quote(opaque))
	}
	return b.String(), nil
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// nonceLife is how long a challenge can be answered.
const nonceLife = time.Minute

// nonces creates and checks challenges without storing them: each carries its time, and a
// code over the time and the address it was sent to.
type nonces struct{ key []byte }

func (n nonces) code(at []byte, addr netip.Addr) []byte {
	mac := hmac.New(sha256.New, n.key)
	_, _ = mac.Write(at)
	_, _ = mac.Write(addr.AsSlice())
	return mac.Sum(nil)[:16]
}

func (n nonces) newNonce(now time.Time, addr netip.Addr) string {
	at := binary.BigEndian.AppendUint64(nil, uint64(now.UnixMicro()))
	return base64.RawURLEncoding.EncodeToString(append(at, n.code(at, addr)...))
}

// check reports whether a nonce is ours, and whether it is still fresh.
func (n nonces) check(nonce string, now time.Time, addr netip.Addr) (ours, fresh bool) {
	b, err := base64.RawURLEncoding.DecodeString(nonce)
	if err != nil || len(b) != 24 || !hmac.Equal(b[8:], n.code(b[:8], addr)) {
		return false, false
	}
	age := now.Sub(time.UnixMicro(int64(binary.BigEndian.Uint64(b))))
	return true, age >= 0 && age < nonceLife
}
