package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/group"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/crm/inboxapi"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// fakeRouter is a router with one WhatsApp account, like a channel's.
type fakeRouter struct {
	account uuid.UUID
	taken   []conversation.Outgoing
	outcome conversation.Delivery
	err     error
	refuse  error
}

func (r *fakeRouter) Connected(*db.Reader) (map[string]bool, error) {
	return map[string]bool{"whatsapp": true}, nil
}

func (r *fakeRouter) Route(_ *db.Reader, w conversation.Wish) (*conversation.Route, error) {
	if w.Channel != "whatsapp" {
		return nil, nil
	}
	if r.refuse != nil {
		return &conversation.Route{Channel: "whatsapp", AccountID: r.account}, r.refuse
	}
	return &conversation.Route{Channel: "whatsapp", AccountID: r.account, Address: w.Contact.Name}, nil
}

func (r *fakeRouter) HasAccount(_ *db.Reader, channel string, account uuid.UUID) (bool, error) {
	return channel == "whatsapp" && account == r.account, nil
}

func (r *fakeRouter) Take(_ *db.Tx, m conversation.Outgoing) error {
	r.taken = append(r.taken, m)
	return nil
}

func (r *fakeRouter) Push(context.Context, conversation.Outgoing) (conversation.Delivery, error) {
	return r.outcome, r.err
}

type begun struct {
	Data             conversation.Conversation `json:"data"`
	Delivery         string                    `json:"delivery"`
	DeliveryError    *string                   `json:"delivery_error"`
	DeliveryChannel  *string                   `json:"delivery_channel"`
	ChannelAccountID *uuid.UUID                `json:"channel_account_id"`
	Reused           bool                      `json:"reused"`
}

