package sipexchange

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/emiago/sipgo/sip"

	"konak/internal/exchange/flood"
)

var someDay = time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)

// addrOf returns a different address for each number.
func addrOf(i int) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], 0x0A000000+uint32(i))
	return netip.AddrFrom4(b)
}

func TestChallengesAreBoundToAddress(t *testing.T) {
	t.Parallel()
	n := nonces{key: []byte("key")}
	nonce := n.newNonce(someDay, addrOf(1))
	for name, test := range map[string]struct {
		nonce       string
		after       time.Duration
		addr        netip.Addr
		ours, fresh bool
	}{
		"right":           {nonce, time.Second, addrOf(1), true, true},
		"old":             {nonce, nonceLife, addrOf(1), true, false},
		"another address": {nonce, time.Second, addrOf(2), false, false},
		"of the future":   {nonce, -time.Second, addrOf(1), true, false},
		"another key":     {nonces{key: []byte("other")}.newNonce(someDay, addrOf(1)), time.Second, addrOf(1), false, false},
		"garbage":         {"x", 0, addrOf(1), false, false},
	} {
		if ours, fresh := n.check(test.nonce, someDay.Add(test.after), test.addr); ours != test.ours || fresh != test.fresh {
			t.Errorf("%s: ours %v, fresh %v", name, ours, fresh)
		}
	}
}

// The response is that of RFC 2617 section 3.5.
func TestDigestResponseOfRFC2617(t *testing.T) {
	t.Parallel()
	p, err := parseDigest(`Digest username="Mufasa", realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", uri="/dir/index.html", ` +
		`qop=auth, nc=00000001, cnonce="0a4f113b", response="6629fae49393a05397450978507c4ef1", opaque="5ccc069c403ebaf9f0171e9517f40e41"`)
	if err != nil {
		t.Fatal(err)
	}
	ha1 := HA1("Mufasa", "testrealm@host.com", "Circle Of Life")
	if !p.provesHA1(ha1, "GET") {
		t.Error("the proof is refused")
	}
	for name, change := range map[string]func(params){
		"another method's": func(params) {},
		"another qop":      func(p params) { p["qop"] = "auth-int" },
		"SHA-256":          func(p params) { p["algorithm"] = "SHA-256" },
		"no uri":           func(p params) { p["uri"] = "" },
		"no response":      func(p params) { delete(p, "response") },
	} {
		changed, method := params{}, "GET"
		for k, v := range p {
			changed[k] = v
		}
		if change(changed); name == "another method's" {
			method = "PUT"
		}
		if changed.provesHA1(ha1, method) {
			t.Errorf("%s proof is accepted", name)
		}
	}
}

// FuzzParseDigest checks that no header makes parseDigest panic, and that our answers can
// be parsed.
func FuzzParseDigest(f *testing.F) {
	f.Add(`Digest realm="a", nonce="b\"c", qop="auth,auth-int", algorithm=MD5`)
	f.Add(`Digest a=,b="`)
	f.Fuzz(func(t *testing.T, value string) {
		challenge, err := parseDigest(value)
		if err != nil {
			return
		}
		answer, err := answerChallenge(challenge, "user", "ha1", "REGISTER", "sip:x")
		if err != nil {
			return
		}
		back, err := parseDigest(answer)
		if err != nil || back["realm"] != challenge["realm"] || back["nonce"] != challenge["nonce"] || !back.provesHA1("ha1", "REGISTER") {
			t.Fatalf("%q is answered by %q: %v", value, answer, err)
		}
	})
}

// FuzzMessage checks that no message makes the library's parser or our reading of its
// headers panic.
func FuzzMessage(f *testing.F) {
	f.Add([]byte("INVITE sip:a@b SIP/2.0\r\nVia: SIP/2.0/UDP h;branch=z9hG4bKx\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:b@c>\r\nCall-ID: x\r\n" +
		"CSeq: 1 INVITE\r\nContact: <sip:a@h>;expires=5\r\nRecord-Route: <sip:p;lr>\r\nSession-Expires: 90\r\nRequire: x\r\nContent-Length: 0\r\n\r\n"))
	f.Add([]byte("REGISTER sip:b SIP/2.0\r\nm: *\r\n\r\n"))
	f.Add([]byte("SIP/2.0 200 OK\r\nTo: x;tag=1\r\nContact: y\r\n\r\n"))
	f.Fuzz(func(_ *testing.T, b []byte) {
		if !flood.IsReadable(b) {
			return
		}
		switch m, err := sip.NewParser().ParseSIP(b); m := m.(type) {
		case *sip.Request:
			if err == nil && isComplete(m) {
				_, _ = dialogOfInvite(m)
				_, _, _ = refusal(m)
				_, _, _ = readOffer(m)
				_, _ = answerRefresh(m, someDay)
				_, _ = parseInfoKey(header(m, "Content-Type"), string(m.Body()))
				_ = sip.NewResponseFromRequest(m, 200, "OK", nil).String()
			}
		case *sip.Response:
			_ = (&dialog{}).establish(m)
			_ = agreedRefresh(m, someDay)
			_ = grantedExpiry(m, "x", time.Minute)
		}
	})
}
