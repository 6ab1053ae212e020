package agent_test

import (
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/agent"
	"konak/internal/kit/api"
	"konak/internal/kit/clock"
)

func TestMobileQR(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id, ayse := add(t, s, w, "ayse@example.com", "guest")
		at := path(id, "/mobile-qr")
		var none agent.Unscanned
		ayse.Get(at).Want(200).Data(&none)
		if none.Unscanned || none.QR.V != nil {
			t.Errorf("got %+v", none)
		}
		var qr agent.NewQR
		ayse.Post(at, nil).Want(201).Data(&qr)
		if !strings.HasPrefix(qr.Key, "qrk_") || !strings.HasPrefix(qr.PNG, "data:image/png;base64,") ||
			!qr.ExpiresAt.Equal(s.Clock.Now().Add(agent.ScreenLife)) {
			t.Errorf("got %+v", qr)
		}
		one := at + "/" + qr.ID.String()
		status := func(c *apptest.Client, path, want string) (q agent.QR) {
			t.Helper()
			resp := c.Get(path).Want(200).Data(&q)
			if q.Status != want || strings.Contains(string(resp.Body), qr.Key) {
				t.Errorf("got %s, want %s", resp.Body, want)
			}
			return q
		}
		status(ayse, one, "pending")
		if body := ayse.Get(at).Want(200).Data(&none).Body; !none.Unscanned || none.QR.V.ID != qr.ID || strings.Contains(string(body), qr.Key) {
			t.Errorf("got %s", body)
		}

		// The phone is signed in, and the waiting screen learns which device it is.
		claim := object{"key": qr.Key, "device_name": "Ayşe'nin telefonu", "platform": "Android"}
		answers := make([]*apptest.Response, 4)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() { answers[i] = s.Client("").Post(auth+"/mobile-qr/claim", claim) })
		}
		wg.Wait()
		var in agent.Opened
		opened := 0
		for _, r := range answers {
			if r.Status == 200 {
				opened++
				r.Data(&in)
			} else {
				r.Refused(422, "link_expired")
			}
		}
		if opened != 1 || in.Session.Kind != "mobile" || in.User.Email != "ayse@example.com" || in.Workspace.Slug != "demo" {
			t.Fatalf("%d phones were signed in: %+v", opened, in)
		}
		s.Client(in.Token).Get(auth + "/me").Want(200)
		q := status(ayse, one, "scanned")
		if q.ScannedAt == nil || *q.Device.V != (agent.Device{Name: "Ayşe'nin telefonu", Platform: "Android"}) {
			t.Errorf("got %+v", q)
		}
		ayse.Get(at).Want(200).Data(&none)
		if none.Unscanned {
			t.Error("a scanned QR is told to be unscanned")
		}
		// Nobody typed a password on the phone.
		s.Client(in.Token).Post(path(w.Member, "/mobile-qr"), nil).Refused(403, "forbidden")

		// A QR on the screen expires after two minutes.
		ayse.Post(at, nil).Want(201).Data(&qr)
		s.Clock.Advance(agent.ScreenLife)
		status(ayse, at+"/"+qr.ID.String(), "expired")
		claim["key"] = qr.Key
		s.Client("").Post(auth+"/mobile-qr/claim", claim).Refused(422, "link_expired")
		s.Client("").Post(auth+"/mobile-qr/claim", object{"key": "qrk_nonsense", "device_name": "x", "platform": "x"}).Refused(422, "link_expired")

		// A new QR replaces the one on the screen.
		var newer agent.NewQR
		ayse.Post(at, nil).Want(201).Data(&qr)
		ayse.Post(at, nil).Want(201).Data(&newer)
		status(ayse, at+"/"+qr.ID.String(), "revoked")
		if strings.Contains(s.Logs.String(), qr.Key) || strings.Contains(s.Logs.String(), in.Token) {
			t.Error("a secret is in the log")
		}
	})
}

