package conversation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/crm/inboxapi"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// spoil makes a conversation's row unreadable, or readable again.
func (in *inbox) spoil(id uuid.UUID, tags string) {
	in.t.Helper()
	err := in.s.DB.Tenant(in.ID).InTx(in.t.Context(), func(tx *db.Tx) error {
		return tx.Exec(`UPDATE conversation SET tags = $3 WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id, tags)
	})
	if err != nil {
		in.t.Fatal(err)
	}
}

// A bulk action returns the result for each conversation, whatever happened to the others.
func TestBulkReturnsResultPerConversation(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		a, full, broken, d := in.begin(), in.begin(), in.begin(), in.begin()
		var tags []string
		for i := range 50 {
			tags = append(tags, fmt.Sprintf("t%d", i))
		}
		in.Owner.Put(base+"/"+full.String()+"/tags", map[string]any{"tags": tags}).Want(200)
		in.spoil(broken, "broken")
		all := func(path string, body map[string]any) (out []inboxapi.Outcome) {
			t.Helper()
			body["ids"] = []uuid.UUID{a, full, broken, uuid.Nil, d}
			in.Owner.Post(base+path, body).Want(200).Data(&out)
			return out
		}
		open, text := conversation.Open, func(s string) *string { return &s }
		want := []inboxapi.Outcome{
			{ID: a, OK: true, State: &open},
			{ID: full, Error: text("limit_reached")},
			{ID: broken, Error: text("internal")},
			{Error: text("not_found")},
			{ID: d, OK: true, State: &open},
		}
		if diff := cmp.Diff(want, all("/tags/add", map[string]any{"tags": []string{"acil"}})); diff != "" {
			t.Error(diff)
		}
		if got := append(in.get(a).Tags, in.get(d).Tags...); len(got) != 2 {
			t.Errorf("got %v", got)
		}
		if !strings.Contains(s.Logs.String(), broken.String()) {
			t.Error("what went wrong is not in the log")
		}
		in.spoil(broken, "[]")
		if e := in.Owner.Put(base+"/"+full.String()+"/tags", map[string]any{"tags": append(tags, "acil")}).Refused(422, "validation_failed"); e.Fields["tags"] == nil {
			t.Errorf("got %+v", e)
		}
		key := in.FullKey()
		if e := key.Post(public+"/"+full.String()+"/tags", map[string]any{"add": []string{"acil"}}).Refused(422, "limit_reached"); e.Fields["tags"][0] != "too_many" {
			t.Errorf("got %+v", e)
		}
		// An invalid request changes none.
		in.events()
		ids := []uuid.UUID{uuid.Nil, a, d}
		in.Owner.Post(base+"/state", map[string]any{"ids": ids, "state": "snoozed"}).Refused(422, "validation_failed")
		in.Owner.Post(base+"/group", map[string]any{"ids": ids, "group_id": uuid.New()}).Refused(422, "validation_failed")
		in.Owner.Post(base+"/tags/add", map[string]any{"ids": ids, "tags": []string{strings.Repeat("x", 61)}}).Refused(422, "validation_failed")
		if got := in.events(); len(got) != 0 {
			t.Errorf("announced %v", got)
		}
	})
}

// A conversation that cannot be woken does not keep others asleep, in its own workspace or
// another.
func TestWakeSkipsBrokenConversation(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		other := &inbox{Workspace: s.Workspace("other"), t: t, s: s}
		other.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Ali"}).Want(201).Data(&other.customer)
		bad, good, theirs := in.begin(), in.begin(), other.begin()
		for i, id := range []uuid.UUID{bad, good} {
			if _, err := s.Conversations.Snooze(in.Context(), id, clock.Ptr(s.Clock.Now().Add(time.Duration(i+1)*time.Minute)), false); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Conversations.Snooze(other.Context(), theirs, clock.Ptr(s.Clock.Now().Add(3*time.Minute)), false); err != nil {
			t.Fatal(err)
		}
		in.spoil(bad, "broken")
		s.Clock.Advance(time.Hour)
		if n, err := s.Waker.Step(t.Context()); n != 2 || err != nil {
			t.Errorf("woke %d, %v", n, err)
		}
		if in.get(good).State != conversation.Open || other.get(theirs).State != conversation.Open {
			t.Error("one bad row kept others asleep")
		}
		if log := s.Logs.String(); !strings.Contains(log, bad.String()) || strings.Contains(log, good.String()) {
			t.Errorf("the log says %s", log)
		}
		if n, err := s.Waker.Step(t.Context()); n != 0 || err != nil {
			t.Errorf("woke %d, %v", n, err)
		}
		in.spoil(bad, "[]")
		if n, err := s.Waker.Step(t.Context()); n != 1 || err != nil || in.get(bad).State != conversation.Open {
			t.Errorf("woke %d, %v", n, err)
		}
	})
}
