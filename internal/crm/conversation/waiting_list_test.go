package conversation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
)

func (in *inbox) counts() (out conversation.Counts) {
	in.t.Helper()
	in.Owner.Get(base + "/counts").Want(200).Data(&out)
	return out
}

// listed returns the ids of a list, page by page.
func (in *inbox) listed(query string) (got []uuid.UUID) {
	in.t.Helper()
	cursor := ""
	for page := 0; page == 0 || cursor != ""; page++ {
		path := base + "?limit=2&" + query
		if cursor != "" {
			path += "&cursor=" + cursor
		}
		var rows []conversation.Conversation
		resp := in.Owner.Get(path).Want(200).Data(&rows)
		for _, c := range rows {
			got = append(got, c.ID)
		}
		cursor = resp.NextCursor()
	}
	return got
}

// Conversations that wait for an answer are counted by owner and channel.
func TestWaitingIsCounted(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		a, b := in.begin(), in.begin()
		path := base + "/" + a.String()
		if got := in.counts(); got.All.Waiting != 2 || got.Unassigned.Waiting != 2 || got.Mine.Waiting != 0 || got.Channels[0].Waiting != 2 {
			t.Errorf("got %+v", got)
		}
		in.Owner.Post(path+"/assign", map[string]any{"owner_id": in.Member}).Want(200)
		if got := in.counts(); got.All.Waiting != 2 || got.Unassigned.Waiting != 1 || got.Mine.Waiting != 1 {
			t.Errorf("got %+v", got)
		}
		// An answer, a snooze and a closing end the wait; a note does not.
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "Bakıyorum", "message_type": "note"}).Want(200)
		if got := in.counts(); got.Mine.Waiting != 1 {
			t.Errorf("got %+v", got)
		}
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "Yarın gelir"}).Want(200)
		if got := in.counts(); got.All.Waiting != 1 || got.Mine.Waiting != 0 || got.Mine.Open != 1 {
			t.Errorf("got %+v", got)
		}
		in.put(b, conversation.Snoozed)
		if got := in.counts(); got.All.Waiting != 0 || got.All.Snoozed != 1 {
			t.Errorf("got %+v", got)
		}
		in.put(b, conversation.Open)
		if got := in.counts(); got.All.Waiting != 1 {
			t.Errorf("got %+v", got)
		}
		in.Owner.Delete(base + "/" + b.String()).Want(200)
		if got := in.counts(); got.All.Waiting != 0 {
			t.Errorf("got %+v", got)
		}
	})
}

// A list sorted by waiting or by snooze shows the others after those, and the filter shows
// only those that wait.
func TestSortByWaitingListsAll(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		var ids []uuid.UUID
		for range 5 {
			ids = append(ids, in.begin())
			s.Clock.Advance(time.Minute)
		}
		pick := func(order ...int) (out []uuid.UUID) {
			for _, i := range order {
				out = append(out, ids[i])
			}
			return out
		}
		for _, i := range []int{1, 3} {
			in.Owner.Post(base+"/"+ids[i].String()+"/reply-as-agent", map[string]any{"body": "Yanıt"}).Want(200)
			s.Clock.Advance(time.Minute)
		}
		in.put(ids[4], conversation.Snoozed)
		for query, want := range map[string][]uuid.UUID{
			"sort=waiting_since":              pick(0, 2, 4, 3, 1),
			"sort=-waiting_since":             pick(4, 2, 0, 3, 1),
			"sort=waiting_since&state=open":   pick(0, 2, 3, 1),
			"sort=waiting_since&waiting=true": pick(0, 2, 4),
			"waiting=true":                    pick(4, 2, 0),
			"waiting=true&state=open":         pick(2, 0),
			"sort=snoozed_until":              pick(4, 3, 1, 2, 0),
			"sort=-snoozed_until&state=open":  pick(3, 1, 2, 0),
		} {
			if diff := cmp.Diff(want, in.listed(query)); diff != "" {
				t.Errorf("%s: %s", query, diff)
			}
		}
		in.Owner.Get(base+"?waiting=x").Refused(422, "validation_failed")
	})
}

// A closing that is undone at once restores since when the customer waited; once something
// else happened, reopening does not.
func TestOpenAfterCloseKeepsWaiting(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		path, since := base+"/"+id.String(), in.get(id).WaitingSince
		s.Clock.Advance(time.Hour)
		in.Owner.Post(path+"/close", nil).Want(200)
		if c := in.get(id); c.WaitingSince != nil {
			t.Errorf("got %+v", c)
		}
		in.Owner.Post(path+"/open", nil).Want(200)
		if c := in.get(id); c.WaitingSince == nil || !c.WaitingSince.Equal(since.Time) {
			t.Errorf("waits since %v, not %v", c.WaitingSince, since)
		}
		if got := in.counts(); got.All.Waiting != 1 {
			t.Errorf("got %+v", got)
		}
		in.Owner.Post(path+"/close", nil).Want(200)
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "Not", "message_type": "note"}).Want(200)
		in.Owner.Post(path+"/open", nil).Want(200)
		if c := in.get(id); c.WaitingSince != nil {
			t.Errorf("got %+v", c)
		}
	})
}

// Lists show the author of the last message.
func TestPreviewShowsAuthor(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		path := base + "/" + id.String()
		if c := in.get(id); *c.PreviewAuthorKind != conversation.ByContact || *c.PreviewAuthorID != in.customer.ID {
			t.Errorf("got %+v", c)
		}
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "Yarın gelir"}).Want(200)
		if c := in.get(id); *c.PreviewAuthorKind != conversation.ByAgent || *c.PreviewAuthorID != in.Member || !strings.HasPrefix(c.Preview, "Yarın") {
			t.Errorf("got %+v", c)
		}
		// After a message is deleted, the one before it is shown.
		in.Owner.Delete(path + "/items/" + in.items(id)[0].ID.String()).Want(200)
		if c := in.get(id); *c.PreviewAuthorKind != conversation.ByContact || *c.PreviewAuthorID != in.customer.ID {
			t.Errorf("got %+v", c)
		}
	})
}
