package line_test

import (
	"strings"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/telephony"
	"konak/internal/crm/telephony/line"
	"konak/internal/crm/telephony/phonetest"
	"konak/internal/exchange"
)

const (
	path     = "/api/crm/v1/telephony/line"
	password = "geheim-4711"
)

func body(more map[string]any) map[string]any {
	out := map[string]any{"server": "sip.santral.example", "username": "902125550101", "password": password, "e164": "0212 555 01 01"}
	for k, v := range more {
		out[k] = v
	}
	return out
}

func TestLine(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		w.Owner.Put(path, body(nil)).Refused(409, "not_configured")
		x := phonetest.New(s.Clock)
		s.PhoneLine.Exchange, s.Calls.Exchange = x, x
		var l line.Line
		if w.Owner.Get(path).Want(200).Data(&l); l.Status != "none" || l.ID != nil {
			t.Errorf("without a line: %+v", l)
		}
		w.Owner.Delete(path).Refused(404, "not_found")
		w.Owner.Put(path, body(nil)).Want(200).Data(&l)
		trunk, _ := x.Trunk(*l.ID)
		if l.Status != "registered" || !l.Register || l.Number != "+902125550101" || trunk.Password.Reveal() != password || trunk.Tenant != w.ID || trunk.Transport != "udp" {
			t.Errorf("the line is %+v", l)
		}
		id := *l.ID
		w.Owner.Put(path, body(map[string]any{"server": "10.0.0.1:5070", "password": ""})).Want(200).Data(&l)
		if l.Status != "needs_password" || *l.ID != id || l.Server != "10.0.0.1:5070" {
			t.Errorf("without a password: %+v", l)
		}
		if other.Owner.Get(path).Want(200).Data(&l); l.Status != "none" {
			t.Errorf("another workspace sees %+v", l)
		}
		w.Owner.Put(path, body(map[string]any{"transport": "tls", "media_encryption": "required"})).Want(200).Data(&l)
		if trunk, _ := x.Trunk(id); l.Transport != "tls" || l.Encryption != "required" || trunk.Transport != "tls" || trunk.Encryption != exchange.EncryptionRequired {
			t.Errorf("over TLS: %+v at the exchange %+v", l, trunk)
		}
		for field, wrong := range map[string]map[string]any{
			"server": {"server": "host with spaces"}, "username": {"username": "a\r\nb"}, "auth_user": {"auth_user": "x y"}, "e164": {"e164": "12"}, "transport": {"transport": "carrier-pigeon"},
			"media_encryption": {"media_encryption": "optional", "transport": "tcp"},
		} {
			if got := w.Owner.Put(path, body(wrong)).Refused(422, "validation_failed"); len(got.Fields[field]) != 1 {
				t.Errorf("%s: %v", field, got.Fields)
			}
		}
		w.Owner.Put(path, body(map[string]any{"server": "host:0"})).Refused(422, "validation_failed")
		before := l
		if got := w.Owner.Put(path, body(map[string]any{"server": "127.0.0.1"})).Refused(422, "validation_failed"); len(got.Fields["server"]) != 1 {
			t.Errorf("a server inside: %v", got.Fields)
		}
		if w.Owner.Get(path).Want(200).Data(&l); l.Server != before.Server || l.Status == "" {
			t.Errorf("a line that was refused is kept: %+v", l)
		}

		// After a restore the exchange does not know the line.
		if err := x.DropTrunk(t.Context(), w.ID, id); err != nil {
			t.Fatal(err)
		}
		if w.Owner.Get(path).Want(200).Data(&l); l.Status != "needs_password" {
			t.Errorf("unknown to the exchange: %+v", l)
		}
		w.Owner.Delete(path).Want(200)
		s.Settle()
		if _, there := x.Trunk(id); there {
			t.Error("the exchange still has the line")
		}
		everything := string(w.Owner.Get("/api/v1/auth/audit?limit=50").Want(200).Body) + s.Logs.String()
		if strings.Contains(everything, password) || strings.Count(everything, "phone_line.changed") != 3 || strings.Count(everything, "phone_line.deleted") != 1 {
			t.Errorf("the logs are %s", everything)
		}
	})
}

// The status that the exchange reports for the line is stored, for the nodes without an
// exchange.
func TestLineStatusIsKept(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		x := phonetest.New(s.Clock)
		s.PhoneLine.Exchange, s.Calls.Exchange = x, x
		var l line.Line
		w.Owner.Put(path, body(nil)).Want(200).Data(&l)
		x.Tell(w.ID, exchange.Event{Type: exchange.TrunkStatusEvent, Trunk: *l.ID, Status: &exchange.TrunkStatus{State: exchange.TrunkFailed, LastError: "403 Forbidden"}})
		s.Settle()
		s.PhoneLine.Exchange = nil
		if w.Owner.Get(path).Want(200).Data(&l); l.Status != "failed" || l.LastError != "403 Forbidden" {
			t.Errorf("the line is %+v", l)
		}
	})
}

func TestSetup(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		const setup = "/api/crm/v1/telephony/setup"
		want := func(number, own, outside string, ready bool) {
			t.Helper()
			var got telephony.Setup
			w.Owner.Get(setup).Want(200).Data(&got)
			if got.Number.State != number || got.Line.State != own || got.OutsideLine.State != outside || got.Ready != ready {
				t.Errorf("the setup is %+v", got)
			}
		}
		want("none", "none", "not_configured", false)
		x := phonetest.New(s.Clock)
		s.PhoneLine.Exchange = x
		w.Owner.Put(path, body(nil)).Want(200)
		want("none", "registered", "not_configured", true)
		w.Owner.Put(path, body(map[string]any{"password": ""})).Want(200)
		want("none", "needs_password", "not_configured", false)
		s.Telephony.OutsideLine = true
		want("none", "needs_password", "ready", false)
		s.Telephony.OutsideLine = false
		s.PhoneLine.Exchange = nil
		if err := s.Identity.SetLicences(t.Context(), "demo", []string{"crm"}); err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(time.Minute)
		want("none", "none", "not_configured", false)
	})
}
