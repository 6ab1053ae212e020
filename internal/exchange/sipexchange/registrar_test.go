package sipexchange_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/exchange/sipexchange"
	"konak/internal/kit/clock"
	"konak/internal/kit/secret"
)

func TestPhoneRegistersAndUnregisters(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"udp", "tcp"} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			d := startDesk(t)
			d.addDevice(tenantA, "ayse", "101")
			p := newPhone(t, network, d.Addr(), "ayse", "secret")
			res := p.register(300, 200)
			if c := res.GetHeader("Contact"); c == nil || !strings.Contains(c.Value(), "expires=") {
				t.Errorf("the answer has no contact: %s", res)
			}
			if e := d.event(exchange.DeviceRegisteredEvent); e.Device != "ayse" || e.Tenant != tenantA {
				t.Errorf("event %+v", e)
			}
			list, err := d.Registrations(t.Context(), tenantA)
			if err != nil || len(list) != 1 || list[0].Username != "ayse" || list[0].Extension != "101" || list[0].Transport != network {
				t.Errorf("registrations %+v, %v", list, err)
			}
			if list, _ := d.Registrations(t.Context(), tenantB); len(list) != 0 {
				t.Errorf("another workspace sees %+v", list)
			}
			p.register(0, 200)
			d.event(exchange.DeviceUnregisteredEvent)
		})
	}
}

// A registration is durable: after a restart the telephone can be called.
func TestRegistrationSurvivesRestart(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	d.listen = d.Addr().String()
	d.restart()
	leg, _ := d.talk(tenantA, p)
	d.must(d.Hangup(t.Context(), tenantA, leg, exchange.CauseNormal))
	p.request("BYE")
}

func TestWrongPasswordIsRefusedAndSlowedDown(t *testing.T) {
	t.Parallel()
	now := clock.NewFake(time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC))
	d := startDesk(t, func(c *sipexchange.Config) { c.Clock = now })
	known := d.addPhone(tenantA, "mehmet", "102") // at the same address
	d.addDevice(tenantA, "ayse", "101")
	for range 5 {
		newPhone(t, "udp", d.Addr(), "ayse", "wrong").register(300, 403)
	}
	right := newPhone(t, "udp", d.Addr(), "ayse", "secret")
	if res := right.register(300, 403); res.Reason != "Too Many Attempts" {
		t.Errorf("the right password is answered by %q", res.Reason)
	}
	if !strings.Contains(d.logs.String(), "slowed down") {
		t.Error("nothing is logged")
	}
	known.register(300, 200) // others are not slowed down
	now.Advance(2 * time.Second)
	right.register(300, 200)
}

// Many names from one address are slowed down as well, but a known telephone is not.
func TestGuessingUsernamesIsSlowedDown(t *testing.T) {
	t.Parallel()
	now := clock.NewFake(time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC))
	d := startDesk(t, func(c *sipexchange.Config) { c.Clock = now })
	known := d.addPhone(tenantA, "mehmet", "102")
	d.addDevice(tenantA, "ayse", "101")
	guesser := newPhone(t, "udp", d.Addr(), "", "x")
	for i := range 50 {
		guesser.user = fmt.Sprint("name", i)
		guesser.register(300, 403)
	}
	if res := newPhone(t, "udp", d.Addr(), "ayse", "secret").register(300, 403); res.Reason != "Too Many Attempts" {
		t.Errorf("answered by %q", res.Reason)
	}
	known.register(300, 200)
}

func TestOldChallengeIsStale(t *testing.T) {
	t.Parallel()
	now := clock.NewFake(time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC))
	d := startDesk(t, func(c *sipexchange.Config) { c.Clock = now })
	d.addDevice(tenantA, "ayse", "101")
	p := newPhone(t, "udp", d.Addr(), "ayse", "secret")
	c := newCall(p.aor(), p.aor(), "sip:127.0.0.1")
	p.send(p.text(c, "REGISTER", ""))
	challenge := p.response(401)
	now.Advance(61 * time.Second)
	p.send(p.text(c, "REGISTER", "", p.authorization(challenge, "REGISTER", c.target)))
	if again := p.response(401); !strings.Contains(again.GetHeader("WWW-Authenticate").Value(), "stale=true") {
		t.Errorf("answered %s", again)
	}
}

