package conversation_test

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/later"
	"konak/internal/crm/inboxapi"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

// later schedules a message in some minutes.
func (in *inbox) later(id uuid.UUID, minutes int, more map[string]any) later.Scheduled {
	in.t.Helper()
	body := map[string]any{"body": "Randevunuz yarın", "send_at": clock.At(in.s.Clock.Now().Add(time.Duration(minutes) * time.Minute))}
	for k, v := range more {
		body[k] = v
	}
	var m later.Scheduled
	in.Owner.Post(base+"/"+id.String()+"/scheduled", body).Want(201).Data(&m)
	return m
}

func (in *inbox) scheduled(id uuid.UUID, query string) (list []later.Scheduled) {
	in.t.Helper()
	in.Owner.Get(base + "/" + id.String() + "/scheduled" + query).Want(200).Data(&list)
	return list
}

func TestScheduled(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		router, id := in.onWhatsApp()
		file := upload(t, in.Owner, files, "harita.txt", "harita")
		second, first := in.later(id, 20, nil), in.later(id, 10, map[string]any{"attachments": []uuid.UUID{file.ID}})
		if first.State != "waiting" || len(first.Attachments) != 1 || *first.AuthorID != in.Member {
			t.Errorf("got %+v", first)
		}
		if list := in.scheduled(id, ""); len(list) != 2 || list[0].ID != first.ID || len(list[0].Attachments) != 1 || list[1].ID != second.ID {
			t.Errorf("got %+v", list)
		}
		in.events()
		s.Clock.Advance(9 * time.Minute)
		s.Settle()
		if len(router.taken) != 0 {
			t.Fatal("sent before its time")
		}
		s.Clock.Advance(time.Minute)
		s.Settle()
		if len(router.taken) != 1 || len(router.taken[0].Attachments) != 1 || router.taken[0].Body != "Randevunuz yarın" {
			t.Fatalf("taken %+v", router.taken)
		}
		if diff := cmp.Diff([]string{conversation.Replied}, in.events()); diff != "" {
			t.Error(diff)
		}
		item := in.items(id)[0]
		if item.AuthorKind != "agent" || *item.AuthorID != in.Member || len(item.Attachments) != 1 {
			t.Errorf("got %+v", item)
		}
		sent := in.scheduled(id, "?state=sent")
		if len(sent) != 1 || *sent[0].ItemID != item.ID {
			t.Errorf("got %+v", sent)
		}
		// A sent message cannot be cancelled; a waiting one can, even twice.
		path := base + "/" + id.String() + "/scheduled"
		if e := in.Owner.Delete(path+"/"+first.ID.String()).Refused(409, "conflict"); e.Reason != "sent" {
			t.Errorf("got %+v", e)
		}
		for range 2 {
			var m later.Scheduled
			in.Owner.Delete(path + "/" + second.ID.String()).Want(200).Data(&m)
			if m.State != "cancelled" {
				t.Errorf("got %+v", m)
			}
		}
		in.later(id, 1, nil)
		in.later(id, 2, nil)
		var n inboxapi.Cancelled
		in.Owner.Delete(path).Want(200).Data(&n)
		if n.Cancelled != 2 {
			t.Errorf("got %+v", n)
		}
		s.Clock.Advance(time.Hour)
		s.Settle()
		if len(router.taken) != 1 {
			t.Errorf("a cancelled message went: %+v", router.taken)
		}
		// A message of another conversation is not found.
		in.Owner.Delete(base+"/"+in.begin().String()+"/scheduled/"+second.ID.String()).Refused(404, "not_found")
	})
}

func TestScheduleRefusals(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		path := base + "/" + id.String() + "/scheduled"
		at := func(d time.Duration) clock.Time { return clock.At(s.Clock.Now().Add(d)) }
		for _, when := range []time.Duration{0, -time.Hour, 366 * 24 * time.Hour} {
			if e := in.Owner.Post(path, map[string]any{"body": "x", "send_at": at(when)}).Refused(422, "validation_failed"); e.Fields["send_at"][0] != "out_of_range" {
				t.Errorf("got %+v", e)
			}
		}
		in.Owner.Post(path, map[string]any{"body": " ", "send_at": at(time.Hour)}).Refused(422, "validation_failed")
		in.Owner.Post(path, map[string]any{"body": "x", "send_at": at(time.Hour), "attachments": []uuid.UUID{uuid.New()}}).Refused(422, "validation_failed")
		in.Owner.Post(path, map[string]any{"body": "x", "send_at": at(time.Hour), "channel": "whatsapp"}).Refused(422, "no_route")
		for range 50 {
			in.later(id, 5, nil)
		}
		in.Owner.Post(path, map[string]any{"body": "x", "send_at": at(time.Hour)}).Refused(422, "limit_reached")
		other := in.begin()
		in.Owner.Post(base+"/"+id.String()+"/merge", map[string]any{"into_id": other}).Want(200)
		in.Owner.Post(path, map[string]any{"body": "x", "send_at": at(time.Hour)}).Refused(409, "conflict")
		if got := in.scheduled(other, "?state=waiting&limit=100"); len(got) != 50 {
			t.Errorf("%d came along with the merge", len(got))
		}
	})
}

