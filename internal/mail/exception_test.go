package mail_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app/apptest"
	"konak/internal/kit/perm"
	"konak/internal/mail"
)

const exceptions = "/api/mail/v1/dlp/exceptions"

func TestExceptions(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		var e mail.Exception
		w.Owner.Post(exceptions, map[string]any{"email": "Auditor@Example.com", "note": " yıl sonuna kadar "}).Want(201).Data(&e)
		if e.Email != "Auditor@Example.com" || e.Note != "yıl sonuna kadar" || *e.CreatedBy != w.Member {
			t.Errorf("got %+v", e)
		}
		dup := w.Owner.Header("Accept-Language", "tr-TR,tr;q=0.9").Post(exceptions, map[string]any{"email": "auditor@EXAMPLE.COM"}).Refused(409, "conflict")
		if dup.Fields["email"][0] != "taken" || !strings.Contains(dup.Message, "zaten muaf") {
			t.Errorf("got %+v", dup)
		}
		w.Owner.Delete(exceptions + "/" + e.ID.String()).Want(200)
		w.Owner.Delete(exceptions+"/"+e.ID.String()).Refused(404, "not_found")
		w.Owner.Delete(exceptions+"/no-uuid").Refused(404, "not_found")
		if diff := cmp.Diff([]string{mail.ExceptionCreated, mail.ExceptionDeleted}, w.Events()); diff != "" {
			t.Error(diff)
		}
	})
}

// The Turkish dotless i must neither merge two addresses into one nor split one into two.
// Other letters are case-insensitive, and both forms of a domain are the same.
func TestExceptionsAreUniqueInAnyCase(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		w.Owner.Post(exceptions, map[string]any{"email": "INFO@example.com"}).Want(201)
		w.Owner.Post(exceptions, map[string]any{"email": "info@example.com"}).Refused(409, "conflict")
		w.Owner.Post(exceptions, map[string]any{"email": "İNFO@example.com"}).Want(201)
		w.Owner.Post(exceptions, map[string]any{"email": "ÖMER@example.com"}).Want(201)
		w.Owner.Post(exceptions, map[string]any{"email": "ömer@example.com"}).Refused(409, "conflict")
		var e mail.Exception
		w.Owner.Post(exceptions, map[string]any{"email": "a@Örnek.com"}).Want(201).Data(&e)
		if e.Email != "a@xn--rnek-4qa.com" {
			t.Errorf("got %+v", e)
		}
		for _, same := range []string{"A@örnek.com", "a@XN--RNEK-4QA.com"} {
			w.Owner.Post(exceptions, map[string]any{"email": same}).Refused(409, "conflict")
		}
	})
}

func TestExceptionInput(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for _, tc := range []struct {
			body, field, code string
		}{
			{`{}`, "email", "required"},
			{`{"email":""}`, "email", "required"},
			{`{"email":"nobody"}`, "email", "invalid_address"},
			{`{"email":"Somebody <a@example.com>"}`, "email", "invalid_address"},
			{`{"email":"a@localhost"}`, "email", "invalid_address"},
			{`{"email":7}`, "email", "wrong_type"},
			{`{"email":"a@example.com","colour":"red"}`, "colour", "unknown_field"},
			{`{"email":"a@example.com","note":"` + strings.Repeat("x", 501) + `"}`, "note", "too_long"},
		} {
			got := w.Owner.Post(exceptions, tc.body).Refused(422, "validation_failed")
			if diff := cmp.Diff(map[string][]string{tc.field: {tc.code}}, got.Fields); diff != "" {
				t.Errorf("%s: %s", tc.body, diff)
			}
		}
		if f := w.Owner.Post(exceptions, `{"email":`).Refused(400, "bad_request"); f.Reason != "invalid_json" {
			t.Errorf("got %+v", f)
		}
		if f := s.Client("").Get(exceptions).Refused(401, "unauthenticated"); f.Reason != "no_credential" {
			t.Errorf("got %+v", f)
		}
		w.Owner.Get(exceptions+"s").Refused(404, "unknown_address")
		w.Owner.Header("Content-Type", "text/plain").Post(exceptions, `{}`).Refused(415, "unsupported_media_type")
		w.Owner.Post(exceptions, `{"email":"`+strings.Repeat("x", 1<<20)+`"}`).Refused(413, "body_too_large")
		w.Owner.Get(exceptions+"?colour=red").Refused(422, "validation_failed")
		w.Owner.Get(exceptions+"?limit=101").Refused(422, "validation_failed")
		w.Owner.Get(exceptions+"?cursor=abc").Refused(422, "validation_failed")
		if n := len(w.Events()); n != 0 {
			t.Errorf("%d events of refused requests", n)
		}
	})
}

func TestExceptionPages(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		for i := range 5 {
			w.Owner.Post(exceptions, map[string]any{"email": fmt.Sprintf("a%d@example.com", i)}).Want(201)
		}
		var got []string
		cursor := ""
		for page := 0; page == 0 || cursor != ""; page++ {
			path := exceptions + "?limit=2"
			if cursor != "" {
				path += "&cursor=" + cursor
				other.Owner.Get(path).Refused(422, "validation_failed") // a cursor belongs to one tenant
			}
			var rows []mail.Exception
			resp := w.Owner.Get(path).Want(200).Data(&rows)
			for _, r := range rows {
				got = append(got, r.Email)
			}
			cursor = resp.NextCursor()
		}
		want := []string{"a4@example.com", "a3@example.com", "a2@example.com", "a1@example.com", "a0@example.com"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		c := w.Owner.Header("Idempotency-Key", "k1")
		first := c.Post(exceptions, map[string]any{"email": "a@example.com"}).Want(201)
		again := c.Post(exceptions, map[string]any{"email": "a@example.com"}).Want(201)
		if first.ID() != again.ID() || again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("the repeat was not a replay:\n%s\n%s", first.Body, again.Body)
		}
		c.Post(exceptions, map[string]any{"email": "b@example.com"}).Refused(422, "idempotency_mismatch")
		// A refused request does not use up the key.
		d := w.Owner.Header("Idempotency-Key", "k2")
		d.Post(exceptions, map[string]any{"email": "a@example.com"}).Refused(409, "conflict")
		d.Post(exceptions, map[string]any{"email": "c@example.com"}).Want(201)
		if diff := cmp.Diff([]string{mail.ExceptionCreated, mail.ExceptionCreated}, w.Events()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestExceptionAccess(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		s.Client("").Get(exceptions).Refused(401, "unauthenticated")
		s.Client("ses_forged").Get(exceptions).Refused(401, "unauthenticated")
		w.Key(false, perm.DLPView).Get(exceptions).Refused(401, "session_required") // a session route
		w.Owner.Host("demo.mail.localhost").Get(exceptions).Want(200)
		w.Owner.Host("acme.mail.localhost").Get(exceptions).Refused(401, "unauthenticated")
		id := w.Owner.Post(exceptions, map[string]any{"email": "a@example.com"}).Want(201).ID()
		other.Owner.Delete(exceptions+"/"+id).Refused(404, "not_found")
		w.Owner.Delete(exceptions + "/" + id).Want(200)
	})
}