func TestDeviceCannotRegisterAsAnother(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	d.addDevice(tenantA, "ayse", "101")
	d.addDevice(tenantB, "veli", "101")
	p := newPhone(t, "udp", d.Addr(), "ayse", "secret")
	c := newCall(p.aor(), "sip:veli@127.0.0.1", "sip:127.0.0.1")
	p.send(p.text(c, "REGISTER", ""))
	p.send(p.text(c, "REGISTER", "", p.authorization(p.response(401), "REGISTER", c.target)))
	p.response(403)
	if list, _ := d.Registrations(t.Context(), tenantB); len(list) != 0 {
		t.Errorf("signed in: %+v", list)
	}
}

// The settings of devices are checked, and names are unique in the whole installation.
func TestDevicesAreChecked(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	d.addDevice(tenantA, "ayse", "101")
	ha1 := secret.Of(strings.Repeat("a", 32))
	for _, test := range []struct {
		name   string
		device exchange.Device
		want   error
	}{
		{"another workspace's name", exchange.Device{Tenant: tenantB, Username: "ayse", Extension: "300", HA1: ha1}, exchange.ErrTaken},
		{"a taken extension", exchange.Device{Tenant: tenantA, Username: "fatma", Extension: "101", HA1: ha1}, exchange.ErrTaken},
		{"a line break", exchange.Device{Tenant: tenantA, Username: "a\r\nb", Extension: "102", HA1: ha1}, exchange.ErrInvalid},
		{"an extension of letters", exchange.Device{Tenant: tenantA, Username: "fatma", Extension: "1a", HA1: ha1}, exchange.ErrInvalid},
		{"a password instead of HA1", exchange.Device{Tenant: tenantA, Username: "fatma", Extension: "102", HA1: secret.Of("secret")}, exchange.ErrInvalid},
		{"no workspace", exchange.Device{Username: "fatma", Extension: "102", HA1: ha1}, exchange.ErrInvalid},
		{"the same extension elsewhere", exchange.Device{Tenant: tenantB, Username: "fatma", Extension: "101", HA1: ha1}, nil},
	} {
		if err := d.PutDevice(t.Context(), test.device); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

// A device whose password changed, or that is dropped, is signed out at once.
func TestChangedOrDroppedDeviceIsUnregistered(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	d.must(d.PutDevice(t.Context(), exchange.Device{
		Tenant: tenantA, Username: "ayse", Extension: "101", HA1: secret.Of(sipexchange.HA1("ayse", sipexchange.Realm, "new")),
	}))
	d.event(exchange.DeviceUnregisteredEvent)
	p.register(300, 403)
	p.pass = "new"
	p.register(300, 200)
	leg, _ := d.talk(tenantA, p)
	d.must(d.DropDevice(t.Context(), tenantB, "ayse")) // not that tenant's
	if list, _ := d.Registrations(t.Context(), tenantA); len(list) != 1 {
		t.Fatalf("another workspace dropped it: %+v", list)
	}
	d.must(d.DropDevice(t.Context(), tenantA, "ayse"))
	d.ended(leg, exchange.CauseNormal, exchange.EndedByCaller)
	p.request("BYE")
	p.register(300, 403)
}

// A device has at most five telephones; the oldest make way.
func TestRegistrationsOfADeviceAreBounded(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	d.addDevice(tenantA, "ayse", "101")
	for range 7 {
		newPhone(t, "udp", d.Addr(), "ayse", "secret").register(300, 200)
	}
	if list, _ := d.Registrations(t.Context(), tenantA); len(list) != 5 {
		t.Errorf("%d registrations", len(list))
	}
}

func TestTooShortRegistrationIsRefused(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	d.addDevice(tenantA, "ayse", "101")
	res := newPhone(t, "udp", d.Addr(), "ayse", "secret").register(10, 423)
	if h := res.GetHeader("Min-Expires"); h == nil || h.Value() != "60" {
		t.Errorf("answered %s", res)
	}
}

// Only its owner can read the store, and credentials are sealed in it.
func TestStoreIsPrivateAndSealed(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	d.addDevice(tenantA, "ayse", "101")
	files, err := filepath.Glob(filepath.Join(d.cfg.Dir, "exchange.db*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		d.must(err)
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", f, info.Mode())
		}
		b, err := os.ReadFile(f)
		d.must(err)
		if bytes.Contains(b, []byte(sipexchange.HA1("ayse", sipexchange.Realm, "secret"))) {
			t.Errorf("%s holds HA1 as it is", f)
		}
	}
}

// Before it is started an exchange refuses all requests.
func TestStoppedExchangeRefusesRequests(t *testing.T) {
	t.Parallel()
	box, err := secret.NewBox(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	x, err := sipexchange.New(sipexchange.Config{Dir: t.TempDir(), Box: box, Clock: clock.System{}})
	if err != nil {
		t.Fatal(err)
	}
	device := exchange.Device{Tenant: tenantA, Username: "ayse", Extension: "101", HA1: secret.Of(strings.Repeat("a", 32))}
	for name, err := range map[string]error{
		"a device": x.PutDevice(t.Context(), device),
		"a line":   x.PutTrunk(t.Context(), exchange.Trunk{Tenant: tenantA, ID: tenantB, Server: "127.0.0.1", Username: "u"}),
		"a call":   x.Originate(t.Context(), exchange.Originate{Tenant: tenantA, Leg: tenantB, Device: "ayse"}),
	} {
		if !errors.Is(err, exchange.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Legs that are alive elsewhere must not look as if they had ended.
	if legs, err := x.Snapshot(t.Context()); !errors.Is(err, exchange.ErrUnavailable) {
		t.Errorf("legs %v, %v", legs, err)
	}
	if err := x.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestServerAddressForPhones(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	if got := d.Server(); got != d.Addr().String() {
		t.Errorf("told %s", got)
	}
	d = startDesk(t, func(c *sipexchange.Config) { c.PublicAddress = "203.0.113.7" })
	if got := d.Server(); got != fmt.Sprintf("203.0.113.7:%d", d.Addr().Port()) {
		t.Errorf("told %s", got)
	}
	if _, err := sipexchange.New(sipexchange.Config{PublicAddress: "phone.example"}); err == nil {
		t.Error("a host is taken as an address")
	}
}

// Nothing of a deleted tenant is kept, even after a restart, and nobody else is affected.
func TestDeletedTenantLeavesNothing(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	gone := d.addPhone(tenantA, "ayse", "101")
	stays := d.addPhone(tenantB, "mehmet", "101")
	line := exchange.Trunk{Tenant: tenantA, ID: uuid.New(), Server: "127.0.0.1:9", Username: "u", Password: secret.Of("secret")}
	d.must(d.PutTrunk(t.Context(), line))
	onlyB := func(_ context.Context, tenant uuid.UUID) (bool, error) { return tenant == tenantB, nil }
	d.must(d.DropMissing(t.Context(), onlyB))
	look := func() {
		t.Helper()
		gone.register(300, 403)
		stays.register(300, 200)
		if _, err := d.TrunkStatus(t.Context(), tenantA, line.ID); !errors.Is(err, exchange.ErrUnknown) {
			t.Errorf("the line is still there: %v", err)
		}
	}
	look()
	d.listen = d.Addr().String()
	d.restart()
	look()
	broken := errors.New("no database")
	err := d.DropMissing(t.Context(), func(context.Context, uuid.UUID) (bool, error) { return false, broken })
	if !errors.Is(err, broken) {
		t.Errorf("without an answer: %v", err)
	}
	stays.register(300, 200)
}

// A telephone that may not be signed in is refused with the reason and signed out, and is
// back as soon as it may.
func TestRefusedPhonesAreUnregistered(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	refused, broken := map[string]string{}, error(nil)
	set := func(why string, err error) {
		mu.Lock()
		defer mu.Unlock()
		refused, broken = map[string]string{}, err
		if why != "" {
			refused["ayse"] = why
		}
	}
	d := startDesk(t, func(c *sipexchange.Config) {
		c.RefusedPhones = func(_ context.Context, tenant uuid.UUID, usernames []string) (map[string]string, error) {
			mu.Lock()
			defer mu.Unlock()
			if tenant != tenantA || len(usernames) == 0 {
				t.Errorf("asked for %v of %s", usernames, tenant)
			}
			return refused, broken
		}
	})
	p, other := d.addPhone(tenantA, "ayse", "101"), d.addPhone(tenantA, "veli", "102")
	registered := func(want int) {
		t.Helper()
		list, err := d.Registrations(t.Context(), tenantA)
		if d.must(err); len(list) != want {
			t.Errorf("signed in are %+v", list)
		}
	}
	d.must(d.SignOutRefused(t.Context()))
	registered(2)
	set("You may not", nil)
	res := p.register(300, 403)
	if w := res.GetHeader("Warning"); w == nil || w.Value() != `399 konak "You may not"` {
		t.Errorf("it is told %v", w)
	}
	registered(1)
	set("", nil)
	p.register(300, 200)
	set("You may not", nil)
	d.must(d.SignOutRefused(t.Context()))
	registered(1)
	other.register(300, 200)
	set("", errors.New("no database"))
	p.register(300, 503)
	if d.SignOutRefused(t.Context()) == nil {
		t.Error("a database that does not answer is not told")
	}
	registered(1)
}
