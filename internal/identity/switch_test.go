package identity_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// member adds a person who has an account to another workspace.
func member(t *testing.T, s *apptest.Server, tenant uuid.UUID, email string) uuid.UUID {
	t.Helper()
	id := s.DB.Clock().NewID()
	execute(t, s, `INSERT INTO membership (tenant_id, id, user_id, role, state, created_at)
		SELECT $1, $2, id, 'owner', 'active', created_at FROM app_user WHERE email_key = $3`, tenant, id, email)
	return id
}

func execute(t *testing.T, s *apptest.Server, query string, args ...any) {
	t.Helper()
	err := s.DB.System("test").InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Exec(query, args...)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, s *apptest.Server, query string, args ...any) (n int) {
	t.Helper()
	err := s.DB.System("test").Read(t.Context(), func(r *db.Reader) (err error) {
		n, err = db.One(r, db.Scalar[int], query, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const email = "owner@demo.example"

func TestSwitchWorkspace(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, acme, strange := s.Workspace("demo"), s.Workspace("acme"), s.Workspace("strange")
		there := member(t, s, acme.ID, email)
		to := func(id uuid.UUID) object { return object{"workspace_id": id} }
		foreign := w.Owner.Post(auth+"/app/switch-workspace", to(strange.ID))
		random := w.Owner.Post(auth+"/app/switch-workspace", to(uuid.New()))
		foreign.Refused(404, "not_found")
		random.Refused(404, "not_found")
		w.Owner.Post(auth+"/app/switch-workspace", to(uuid.Nil)).Refused(404, "not_found")

		old := signIn(s, email, apptest.Password)
		s.Clock.Advance(time.Hour)
		var next identity.SignedIn
		s.Client(old.Token).Post(auth+"/app/switch-workspace", to(acme.ID)).Want(200).Data(&next)
		if !next.Session.ExpiresAt.Equal(old.Session.ExpiresAt.Time) || !next.Session.VerifiedAt.Equal(old.Session.VerifiedAt.Time) {
			t.Errorf("ceiling %v and stamp %v, not %v and %v", next.Session.ExpiresAt, next.Session.VerifiedAt,
				old.Session.ExpiresAt, old.Session.VerifiedAt)
		}
		var me identity.Me
		s.Client(next.Token).Get(auth + "/me").Want(200).Data(&me)
		if me.Workspace.ID != acme.ID || me.Membership.ID != there {
			t.Errorf("me %+v", me)
		}
		if n := count(t, s, `SELECT count(*) FROM session a JOIN session b ON b.prev_id = a.id AND b.family_id = a.family_id
			WHERE a.id = $1 AND b.id = $2 AND a.close_reason = 'switched'`, old.Session.ID, next.Session.ID); n != 1 {
			t.Error("the new session is not the old one's successor")
		}

		// Within a minute the old token is only refused.
		s.Client(old.Token).Get(auth+"/me").Refused(401, "unauthenticated")
		s.Client(next.Token).Get(auth + "/me").Want(200)
		// Later somebody has a copy: the family ends, and its owner is notified.
		s.Clock.Advance(time.Minute + time.Second)
		s.Client(old.Token).Get(auth+"/me").Refused(401, "unauthenticated")
		s.Client(next.Token).Get(auth+"/me").Refused(401, "unauthenticated")
		w.Owner.Get(auth + "/me").Want(200)
		for range 2 {
			s.Client(old.Token).Get(auth+"/me").Refused(401, "unauthenticated")
		}
		if l := s.Mails(acme.ID, email); len(l) != 1 || !strings.Contains(l[0].Subject, "oturum") {
			t.Errorf("mail %+v", l)
		}
		if n := count(t, s, `SELECT count(*) FROM audit_log WHERE tenant_id = $1 AND action = 'session.reuse_detected'`, acme.ID); n != 1 {
			t.Errorf("%d audit lines", n)
		}

		// A workspace that suspended the person is not theirs.
		execute(t, s, `UPDATE membership SET state = 'suspended' WHERE id = $1`, there)
		w.Owner.Post(auth+"/app/switch-workspace", to(acme.ID)).Refused(404, "not_found")
	})
}

// However many requests ask at once, a session has one successor.
func TestConcurrentSwitches(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, acme := s.Workspace("demo"), s.Workspace("acme")
		member(t, s, acme.ID, email)
		var wg sync.WaitGroup
		status := make([]int, 24)
		start := make(chan struct{})
		for i := range status {
			wg.Go(func() {
				<-start
				status[i] = w.Owner.Post(auth+"/app/switch-workspace", object{"workspace_id": acme.ID}).Status
			})
		}
		close(start)
		wg.Wait()
		won := 0
		for _, st := range status {
			switch st {
			case 200:
				won++
			case 401:
			default:
				t.Errorf("status %d", st)
			}
		}
		if n := count(t, s, `SELECT count(*) FROM session WHERE tenant_id = $1 AND prev_id IS NOT NULL`, acme.ID); won != 1 || n != 1 {
			t.Errorf("%d winners, %d successors", won, n)
		}
	})
}