func TestMobileQRRevoke(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id, ayse := add(t, s, w, "ayse@example.com", "guest")
		at := path(id, "/mobile-qr")
		revoke := func(path string, want int64) {
			t.Helper()
			var n agent.RevokedCount
			ayse.Delete(path).Want(200).Data(&n)
			if n.Revoked != want {
				t.Errorf("revoked %d, want %d", n.Revoked, want)
			}
		}
		create := func() (qr agent.NewQR) { ayse.Post(at, nil).Want(201).Data(&qr); return qr }
		revoke(at, 0) // none exists: not an error
		revoke(at+"?qr_id="+uuid.NewString(), 0)
		ayse.Delete(at+"?qr_id=x").Refused(422, "validation_failed")

		qr := create()
		revoke(at+"?qr_id="+qr.ID.String(), 1)
		revoke(at+"?qr_id="+qr.ID.String(), 0)

		// A mailed QR outlives its window, but not a revocation.
		qr = create()
		mail := object{"qr_id": qr.ID, "key": qr.Key}
		var q agent.QR
		ayse.Post(at+"/email", mail).Want(200).Data(&q)
		if !q.Mailed || q.Status != "pending" || !q.ExpiresAt.Equal(s.Clock.Now().Add(agent.MailLife)) {
			t.Errorf("got %+v", q)
		}
		mails := s.Mails(w.ID, "ayse@example.com")
		if len(mails) != 1 || mails[0].Subject != "Telefonunuzda oturum açın" || !strings.Contains(mails[0].Text, "/mobile#key="+qr.Key) {
			t.Fatalf("mail %+v", mails)
		}
		ayse.Post(at+"/email", mail).Refused(409, "already_mailed")
		revoke(at+"?qr_id="+qr.ID.String(), 0)
		screen := create() // in addition to the mailed one
		s.Clock.Advance(agent.ScreenLife)
		ayse.Get(at + "/" + qr.ID.String()).Want(200).Data(&q)
		if q.Status != "pending" {
			t.Errorf("got %+v", q)
		}
		revoke(at, 1)
		ayse.Get(at + "/" + qr.ID.String()).Want(200).Data(&q)
		if q.Status != "revoked" {
			t.Errorf("got %+v", q)
		}
		ayse.Get(at + "/" + screen.ID.String()).Want(200).Data(&q)
		if q.Status != "expired" {
			t.Errorf("got %+v", q)
		}

		// A mail needs the key of the QR on the screen.
		qr = create()
		for _, body := range []object{
			{"qr_id": qr.ID, "key": screen.Key}, {"qr_id": uuid.New(), "key": qr.Key}, {"qr_id": screen.ID, "key": screen.Key},
		} {
			ayse.Post(at+"/email", body).Refused(422, "validation_failed")
		}
		s.Clock.Advance(agent.ScreenLife)
		ayse.Post(at+"/email", object{"qr_id": qr.ID, "key": qr.Key}).Refused(422, "validation_failed")

		want := []string{
			"agent.mobile_qr_created", // closed with its window: no line
			"agent.mobile_qr_created", "agent.mobile_qr_mailed", "agent.mobile_qr_created", "agent.mobile_qr_revoked",
			"agent.mobile_qr_created",
		}
		if diff := cmp.Diff(want, lines(t, s, w)); diff != "" {
			t.Error(diff)
		}
	})
}

