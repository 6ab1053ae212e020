package app_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/pgtest"
	"konak/internal/mail"
)

// kills is how often TestKill kills the server: see stormOr.
var kills = stormOr(4, 20)

// stormOr returns how often a test kills the server: few times in an ordinary
// run, many times in a storm (make test-storm), which finds what is rare.
func stormOr(few, storm int) int {
	if os.Getenv("KONAK_TEST_STORM") != "" {
		return storm
	}
	return few
}

const (
	writers = 8
	// mostWrites is the maximum number of acknowledgements that a round waits for before
	// the kill; a few are enough to be in the middle of everything.
	mostWrites = 48
	// mostRepeated is the maximum number of deliveries that one kill may cause to be sent
	// twice: 6 at first, and one more for every 200 that were marked. A round has fewer
	// than 200.
	mostRepeated = 7
	// patience is the time limit for things that should take a moment; no result depends on
	// it.
	patience = 90 * time.Second

	exceptions = "/api/mail/v1/dlp/exceptions"
)

// What was acknowledged exists after kill -9 at any moment, with exactly one event, and its
// webhook is delivered; what was not acknowledged exists with its event or not at all.
func TestKill(t *testing.T) {
	t.Parallel()
	onBoth(t, ownPostgres, (*trial).run)
}

// onBoth runs a trial on a database of each kind.
func onBoth(t *testing.T, postgres func(t *testing.T) *trial, run func(k *trial)) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts the server many times")
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		run(newTrial(t, "sqlite:"+filepath.Join(dir, "konak.db"), dir))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		run(postgres(t))
	})
}

// sharedPostgres is a trial on the PostgreSQL server of all tests, which does not wait for
// its disk: acknowledged data survives a crash of Konak, but not of the database server.
func sharedPostgres(t *testing.T) *trial {
	t.Helper()
	d := pgtest.NewDatabase(t, "")
	return newTrial(t, d.Owner, t.TempDir(), "--db="+d.Owner)
}