func TestNewAsAgent(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		post := func(body map[string]any) (b begun) {
			t.Helper()
			in.Owner.Post(base+"/new-as-agent", body).Want(201).Whole(&b)
			return b
		}
		hello := map[string]any{"contact_id": in.customer.ID, "channel": "whatsapp", "body": "Merhaba", "subject": "Randevu"}

		// Nothing is connected: the conversation is created and reports the failure.
		b := post(hello)
		if b.Delivery != "none" || b.Reused || b.DeliveryChannel != nil || b.Data.OwnerID == nil || b.Data.FirstReplyAt != nil {
			t.Errorf("got %+v", b)
		}
		if diff := cmp.Diff([]string{conversation.Created}, in.events()); diff != "" {
			t.Error(diff)
		}
		if again := post(hello); !again.Reused || again.Data.ID != b.Data.ID {
			t.Errorf("got %+v", again)
		}
		in.Owner.Delete(base + "/" + b.Data.ID.String()).Want(200)

		router := &fakeRouter{account: uuid.New(), outcome: conversation.Delivery{Status: conversation.Sent, ProviderMessageID: "wamid.1"}}
		s.UseRouter(router)
		b = post(hello)
		if b.Delivery != "sent" || *b.DeliveryChannel != "whatsapp" || *b.ChannelAccountID != router.account || b.Reused || len(router.taken) != 1 {
			t.Errorf("got %+v", b)
		}
		in.events()
		router.outcome = conversation.Delivery{Status: conversation.Failed, Error: "recipient_unknown"}
		b = post(hello)
		if b.Delivery != "failed" || b.DeliveryError == nil || *b.DeliveryError != "recipient_unknown" || !b.Reused {
			t.Errorf("got %+v", b)
		}
		if diff := cmp.Diff([]string{conversation.Replied, conversation.DeliveryFailed}, in.events()); diff != "" {
			t.Error(diff)
		}
		if list := in.items(b.Data.ID); list[0].Event == nil || *list[0].Event != "channel_delivery_failed" {
			t.Errorf("got %+v", list[0])
		}
		// If the provider does not answer, the message stays on its way.
		router.err = errors.New("time-out")
		if b = post(hello); b.Delivery != "queued" {
			t.Errorf("got %+v", b)
		}
		// A closed window does not stop the conversation either.
		router.err, router.refuse = nil, fault.New(fault.WindowClosed)
		if b = post(hello); b.Delivery != "failed" || *b.DeliveryError != "window_closed" || b.DeliveryChannel == nil || *b.DeliveryChannel != "whatsapp" ||
			b.ChannelAccountID == nil || *b.ChannelAccountID != router.account {
			t.Errorf("got %+v", b)
		}
		in.Owner.Post(base+"/"+b.Data.ID.String()+"/reply-as-agent", map[string]any{"body": "x"}).Refused(422, "window_closed")
		router.refuse = nil
		var out conversation.Written
		in.Owner.Post(base+"/"+b.Data.ID.String()+"/reply-as-agent", map[string]any{"body": "x"}).Want(200).Data(&out)
		if *out.Item.Delivery != "queued" || router.taken[len(router.taken)-1].ItemID != out.Item.ID {
			t.Errorf("got %+v", out.Item)
		}

		for _, bad := range []map[string]any{
			{"contact_id": uuid.New(), "channel": "whatsapp", "body": "x"},
			{"contact_id": in.customer.ID, "channel": "pigeon", "body": "x"},
			{"contact_id": in.customer.ID, "channel": "form", "body": "x"},
			{"contact_id": in.customer.ID, "channel": "api", "body": "x"},
			{"contact_id": in.customer.ID, "channel": "panel", "body": "x"},
			{"contact_id": in.customer.ID, "channel": "help_center", "body": "x"},
			{"contact_id": in.customer.ID, "channel": "phone", "body": "x"},
			{"contact_id": in.customer.ID, "channel": "whatsapp", "body": " "},
			{"contact_id": in.customer.ID, "channel": "whatsapp", "body": "x", "group_id": uuid.New()},
		} {
			in.Owner.Post(base+"/new-as-agent", bad).Refused(422, "validation_failed")
		}
		var sources []conversation.Source
		in.Owner.Header("Accept-Language", "tr").Get(base + "/channels").Want(200).Data(&sources)
		for _, src := range sources {
			if want := src.Key == "whatsapp" || src.Key == "api" || src.Key == "panel"; src.Connected != want {
				t.Errorf("%s: connected is %v", src.Key, src.Connected)
			}
			if src.Key == "email" && src.Label != "E-mail" {
				t.Errorf("the label is %q", src.Label)
			}
		}
	})
}

func TestSnooze(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		path := base + "/" + id.String()
		in.Owner.Post(path+"/join", nil).Want(200)
		for _, bad := range []map[string]any{
			{},
			{"until": s.Clock.Now()},
			{"until": s.Clock.Now().AddDate(1, 0, 1)},
			{"until": s.Clock.Now().Add(time.Hour), "until_reply": true},
			{"until": "yarın"},
		} {
			in.Owner.Post(path+"/snooze", bad).Refused(422, "validation_failed")
		}
		in.events()
		var c conversation.Conversation
		in.Owner.Post(path+"/snooze", map[string]any{"until": s.Clock.Now().Add(time.Hour)}).Want(200).Data(&c)
		if c.State != conversation.Snoozed || c.SnoozedUntil == nil {
			t.Errorf("got %+v", c)
		}
		s.Clock.Advance(59 * time.Minute)
		if diff := cmp.Diff([]string{conversation.SnoozedEvent}, in.events()); diff != "" {
			t.Error(diff)
		}
		s.Clock.Advance(time.Minute)
		if diff := cmp.Diff([]string{conversation.Opened}, in.events()); diff != "" {
			t.Error(diff)
		}
		if c = in.get(id); c.State != conversation.Open || c.SnoozedUntil != nil || c.Unread != 1 {
			t.Errorf("got %+v", c)
		}
		// Until a reply: it is woken by the customer, not by the clock.
		in.Owner.Post(path+"/snooze", map[string]any{"until_reply": true}).Want(200)
		s.Clock.Advance(365 * 24 * time.Hour)
		in.events()
		if _, err := s.Replies.ReplyAsCustomer(in.Context(), id, "Buradayım"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{conversation.Replied, conversation.Opened}, in.events()); diff != "" {
			t.Error(diff)
		}
	})
}

