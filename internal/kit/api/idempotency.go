package api

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// errRepeat says that the key was taken between the look-up and the write.
var errRepeat = errors.New("api: idempotency key is taken")

// once runs a handler at most once for an Idempotency-Key. The key is written
// in the transaction of the record that the request creates, so a crash cannot
// separate them; the answer follows, and where it could not be kept (or shows
// a secret) a repeat is told that the work was done.
func once[In, Out any](a *API, rt *Route, ctx context.Context, in *In, h func(context.Context, *In) (Out, error)) (Out, int, error) {
	req := requestOf(ctx)
	key, who := req.r.Header.Get("Idempotency-Key"), caller.From(ctx)
	if key == "" || rt.Method != http.MethodPost || who.TenantID == uuid.Nil {
		out, err := h(ctx, in)
		return out, rt.Status, err
	}
	var zero Out
	switch {
	case len(key) > 255:
		return zero, 0, fault.Invalid("Idempotency-Key", "too_long")
	case !clean(key):
		return zero, 0, fault.Invalid("Idempotency-Key", badCharacter)
	}
	e := entry{tenant: a.cfg.DB.Tenant(who.TenantID), caller: who.ID, key: key, hash: a.fingerprint(rt, req.r, in)}
	if seen, err := e.find(ctx); err != nil || seen != nil {
		return replay[Out](req.w, seen, e.hash, err)
	}
	out, err := h(db.WithFirst(ctx, e.take), in)
	if errors.Is(err, errRepeat) {
		seen, err := e.find(ctx)
		return replay[Out](req.w, seen, e.hash, err)
	}
	if err != nil || rt.ShowsSecret {
		return out, rt.Status, err
	}
	if err := e.keep(ctx, rt.Status, out); err != nil {
		a.cfg.Log.ErrorContext(ctx, "idempotent answer was not kept", "error", err)
	}
	return out, rt.Status, nil
}

func (a *API) fingerprint(rt *Route, r *http.Request, in any) []byte {
	b, err := json.Marshal(in)
	if err != nil {
		panic(err) // it was just decoded from JSON
	}
	m := hmac.New(sha256.New, a.cfg.CursorKey)
	m.Write([]byte("request\x00" + rt.ID + "\x00" + r.URL.RequestURI() + "\x00"))
	m.Write(b)
	return m.Sum(nil)
}

type entry struct {
	tenant db.Handle
	caller uuid.UUID
	key    string
	hash   []byte
}

type answer struct {
	request []byte
	status  *int
	body    *string
}

func (e *entry) find(ctx context.Context) (*answer, error) {
	var out *answer
	err := e.tenant.Read(ctx, func(r *db.Reader) error {
		a, err := db.One(r, func(row db.Row) (answer, error) {
			var a answer
			err := row.Scan(&a.request, &a.status, &a.body)
			return a, err
		}, `SELECT request, status, answer FROM idempotency WHERE tenant_id = $1 AND caller_id = $2 AND key = $3`,
			r.Tenant(), e.caller, e.key)
		if db.IsNoRow(err) {
			return nil
		}
		out = &a
		return err
	})
	return out, err
}

func (e *entry) take(tx *db.Tx) error {
	n, err := tx.Exec(`INSERT INTO idempotency (tenant_id, caller_id, key, request, created_at)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`, tx.Tenant(), e.caller, e.key, e.hash, clock.At(tx.Now()))
	if err == nil && n == 0 {
		return errRepeat
	}
	return err
}

func (e *entry) keep(ctx context.Context, status int, out any) error {
	return e.tenant.InTx(context.WithoutCancel(ctx), func(tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE idempotency SET status = $4, answer = $5
			WHERE tenant_id = $1 AND caller_id = $2 AND key = $3`, tx.Tenant(), e.caller, e.key, status, db.AsJSON(out))
		return err
	})
}

func replay[Out any](w http.ResponseWriter, seen *answer, hash []byte, err error) (Out, int, error) {
	var out Out
	switch {
	case err != nil:
		return out, 0, err
	case seen == nil:
		return out, 0, fault.New(fault.Unavailable)
	case !hmac.Equal(seen.request, hash):
		return out, 0, fault.New(fault.IdempotencyMismatch)
	case seen.body == nil:
		return out, 0, fault.New(fault.IdempotencyReplay)
	}
	w.Header().Set("Idempotency-Replayed", "true")
	return out, *seen.status, json.Unmarshal([]byte(*seen.body), &out)
}

// keepAnswers is how long an Idempotency-Key is remembered; CleanBatch is how
// many are forgotten at a time.
const (
	keepAnswers = 24 * time.Hour
	CleanBatch  = 1000
)

// Clean forgets a batch of old keys and says how many.
func (a *API) Clean(ctx context.Context) (int, error) {
	var n int64
	err := a.cfg.DB.System("janitor").InTx(ctx, func(tx *db.Tx) (err error) {
		n, err = tx.Exec(`DELETE FROM idempotency WHERE (tenant_id, caller_id, key) IN (
			SELECT tenant_id, caller_id, key FROM idempotency WHERE created_at < $1 ORDER BY created_at LIMIT $2)`,
			clock.At(tx.Now().Add(-keepAnswers)), CleanBatch)
		return err
	})
	return int(n), err
}