// ownPostgres is a trial on its own PostgreSQL server, which may crash too and takes the
// time of durable commits.
func ownPostgres(t *testing.T) *trial {
	t.Helper()
	server := pgtest.StartFor(t, pgtest.Options{Durable: true})
	d, err := server.CreateDatabase(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	k := newTrial(t, d.Owner, t.TempDir(), "--db="+d.Owner)
	k.crash = server.Crash
	return k
}

// trial is one database through all its kills.
type trial struct {
	t    *testing.T
	ctx  context.Context
	data string // the folder of the server
	args []string
	url  string
	rand *rand.Rand
	hook *receiver
	// crash kills the database server under load; nil if there is none.
	crash func() error

	token string
	mu    sync.Mutex
	// acknowledged maps an address to its record's id; the id is empty if the answer was
	// lost and the repeat learned only that the work was done.
	acknowledged map[string]string
	pending      [writers]string // sent, and not answered yet
	made         int
}

func newTrial(t *testing.T, url, data string, args ...string) *trial {
	ctx, cancel := context.WithTimeout(t.Context(), 8*patience)
	t.Cleanup(cancel)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return &trial{
		t: t, ctx: ctx, data: data, args: args, url: url, acknowledged: map[string]string{},
		rand: rand.New(rand.NewPCG(seed, 0)), hook: newReceiver(),
	}
}

func (k *trial) must(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

// run takes the database through the kills and checks the result. If the trial has its own
// database server, that crashes once under load too.
func (k *trial) run() {
	p := k.start()
	k.signIn(p)
	k.subscribe(p, k.hook, map[string]any{"events": []string{mail.ExceptionCreated}})
	d := k.open()
	for range kills {
		stop := k.load(p)
		k.must(p.kill())
		stop()
		p = k.start()
	}
	if k.crash != nil {
		stop := k.load(p)
		k.must(k.crash())
		k.writeUntil(1) // the node found its way back by itself
		stop()
	}
	stop := k.load(p)
	k.must(p.kill())
	stop()
	p = k.start()
	k.settle(d)
	k.must(p.stop())
	k.verify(d)
}

func (k *trial) start() *process {
	k.t.Helper()
	return k.startOn(k.data)
}

// startOn runs a server on a data folder.
func (k *trial) startOn(data string) *process {
	k.t.Helper()
	p, err := start(k.ctx, append([]string{"--data=" + data}, k.args...)...)
	k.must(err)
	return p
}

// signIn signs the trial's client in as the demo's owner.
func (k *trial) signIn(p *process) {
	k.t.Helper()
	in, err := newClient(p.url, "").post(k.ctx, "/api/v1/auth/sign-in", "",
		map[string]any{"email": "owner@demo.localhost", "password": app.DemoPassword})
	k.must(err)
	k.token = in.Data.Token
}

// subscribe registers a receiver as an endpoint.
func (k *trial) subscribe(p *process, r *receiver, settings map[string]any) {
	k.t.Helper()
	at := httptest.NewServer(r)
	k.t.Cleanup(at.Close)
	settings["address"] = at.URL
	hook, err := newClient(p.url, k.token).post(k.ctx, "/api/erp/v1/webhooks", "", settings)
	k.must(err)
	if hook.Status != http.StatusCreated {
		k.t.Fatalf("subscribing: %+v", hook)
	}
	r.mu.Lock()
	r.secret = hook.Data.Secret
	r.mu.Unlock()
}

// load starts the writers and returns at a random point under their load: after some
// acknowledgements and then some time, so that it may fall on any step of the requests
// under way. The returned function stops the writers.
func (k *trial) load(p *process) (stop func()) {
	ctx, cancel := context.WithCancel(k.ctx)
	c := newClient(p.url, k.token)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() { k.write(ctx, c, i) })
	}
	k.writeUntil(1 + k.rand.IntN(mostWrites))
	select {
	case <-time.After(time.Duration(k.rand.Int64N(int64(10 * time.Millisecond)))):
	case <-ctx.Done():
	}
	return func() {
		cancel()
		wg.Wait()
		c.http.CloseIdleConnections()
	}
}

// writeUntil waits for n more acknowledgements.
func (k *trial) writeUntil(n int) {
	k.t.Helper()
	k.mu.Lock()
	goal := len(k.acknowledged) + n
	k.mu.Unlock()
	k.until("writes to be acknowledged", func() bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		return len(k.acknowledged) >= goal
	})
}

// until polls for a condition.
func (k *trial) until(what string, ok func() bool) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.ctx, patience)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			k.t.Fatalf("waited too long for %s", what)
		case <-tick.C:
		}
	}
}

// write adds exceptions until ctx ends. Every address is also the request's
// Idempotency-Key, and an unanswered one is sent again: by then the record and the key both
// exist, or neither does.
func (k *trial) write(ctx context.Context, c *client, i int) {
	for ctx.Err() == nil {
		email := k.next(i)
		r, err := c.post(ctx, exceptions, email, map[string]any{"email": email})
		switch {
		case err != nil || r.Status >= 500:
			// The server, or its database, is gone; the address stays pending.
			select {
			case <-ctx.Done():
			case <-time.After(5 * time.Millisecond):
			}
		case r.Status == http.StatusCreated || r.Error.Code == "idempotency_replay":
			k.mu.Lock()
			k.acknowledged[email], k.pending[i] = r.Data.ID, ""
			k.mu.Unlock()
		default:
			k.t.Errorf("%s was answered %+v", email, r)
			return
		}
	}
}

func (k *trial) next(i int) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pending[i] == "" {
		k.made++
		k.pending[i] = fmt.Sprintf("a%d@example.com", k.made)
	}
	return k.pending[i]
}

func (k *trial) open() *db.DB {
	d, err := db.Open(k.ctx, db.Options{URL: k.url})
	k.must(err)
	k.t.Cleanup(func() {
		if err := d.Close(); err != nil {
			k.t.Error(err)
		}
	})
	return d
}

