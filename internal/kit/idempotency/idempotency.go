// Package idempotency ties an Idempotency-Key to the work that is done under it, so that a
// request that is sent twice is carried out once.
//
// Do writes the key, the work and its answer in one transaction. So a crash leaves all of
// them or none, a failure frees the key, and a repeat gets the answer of the first request.
// A repeat that comes while the first request is still running waits for it: on PostgreSQL
// the INSERT of the key blocks until the first has ended, on SQLite transactions run one
// after the other.
//
// What a service does before Do (network, hashing, files) may be repeated; what it does
// after Do is not run for a repeat, and no record may depend on it.
package idempotency

import (
	"context"
	"crypto/hmac"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Key is the Idempotency-Key of a request.
type Key struct {
	// Caller is the sender of the key; the same name from another caller is a different
	// key.
	Caller uuid.UUID
	Name   string
	// Request is a hash of the request. The key is refused with a different one.
	Request []byte
	// Secret means that the answer shows a secret once, so the key is stored without it.
	Secret bool
	// IsAnswer reports whether a value is of the type that the route answers with.
	IsAnswer func(any) bool

	row  string
	done bool // the work is committed
}

type contextKey struct{}

// With returns a context in which Do uses the key.
func With(ctx context.Context, k *Key) context.Context {
	return context.WithValue(ctx, contextKey{}, k)
}

func keyOf(ctx context.Context) *Key {
	k, _ := ctx.Value(contextKey{}).(*Key)
	return k
}

// ForRow returns a context for one row of a request that changes several rows, each in its
// own transaction. Do stores the row's result and returns it to a repeat, while rows that
// the first request did not reach are carried out.
func ForRow(ctx context.Context, row string) context.Context {
	k := keyOf(ctx)
	if k == nil {
		return ctx
	}
	return With(ctx, &Key{Caller: k.Caller, Name: k.Name, Request: k.Request, row: row})
}

type viewKey struct{}

// View sets how the stored answer is made from the result of Do, if they differ. The result
// of this view is passed on to the View of an outer context, if there is one.
func View[Result, Answer any](ctx context.Context, view func(Result) Answer) context.Context {
	if keyOf(ctx) == nil {
		return ctx
	}
	outer := viewOf(ctx)
	return context.WithValue(ctx, viewKey{}, func(result any) any {
		if r, ok := result.(Result); ok {
			return outer(view(r))
		}
		return nil
	})
}

func viewOf(ctx context.Context) func(any) any {
	if view, ok := ctx.Value(viewKey{}).(func(any) any); ok {
		return view
	}
	return func(result any) any { return result }
}

// Repeat is the error that Do returns if the work was done before.
type Repeat struct{ Answer Answer }

// Error implements error.
func (*Repeat) Error() string { return "the Idempotency-Key was used before" }

// Answer is the answer to the first request with the key.
type Answer struct {
	body   *string
	secret bool // if the answer shows a secret, only the id is stored
}

// Named is an answer that shows a secret and names the record it belongs to. The record's
// id is stored for a repeat.
type Named interface {
	RecordID() uuid.UUID
}

// Decode reads the answer into out. It returns idempotency_replay if the answer was not
// stored, with the record's id as its reason if that is known.
func (a Answer) Decode(out any) error {
	switch {
	case a.body == nil:
		return fault.New(fault.IdempotencyReplay)
	case a.secret:
		var id string
		if err := json.Unmarshal([]byte(*a.body), &id); err != nil {
			return err
		}
		return fault.New(fault.IdempotencyReplay).Because(id)
	}
	return json.Unmarshal([]byte(*a.body), out)
}

// Do runs fn in a transaction, as InTx does. If the context has a key, the key and *out,
// which fn must fill, are stored in the same transaction. If the key was used before, Do
// does not run fn: it returns *Repeat, or for a row fills *out. It returns
// idempotency_mismatch if the key was used for another request, and unavailable if the
// first request was still running after longestWait.
func Do[T any](ctx context.Context, h db.Handle, out *T, fn func(*db.Tx) error) error {
	k := keyOf(ctx)
	if k == nil {
		return h.InTx(ctx, fn)
	}
	if k.done {
		return errors.New("idempotency: two transactions with one key")
	}
	var before *Answer
	err := h.InTx(ctx, func(tx *db.Tx) (err error) {
		if before, err = k.take(ctx, tx); err != nil || before != nil {
			return err // the first may be of the same group: its answer is valid only after this commits
		}
		if err := fn(tx); err != nil {
			return err
		}
		return k.keep(ctx, tx, *out)
	})
	switch {
	case db.IsLockTimeout(err):
		wait := fault.New(fault.Unavailable).Wrap(err)
		wait.RetryAfter = 1
		return wait
	case err != nil:
		return err
	case before == nil:
		k.done = true
		return nil
	case k.row != "":
		return before.Decode(out)
	}
	return &Repeat{*before}
}

// longestWait bounds how long a repeat waits for the first request. A transaction may take
// longer than that on its own, but not much.
const longestWait = 10 * time.Second

// take writes the key, or returns the answer of an earlier request that wrote it.
func (k *Key) take(ctx context.Context, tx *db.Tx) (*Answer, error) {
	if tx.Dialect() == db.Postgres {
		wait := longestWait
		if left, ends := clock.Left(ctx); ends {
			wait = max(min(wait, left), time.Millisecond)
		}
		if err := tx.ExecDeferred(`SELECT set_config('lock_timeout', $1, true)`, fmt.Sprint(wait.Milliseconds())); err != nil {
			return nil, err
		}
	}
	n, err := tx.ExecCount(`INSERT INTO idempotency (tenant_id, caller_id, key, row_id, request, created_at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`, tx.Tenant(), k.Caller, k.Name, k.row, k.Request, clock.At(tx.Now()))
	if err != nil || n == 1 {
		return nil, err
	}
	return k.find(&tx.Reader)
}

func (k *Key) keep(ctx context.Context, tx *db.Tx, result any) error {
	switch named, ok := result.(Named); {
	case k.Secret && !ok:
		return nil
	case k.Secret:
		result = named.RecordID()
	case k.row == "":
		if result = viewOf(ctx)(result); !k.IsAnswer(result) {
			return fmt.Errorf("idempotency: %T is not the route's answer type", result)
		}
	}
	return tx.ExecDeferred(`UPDATE idempotency SET answer = $5 WHERE tenant_id = $1 AND caller_id = $2 AND key = $3 AND row_id = $4`,
		tx.Tenant(), k.Caller, k.Name, k.row, db.AsJSON(result))
}

// Amend replaces the answer that Do stored in the same request, for what became known after
// the transaction.
func Amend(ctx context.Context, h db.Handle, result any) error {
	k := keyOf(ctx)
	if k == nil || !k.done {
		return nil
	}
	return h.InTx(ctx, func(tx *db.Tx) error { return k.keep(ctx, tx, result) })
}

// Forget frees the key, in a transaction that undoes what Do did.
func Forget(ctx context.Context, tx *db.Tx) error {
	k := keyOf(ctx)
	if k == nil || !k.done {
		return nil
	}
	return tx.ExecDeferred(`DELETE FROM idempotency WHERE tenant_id = $1 AND caller_id = $2 AND key = $3 AND row_id = $4`,
		tx.Tenant(), k.Caller, k.Name, k.row)
}

// Find returns the answer of an earlier request with the key; nil if there was none, and
// idempotency_mismatch if that request was a different one.
func (k *Key) Find(ctx context.Context, h db.Handle) (*Answer, error) {
	return db.Read(ctx, h, k.find)
}

func (k *Key) find(r *db.Reader) (*Answer, error) {
	var request []byte
	a, err := db.One(r, func(row db.Row) (a Answer, err error) {
		a.secret = k.Secret
		err = row.Scan(&request, &a.body)
		return a, err
	}, `SELECT request, answer FROM idempotency WHERE tenant_id = $1 AND caller_id = $2 AND key = $3 AND row_id = $4`,
		r.Tenant(), k.Caller, k.Name, k.row)
	switch {
	case err != nil:
		return nil, db.IgnoreNoRow(err)
	case !hmac.Equal(request, k.Request):
		return nil, fault.New(fault.IdempotencyMismatch)
	}
	return &a, nil
}

// keepFor is how long a key is remembered; CleanBatch is the number of keys deleted at a
// time.
const (
	keepFor    = 24 * time.Hour
	CleanBatch = 1000
)

// Clean deletes a batch of old keys and returns their number.
func Clean(ctx context.Context, d *db.DB) (int, error) {
	n, err := db.Write(ctx, d.System("janitor"), func(tx *db.Tx) (int64, error) {
		return tx.ExecCount(`DELETE FROM idempotency WHERE (tenant_id, caller_id, key, row_id) IN (
			SELECT tenant_id, caller_id, key, row_id FROM idempotency WHERE created_at < $1 ORDER BY created_at LIMIT $2)`,
			clock.At(tx.Now().Add(-keepFor)), CleanBatch)
	})
	return int(n), err
}
