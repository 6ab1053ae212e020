package api

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// keyHeader carries the key.
const keyHeader = "Idempotency-Key"

// once runs a handler at most once per Idempotency-Key. Its service does the work with
// idempotency.Do, which stores the key and the answer together with the work.
func once[In, Out any](a *API, rt *Route, ctx context.Context, in *In, h func(context.Context, *In) (Out, error)) (Out, error) {
	var done, again Out
	before, err := a.doOnce(ctx, rt, in, func(v any) bool { _, ok := v.(Out); return ok }, func(ctx context.Context) (err error) {
		done, err = h(ctx, in)
		return err
	})
	switch {
	case err != nil:
		return again, err
	case before == nil:
		return done, nil
	}
	if err := before.Decode(&again); err != nil {
		return again, err
	}
	requestOf(ctx).w.Header().Set("Idempotency-Replayed", "true")
	return again, nil
}

// doOnce carries out a request, or returns the stored answer of an earlier one with the
// same key. It is not generic, so that the compiler does not build a copy per route.
func (a *API) doOnce(ctx context.Context, rt *Route, in any, isAnswer func(any) bool, work func(context.Context) error) (*idempotency.Answer, error) {
	req := requestOf(ctx)
	name, who := req.r.Header.Get(keyHeader), caller.From(ctx)
	if name == "" || !rt.TakesKey || who.TenantID == uuid.Nil {
		return nil, work(ctx)
	}
	switch {
	case len(name) > 255:
		return nil, fault.Invalid(keyHeader, "too_long")
	case !clean(name):
		return nil, fault.Invalid(keyHeader, badCharacter)
	}
	tenant := a.cfg.DB.Tenant(who.TenantID)
	key := &idempotency.Key{
		Caller: who.ID, Name: name, Request: a.fingerprint(rt, req.r, in), Secret: rt.ShowsSecret, IsAnswer: isAnswer,
	}
	if before, err := key.Find(ctx, tenant); err != nil || before != nil {
		return before, err
	}
	err := work(idempotency.With(ctx, key))
	if err == nil {
		return nil, nil
	}
	if repeat, ok := errors.AsType[*idempotency.Repeat](err); ok {
		return &repeat.Answer, nil
	}
	// Another request may have done the work meanwhile, and made this one fail before it
	// reached the key; or the work is done, and a later step failed.
	if before, findErr := key.Find(ctx, tenant); findErr == nil && before != nil {
		a.cfg.Log.WarnContext(ctx, "the request failed, but its Idempotency-Key has a stored result", "error", err)
		return before, nil
	}
	return nil, err
}

// keyedPart is an input of which only a part decides whether two requests are the same.
type keyedPart interface {
	// KeyedPart returns the part that goes into the request's hash. It contains no card
	// data.
	KeyedPart() any
}

// fingerprint returns a hash of the request. Of a card payment's body, only the part that
// the input names goes into it.
func (a *API) fingerprint(rt *Route, r *http.Request, in any) []byte {
	m := hmac.New(sha256.New, a.cfg.CursorKey)
	m.Write([]byte("request\x00" + rt.ID + "\x00" + r.URL.RequestURI() + "\x00"))
	if part, ok := in.(keyedPart); ok {
		in = part.KeyedPart()
	} else if rt.TakesCard {
		in = nil
	}
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			panic(err) // it was just decoded from JSON
		}
		m.Write(b)
	}
	return m.Sum(nil)
}

// describeKey adds the header to the document.
func (rt *Route) describeKey(op *huma.Operation) {
	longest := 255
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: keyHeader, In: "header",
		Description: "Any unique text. A request repeated with the same key within 24 hours is not carried out again " +
			"and gets the first response; with a different body it is refused with 422 idempotency_mismatch.",
		Schema: &huma.Schema{Type: huma.TypeString, MaxLength: &longest}, Example: "7c0f6c1e-reply",
	})
}

// Clean deletes a batch of old keys and returns their number.
func (a *API) Clean(ctx context.Context) (int, error) { return idempotency.Clean(ctx, a.cfg.DB) }

// CleanBatch is the number of old records deleted at a time.
const CleanBatch = idempotency.CleanBatch
