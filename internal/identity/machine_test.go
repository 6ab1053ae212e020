package identity_test

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/identity/signin"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// machine is the expected state of the sessions, next to the real one.
type machine struct {
	t       *rapid.T
	svc     *identity.Service
	signin  *signin.Service
	db      *db.DB
	clock   *clock.Fake
	member  map[uuid.UUID]uuid.UUID // workspace -> membership
	places  []uuid.UUID
	active  map[uuid.UUID]bool // workspace -> whether the membership is
	tokens  []*modelled
	reports int // of reuse
}

// modelled is a session in its expected state.
type modelled struct {
	token                   string
	id, workspace           uuid.UUID
	family, prev            uuid.UUID
	ceiling, seen, verified time.Time
	closed                  time.Time
	reason                  string
}

func (m *machine) open(s *modelled) bool {
	now := m.clock.Now()
	return s.closed.IsZero() && now.Before(s.ceiling) && now.Before(s.seen.Add(identity.SessionIdle)) && m.active[s.workspace]
}

func (m *machine) pick() *modelled {
	if len(m.tokens) == 0 {
		m.t.Skip("no session yet")
	}
	return rapid.SampledFrom(m.tokens).Draw(m.t, "session")
}

// use presents a token and reports whether it opened.
func (m *machine) use(s *modelled) bool {
	now := m.clock.Now()
	who, err := m.svc.Authenticate(m.t.Context(), s.token)
	want := m.open(s)
	if want != (err == nil) {
		m.t.Fatalf("session %s is open: %v, but: %v", s.id, want, err)
	}
	if !want {
		if !fault.Is(err, fault.Unauthenticated) {
			m.t.Fatal(err)
		}
		if s.reason == "switched" && now.Sub(s.closed) > time.Minute {
			m.endFamily(s)
		}
		return false
	}
	if who.SessionID != s.id || who.TenantID != s.workspace || who.ID != m.member[s.workspace] || !who.VerifiedAt.Equal(s.verified) {
		m.t.Fatalf("session %+v is %+v", s, who)
	}
	if now.Sub(s.seen) >= time.Minute {
		s.seen = now
	}
	return true
}

// endFamily is the expected result of reuse: nothing of the family stays open.
func (m *machine) endFamily(of *modelled) {
	for _, s := range m.tokens {
		if s.family == of.family && s.closed.IsZero() && m.clock.Now().Before(s.ceiling) {
			s.closed, s.reason = m.clock.Now(), "revoked"
			m.reports++
		}
	}
}