// Another agent's QR signs a phone in as them: it requires the permission and a recent
// password.
func TestMobileQROfAnotherAgent(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id, ayse := add(t, s, w, "ayse@example.com", "agent")
		_, other := add(t, s, w, "other@example.com", "agent")
		at := path(id, "/mobile-qr")
		var qr agent.NewQR
		w.Owner.Post(at, nil).Want(201).Data(&qr)
		one := at + "/" + qr.ID.String()
		w.Owner.Get(one).Want(200)
		w.Owner.Get(path(w.Member, "/mobile-qr/"+qr.ID.String())).Refused(404, "not_found")
		for _, call := range []func(c *apptest.Client) *apptest.Response{
			func(c *apptest.Client) *apptest.Response { return c.Get(at) },
			func(c *apptest.Client) *apptest.Response { return c.Get(one) },
			func(c *apptest.Client) *apptest.Response { return c.Post(at, nil) },
			func(c *apptest.Client) *apptest.Response { return c.Delete(at) },
			func(c *apptest.Client) *apptest.Response { return c.Delete(at + "?qr_id=" + qr.ID.String()) },
			func(c *apptest.Client) *apptest.Response {
				return c.Post(at+"/email", object{"qr_id": qr.ID, "key": qr.Key})
			},
		} {
			if f := call(other).Refused(403, "forbidden"); f.Permission != "crm.agents.manage" {
				t.Errorf("got %+v", f)
			}
		}
		other.Post(at+"/email", object{}).Refused(403, "forbidden") // whatever the body
		// An administrator does not become the owner that way either.
		_, admin := add(t, s, w, "admin@example.com", "admin")
		admin.Post(path(w.Member, "/mobile-qr"), nil).Refused(403, "forbidden")

		// A session that somebody else made possible is limited to this workspace until the
		// person enters their password.
		far := s.Workspace("acme")
		far.Owner.Post(auth+"/invitations", object{"email": "ayse@example.com", "role": "owner"}).Want(201)
		token := regexp.MustCompile(`#token=(\S+)`).FindStringSubmatch(s.Mails(far.ID, "ayse@example.com")[0].Text)[1]
		ayse.Post(auth+"/invitations/accept", object{"token": token}).Want(200)
		var in agent.Opened
		s.Client("").Post(auth+"/mobile-qr/claim", object{"key": qr.Key, "device_name": "x", "platform": "iOS"}).Want(200).Data(&in)
		phone := s.Client(in.Token)
		phone.Get(agents).Want(200)
		phone.Get(auth+"/workspaces").Refused(403, "own_session_required")
		phone.Get(auth+"/sessions").Refused(403, "own_session_required")
		phone.Post(auth+"/app/switch-workspace", object{"workspace_id": far.ID}).Refused(404, "not_found")
		phone.Post(auth+"/app/reauth", object{"password": apptest.Password}).Want(200)
		phone.Post(auth+"/app/switch-workspace", object{"workspace_id": far.ID}).Want(200)

		s.Clock.Advance(api.StepUpAge + time.Second)
		w.Owner.Get(at).Want(200)
		w.Owner.Post(at, nil).Refused(403, "step_up_required")
		w.Owner.Delete(at).Refused(403, "step_up_required")
		w.Owner.Post(at+"/email", object{"qr_id": qr.ID, "key": qr.Key}).Refused(403, "step_up_required")
	})
}

// A person's own QR opens a session too: it requires a recent password, also on a phone
// that it signed in, and that phone's session ends with the session that made the QR.
func TestMobileSessionEndsWithSessionThatMadeQR(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		at := path(w.Member, "/mobile-qr")
		prove := object{"password": apptest.Password}
		var own struct {
			VerifiedAt *clock.Time `json:"verified_at"`
		}
		claim := func(qr agent.NewQR) *apptest.Response {
			return s.Client("").Post(auth+"/mobile-qr/claim", object{"key": qr.Key, "device_name": "x", "platform": "iOS"})
		}
		ends := s.Clock.Now().Add(30 * 24 * time.Hour)

		s.Clock.Advance(api.StepUpAge + time.Second)
		w.Owner.Post(at, nil).Refused(403, "step_up_required")
		w.Owner.Delete(at).Want(200) // revoking opens no session
		w.Owner.Post(auth+"/app/reauth", prove).Want(200)
		var qr agent.NewQR
		w.Owner.Post(at, nil).Want(201).Data(&qr)
		s.Clock.Advance(agent.ScreenLife - time.Second)
		var in agent.Opened
		claim(qr).Want(200).Data(&in)
		if !in.Session.ExpiresAt.Equal(ends) {
			t.Errorf("the phone's session ends at %s, the one that made it at %s", in.Session.ExpiresAt, ends)
		}

		phone := s.Client(in.Token)
		phone.Get(auth + "/me").Want(200).Data(&own)
		if own.VerifiedAt != nil {
			t.Errorf("nobody typed a password on the phone, yet it was proven at %s", own.VerifiedAt)
		}
		phone.Post(at, nil).Refused(403, "step_up_required")
		for range 3 { // it is used, so that it is not idle
			s.Clock.Advance(9 * 24 * time.Hour)
			phone.Get(auth + "/me").Want(200)
		}
		phone.Post(auth+"/app/reauth", prove).Want(200)
		phone.Post(at, nil).Want(201).Data(&qr)
		claim(qr).Want(200).Data(&in)
		if !in.Session.ExpiresAt.Equal(ends) {
			t.Errorf("a phone's phone's session ends at %s, the first at %s", in.Session.ExpiresAt, ends)
		}

		// A mailed QR is valid longer than the session that made it.
		s.Clock.Advance(ends.Sub(s.Clock.Now()) - time.Minute)
		phone = s.Client(in.Token)
		phone.Post(auth+"/app/reauth", prove).Want(200)
		phone.Post(at, nil).Want(201).Data(&qr)
		phone.Post(at+"/email", object{"qr_id": qr.ID, "key": qr.Key}).Want(200)
		s.Clock.Advance(time.Minute)
		claim(qr).Refused(422, "link_expired")
	})
}
