package api_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

type keyedIn struct {
	Body struct {
		Email string   `json:"email" maxLength:"100"`
		Rows  []string `json:"rows,omitempty" maxItems:"10" nullable:"false"`
	}
}

type keyedOut struct {
	ID    uuid.UUID `json:"id" format:"uuid"`
	Email string    `json:"email"`
}

// keyed is a small service whose routes take a key.
type keyed struct {
	*harness
	db     *db.DB
	tenant db.Handle

	mu      sync.Mutex
	inside  func(*db.Tx) error // runs in the transaction
	after   func() error       // runs after it
	prepare func() error       // runs before it
}

func (k *keyed) hook(fn *func() error) func() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if *fn == nil {
		return func() error { return nil }
	}
	return *fn
}

func (k *keyed) add(ctx context.Context, email string) (out keyedOut, err error) {
	if err := k.hook(&k.prepare)(); err != nil {
		return out, err
	}
	err = idempotency.Do(ctx, k.tenant, &out, func(tx *db.Tx) error {
		out = keyedOut{tx.NewID(), email}
		if err := tx.Exec(`INSERT INTO dlp_exception (tenant_id, id, email, email_key, note, created_at)
			VALUES ($1, $2, $3, $4, '', 0)`, tx.Tenant(), out.ID, email, out.ID.String()); err != nil {
			return err
		}
		k.mu.Lock()
		inside := k.inside
		k.mu.Unlock()
		if inside != nil {
			return inside(tx)
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	return out, k.hook(&k.after)()
}

// emails returns the addresses that were added, in order.
func (k *keyed) emails() []string {
	k.t.Helper()
	out, err := db.Read(k.t.Context(), k.tenant, func(r *db.Reader) ([]string, error) {
		return db.All(r, db.Scalar[string], `SELECT email FROM dlp_exception WHERE tenant_id = $1 ORDER BY email`, r.Tenant())
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return out
}

// post sends a body with a key and returns status, body and whether the answer is a replay.
func (k *keyed) post(path, key, body string) (int, string, bool) {
	resp, text := k.do("POST", path, body, "Idempotency-Key", key)
	text, _, _ = strings.Cut(text, `"trace_id"`)
	return resp.StatusCode, text, resp.Header.Get("Idempotency-Replayed") == "true"
}

func withKeys(t *testing.T, fn func(t *testing.T, k *keyed)) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		tenant := dbtest.Tenant(t, d, "demo")
		k := &keyed{harness: &harness{t: t}, db: d, tenant: d.Tenant(tenant)}
		k.api = api.New(api.Config{DB: d, Log: slog.New(slog.DiscardHandler), Clock: d.Clock(), Auth: gate{tenant}, Domain: "localhost"})
		add := route("POST", "/api/test/keyed", "keyed")
		add.TakesKey, add.Status = true, 201
		api.Handle(k.api, add, func(ctx context.Context, in *keyedIn) (keyedOut, error) { return k.add(ctx, in.Body.Email) })

		shown := route("POST", "/api/test/secret", "secret")
		shown.TakesKey, shown.ShowsSecret = true, true
		api.Handle(k.api, shown, func(ctx context.Context, in *keyedIn) (keyedOut, error) { return k.add(ctx, in.Body.Email) })

		card := route("POST", "/api/test/card", "card")
		card.TakesKey, card.TakesCard = true, true
		api.Handle(k.api, card, func(ctx context.Context, in *keyedIn) (keyedOut, error) { return k.add(ctx, in.Body.Email) })

		view := route("POST", "/api/test/view", "view")
		view.TakesKey = true
		api.Handle(k.api, view, func(ctx context.Context, in *keyedIn) (string, error) {
			out, err := k.add(idempotency.View(ctx, func(out keyedOut) string { return "<" + out.Email + ">" }), in.Body.Email)
			return "<" + out.Email + ">", err
		})

		bulk := route("POST", "/api/test/bulk", "bulk")
		bulk.TakesKey = true
		api.Handle(k.api, bulk, func(ctx context.Context, in *keyedIn) ([]string, error) {
			out := []string{}
			for _, row := range in.Body.Rows {
				added, err := k.add(idempotency.ForRow(ctx, row), row)
				if err != nil {
					out = append(out, "failed")
					continue
				}
				out = append(out, added.ID.String())
			}
			return out, nil
		})
		plain := route("POST", "/api/test/plain", "plain")
		api.Handle(k.api, plain, func(ctx context.Context, in *keyedIn) (keyedOut, error) { return k.add(ctx, in.Body.Email) })

		server := httptest.NewServer(k.api.Handler())
		k.url = server.URL
		t.Cleanup(func() {
			k.api.Drain()
			server.Close()
		})
		fn(t, k)
	})
}

func (k *keyed) want(emails ...string) {
	k.t.Helper()
	if diff := cmp.Diff(append([]string{}, emails...), k.emails()); diff != "" {
		k.t.Error(diff)
	}
}

func TestKeyRepeat(t *testing.T) {
	withKeys(t, func(t *testing.T, k *keyed) {
		status, first, replayed := k.post("/api/test/keyed", "k", `{"email":"a"}`)
		if status != 201 || replayed {
			t.Fatalf("the first gave %d %s, replayed %v", status, first, replayed)
		}
		// A failure of the work now does not matter to a repeat.
		k.prepare = func() error { return errors.New("prepared again") }
		status, again, replayed := k.post("/api/test/keyed", "k", `{"email":"a"}`)
		if status != 201 || again != first || !replayed {
			t.Errorf("the repeat gave %d %s, replayed %v, want %s", status, again, replayed, first)
		}
		if status, text, _ := k.post("/api/test/keyed", "k", `{"email":"b"}`); status != 422 || !strings.Contains(text, "idempotency_mismatch") {
			t.Errorf("another request with the key gave %d %s", status, text)
		}
		k.prepare = nil
		if status, text, _ := k.post("/api/test/view", "v", `{"email":"c"}`); status != 200 || !strings.Contains(text, "c") {
			t.Errorf("a view gave %d %s", status, text)
		}
		if status, text, replayed := k.post("/api/test/view", "v", `{"email":"c"}`); status != 200 || !replayed || !strings.Contains(text, `\u003cc\u003e`) && !strings.Contains(text, "<c>") {
			t.Errorf("the repeat of a view gave %d %s", status, text)
		}
		for range 2 { // a route that declares no key ignores it
			if status, _, replayed := k.post("/api/test/plain", "p", `{"email":"d"}`); status != 200 || replayed {
				t.Errorf("a route without a key gave %d, replayed %v", status, replayed)
			}
		}
		k.want("a", "c", "d", "d")
	})
}

// Overlapping requests wait for the first and all get its answer.
func TestKeyOverlap(t *testing.T) {
	withKeys(t, func(t *testing.T, k *keyed) {
		const others = 5
		var prepared sync.WaitGroup
		prepared.Add(others)
		var once sync.Once
		k.prepare = func() error { prepared.Done(); return nil }
		first := true
		k.inside = func(*db.Tx) error {
			k.mu.Lock()
			mine := first
			first = false
			k.mu.Unlock()
			if mine {
				once.Do(prepared.Wait) // all others have looked for the key and found none
			}
			return nil
		}
		answers := make([]string, others)
		var wg sync.WaitGroup
		for i := range others {
			wg.Go(func() {
				status, text, _ := k.post("/api/test/keyed", "k", `{"email":"a"}`)
				answers[i] = fmt.Sprint(status, text)
			})
		}
		wg.Wait()
		for _, a := range answers {
			if a != answers[0] || !strings.HasPrefix(a, "201") {
				t.Errorf("answers differ: %q", answers)
			}
		}
		k.want("a")
	})
}

// A failure releases the key, and so does a crash before the commit: nothing of the request
// is left. After the commit, the answer is stored whatever fails.
func TestKeyFailure(t *testing.T) {
	withKeys(t, func(t *testing.T, k *keyed) {
		for _, broken := range []func(*db.Tx) error{
			func(*db.Tx) error { return fault.New(fault.Conflict) },
			func(*db.Tx) error { panic(http.ErrAbortHandler) },
		} {
			k.mu.Lock()
			k.inside = broken
			k.mu.Unlock()
			func() {
				req, err := http.NewRequestWithContext(t.Context(), "POST", k.url+"/api/test/keyed", strings.NewReader(`{"email":"a"}`))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Authorization", "Bearer good")
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Idempotency-Key", "k")
				resp, err := http.DefaultClient.Do(req)
				if err == nil {
					_ = resp.Body.Close()
					if resp.StatusCode < 400 {
						t.Errorf("a failing request gave %d", resp.StatusCode)
					}
				}
			}()
			k.want()
		}
		k.mu.Lock()
		k.inside, k.after = nil, func() error { return errors.New("the push failed") }
		k.mu.Unlock()
		status, first, _ := k.post("/api/test/keyed", "k", `{"email":"a"}`)
		again, second, replayed := k.post("/api/test/keyed", "k", `{"email":"a"}`)
		if status != 201 || again != 201 || first != second || !replayed {
			t.Errorf("after the commit: %d %s, then %d %s", status, first, again, second)
		}
		k.want("a")
	})
}

// An answer that shows a secret is not stored, nor is any part of a card payment's body.
func TestKeySecrets(t *testing.T) {
	withKeys(t, func(t *testing.T, k *keyed) {
		if status, text, _ := k.post("/api/test/secret", "s", `{"email":"a"}`); status != 200 {
			t.Fatalf("%d %s", status, text)
		}
		if status, text, _ := k.post("/api/test/secret", "s", `{"email":"a"}`); status != 409 || !strings.Contains(text, "idempotency_replay") {
			t.Errorf("a repeat of what shows a secret gave %d %s", status, text)
		}
		k.want("a")
		for _, body := range []string{`{"email":"4111"}`, `{"email":"4222"}`} {
			k.post("/api/test/card", body, body)
		}
		rows, err := db.Read(t.Context(), k.tenant, func(r *db.Reader) ([]string, error) {
			return db.All(r, func(row db.Row) (string, error) {
				var request []byte
				var answer *string
				err := row.Scan(&request, &answer)
				return fmt.Sprintf("%x", request), err
			}, `SELECT request, answer FROM idempotency WHERE tenant_id = $1 AND key LIKE '{%'`, r.Tenant())
		})
		if err != nil || len(rows) != 2 || rows[0] != rows[1] {
			t.Errorf("what is kept of two card payments: %v %v", rows, err)
		}
	})
}

// Each row of a bulk request is carried out once, and a repeat continues where the first
// stopped.
func TestKeyBulk(t *testing.T) {
	withKeys(t, func(t *testing.T, k *keyed) {
		const body = `{"email":"","rows":["a","b","c"]}`
		k.mu.Lock()
		n := 0
		k.inside = func(*db.Tx) error {
			if n++; n == 2 {
				return errors.New("the second fails")
			}
			return nil
		}
		k.mu.Unlock()
		_, first, _ := k.post("/api/test/bulk", "k", body)
		if strings.Count(first, "failed") != 1 {
			t.Fatal(first)
		}
		_, second, _ := k.post("/api/test/bulk", "k", body)
		_, third, _ := k.post("/api/test/bulk", "k", body)
		if strings.Contains(second, "failed") || second != third {
			t.Errorf("repeats gave %s and %s", second, third)
		}
		k.want("a", "b", "c")
		if _, text, _ := k.post("/api/test/bulk", "k", `{"email":"other","rows":["a"]}`); !strings.Contains(text, "failed") {
			t.Errorf("another request with the key gave %s", text)
		}
		k.want("a", "b", "c")
	})
}

// A key is at most 255 bytes of valid text; with a refused key nothing is done.
func TestInvalidIdempotencyKeysAreRefused(t *testing.T) {
	withKeys(t, func(t *testing.T, k *keyed) {
		for key, reason := range map[string]string{strings.Repeat("k", 256): "too_long", "k\xff": "invalid_character"} {
			if status, text, _ := k.post("/api/test/keyed", key, `{"email":"a@example.com"}`); status != 422 || !strings.Contains(text, reason) {
				t.Errorf("got %d %s, want %s", status, text, reason)
			}
		}
		if got := k.emails(); len(got) != 0 {
			t.Errorf("added are %v", got)
		}
		if status, text, _ := k.post("/api/test/keyed", strings.Repeat("k", 255), `{"email":"a@example.com"}`); status != 201 {
			t.Errorf("the longest key: %d %s", status, text)
		}
	})
}