// A concurrent revoke is not overwritten by a switch.
func TestSwitchAgainstRevoke(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, acme := s.Workspace("demo"), s.Workspace("acme")
		member(t, s, acme.ID, email)
		for range 8 {
			in := signIn(s, email, apptest.Password)
			var wg sync.WaitGroup
			var switched, revoked int
			wg.Go(func() {
				switched = s.Client(in.Token).Post(auth+"/app/switch-workspace", object{"workspace_id": acme.ID}).Status
			})
			wg.Go(func() { revoked = w.Owner.Delete(auth + "/sessions/" + in.Session.ID.String()).Status })
			wg.Wait()
			open := count(t, s, `SELECT count(*) FROM session WHERE family_id = $1 AND closed_at IS NULL`, in.Session.ID)
			if ok := switched == 200 && revoked == 404 && open == 1 || switched == 401 && revoked == 200 && open == 0; !ok {
				t.Fatalf("switch %d, revoke %d, %d open", switched, revoked, open)
			}
		}
	})
}

// A request whose session has ended meanwhile opens no other.
func TestSwitchOfEndedSessionIsRefused(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		s.Workspace("demo")
		acme := s.Workspace("acme")
		member(t, s, acme.ID, email)
		for name, end := range map[string]func(uuid.UUID){
			"revoked": func(id uuid.UUID) {
				execute(t, s, `UPDATE session SET closed_at = 1, close_reason = 'revoked' WHERE id = $1`, id)
			},
			"expired": func(uuid.UUID) { s.Clock.Advance(identity.SessionCeiling) },
		} {
			in := signIn(s, email, apptest.Password)
			who, err := s.Identity.Authenticate(t.Context(), in.Token)
			if err != nil {
				t.Fatal(err)
			}
			end(in.Session.ID)
			_, err = s.Identity.SwitchWorkspace(caller.With(t.Context(), who), acme.ID, "")
			opened := count(t, s, `SELECT count(*) FROM session WHERE family_id = $1 AND id <> $1`, in.Session.ID)
			if !fault.Is(err, fault.Unauthenticated) || opened != 0 {
				t.Errorf("%s: %d sessions were opened, %v", name, opened, err)
			}
		}
	})
}

func TestReauth(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		w.Owner.Post(auth+"/2fa/totp", nil).Want(200)
		s.Clock.Advance(15*time.Minute + time.Second)
		got := w.Owner.Post(auth+"/2fa/totp", nil).Refused(403, "step_up_required")
		if got.Reason != "insufficient_user_authentication" {
			t.Errorf("reason %q", got.Reason)
		}
		w.Owner.Post(auth+"/app/reauth", object{"password": "wrong"}).Refused(422, "wrong_password")
		w.Owner.Post(auth+"/2fa/totp", nil).Refused(403, "step_up_required")
		w.Owner.Post(auth+"/app/reauth", object{"password": apptest.Password}).Want(200)
		w.Owner.Post(auth+"/2fa/totp", nil).Want(200)
	})
}

// as acts as a person whose token was just checked.
func as(ctx context.Context, who *caller.Caller) context.Context { return caller.With(ctx, who) }
