package sipexchange_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emiago/sipgo/sip"
	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/exchange/baresiptest"
	"konak/internal/exchange/sdp"
	"konak/internal/exchange/sipexchange"
	"konak/internal/kit/secret"
)

// trusting makes an exchange trust the certificates of an authority.
func trusting(t *testing.T, authority string) func(*sipexchange.Config) {
	t.Helper()
	text, err := os.ReadFile(authority)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		t.Fatal("no certificate")
	}
	return func(c *sipexchange.Config) { c.Roots = roots }
}

// lineUser is the user name that a line signs in with.
const lineUser = "902165550000"

// secureTrunk returns the settings of a line over TLS.
func secureTrunk(id uuid.UUID, server string, encryption exchange.Encryption) exchange.Trunk {
	return exchange.Trunk{
		Tenant: tenantA, ID: id, Server: server, Transport: "tls", Encryption: encryption, Username: lineUser,
		Password: secret.Of("secret"), Register: true,
	}
}

// wantToneAcross plays a tone to a leg and checks that the other exchange hears it.
func wantToneAcross(t *testing.T, from *desk, said uuid.UUID, to *desk, heard uuid.UUID, hz float64) {
	t.Helper()
	from.must(from.Play(t.Context(), exchange.Play{Tenant: tenantA, Leg: said, ID: uuid.New(), Samples: tone(hz, 1), Loop: true}))
	id := uuid.New()
	to.must(to.Record(t.Context(), tenantA, heard, id))
	baresiptest.WaitForFile(t, filepath.Join(to.cfg.Dir, "recordings", tenantA.String(), id.String()+"."+heard.String()+".part"), 3*32000)
	to.must(to.StopRecord(t.Context(), tenantA, id))
	to.event(exchange.RecordEndedEvent)
	left, _ := readStereo(t, to, id)
	baresiptest.WantTone(t, "heard", left, hz)
	from.must(from.StopPlay(t.Context(), tenantA, said))
}

// A line signs in over TLS at a real exchange, and calls go both ways over its connection
// with encrypted, audible sound.
func TestLineOverTLS(t *testing.T) { // not parallel: sound runs in real time
	config, authority := newCertificate(t)
	carrier := startDeskOn(t, "127.0.0.1:0", config)
	carrier.addDevice(tenantA, lineUser, "200")
	d := startDesk(t, trusting(t, authority))
	for _, encryption := range []exchange.Encryption{exchange.EncryptionRequired, exchange.EncryptionOptional, exchange.EncryptionOff} {
		t.Run(string(encryption), func(t *testing.T) {
			id := uuid.New()
			d.must(d.PutTrunk(t.Context(), secureTrunk(id, carrier.sockets.TLSAddr().String(), encryption)))
			d.status(id, exchange.TrunkRegistered)
			carrier.event(exchange.DeviceRegisteredEvent)
			for _, r := range must(carrier.Registrations(t.Context(), tenantA)) {
				if r.Transport != "tls" {
					t.Errorf("registration %+v", r)
				}
			}

			out := uuid.New()
			d.must(d.Originate(t.Context(), exchange.Originate{Tenant: tenantA, Leg: out, Trunk: id, Number: "444"}))
			there := carrier.event(exchange.LegIncomingEvent)
			carrier.must(carrier.Answer(t.Context(), tenantA, there.Leg))
			d.event(exchange.LegAnsweredEvent)
			encrypted := encryption != exchange.EncryptionOff
			if d.IsEncrypted(out) != encrypted || carrier.IsEncrypted(there.Leg) != encrypted {
				t.Errorf("encrypted: %v and %v", d.IsEncrypted(out), carrier.IsEncrypted(there.Leg))
			}
			if encryption == exchange.EncryptionRequired {
				wantToneAcross(t, d, out, carrier, there.Leg, toneA)
			}
			d.must(d.Hangup(t.Context(), tenantA, out, exchange.CauseNormal))
			carrier.ended(there.Leg, exchange.CauseNormal, exchange.EndedByPeer)

			in := carrier.ring(tenantA, lineUser)
			here := d.event(exchange.LegIncomingEvent)
			if here.Trunk != id || here.Tenant != tenantA {
				t.Errorf("the call came in as %+v", here)
			}
			d.must(d.Answer(t.Context(), tenantA, here.Leg))
			carrier.event(exchange.LegAnsweredEvent)
			if !d.IsEncrypted(here.Leg) { // a telephone over TLS is always offered a key
				t.Error("the sound of the incoming call is not encrypted")
			}
			if encryption == exchange.EncryptionRequired {
				wantToneAcross(t, carrier, in, d, here.Leg, toneB)
			}
			carrier.must(carrier.Hangup(t.Context(), tenantA, in, exchange.CauseNormal))
			d.ended(here.Leg, exchange.CauseNormal, exchange.EndedByPeer)
			d.must(d.DropTrunk(t.Context(), tenantA, id))
			carrier.event(exchange.DeviceUnregisteredEvent)
		})
	}
}

