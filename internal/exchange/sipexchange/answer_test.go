package sipexchange_test

import (
	"net"
	"strings"
	"testing"

	"github.com/emiago/sipgo/sip"
	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/kit/secret"
)

// A telephone whose call is refused is told why, by a status and a sentence.
func TestRefusalsHaveReason(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	for cause, want := range map[exchange.Cause]struct {
		status int
		says   string
	}{
		exchange.CauseForbidden:   {403, "You may not make calls"},
		exchange.CauseNotLicensed: {403, "no licence"},
		exchange.CauseNoCredit:    {403, "no credit"},
		exchange.CauseCapReached:  {403, "limit"},
		exchange.CauseNotFound:    {404, "Nobody"},
		exchange.CauseNoDevice:    {480, "No phone is signed in"},
		exchange.CauseNoLine:      {503, "no line"},
		exchange.CauseRejected:    {603, ""},
		exchange.CauseNoAnswer:    {480, ""},
	} {
		c := p.invite("444")
		leg := d.event(exchange.LegIncomingEvent).Leg
		d.must(d.Hangup(t.Context(), tenantA, leg, cause))
		// The answers to earlier calls may still be repeated.
		res := p.wait(string(cause), func(m sip.Message) bool {
			r, ok := m.(*sip.Response)
			return ok && r.StatusCode == want.status && r.CallID().Value() == c.id
		}).(*sip.Response)
		says := ""
		if w := res.GetHeader("Warning"); w != nil {
			says = w.Value()
		}
		if want.says == "" && says != "" || want.says != "" && (!strings.HasPrefix(says, `399 konak "`) || !strings.Contains(says, want.says)) {
			t.Errorf("%s says %q", cause, says)
		}
	}
}

// Another version of SIP is answered in ours.
func TestOtherSIPVersionIsAnsweredInOurs(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := newPhone(t, "udp", d.Addr(), "ayse", "secret")
	message := strings.ReplaceAll(valid, "torture%d", "version")
	p.send(strings.Replace(message, " SIP/2.0\n", " SIP/9.0\n", 1))
	if res := p.response(505); res.SipVersion != "SIP/2.0" {
		t.Errorf("answered in %s", res.SipVersion)
	}
}

// The number of a caller may be given as a tel: address.
func TestCallerWithTelURI(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p, id := newProvider(t, d), uuid.New()
	d.must(d.PutTrunk(t.Context(), p.trunk(id, "topsecret")))
	p.admit()
	d.status(id, exchange.TrunkRegistered)
	message := strings.ReplaceAll(valid, "torture%d", "tel")
	message = strings.Replace(message, "INVITE sip:444@127.0.0.1", "INVITE "+p.contact, 1)
	message = strings.Replace(message, "From: <sip:ayse@127.0.0.1>", "From: <tel:+90-532-123.45.67;phone-context=x>", 1)
	p.send(message)
	if e := d.event(exchange.LegIncomingEvent); e.From != "+905321234567" || e.To != "444" {
		t.Errorf("event %+v", e)
	}
}

// The network's error text for an unreachable server is not shown, and a line has a status
// from the beginning.
func TestLineStatusHidesNetworkErrors(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	d.must(err)
	d.must(closed.Close())
	id := uuid.New()
	d.must(d.PutTrunk(t.Context(), exchange.Trunk{
		Tenant: tenantA, ID: id, Server: closed.Addr().String(), Transport: "tcp", Username: "u", Password: secret.Of("p"), Register: true,
	}))
	if s, err := d.TrunkStatus(t.Context(), tenantA, id); err != nil || s.State == "" {
		t.Errorf("status %+v, %v", s, err)
	}
	if s := d.status(id, exchange.TrunkFailed); s.LastError != "unreachable: The server does not answer" {
		t.Errorf("status %+v", s)
	}
}
