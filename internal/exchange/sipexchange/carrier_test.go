package sipexchange_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"

	"github.com/emiago/sipgo/sip"
	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/exchange/sdp"
	"konak/internal/exchange/sipexchange"
	"konak/internal/kit/secret"
)

// withCarrier sends calls from a network to the owner of the number +902125550199.
func withCarrier(from string, trunk uuid.UUID) func(*sipexchange.Config) {
	return func(c *sipexchange.Config) {
		c.Carrier = &sipexchange.Carrier{
			Server: "127.0.0.9", From: []netip.Prefix{netip.MustParsePrefix(from)},
			FindNumber: func(_ context.Context, number string) (uuid.UUID, uuid.UUID, error) {
				switch number {
				case "+902125550199":
					return tenantB, trunk, nil
				case "+902125550500":
					return uuid.Nil, uuid.Nil, errors.New("the database is away")
				}
				return uuid.Nil, uuid.Nil, exchange.ErrUnknown
			},
		}
	}
}

// call sends the INVITE of a carrier to a number.
func (p *provider) call(number string) {
	p.t.Helper()
	p.send(p.text(newCall("sip:+905321234567@x", "sip:"+number+"@y", "sip:"+number+"@y"), "INVITE", p.offer(sdp.SendRecv)))
}

// A call of the operator's carrier goes to the owner of the number.
func TestCarrierCallsNumbers(t *testing.T) {
	t.Parallel()
	trunk := uuid.New()
	d := startDesk(t, withCarrier("127.0.0.1/32", trunk))
	p := newProvider(t, d)
	p.call("+902125550199")
	e := d.event(exchange.LegIncomingEvent)
	if e.Tenant != tenantB || e.Trunk != trunk || e.Device != "" || e.From != "+905321234567" || e.To != "+902125550199" {
		t.Errorf("event %+v", e)
	}
	d.must(d.Answer(t.Context(), tenantB, e.Leg))
	p.response(200)
	for number, status := range map[string]int{"+902125550198": 404, "name": 404, "+902125550500": 503} {
		p.call(number)
		p.response(status)
	}
}

// Anybody else who calls a number must authenticate.
func TestStrangersDoNotCallNumbers(t *testing.T) {
	t.Parallel()
	d := startDesk(t, withCarrier("127.0.0.9/32", uuid.New()))
	p := newProvider(t, d)
	p.call("+902125550199")
	p.response(401)
}

// A workspace with its own line at the operator's carrier does not get calls to the numbers
// of others.
func TestOwnLineAtCarrierGetsNoForeignCalls(t *testing.T) {
	t.Parallel()
	d := startDesk(t, withCarrier("127.0.0.1/32", uuid.New()))
	p := newProvider(t, d)
	d.must(d.PutTrunk(t.Context(), p.trunk(uuid.New(), "topsecret")))
	p.request(sip.REGISTER)
	p.admit()
	for d.event(exchange.TrunkStatusEvent).Status.State != exchange.TrunkRegistered {
	}
	p.call("+902125550199")
	if e := d.event(exchange.LegIncomingEvent); e.Tenant != tenantB {
		t.Errorf("the call went to %s", e.Tenant)
	}
}