// A line whose server presents another server's certificate does not sign in, and its
// status says why.
func TestLineChecksCertificate(t *testing.T) {
	t.Parallel()
	config, authority := newCertificate(t)
	carrier := startDeskOn(t, "127.0.0.1:0", config)
	carrier.addDevice(tenantA, lineUser, "200")
	server := carrier.sockets.TLSAddr()

	unknown, id := startDesk(t), uuid.New()
	unknown.must(unknown.PutTrunk(t.Context(), secureTrunk(id, server.String(), exchange.EncryptionOff)))
	if s := unknown.status(id, exchange.TrunkFailed); !strings.Contains(s.LastError, "certificate: The server's certificate does not prove") || strings.Contains(s.LastError, "127.0.0.1") {
		t.Errorf("status %+v", s)
	}
	if err := unknown.Originate(t.Context(), exchange.Originate{Tenant: tenantA, Leg: uuid.New(), Trunk: id, Number: "444"}); !errors.Is(err, exchange.ErrNotRegistered) {
		t.Errorf("dialled on it: %v", err)
	}

	d := startDesk(t, trusting(t, authority))
	if err := d.ConnectSecure(t.Context(), "carrier.example", server); err == nil || !strings.Contains(err.Error(), "carrier.example") {
		t.Errorf("another name, new connection: %v", err)
	}
	d.must(d.ConnectSecure(t.Context(), "127.0.0.1", server))
	if err := d.ConnectSecure(t.Context(), "carrier.example", server); err == nil || !strings.Contains(err.Error(), "carrier.example") {
		t.Errorf("another name, open connection: %v", err)
	}
	if err := sipexchange.DialSecure(t.Context(), server.String()); err == nil {
		t.Error("the SIP library opens connections, which checks no name")
	}
}

// A line's server that does not respond does not block anything else: dialling over it runs
// concurrently.
func TestSilentLineServerDoesNotBlockDialling(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	d, id, leg := startDesk(t), uuid.New(), uuid.New()
	trunk := secureTrunk(id, silent.Addr().String(), exchange.EncryptionOff)
	trunk.Register = false
	d.must(d.PutTrunk(t.Context(), trunk))
	d.must(d.Originate(t.Context(), exchange.Originate{Tenant: tenantA, Leg: leg, Trunk: id, Number: "444"}))
	d.must(d.Hangup(t.Context(), tenantA, leg, exchange.CauseNormal))
	d.ended(leg, exchange.CauseNormal, exchange.EndedByCaller)
}

// newSecureProvider returns the server of a line over TLS, with the line signed in.
func newSecureProvider(t *testing.T, encryption exchange.Encryption) (*desk, *provider, uuid.UUID) {
	t.Helper()
	config, authority := newCertificate(t)
	d := startDesk(t, trusting(t, authority))
	ln, err := tls.Listen("tcp", "127.0.0.1:0", config)
	d.must(err)
	t.Cleanup(func() { _ = ln.Close() })
	id := uuid.New()
	line := secureTrunk(id, ln.Addr().String(), encryption)
	line.Username, line.Password = "line", secret.Of("topsecret")
	d.must(d.PutTrunk(t.Context(), line))
	p := acceptProvider(t, ln, "TLS")
	p.listener = ln
	p.admit()
	d.status(id, exchange.TrunkRegistered)
	return d, p, id
}

func acceptProvider(t *testing.T, ln net.Listener, transport string) *provider {
	t.Helper()
	conn, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return &provider{phone: newPhoneOn(t, conn, transport, "line", ""), realm: "provider.example"}
}

// secureOffer describes the provider's sound with a key.
func (p *provider) secureOffer() string {
	plain := p.offer(sdp.SendRecv)
	return strings.Replace(plain, "a=ptime", "a=crypto:"+sdp.NewCrypto(1, sdp.SHA180).String()+"\na=ptime", 1)
}