// A message that cannot be sent at its time records why, and the owner sees it; the
// customer's answer cancels only messages that waited for silence.
func TestScheduledMessageThatCannotBeSent(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		router, id := in.onWhatsApp()
		in.Owner.Post(base+"/"+id.String()+"/join", nil).Want(200)
		in.later(id, 10, nil)
		router.refuse = fault.New(fault.WindowClosed)
		s.Clock.Advance(10 * time.Minute)
		s.Settle()
		failed := in.scheduled(id, "?state=failed")
		if len(failed) != 1 || *failed[0].Error != "window_closed" {
			t.Errorf("got %+v", failed)
		}
		if event := in.items(id)[0]; event.Event == nil || *event.Event != "scheduled_failed" || event.Detail["error"] != "window_closed" {
			t.Errorf("got %+v", event)
		}
		if c := in.get(id); c.Unread == 0 {
			t.Error("the owner is not told")
		}
		router.refuse = nil
		in.later(id, 10, map[string]any{"until_reply": true})
		in.later(id, 11, nil)
		in.inbound(router.account, "wamid.2")
		s.Clock.Advance(time.Hour)
		s.Settle()
		if got := in.scheduled(id, "?state=cancelled"); len(got) != 1 || !got[0].UntilReply || len(router.taken) != 1 {
			t.Errorf("got %+v, taken %d", got, len(router.taken))
		}
		// A conversation that was deleted meanwhile gets nothing.
		in.later(id, 10, nil)
		in.Owner.Delete(base + "/" + id.String()).Want(200)
		s.Clock.Advance(time.Hour)
		s.Settle()
		if len(router.taken) != 1 {
			t.Error("sent into a deleted conversation")
		}
	})
}

// However often a job runs, at once on several nodes or again after a worker died before it
// finished, its message is sent once.
func TestScheduledGoesOnce(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		m := in.later(id, 10, nil)
		s.Clock.Advance(10 * time.Minute)
		payload, err := json.Marshal(m.ID)
		if err != nil {
			t.Fatal(err)
		}
		ctx := caller.With(t.Context(), &caller.Caller{Kind: caller.System, TenantID: in.ID})
		run := func() {
			if err := jobs.WithPayload(s.Replies.RunScheduled)(ctx, &jobs.Job{TenantID: in.ID, Payload: payload}); err != nil {
				t.Error(err)
			}
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(run)
		}
		// If it is cancelled at the same moment, it is either sent or cancelled.
		wg.Go(func() { in.Owner.Delete(base + "/" + id.String() + "/scheduled/" + m.ID.String()) })
		wg.Wait()
		run()
		s.Settle() // the job itself, as after a crash
		sent := len(in.scheduled(id, "?state=sent"))
		if items := len(in.items(id)) - 1; items != sent || sent+len(in.scheduled(id, "?state=cancelled")) != 1 {
			t.Errorf("%d items for %d sent", items, sent)
		}
		if got := in.Events(); slices.Index(got, conversation.Replied) >= 0 != (sent == 1) {
			t.Errorf("sent %d, announced %v", sent, got)
		}
	})
}

// A message whose author was suspended meanwhile is not sent in their name.
func TestScheduledOfASuspendedAgent(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		colleague, agent := in.member("can")
		colleague.Post(base+"/"+id.String()+"/scheduled", map[string]any{"body": "Yarın", "send_at": clock.At(s.Clock.Now().Add(time.Minute))}).Want(201)
		in.Owner.Post("/api/crm/v1/agents/"+agent.String()+"/suspension", nil).Want(200)
		s.Clock.Advance(time.Minute)
		s.Settle()
		if got := in.scheduled(id, "?state=failed"); len(got) != 1 || *got[0].Error != "unknown_agent" {
			t.Errorf("got %+v", got)
		}
	})
}