// settle waits until every event is numbered and every delivery is made.
func (k *trial) settle(d *db.DB) {
	k.until("events and deliveries to settle", func() bool {
		open := -1
		k.must(d.System("test").Read(k.ctx, func(r *db.Reader) (err error) {
			open, err = db.One(r, db.Scalar[int], `SELECT
				(SELECT count(*) FROM outbox WHERE sequence IS NULL) +
				(SELECT count(*) FROM webhook_delivery WHERE status <> 'delivered')`)
			return err
		}))
		return open == 0
	})
}

type row struct {
	tenant, id uuid.UUID
	email      string
}

// verify compares records, events and deliveries with each other.
func (k *trial) verify(d *db.DB) {
	var rows []row
	var tenants []uuid.UUID
	k.must(d.System("test").Read(k.ctx, func(r *db.Reader) (err error) {
		rows, err = db.All(r, func(s db.Row) (v row, err error) { return v, s.Scan(&v.tenant, &v.id, &v.email) },
			`SELECT tenant_id, id, email FROM dlp_exception`)
		if err != nil {
			return err
		}
		tenants, err = db.All(r, db.Scalar[uuid.UUID], `SELECT id FROM tenant ORDER BY slug DESC`)
		return err
	}))
	ids := map[string]string{} // address -> id, in the workspace that was written to
	unannounced := map[string]bool{}
	for _, v := range rows {
		unannounced[v.id.String()] = true
		if v.tenant == tenants[0] {
			ids[v.email] = v.id.String()
		}
	}
	for _, tenant := range tenants {
		k.verifyEvents(d, tenant, unannounced)
	}
	for id := range unannounced {
		k.t.Errorf("record %s has no event", id)
	}
	for email, id := range k.acknowledged {
		switch there, ok := ids[email]; {
		case !ok:
			k.t.Errorf("%s was acknowledged and is lost", email)
		case id != "" && there != id:
			k.t.Errorf("%s was acknowledged as %s and is %s", email, id, there)
		case k.hook.objects[there] == nil:
			k.t.Errorf("the webhook of %s was never delivered", email)
		}
	}
	for _, fault := range k.hook.faults {
		k.t.Error(fault)
	}
	// What was sent and not marked yet is sent again at each kill: the attempts under way
	// and those that finished while results were being gathered.
	all, again := k.hook.repeated()
	if most := (kills + 2) * mostRepeated; again > most {
		k.t.Errorf("%d of %d deliveries were repetitions, more than %d", again, all, most)
	}
	k.t.Logf("%d acknowledged, %d records, %d events received, %d of %d deliveries were repetitions",
		len(k.acknowledged), len(rows), len(k.hook.objects), again, all)
}

// verifyEvents checks a tenant's events: numbers without gap or repetition, each about an
// existing record that no other event announced. It removes the announced ones from the
// given records.
func (k *trial) verifyEvents(d *db.DB, tenant uuid.UUID, unannounced map[string]bool) {
	var events []event.Event
	var last int64
	k.must(d.Tenant(tenant).Read(k.ctx, func(r *db.Reader) (err error) {
		if events, err = event.After(r, 0, 1<<20); err != nil {
			return err
		}
		last, err = event.Last(r)
		return err
	}))
	for i, e := range events {
		if e.Sequence != int64(i+1) {
			k.t.Errorf("event %d of tenant %s has the number %d", i+1, tenant, e.Sequence)
		}
		if e.Type != mail.ExceptionCreated {
			continue // the demo's own
		}
		seen, err := decodeEvent(e.Body())
		k.must(err)
		id := seen.Data.Object.ID
		if !unannounced[id] {
			k.t.Errorf("%s about %s: its record is not there, or is announced twice", e.Type, id)
		}
		delete(unannounced, id)
	}
	if last != int64(len(events)) {
		k.t.Errorf("tenant %s counts %d events and has %d", tenant, last, len(events))
	}
}