func (m *machine) SignIn(t *rapid.T) {
	m.t = t
	place := rapid.SampledFrom(m.places).Draw(t, "workspace")
	if len(m.tokens) > 12 {
		t.Skip("enough")
	}
	in, err := m.signin.SignIn(t.Context(), signin.Proof{Email: email, Password: apptest.Password, Slug: m.slug(place)})
	if !m.active[place] {
		if !fault.Is(err, fault.WrongCredentials) {
			t.Fatalf("signed in to a workspace that suspended them: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	now := m.clock.Now()
	m.tokens = append(m.tokens, &modelled{
		token: in.Token, id: in.Session.ID, workspace: place, family: in.Session.ID,
		ceiling: now.Add(identity.SessionCeiling), seen: now, verified: now,
	})
}

func (m *machine) slug(place uuid.UUID) string {
	for i, p := range m.places {
		if p == place {
			return []string{"demo", "acme", "third"}[i]
		}
	}
	return ""
}

func (m *machine) Use(t *rapid.T) { m.t = t; m.use(m.pick()) }

func (m *machine) Switch(t *rapid.T) {
	m.t = t
	s := m.pick()
	if !m.use(s) {
		return
	}
	who, err := m.svc.Authenticate(t.Context(), s.token)
	if err != nil {
		t.Fatal(err)
	}
	place := rapid.SampledFrom(append([]uuid.UUID{uuid.New()}, m.places...)).Draw(t, "to")
	out, err := m.svc.SwitchWorkspace(as(t.Context(), who), place, "192.0.2.1")
	if !m.active[place] {
		if !fault.Is(err, fault.NotFound) {
			t.Fatalf("switched to a workspace that is not theirs: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	now := m.clock.Now()
	s.closed, s.reason = now, "switched"
	m.tokens = append(m.tokens, &modelled{
		token: out.Token, id: out.Session.ID, workspace: place, family: s.family, prev: s.id,
		ceiling: s.ceiling, seen: now, verified: s.verified,
	})
}

func (m *machine) Reauth(t *rapid.T) {
	m.t = t
	s := m.pick()
	if !m.use(s) {
		return
	}
	who, err := m.svc.Authenticate(t.Context(), s.token)
	if err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "wrong") {
		if _, err := m.signin.Reauth(as(t.Context(), who), "wrong", ""); !fault.Is(err, fault.WrongPassword) {
			t.Fatal(err)
		}
		return
	}
	if _, err := m.signin.Reauth(as(t.Context(), who), apptest.Password, ""); err != nil {
		t.Fatal(err)
	}
	s.verified = m.clock.Now()
}

func (m *machine) Revoke(t *rapid.T) {
	m.t = t
	by, s := m.pick(), m.pick()
	if !m.use(by) {
		return
	}
	who, err := m.svc.Authenticate(t.Context(), by.token)
	if err != nil {
		t.Fatal(err)
	}
	err = m.svc.RevokeSession(as(t.Context(), who), s.id)
	if s.closed.IsZero() != (err == nil) {
		t.Fatalf("revoking %+v: %v", s, err)
	}
	if err == nil {
		s.closed, s.reason = m.clock.Now(), "revoked"
	}
}

func (m *machine) Suspend(t *rapid.T) {
	m.t = t
	place := rapid.SampledFrom(m.places).Draw(t, "workspace")
	m.active[place] = !m.active[place]
	state := map[bool]string{true: "active", false: "suspended"}[m.active[place]]
	err := m.db.System("test").InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Exec(`UPDATE membership SET state = $2 WHERE id = $1`, m.member[place], state)
	})
	if err != nil {
		t.Fatal(err)
	}
	m.clock.Advance(6 * time.Second) // past what the cache may believe
}

func (m *machine) Wait(t *rapid.T) {
	m.t = t
	m.clock.Advance(rapid.SampledFrom([]time.Duration{
		time.Second, 30 * time.Second, 2 * time.Minute, 11 * time.Hour, 13 * time.Hour, 10 * 24 * time.Hour,
	}).Draw(t, "for"))
}

// Check holds after every step: families are chains, at most one of each is
// open, all have the ceiling of the first, and every reuse was reported.
func (m *machine) Check(t *rapid.T) {
	m.t = t
	type row struct {
		id, family uuid.UUID
		prev       *uuid.UUID
		open       bool
		ceiling    clock.Time
	}
	var rows []row
	reports := 0
	err := m.db.System("test").Read(t.Context(), func(r *db.Reader) (err error) {
		rows, err = db.All(r, func(s db.Row) (row, error) {
			var v row
			err := s.Scan(&v.id, &v.family, &v.prev, &v.open, &v.ceiling)
			return v, err
		}, `SELECT id, family_id, prev_id, closed_at IS NULL, absolute_expires_at FROM session`)
		if err != nil {
			return err
		}
		reports, err = db.One(r, db.Scalar[int], `SELECT count(*) FROM audit_log WHERE action = 'session.reuse_detected'`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(m.tokens) || reports != m.reports {
		t.Fatalf("%d sessions and %d reports, want %d and %d", len(rows), reports, len(m.tokens), m.reports)
	}
	model := map[uuid.UUID]*modelled{}
	for _, s := range m.tokens {
		model[s.id] = s
	}
	open := map[uuid.UUID]int{}
	for _, r := range rows {
		s := model[r.id]
		prev := uuid.Nil
		if r.prev != nil {
			prev = *r.prev
		}
		if r.family != s.family || prev != s.prev || r.open != s.closed.IsZero() || !r.ceiling.Equal(s.ceiling) {
			t.Fatalf("session %+v, want %+v", r, s)
		}
		if r.open {
			open[r.family]++
		}
		if open[r.family] > 1 {
			t.Fatalf("family %s has two open sessions", r.family)
		}
	}
}

// TestMain runs fewer rounds than rapid would by itself: a step is several
// trips to a database. A nightly run asks for more with -rapid.checks.
func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked {
		if err := flag.Set("rapid.checks", "15"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// TestSessionStateMachine drives sessions through sign-in, use, switch, step-up,
// revoke, reuse of old tokens, expiry and suspension in any order.
func TestSessionStateMachine(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			s := apptest.New(t, dialect)
			m := machine{svc: s.Identity, signin: s.Accounts, db: s.DB, clock: s.Clock, member: map[uuid.UUID]uuid.UUID{}}
			for i, slug := range []string{"demo", "acme", "third"} {
				w := s.Workspace(slug)
				m.places = append(m.places, w.ID)
				m.member[w.ID] = w.Member
				if i > 0 {
					m.member[w.ID] = member(t, s, w.ID, email)
				}
			}
			rapid.Check(t, func(rt *rapid.T) {
				execute(t, s, `DELETE FROM session`)
				execute(t, s, `DELETE FROM audit_log`)
				execute(t, s, `UPDATE membership SET state = 'active'`)
				run := m
				run.active = map[uuid.UUID]bool{}
				for _, p := range m.places {
					run.active[p] = true
				}
				s.Clock.Advance(identity.SessionCeiling)
				rt.Repeat(rapid.StateMachineActions(&run))
			})
		})
	}
}
