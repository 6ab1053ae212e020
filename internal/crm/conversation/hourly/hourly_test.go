package hourly_test

import (
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/hourly"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

const base = "/api/crm/v1/conversations"

func overview(w *apptest.Workspace) (o hourly.Overview) {
	w.Owner.Get(base + "/overview").Want(200).Data(&o)
	return o
}

func last(o hourly.Overview) hourly.Hour { return o.Hours[len(o.Hours)-1] }

// Every message, opening, closing and first answer is counted once, in its hour, and a
// workspace sees only its own numbers.
func TestOverview(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("other")
		if o := overview(w); len(o.Hours) != 24 || o.FirstReplyMedianS != nil || len(o.Channels) != 0 || o.Hours[0].At.After(o.Hours[23].At.Time) {
			t.Fatalf("an empty workspace has %+v", o)
		}
		s.Clock.Set(s.Clock.Now().Truncate(time.Hour).Add(time.Hour))
		key := w.FullKey()
		c := begin(key)
		s.Clock.Advance(10 * time.Minute)
		reply := base + "/" + c.ID.String() + "/reply-as-agent"
		w.Owner.Post(reply, map[string]any{"body": "Yarın."}).Want(200)
		w.Owner.Post(reply, map[string]any{"body": "Kargo ile."}).Want(200)
		for range 2 {
			key.Put("/api/crm/public/v1/conversations/"+c.ID.String()+"/state", map[string]any{"state": "closed"}).Want(200)
		}

		o := overview(w)
		if h := last(o); h.Received != 1 || h.Sent != 2 || h.Opened != 1 || h.Closed != 1 {
			t.Errorf("this hour has %+v", h)
		}
		if len(o.Channels) != 1 || o.Channels[0] != (hourly.Channel{Channel: "api", Received: 1, Sent: 2}) {
			t.Errorf("the channels are %+v", o.Channels)
		}
		if o.FirstReplies != 1 || o.FirstReplyMedianS == nil || *o.FirstReplyMedianS != 450 {
			t.Errorf("got %d first answers, median %v", o.FirstReplies, o.FirstReplyMedianS)
		}
		if o := overview(other); last(o) != (hourly.Hour{At: last(o).At}) || o.FirstReplies != 0 {
			t.Errorf("another workspace sees %+v", o)
		}

		// What a test key writes is not counted.
		begin(w.Key(true, perm.All()...))
		if h := last(overview(w)); h.Opened != 1 || h.Received != 1 {
			t.Errorf("a test was counted: %+v", h)
		}

		// An hour passes, then a day, then weeks.
		s.Clock.Advance(time.Hour)
		if o := overview(w); last(o).Received != 0 || o.Hours[22].Received != 1 {
			t.Errorf("an hour later there is %+v", o.Hours)
		}
		s.Clock.Advance(24 * time.Hour)
		o, err := db.Read(t.Context(), s.DB.Tenant(w.ID), func(r *db.Reader) (hourly.Overview, error) { return hourly.Read(r, s.Clock.Now()) })
		if err != nil || o.ReceivedBefore != 1 || len(o.Channels) != 0 || o.FirstReplies != 1 {
			t.Errorf("a day later there is %+v, %v", o, err)
		}
		s.Clock.Advance(hourly.Kept)
		begin(key)
		var n int
		err = s.DB.Tenant(w.ID).Read(t.Context(), func(r *db.Reader) (err error) {
			n, err = db.One(r, db.Scalar[int], `SELECT CAST(sum(n) AS bigint) FROM conversation_hour WHERE tenant_id = $1`, r.Tenant())
			return err
		})
		if err != nil || n != 2 {
			t.Errorf("%d are kept, %v", n, err)
		}
	})
}

// begin opens a conversation like a customer's software.
func begin(key *apptest.Client) (c conversation.Conversation) {
	key.Post("/api/crm/public/v1/conversations", map[string]any{
		"contact": map[string]any{"external_id": "k-1", "name": "Elif"}, "subject": "Kargo", "body": "Nerede?",
	}).Want(201).Data(&c)
	return c
}

func TestOverviewPermission(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		w.Guest().Get(base+"/overview").Refused(403, "forbidden")
	})
}

func TestFirstReplyStep(t *testing.T) {
	t.Parallel()
	for took, want := range map[time.Duration]hourly.Metric{
		-time.Second: "first_reply_0", 0: "first_reply_0", 30 * time.Second: "first_reply_0", 31 * time.Second: "first_reply_1",
		time.Hour: "first_reply_7", 100 * time.Hour: "first_reply_14",
	} {
		if got := hourly.FirstReplyStep(took); got != want {
			t.Errorf("%v: got %s, want %s", took, got, want)
		}
	}
}