// A call over a line that requires encrypted sound ends if the carrier does not encrypt,
// whoever calls and whenever it happens; nothing is answered.
func TestLineRequiresEncryption(t *testing.T) {
	t.Parallel()
	d, p, id := newSecureProvider(t, exchange.EncryptionRequired)
	dial := func() (uuid.UUID, *sip.Request) {
		t.Helper()
		leg := uuid.New()
		d.must(d.Originate(t.Context(), exchange.Originate{Tenant: tenantA, Leg: leg, Trunk: id, Number: "444"}))
		req := p.request(sip.INVITE)
		if body := string(req.Body()); !strings.Contains(body, "RTP/SAVP") || !strings.Contains(body, "a=crypto:1 ") {
			t.Errorf("offered %s", body)
		}
		return leg, req
	}
	// The answer has no key. Early sound without one is not used either.
	leg, req := dial()
	p.reply(req, "x", 183, p.offer(sdp.SendRecv))
	d.event(exchange.LegRingingEvent)
	if d.HasSound(leg) {
		t.Error("early sound without a key is used")
	}
	p.reply(req, "x", 200, p.offer(sdp.SendRecv))
	p.request(sip.ACK)
	p.reply(p.request(sip.BYE), "x", 200, "")
	if e := d.ended(leg, exchange.CauseNotEncrypted, exchange.EndedByPeer); e.Media != nil {
		t.Error("the call was answered")
	}
	// The offer is refused.
	leg, req = dial()
	p.reply(req, "x", 488, "")
	d.ended(leg, exchange.CauseNotEncrypted, exchange.EndedByPeer)

	// An offer without a key during the call is refused, and the call goes on.
	leg, req = dial()
	p.reply(req, "x", 183, p.secureOffer())
	d.event(exchange.LegRingingEvent)
	if !d.HasSound(leg) {
		t.Error("early sound with a key is not used")
	}
	p.reply(req, "x", 200, p.secureOffer())
	p.request(sip.ACK)
	d.event(exchange.LegAnsweredEvent)
	c := p.takenBy(req, "x")
	p.send(p.text(c.call, "INVITE", p.offer(sdp.SendRecv)))
	p.response(488)
	p.send(p.text(c.call, "ACK", ""))
	// An answer without a key to our own offer ends the call.
	d.must(d.Hold(t.Context(), tenantA, leg, true))
	p.reply(p.request(sip.INVITE), "x", 200, p.offer(sdp.SendRecv))
	d.ended(leg, exchange.CauseNotEncrypted, exchange.EndedByExchange)

	// A call of the carrier without a key.
	in := newCall("sip:05321112233@provider.example", "sip:02165550000@provider.example", p.contact)
	p.send(p.text(in, "INVITE", p.offer(sdp.SendRecv)))
	if h := p.response(488).GetHeader("Warning"); h == nil || !strings.Contains(h.Value(), "encrypted") {
		t.Errorf("warning %v", h)
	}
	// A call without an offer gets an offer with a key, and must use it.
	in = newCall("sip:05321112233@provider.example", "sip:02165550000@provider.example", p.contact)
	p.send(p.text(in, "INVITE", ""))
	e := d.event(exchange.LegIncomingEvent)
	d.must(d.Answer(t.Context(), tenantA, e.Leg))
	res := p.response(200)
	if !strings.Contains(string(res.Body()), "RTP/SAVP") {
		t.Errorf("offered %s", res.Body())
	}
	in.remoteTag, in.target = tagOf(res.To().Params), res.Contact().Address.String()
	p.send(p.text(in, "ACK", p.offer(sdp.SendRecv)))
	d.ended(e.Leg, exchange.CauseNotEncrypted, exchange.EndedByExchange)
}

// A line over TLS accepts no unencrypted calls, even from somebody who knows its address.
func TestLineOverTLSRefusesPlainCalls(t *testing.T) {
	t.Parallel()
	d, p, _ := newSecureProvider(t, exchange.EncryptionOff)
	stranger := newProvider(t, d)
	stranger.send(stranger.text(newCall("sip:1@x", "sip:02165550000@y", p.contact), "INVITE", stranger.offer(sdp.SendRecv)))
	stranger.response(401)
}

// A line over TLS whose connection is cut reports it and signs in again.
func TestLineOverTLSReconnects(t *testing.T) {
	t.Parallel()
	d, p, id := newSecureProvider(t, exchange.EncryptionOff)
	_ = p.conn.Close()
	if s := d.status(id, exchange.TrunkFailed); !strings.Contains(s.LastError, "closed the connection") {
		t.Errorf("status %+v", s)
	}
	acceptProvider(t, p.listener, "TLS").admit()
	d.status(id, exchange.TrunkRegistered)
}

func TestEncryptionOfLinesIsChecked(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	for name, change := range map[string]func(*exchange.Trunk){
		"a key over UDP": func(t *exchange.Trunk) { t.Transport = "udp" },
		"a key over TCP": func(t *exchange.Trunk) { t.Transport = "tcp" },
		"unknown":        func(t *exchange.Trunk) { t.Encryption = "rot13" },
	} {
		line := secureTrunk(uuid.New(), "127.0.0.1:5061", exchange.EncryptionOptional)
		change(&line)
		if err := d.PutTrunk(t.Context(), line); !errors.Is(err, exchange.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
