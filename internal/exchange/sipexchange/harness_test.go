package sipexchange_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/emiago/sipgo/sip"
	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/exchange/sipexchange"
	"konak/internal/kit/clock"
	"konak/internal/kit/secret"
)

// TestMain makes SIP's timers ten times as fast: a successful answer without an ACK is
// given up after 3.2 seconds.
func TestMain(m *testing.M) {
	sip.SetTimers(50*time.Millisecond, 400*time.Millisecond, 500*time.Millisecond)
	os.Exit(m.Run())
}

var tenantA, tenantB = uuid.MustParse("0190a000-0000-7000-8000-00000000000a"), uuid.MustParse("0190a000-0000-7000-8000-00000000000b")

// desk is an exchange under test and its events so far.
type desk struct {
	*sipexchange.Exchange
	t      *testing.T
	cfg    sipexchange.Config
	listen string
	secure *tls.Config // if SIP is also served over TLS
	logs   *logBuffer
	cursor int64

	sockets *sipexchange.Sockets
}

type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// startDesk starts an exchange on its own ports; change may change its settings.
func startDesk(t *testing.T, change ...func(*sipexchange.Config)) *desk {
	t.Helper()
	return startDeskOn(t, "127.0.0.1:0", nil, change...)
}

// startDeskOn starts an exchange on an address, with TLS if secure is given.
func startDeskOn(t *testing.T, listen string, secure *tls.Config, change ...func(*sipexchange.Config)) *desk {
	t.Helper()
	box, err := secret.NewBox(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	logs := &logBuffer{}
	cfg := sipexchange.Config{
		Dir: t.TempDir(), Box: box, Clock: clock.System{}, Log: slog.New(slog.NewTextHandler(logs, nil)),
		FirstPort: 30000, LastPort: 39998, Limits: sipexchange.DefaultLimits,
	}
	for _, c := range change {
		c(&cfg)
	}
	d := &desk{t: t, cfg: cfg, listen: listen, secure: secure, logs: logs}
	d.start()
	return d
}

func (d *desk) start() {
	d.t.Helper()
	x, err := sipexchange.New(d.cfg)
	d.must(err)
	sockets, err := sipexchange.Listen(d.t.Context(), d.listen)
	d.must(err)
	if d.secure != nil {
		d.must(sockets.ListenTLS(d.t.Context(), "127.0.0.1:0", d.secure))
	}
	d.sockets = sockets
	d.must(x.Start(d.t.Context(), sockets))
	d.Exchange = x
	d.t.Cleanup(func() { _ = x.Close(context.Background()) })
}

// restart stops the exchange and starts it on the same folder.
func (d *desk) restart() {
	d.t.Helper()
	if err := d.Close(context.Background()); err != nil {
		d.t.Fatal(err)
	}
	d.start()
}

// must fails the test on an error.
func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// addDevice adds a device whose password is "secret".
func (d *desk) addDevice(tenant uuid.UUID, username, extension string) {
	d.t.Helper()
	d.must(d.PutDevice(d.t.Context(), exchange.Device{
		Tenant: tenant, Username: username, Extension: extension, Name: "Name of " + username,
		HA1: secret.Of(sipexchange.HA1(username, sipexchange.Realm, "secret")),
	}))
}

// addPhone adds a device and a telephone that is signed in as it.
func (d *desk) addPhone(tenant uuid.UUID, username, extension string) *phone {
	d.t.Helper()
	d.addDevice(tenant, username, extension)
	p := newPhone(d.t, "udp", d.Addr(), username, "secret")
	p.register(300, 200)
	return p
}

// event waits for the next event of a type, skipping others.
func (d *desk) event(kind exchange.EventType) exchange.Event {
	d.t.Helper()
	late := time.After(patience)
	var seen []exchange.EventType
	for {
		events, err := d.Events(d.t.Context(), d.cursor, 1)
		d.must(err)
		if len(events) == 1 {
			d.cursor = events[0].Cursor
			if events[0].Type == kind {
				return events[0]
			}
			seen = append(seen, events[0].Type)
			continue
		}
		select {
		case <-d.Wake():
		case <-late:
			d.t.Fatalf("%s did not come; came: %v", kind, seen)
		}
	}
}

// ended waits for the end of a leg and checks how it ended.
func (d *desk) ended(leg uuid.UUID, cause exchange.Cause, by exchange.EndedBy) exchange.Event {
	d.t.Helper()
	for {
		e := d.event(exchange.LegEndedEvent)
		if e.Leg != leg {
			continue
		}
		if e.Cause != cause || e.EndedBy != by {
			d.t.Errorf("the leg ended with %s by %s, want %s by %s", e.Cause, e.EndedBy, cause, by)
		}
		return e
	}
}

// ring dials a device and returns the leg.
func (d *desk) ring(tenant uuid.UUID, device string, change ...func(*exchange.Originate)) uuid.UUID {
	d.t.Helper()
	o := exchange.Originate{
		Tenant: tenant, Leg: uuid.New(), Device: device, CallerNumber: "+905321234567", CallerName: "Ayşe \"x\"\r\nEvil: 1",
	}
	for _, c := range change {
		c(&o)
	}
	d.must(d.Originate(d.t.Context(), o))
	return o.Leg
}

// talk dials a device, whose telephone answers.
func (d *desk) talk(tenant uuid.UUID, p *phone) (uuid.UUID, taken) {
	d.t.Helper()
	leg := d.ring(tenant, p.user)
	c := p.take()
	d.event(exchange.LegAnsweredEvent)
	return leg, c
}

// join puts legs into a new bridge.
func (d *desk) join(tenant uuid.UUID, legs ...uuid.UUID) uuid.UUID {
	d.t.Helper()
	id := uuid.New()
	d.must(d.CreateBridge(d.t.Context(), tenant, id))
	for _, l := range legs {
		d.must(d.Join(d.t.Context(), tenant, id, l))
	}
	return id
}
