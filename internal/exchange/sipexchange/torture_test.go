package sipexchange_test

import (
	"fmt"
	"strings"
	"testing"

	"konak/internal/exchange"
	"konak/internal/exchange/sdp"
)

// valid is an INVITE that the tests below break in one place each (after RFC 4475).
const valid = "INVITE sip:444@127.0.0.1 SIP/2.0\nVia: SIP/2.0/UDP 127.0.0.1:5999;branch=z9hG4bKtorture%d;rport\n" +
	"From: <sip:ayse@127.0.0.1>;tag=a\nTo: <sip:444@127.0.0.1>\nCall-ID: torture%d\nCSeq: 1 INVITE\nMax-Forwards: 70\n" +
	"Contact: <sip:ayse@127.0.0.1>\nContent-Length: 0\n\n"

// No message, however broken, ends the exchange or keeps it from serving others.
func TestBrokenMessages(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	good := d.addPhone(tenantA, "ayse", "101")
	broken := []struct{ from, to string }{
		{"SIP/2.0\nVia", "SIP/7.0\nVia"},
		{"INVITE sip:444@127.0.0.1 SIP/2.0", "INVITE <sip:444@127.0.0.1> SIP/2.0"},
		{"INVITE sip:444@127.0.0.1 SIP/2.0", "INVITE  sip:444@127.0.0.1  SIP/2.0"},
		{"INVITE sip:444@127.0.0.1 SIP/2.0", "INVITE nobodyKnowsThisScheme:x SIP/2.0"},
		{"INVITE sip:444@127.0.0.1 SIP/2.0", "\n\n\nINVITE sip:444@127.0.0.1 SIP/2.0"},
		{"INVITE sip:", "!invite%sip:"},
		{"sip:444@127.0.0.1 SIP", "sip:%00%ff@127.0.0.1 SIP"},
		{"sip:444@127.0.0.1 SIP", "sip:" + strings.Repeat("4", 3000) + "@x SIP"},
		{"CSeq: 1 INVITE", "CSeq: 36893488147419103232 INVITE"},
		{"CSeq: 1 INVITE", "CSeq: 4294967295 INVITE"},
		{"CSeq: 1 INVITE", "CSeq: 1 REGISTER"},
		{"CSeq: 1 INVITE", "CSeq: INVITE"},
		{"CSeq: 1 INVITE\n", ""},
		{"Call-ID: torture%d\n", ""},
		{"Call-ID: torture%d", "Call-ID: " + strings.Repeat("c", 2000)},
		{"From: <sip:ayse@127.0.0.1>;tag=a\n", ""},
		{"From: <sip:ayse@127.0.0.1>;tag=a", "From: \"unclosed <sip:ayse@127.0.0.1>;tag=a"},
		{"From: <sip:ayse@127.0.0.1>;tag=a", "From: <sip:ayse@127.0.0.1>"},
		{"From: <sip:ayse@127.0.0.1>;tag=a", "From: ;;;;;tag=,,,"},
		{"To: <sip:444@127.0.0.1>\n", ""},
		{"To: <sip:444@127.0.0.1>", "To: <sip:444@127.0.0.1>;tag="},
		{"To: <sip:444@127.0.0.1>", "To: isbn:2983792873"},
		{"Via: SIP/2.0/UDP", "Via: SIP/2.0/CARRIERPIGEON"},
		{"Via: SIP/2.0/UDP 127.0.0.1:5999;branch=z9hG4bKtorture%d;rport\n", ""},
		{"127.0.0.1:5999;branch", "127.0.0.1:99999999;branch"},
		{"branch=z9hG4bKtorture%d", "branch=z9hG4bK"},
		{"branch=z9hG4bKtorture%d", "maddr=224.0.0.1;ttl=255"},
		{"Max-Forwards: 70", "Max-Forwards: -1"},
		{"Max-Forwards: 70", "Max-Forwards: 99999999999"},
		{"Contact: <sip:ayse@127.0.0.1>", "Contact: *"},
		{"Contact: <sip:ayse@127.0.0.1>", "Contact: \"\\\""},
		{"Contact: <sip:ayse@127.0.0.1>", "Contact: <sip:?x=%0d%0aEvil:1>"},
		{"Content-Length: 0", "Content-Length: -999"},
		{"Content-Length: 0", "Content-Length: 9999999999999"},
		{"Content-Length: 0", "Content-Length: 5000"},
		{"Content-Length: 0", "Authorization: Digest\nContent-Length: 0"},
		{"Content-Length: 0", "Authorization: Digest ====,,,\nContent-Length: 0"},
		{"Content-Length: 0", "Authorization: NoOneKnows x=\"y\nContent-Length: 0"},
		{"Content-Length: 0", "Require: nothingSupportsThis\nProxy-Require: x\nContent-Length: 0"},
		{"Content-Length: 0", strings.Repeat("X-Header: y\n", 1000) + "Content-Length: 0"},
		{"Content-Length: 0", "Subject: \x00\x01\xff\xfe\nContent-Length: 0"},
		{"Content-Length: 0", " \n\t\nContent-Length: 0"},
		{"Content-Length: 0\n\n", "Content-Type: application/sdp\nContent-Length: 5\n\nv=0\n"},
		{"Content-Length: 0", "no colon at all"},
		{"INVITE sip:444@127.0.0.1 SIP/2.0", "SIP/2.0 200 OK"},
		{"INVITE sip:444@127.0.0.1 SIP/2.0", "SIP/2.0 4294967301 better not break"},
		{"INVITE sip:444@127.0.0.1 SIP/2.0", "SIP/2.0 100 "},
	}
	for _, network := range []string{"udp", "tcp"} {
		for i, b := range broken {
			p := newPhone(t, network, d.Addr(), "ayse", "secret")
			message := strings.Replace(valid, b.from, b.to, 1)
			if message == valid {
				t.Fatalf("%q is not in the message", b.from)
			}
			if n := strings.Count(message, "torture%d"); n > 0 {
				args := make([]any, n)
				for k := range args {
					args[k] = i
				}
				message = fmt.Sprintf(strings.ReplaceAll(strings.ReplaceAll(message, "%", "%%"), "torture%%d", "torture%d"), args...)
			}
			p.send(message)
		}
	}
	leg, _ := d.talk(tenantA, good)
	d.must(d.Hangup(t.Context(), tenantA, leg, exchange.CauseNormal))
	good.request("BYE")
	if strings.Contains(d.logs.String(), "fault") {
		t.Errorf("a message met a fault:\n%s", d.logs)
	}
}

// The required parts of an INVITE are checked, and the answer says what is wrong.
func TestInvitesAreChecked(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	for name, test := range map[string]struct {
		number  string
		headers []string
		status  int
	}{
		"an extension that is not known": {"444", []string{"Require: 100rel"}, 420},
		"no way left":                    {"444", []string{"Max-Forwards: 0"}, 483},
		"letters":                        {"alice", nil, 404},
	} {
		p.invite(test.number, test.headers...)
		if res := p.response(test.status); res == nil {
			t.Error(name)
		}
	}
	p.codec = sdp.Codec(9) // an unsupported one
	p.invite("444")
	p.response(488)
}