// A carrier that uses TLS calls numbers over it and not unencrypted, and is called over it,
// without our signing in there.
func TestCarrierOverTLS(t *testing.T) {
	t.Parallel()
	config, authority := newCertificate(t)
	trunk := uuid.New()
	secure := func(c *sipexchange.Config) {
		c.Carrier.Secure, c.Carrier.Encryption = true, exchange.EncryptionRequired
	}
	d := startDeskOn(t, "127.0.0.1:0", config, withCarrier("127.0.0.1/32", trunk), secure, trusting(t, authority))
	carrier := startDeskOn(t, "127.0.0.1:0", config, trusting(t, authority))
	carrier.addDevice(tenantA, lineUser, "200")
	p := newProvider(t, d)
	p.call("+902125550199")
	p.response(401)

	line := func(tenant, id uuid.UUID, to *desk) exchange.Trunk {
		line := secureTrunk(id, to.sockets.TLSAddr().String(), exchange.EncryptionRequired)
		line.Tenant, line.Register = tenant, false
		return line
	}
	there, out := uuid.New(), uuid.New()
	carrier.must(carrier.PutTrunk(t.Context(), line(tenantA, there, d)))
	carrier.must(carrier.Originate(t.Context(), exchange.Originate{Tenant: tenantA, Leg: out, Trunk: there, Number: "+902125550199", CallerNumber: "+905321234567"}))
	e := d.event(exchange.LegIncomingEvent)
	if e.Tenant != tenantB || e.Trunk != trunk || e.From != "+905321234567" {
		t.Errorf("event %+v", e)
	}
	d.must(d.Answer(t.Context(), tenantB, e.Leg))
	d.event(exchange.LegAnsweredEvent)
	carrier.event(exchange.LegAnsweredEvent)
	if !d.IsEncrypted(e.Leg) || !carrier.IsEncrypted(out) {
		t.Error("the sound of the call to the number is not encrypted")
	}

	leg := uuid.New()
	d.must(d.PutTrunk(t.Context(), line(tenantB, trunk, carrier)))
	d.must(d.Originate(t.Context(), exchange.Originate{Tenant: tenantB, Leg: leg, Trunk: trunk, Number: "444"}))
	in := carrier.event(exchange.LegIncomingEvent)
	carrier.must(carrier.Answer(t.Context(), tenantA, in.Leg))
	d.event(exchange.LegAnsweredEvent)
	if in.To != "444" || !d.IsEncrypted(leg) || !carrier.IsEncrypted(in.Leg) {
		t.Errorf("the carrier was called as %+v, encrypted: %v", in, d.IsEncrypted(leg))
	}
}

// A carrier that uses TCP is called over it, without our signing in there, and calls
// numbers over the same connection.
func TestCarrierOverTCP(t *testing.T) {
	t.Parallel()
	trunk, leg := uuid.New(), uuid.New()
	d := startDesk(t, withCarrier("127.0.0.1/32", trunk))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	d.must(err)
	t.Cleanup(func() { _ = ln.Close() })
	d.must(d.PutTrunk(t.Context(), exchange.Trunk{
		Tenant: tenantB, ID: trunk, Server: ln.Addr().String(), Transport: "tcp", Username: "line", Password: secret.Of("topsecret"),
	}))
	d.must(d.Originate(t.Context(), exchange.Originate{Tenant: tenantB, Leg: leg, Trunk: trunk, Number: "+905321234567", CallerNumber: "+902125550199"}))
	p := acceptProvider(t, ln, "TCP")
	req := p.challenge(sip.INVITE, 407, "Proxy")
	if via := req.Via().Transport; via != "TCP" || req.Recipient.User != "+905321234567" || req.From().Address.User != "+902125550199" {
		t.Errorf("dialled over %s: %s", via, req.Recipient.String())
	}
	p.reply(req, "x", 200, p.offer(sdp.SendRecv))
	p.request(sip.ACK)
	d.event(exchange.LegAnsweredEvent)
	d.must(d.Hangup(t.Context(), tenantB, leg, exchange.CauseNormal))
	p.reply(p.request(sip.BYE), "x", 200, "")
	d.ended(leg, exchange.CauseNormal, exchange.EndedByCaller)

	p.call("+902125550199")
	e := d.event(exchange.LegIncomingEvent)
	if e.Tenant != tenantB || e.Trunk != trunk || e.From != "+905321234567" {
		t.Errorf("event %+v", e)
	}
	d.must(d.Answer(t.Context(), tenantB, e.Leg))
	p.response(200)
}

// Calls can be made as soon as the exchange has started.
func TestStartedExchangeCanSend(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	if !d.CanSend() {
		t.Error("it cannot send yet")
	}
}