// A closed e-mail conversation reopens according to the settings; a messaging one always
// does.
func TestReopening(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		mail := func(thread *uuid.UUID) conversation.Conversation {
			t.Helper()
			got, err := s.Inbound.Ingest(in.Context(), inbound.Inbound{
				Channel: "email", Subject: "Fatura", Body: "Ek bilgi", ConversationID: thread,
				From: contact.Sender{Channel: "email", Email: "elif@example.com"},
			})
			if err != nil {
				t.Fatal(err)
			}
			return got.Conversation
		}
		first := mail(nil)
		if first.ContactID != in.customer.ID {
			t.Error("the sender was not found by address")
		}
		in.Owner.Do("PUT", base+"/settings", map[string]any{"reopen": true, "reopen_days": 14}).Want(200)
		in.put(first.ID, conversation.Closed)
		s.Clock.Advance(13 * 24 * time.Hour)
		if c := mail(&first.ID); c.ID != first.ID || c.State != conversation.Open {
			t.Errorf("got %+v", c)
		}
		if diff := cmp.Diff([]string{conversation.Replied, conversation.Opened}, in.events()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestReplyAfterReopenDaysBeginsConversation(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		got, err := s.Inbound.Ingest(in.Context(), inbound.Inbound{
			Channel: "email", Subject: "Fatura", Body: "İlk", From: contact.Sender{Channel: "email", Email: "elif@example.com"},
		})
		if err != nil {
			t.Fatal(err)
		}
		days := 1
		if _, err := s.Conversations.SetSettings(in.Context(), conversation.Settings{Reopen: true, ReopenDays: &days}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Conversations.Close(in.Context(), got.Conversation.ID); err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(25 * time.Hour)
		in.events()
		out, err := s.Replies.ReplyAsCustomer(in.Context(), got.Conversation.ID, "Geç kaldım")
		if err != nil {
			t.Fatal(err)
		}
		if c := out.Conversation; c.PreviousConversationID == nil || *c.PreviousConversationID != got.Conversation.ID || c.State != conversation.Open {
			t.Errorf("got %+v", c)
		}
		if diff := cmp.Diff([]string{conversation.Created}, in.events()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestListOrdersAndPages(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		var ids []string
		for i := range 5 {
			s.Clock.Advance(time.Minute)
			id := in.begin()
			ids = append(ids, id.String())
			in.Owner.Do("PUT", base+"/"+id.String(), map[string]any{"priority": []string{"low", "urgent"}[i%2], "subject": fmt.Sprintf("İade %d", i)}).Want(200)
		}
		all := func(query string) (got []string) {
			cursor := ""
			for page := 0; page == 0 || cursor != ""; page++ {
				path := base + "?limit=2&" + query
				if cursor != "" {
					path += "&cursor=" + cursor
				}
				var rows []conversation.Conversation
				resp := in.Owner.Get(path).Want(200).Data(&rows)
				for _, c := range rows {
					got = append(got, c.ID.String())
				}
				cursor = resp.NextCursor()
			}
			return got
		}
		pick := func(order ...int) (out []string) {
			for _, i := range order {
				out = append(out, ids[i])
			}
			return out
		}
		for query, want := range map[string][]string{
			"":                                pick(4, 3, 2, 1, 0),
			"sort=last_activity":              pick(0, 1, 2, 3, 4),
			"sort=-created":                   pick(4, 3, 2, 1, 0),
			"sort=waiting_since":              pick(0, 1, 2, 3, 4),
			"sort=-priority":                  pick(3, 1, 4, 2, 0),
			"sort=priority":                   pick(0, 2, 4, 1, 3),
			"sort=snoozed_until":              pick(4, 3, 2, 1, 0),
			"priority=urgent":                 pick(3, 1),
			"q=elif":                          pick(4, 3, 2, 1, 0),
			"q=iade":                          pick(4, 3, 2, 1, 0),
			"q=yok":                           nil,
			"state=closed":                    nil,
			"owner_id=none":                   pick(4, 3, 2, 1, 0),
			"owner_id=me":                     nil,
			"group_id=none&talep=true":        pick(4, 3, 2, 1, 0),
			"talep=false":                     nil,
			"channel=api&ai_state=off":        pick(4, 3, 2, 1, 0),
			"contact_id=" + uuid.NewString():  nil,
			"created_to=2026-11-15T09:02:30Z": pick(1, 0),
		} {
			if diff := cmp.Diff(want, all(query)); diff != "" {
				t.Errorf("%s: %s", query, diff)
			}
		}
		cursor := in.Owner.Get(base + "?limit=2").Want(200).NextCursor()
		in.Owner.Get(base+"?limit=2&sort=-created&cursor="+cursor).Refused(422, "validation_failed")
		for _, bad := range []string{"owner_id=x", "group_id=x", "created_from=x", "sort=x", "state=x", "limit=101", "colour=red"} {
			in.Owner.Get(base+"?"+bad).Refused(422, "validation_failed")
		}
	})
}

func TestBulkGroupsAndTags(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		a, b, gone := in.begin(), in.begin(), uuid.New()
		var g group.Group
		in.Owner.Post("/api/crm/v1/groups", map[string]any{"name": "Satış sonrası", "agent_ids": []uuid.UUID{in.Member}}).Want(201).Data(&g)
		in.Owner.Post("/api/crm/v1/groups", map[string]any{"name": " satis  SONRASI"}).Refused(409, "conflict")
		// Names that differ in a single letter or in the order of the words are different.
		for _, name := range []string{"Ekip 1", "Ekip 2", "Ekip", "1 Ekip", "C++", "C"} {
			in.Owner.Post("/api/crm/v1/groups", map[string]any{"name": name}).Want(201)
		}
		in.Owner.Post("/api/crm/v1/groups", map[string]any{"name": "x", "agent_ids": []uuid.UUID{gone}}).Refused(422, "validation_failed")
		in.events()
		var out []inboxapi.Outcome
		in.Owner.Post(base+"/group", map[string]any{"ids": []uuid.UUID{a, gone, b}, "group_id": g.ID, "note": "Fatura da isteniyor"}).Want(200).Data(&out)
		if len(out) != 3 || !out[0].OK || out[1].OK || *out[1].Error != "not_found" || !out[2].OK {
			t.Errorf("got %+v", out)
		}
		if diff := cmp.Diff([]string{conversation.Assigned, conversation.Noted, conversation.Assigned, conversation.Noted}, in.events()); diff != "" {
			t.Error(diff)
		}
		if list := in.items(a); list[0].Kind != conversation.Note || list[0].Body != "Fatura da isteniyor" {
			t.Errorf("got %+v", list[0])
		}
		in.Owner.Post(base+"/group", map[string]any{"ids": []uuid.UUID{a}, "group_id": gone}).Refused(422, "validation_failed")
		in.Owner.Delete("/api/crm/v1/groups/"+g.ID.String()).Refused(409, "conflict")
		var rows []conversation.Conversation
		in.Owner.Get(base + "?group_id=" + g.ID.String()).Want(200).Data(&rows)
		if len(rows) != 2 {
			t.Errorf("%d rows", len(rows))
		}

		in.Owner.Post(base+"/tags/add", map[string]any{"ids": []uuid.UUID{a, b}, "tags": []string{"iade", "acil"}}).Want(200)
		in.Owner.Post(base+"/tags/add", map[string]any{"ids": []uuid.UUID{a}, "tags": []string{"iade"}}).Want(200)
		in.Owner.Post(base+"/tags/remove", map[string]any{"ids": []uuid.UUID{b}, "tags": []string{"acil"}}).Want(200)
		if diff := cmp.Diff([]string{conversation.Tagged, conversation.Tagged, conversation.Tagged}, in.events()); diff != "" {
			t.Error(diff)
		}
		in.Owner.Get(base + "?tag=acil").Want(200).Data(&rows)
		if len(rows) != 1 || rows[0].ID != a {
			t.Errorf("got %d rows", len(rows))
		}
		in.Owner.Do("PUT", base+"/"+a.String()+"/tags", map[string]any{"tags": []string{}}).Want(200)

		in.Owner.Post(base+"/state", map[string]any{"ids": []uuid.UUID{a, b, gone}, "state": "closed"}).Want(200).Data(&out)
		if *out[0].State != conversation.Closed || out[2].OK {
			t.Errorf("got %+v", out)
		}
		many := make([]uuid.UUID, 201)
		in.Owner.Post(base+"/state", map[string]any{"ids": many, "state": "closed"}).Refused(422, "validation_failed")
		in.Owner.Post(base+"/state", map[string]any{"ids": []uuid.UUID{}, "state": "closed"}).Refused(422, "validation_failed")
		in.Owner.Post(base+"/state", map[string]any{"ids": []uuid.UUID{a}, "state": "snoozed"}).Refused(422, "validation_failed")
		var counts conversation.Counts
		in.Owner.Get(base + "/counts").Want(200).Data(&counts)
		if counts.All.Closed != 2 || counts.All.Open != 0 || len(counts.Groups) != 1 || counts.Groups[0].Closed != 2 || counts.Channels[0].Closed != 2 {
			t.Errorf("got %+v", counts)
		}
	})
}

func TestDeleteAndRestore(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		account := uuid.New()
		write := func() conversation.Conversation {
			got, err := s.Inbound.Ingest(in.Context(), inbound.Inbound{
				Channel: "telegram", Body: "Merhaba", From: contact.Sender{Channel: "telegram", AccountID: account, ExternalID: "7", Name: "Ali"},
			})
			if err != nil {
				t.Fatal(err)
			}
			return got.Conversation
		}
		first := write()
		path := base + "/" + first.ID.String()
		in.Owner.Delete(path).Want(200)
		in.Owner.Get(path).Refused(404, "not_found")
		in.Owner.Delete(path).Refused(404, "not_found")
		in.Owner.Post(path+"/close", nil).Refused(404, "not_found")
		in.Owner.Post(path+"/restore", nil).Want(200)
		in.Owner.Post(path+"/restore", nil).Want(200)
		in.Owner.Delete(path).Want(200)
		if second := write(); second.ID == first.ID {
			t.Error("a deleted conversation took a message")
		}
		if e := in.Owner.Post(path+"/restore", nil).Refused(409, "conflict"); e.Reason != "single_thread" {
			t.Errorf("got %+v", e)
		}
		in.Owner.Do("PUT", base+"/"+write().ID.String(), map[string]any{"contact_id": in.customer.ID}).Refused(409, "conflict")
	})
}

func TestParticipants(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		key := in.FullKey()
		path := public + "/" + id.String() + "/participants"
		other := uuid.MustParse(in.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Muhasebe"}).Want(201).ID())
		in.events()
		var list []conversation.Participant
		key.Get(path).Want(200).Data(&list)
		if len(list) != 1 || !list[0].Customer {
			t.Errorf("got %+v", list)
		}
		for range 2 {
			key.Post(path, map[string]any{"contact_id": other}).Want(200).Data(&list)
		}
		if len(list) != 2 || list[1].Name != "Muhasebe" {
			t.Errorf("got %+v", list)
		}
		key.Post(path, map[string]any{"contact_id": uuid.New()}).Refused(422, "validation_failed")
		key.Delete(path + "/" + other.String()).Want(200).Data(&list)
		if len(list) != 1 {
			t.Errorf("got %+v", list)
		}
		key.Delete(path+"/"+other.String()).Refused(404, "not_found")
		key.Delete(path+"/"+in.customer.ID.String()).Refused(409, "conflict")
		if diff := cmp.Diff([]string{conversation.Updated, conversation.Updated}, in.events()); diff != "" {
			t.Error(diff)
		}
	})
}
