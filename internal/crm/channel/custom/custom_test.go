package custom_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/custom"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/survey"
	"konak/internal/kit/db"
	"konak/internal/webhook"
	"konak/internal/webhook/signature"
)

const (
	channels      = "/api/crm/v1/channels"
	public        = "/api/crm/public/v1/channels/custom/"
	conversations = "/api/crm/v1/conversations"
)

// software is the customer's own system, which receives deliveries.
type software struct {
	mu     sync.Mutex
	came   *sync.Cond
	status int
	got    []delivery
}

type delivery struct {
	event, signature string
	body             []byte
	at               time.Time
}

func (s *software) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, delivery{r.Header.Get("X-Service-Event"), r.Header.Get("X-Service-Signature"), body, time.Now()})
	s.came.Broadcast()
	if s.status != 0 {
		w.WriteHeader(s.status)
	}
}

func (s *software) answer(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

// await waits for n more deliveries.
func (s *software) await(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n += len(s.got); len(s.got) < n; {
		s.came.Wait()
	}
}

// take returns what has arrived since the last call.
func (s *software) take() []delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.got
	s.got = nil
	return out
}

// shop is a workspace with a custom channel and the software behind it.
type shop struct {
	*apptest.Workspace
	t    *testing.T
	s    *apptest.Server
	soft *software
	url  string
	key  *apptest.Client
	ch   custom.Opened
}

func open(t *testing.T, s *apptest.Server) *shop {
	t.Helper()
	sh := &shop{Workspace: s.Workspace("demo"), t: t, s: s, soft: &software{}}
	sh.soft.came = sync.NewCond(&sh.soft.mu)
	server := httptest.NewServer(sh.soft)
	t.Cleanup(server.Close)
	sh.url, sh.key = server.URL, sh.FullKey()
	sh.Owner.Post(channels+"/custom", map[string]any{"name": "Mobil uygulama", "address": server.URL + "/in"}).Want(201).Data(&sh.ch)
	return sh
}

func (sh *shop) path(tail string) string    { return public + sh.ch.ID.String() + tail }
func (sh *shop) session(tail string) string { return channels + "/custom/" + sh.ch.ID.String() + tail }

func (sh *shop) wrote(body, id string) (out custom.Received) {
	sh.t.Helper()
	sh.key.Post(sh.path("/messages"), map[string]any{
		"contact": map[string]any{"external_id": "user-1", "name": "Elif Kaya", "email": "elif@kaya.example"}, "body": body, "message_id": id,
	}).Want(200).Data(&out)
	return out
}

func (sh *shop) reply(c uuid.UUID, body string) (out conversation.Written) {
	sh.t.Helper()
	sh.Owner.Post(conversations+"/"+c.String()+"/reply-as-agent", map[string]any{"body": body}).Want(200).Data(&out)
	return out
}

func (sh *shop) items(c uuid.UUID) (out []conversation.Item) {
	sh.t.Helper()
	sh.Owner.Get(conversations + "/" + c.String() + "/items?limit=100").Want(200).Data(&out)
	return out
}

func (sh *shop) account() (a channel.Account) {
	sh.t.Helper()
	sh.Owner.Get(channels + "/" + sh.ch.ID.String()).Want(200).Data(&a)
	return a
}

func (sh *shop) csat(on bool) {
	sh.t.Helper()
	sh.Owner.Put(conversations+"/settings", map[string]any{"reopen": true, "reopen_days": nil, "csat": on}).Want(200)
}

// wait lets time pass, and signs the owner in again afterwards.
func (sh *shop) wait(d time.Duration) {
	sh.s.Clock.Advance(d)
	sh.Owner = sh.SignIn("owner@demo.example")
}

func TestChannel(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		if !strings.HasPrefix(sh.ch.Key, "chk_") || !strings.HasPrefix(sh.ch.Secret, "whsec_") {
			t.Fatalf("got %+v", sh.ch)
		}
		for _, path := range []string{channels, channels + "/" + sh.ch.ID.String(), "/api/v1/auth/audit"} {
			if b := string(sh.Owner.Get(path).Body); strings.Contains(b, sh.ch.Key) || strings.Contains(b, sh.ch.Secret) {
				t.Errorf("%s shows a secret", path)
			}
		}
		if l := s.Logs.String(); strings.Contains(l, sh.ch.Key) || strings.Contains(l, sh.ch.Secret) {
			t.Error("the log shows a secret")
		}
		got := sh.wrote("Siparişim nerede?", "m1")
		if !got.Created || got.Duplicate || got.Conversation.Channel != custom.Name || *got.Conversation.ChannelAccountID != sh.ch.ID {
			t.Errorf("got %+v", got)
		}
		if again := sh.wrote("Siparişim nerede?", "m1"); !again.Duplicate || again.Item.ID != got.Item.ID {
			t.Errorf("got %+v", again)
		}

		out := sh.reply(got.Conversation.ID, "Yolda")
		if *out.Item.Delivery != conversation.Queued {
			t.Errorf("got %+v", out.Item)
		}
		s.Settle()
		list := sh.soft.take()
		if len(list) != 1 || list[0].event != custom.MessageSent || list[0].signature != signature.Sign(sh.ch.Secret, list[0].body) {
			t.Fatalf("got %+v", list)
		}
		var body struct {
			Data struct{ Object custom.Outgoing }
		}
		if err := json.Unmarshal(list[0].body, &body); err != nil {
			t.Fatal(err)
		}
		if m := body.Data.Object; m.ID != out.Item.ID || m.ExternalID != "user-1" || m.Body != "Yolda" || m.ConversationID != got.Conversation.ID {
			t.Errorf("got %+v", m)
		}
		if top := sh.items(got.Conversation.ID)[0]; *top.Delivery != conversation.Sent {
			t.Errorf("got %+v", top)
		}

		// The address changes, the secret does not.
		sh.Owner.Do("PATCH", sh.session(""), map[string]any{"address": sh.url + "/there"}).Want(200)
		sh.reply(got.Conversation.ID, "Kapınızda")
		s.Settle()
		if list = sh.soft.take(); len(list) != 1 || list[0].signature != signature.Sign(sh.ch.Secret, list[0].body) {
			t.Errorf("got %+v", list)
		}
		var key custom.Rotated
		sh.Owner.Post(sh.session("/rotate-key"), nil).Want(200).Data(&key)
		if key.Key == sh.ch.Key || *key.KeyLast4 != key.Key[len(key.Key)-4:] {
			t.Errorf("got %+v", key)
		}
		if _, err := s.Channels.ByKey(t.Context(), sh.ch.Key); err == nil {
			t.Error("the old key still names the channel")
		}
		var resigned custom.Resigned
		sh.Owner.Post(sh.session("/rotate-secret"), nil).Want(200).Data(&resigned)
		var ping custom.Ping
		sh.Owner.Post(sh.session("/ping"), nil).Want(200).Data(&ping)
		s.Settle()
		list = sh.soft.take()
		if ping.DeliveryID == nil || len(list) != 1 || list[0].event != webhook.PingTest || list[0].signature != signature.Sign(resigned.Secret, list[0].body) {
			t.Errorf("got %+v, %+v", ping, list)
		}
		// A repeat with the same key shows no secret a second time.
		twice := sh.Owner.Header("Idempotency-Key", "k1")
		twice.Post(sh.session("/rotate-secret"), nil).Want(200)
		twice.Post(sh.session("/rotate-secret"), nil).Refused(409, "idempotency_replay")
	})
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		for _, bad := range []map[string]any{
			{"name": "x", "address": "https://10.0.0.1/in"},
			{"name": "x", "address": "ftp://example.com"},
			{"name": "x", "address": "https://user:pw@example.com/in"},
			{"name": " ", "address": "https://example.com/in"},
			{"name": "x", "address": "https://example.com/in", "window_hours": 0},
			{"name": "x", "address": "https://example.com/in", "group_id": uuid.New()},
		} {
			sh.Owner.Post(channels+"/custom", bad).Refused(422, "validation_failed")
		}
		sh.Owner.Do("PATCH", sh.session(""), map[string]any{"address": "https://10.0.0.1/in"}).Refused(422, "validation_failed")
		message := map[string]any{"contact": map[string]any{"external_id": "u"}, "body": "x"}
		for _, bad := range []map[string]any{
			{"contact": map[string]any{"name": "Elif"}, "body": "x"},
			{"contact": map[string]any{"email": "nobody"}, "body": "x"},
			{"contact": map[string]any{"phone": "12"}, "body": "x"},
			{"contact": map[string]any{"external_id": "u"}, "body": "  "},
			{"contact": map[string]any{"external_id": "u"}, "body": "x", "text": "y"},
		} {
			sh.key.Post(sh.path("/messages"), bad).Refused(422, "validation_failed")
		}
		form := map[string]any{"form": "f", "contact": map[string]any{"email": "a@b.example"}}
		for _, bad := range []map[string]any{
			{"form": "f", "contact": map[string]any{"name": "Elif"}},
			{"form": "", "contact": map[string]any{"email": "a@b.example"}},
			{"form": "f", "contact": map[string]any{"email": "a@b.example"}, "fields": map[string]any{"a": []int{1}}},
		} {
			sh.key.Post(sh.path("/submissions"), bad).Refused(422, "validation_failed")
		}
		for field, fields := range map[string]map[string]any{
			"fields.b": {"a": 1, "b": []string{"x"}}, "fields.c": {"c": map[string]any{}}, "fields": {strings.Repeat("x", 201): 1},
		} {
			want := "wrong_type"
			if field == "fields" {
				want = "too_large"
			}
			form["fields"] = fields
			e := sh.key.Post(sh.path("/submissions"), form).Refused(422, "validation_failed")
			if len(e.Fields) != 1 || !slices.Equal(e.Fields[field], []string{want}) {
				t.Errorf("%v: %+v", fields, e)
			}
		}
		delete(form, "fields")
		got := sh.wrote("Merhaba", "m1")
		conv := "/conversations/" + got.Conversation.ID.String()
		sh.csat(true)
		sh.key.Post(sh.path(conv+"/csat"), map[string]any{"rating": 6}).Refused(422, "validation_failed")
		// A session is not an API key, and a key without the permission may do nothing.
		sh.Owner.Post(sh.path("/messages"), message).Refused(401, "key_required")
		sh.Key(false).Post(sh.path("/messages"), message).Refused(403, "forbidden")

		// A conversation of another channel is not found.
		var second custom.Opened
		sh.Owner.Post(channels+"/custom", map[string]any{"name": "İkinci", "address": sh.url}).Want(201).Data(&second)
		other := public + second.ID.String() + conv
		sh.key.Post(other+"/csat", map[string]any{"rating": 5}).Refused(404, "not_found")
		sh.key.Post(other+"/escalate", nil).Refused(404, "not_found")

		sh.Owner.Do("PATCH", channels+"/"+sh.ch.ID.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		refused := func() {
			t.Helper()
			sh.key.Post(sh.path("/messages"), message).Refused(409, "channel_unavailable")
			sh.key.Post(sh.path("/submissions"), form).Refused(409, "channel_unavailable")
			sh.key.Post(sh.path(conv+"/escalate"), nil).Refused(409, "channel_unavailable")
			sh.key.Post(sh.path(conv+"/csat"), map[string]any{"rating": 5}).Refused(409, "channel_unavailable")
		}
		refused()
		sh.Owner.Delete(channels + "/" + sh.ch.ID.String()).Want(200)
		refused()
		for _, act := range []string{"/ping", "/rotate-key", "/rotate-secret"} {
			sh.Owner.Post(sh.session(act), nil).Refused(409, "channel_unavailable")
		}
		sh.Owner.Do("PATCH", sh.session(""), map[string]any{"name": "x"}).Refused(409, "channel_unavailable")
		sh.Owner.Post(conversations+"/"+got.Conversation.ID.String()+"/reply-as-agent", map[string]any{"body": "x"}).Refused(422, "no_route")
	})
}

// One conversation per customer, reopened when they write again; the contact
// is the one with the same address.
func TestIngest(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		known := sh.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Elif Kaya", "emails": []string{"ELIF@kaya.example"}}).Want(201).ID()
		first := sh.wrote("Bir", "")
		if first.Conversation.ContactID.String() != known {
			t.Errorf("got contact %s, want %s", first.Conversation.ContactID, known)
		}
		sh.Owner.Post(conversations+"/"+first.Conversation.ID.String()+"/close", nil).Want(200)
		second := sh.wrote("İki", "")
		if second.Created || second.Conversation.ID != first.Conversation.ID || second.Conversation.State != conversation.Open {
			t.Errorf("got %+v", second)
		}
		// A phone number is enough to identify a customer.
		var byPhone custom.Received
		sh.key.Post(sh.path("/messages"), map[string]any{"contact": map[string]any{"phone": "0532 123 45 67"}, "body": "x"}).Want(200).Data(&byPhone)
		if !byPhone.Created || byPhone.Conversation.ContactID.String() == known {
			t.Errorf("got %+v", byPhone.Conversation)
		}
		// The window: free text only within so many hours of the last message.
		sh.Owner.Do("PATCH", sh.session(""), map[string]any{"window_hours": 24}).Want(200)
		sh.wrote("Üç", "")
		sh.reply(first.Conversation.ID, "Buyurun")
		sh.wait(25 * time.Hour)
		path := conversations + "/" + first.Conversation.ID.String() + "/reply-as-agent"
		sh.Owner.Post(path, map[string]any{"body": "Orada mısınız?"}).Refused(422, "window_closed")
		sh.Owner.Do("PATCH", sh.session(""), map[string]any{"window_hours": 0}).Want(200)
		sh.Owner.Post(path, map[string]any{"body": "Orada mısınız?"}).Want(200)
	})
}

func TestSubmissions(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		var group struct{ ID uuid.UUID }
		sh.Owner.Post("/api/crm/v1/groups", map[string]any{"name": "Satış", "description": "", "agent_ids": []uuid.UUID{sh.Member}}).Want(201).Data(&group)
		sh.Owner.Do("PATCH", sh.session(""), map[string]any{"group_id": group.ID}).Want(200)
		form := func(more map[string]any) map[string]any {
			body := map[string]any{
				"form": "teklif", "subject": "Teklif isteği", "message": "120 sandalye", "fields": map[string]any{"adet": 120, "renk": "ceviz"},
				"contact": map[string]any{"name": "Elif Kaya", "email": "elif@kaya.example", "phone": "+905321234567"},
			}
			for k, v := range more {
				body[k] = v
			}
			return body
		}
		sh.Events()
		const n = 50
		results := make([]custom.Submitted, n)
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() { sh.key.Post(sh.path("/submissions"), form(nil)).Want(200).Data(&results[i]) })
		}
		wg.Wait()
		fresh := 0
		for _, r := range results {
			if !r.Duplicate {
				fresh++
			}
			if r.ConversationID != results[0].ConversationID || r.OpportunityID != results[0].OpportunityID {
				t.Errorf("got %+v and %+v", r, results[0])
			}
		}
		if fresh != 1 {
			t.Errorf("%d of %d equal submissions counted", fresh, n)
		}
		want := []string{channel.StatusChanged, "contact.created", conversation.Created, custom.OpportunityUp}
		if diff := cmp.Diff(want, sh.Events()); diff != "" {
			t.Error(diff)
		}
		var c conversation.Conversation
		sh.Owner.Get(conversations + "/" + results[0].ConversationID.String()).Want(200).Data(&c)
		if !c.IsRequest || c.Channel != "form" || c.Subject != "Teklif isteği" || c.GroupID == nil || c.Unread != 1 {
			t.Errorf("got %+v", c)
		}
		if top := sh.items(c.ID)[0]; top.Body != "120 sandalye\n\nadet: 120\nrenk: ceviz" {
			t.Errorf("got %q", top.Body)
		}
		var opportunities []custom.Opportunity
		sh.Owner.Get("/api/crm/v1/opportunities?contact_id=" + c.ContactID.String()).Want(200).Data(&opportunities)
		if len(opportunities) != 1 || opportunities[0].ID != results[0].OpportunityID || opportunities[0].Source != "teklif" {
			t.Errorf("got %+v", opportunities)
		}
		submit := func(body map[string]any) (out custom.Submitted) {
			t.Helper()
			sh.key.Post(sh.path("/submissions"), body).Want(200).Data(&out)
			return out
		}
		// A different field makes a different form; after ten minutes an equal form is new
		// again.
		if r := submit(form(map[string]any{"fields": map[string]any{"adet": 121}})); r.Duplicate || r.ContactID != c.ContactID {
			t.Errorf("got %+v", r)
		}
		s.Clock.Advance(10 * time.Minute)
		if r := submit(form(nil)); r.Duplicate {
			t.Errorf("got %+v", r)
		}
		// An id given by the sender is valid permanently, whatever else differs.
		first := submit(form(map[string]any{"submission_id": "s1"}))
		sh.wait(48 * time.Hour)
		if r := submit(form(map[string]any{"submission_id": "s1", "message": "başka"})); !r.Duplicate || r.SubmissionID != first.SubmissionID {
			t.Errorf("got %+v", r)
		}
		// The contact is found by phone if there is no e-mail.
		if r := submit(form(map[string]any{"contact": map[string]any{"phone": "05321234567"}})); r.ContactID != c.ContactID {
			t.Errorf("got %+v", r)
		}
		// The answer to a form goes to the software that brought it.
		sh.reply(c.ID, "Teklifiniz ekte")
		s.Settle()
		if got := sh.soft.take(); len(got) != 1 || got[0].event != custom.MessageSent {
			t.Errorf("got %+v", got)
		}
	})
}

func TestRatings(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		got := sh.wrote("Merhaba", "")
		id := got.Conversation.ID
		path := sh.path("/conversations/" + id.String() + "/csat")
		sh.key.Post(path, map[string]any{"rating": 5}).Refused(409, "csat_disabled")
		// While surveys are off, closing asks nobody.
		sh.Owner.Post(conversations+"/"+id.String()+"/close", nil).Want(200)
		s.Settle()
		if list := sh.soft.take(); len(list) != 0 {
			t.Errorf("got %+v", list)
		}
		sh.csat(true)
		s.Clock.Advance(time.Second)
		sh.wrote("Bir şey daha", "")
		// A closing that is undone asks nobody; one that stays asks ten seconds later.
		closing := conversations + "/" + id.String()
		sh.Owner.Post(closing+"/close", nil).Want(200)
		s.Clock.Advance(5 * time.Second)
		sh.Owner.Post(closing+"/open", nil).Want(200)
		s.Clock.Advance(5 * time.Second)
		s.Settle()
		sh.Owner.Post(closing+"/close", nil).Want(200)
		s.Clock.Advance(9 * time.Second)
		s.Settle()
		if list := sh.soft.take(); len(list) != 0 {
			t.Fatalf("got %+v", list)
		}
		s.Clock.Advance(time.Second)
		s.Settle()
		if list := sh.soft.take(); len(list) != 1 || list[0].event != custom.RatingAsked {
			t.Fatalf("got %+v", list)
		}
		if top := sh.items(id)[0]; *top.Event != "csat_sent" {
			t.Errorf("got %+v", top)
		}
		const n = 20
		results := make([]survey.Rating, n)
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				sh.key.Post(path, map[string]any{"rating": 1 + i%5, "comment": fmt.Sprint(i)}).Want(200).Data(&results[i])
			})
		}
		wg.Wait()
		winner := slices.IndexFunc(results, func(r survey.Rating) bool { return r.Recorded })
		for i, r := range results {
			if r.Recorded && i != winner || *r.Rating != 1+winner%5 || r.Comment != fmt.Sprint(winner) {
				t.Errorf("%d: got %+v; the winner is %d", i, r, winner)
			}
		}
		rated := 0
		for _, e := range sh.Events() {
			if e == conversation.Rated {
				rated++
			}
		}
		if rated != 1 {
			t.Errorf("%d events of one rating", rated)
		}
		// Another closing starts another survey, which ends after a fortnight.
		s.Clock.Advance(time.Second)
		sh.wrote("Yine ben", "")
		sh.Owner.Post(conversations+"/"+id.String()+"/close", nil).Want(200)
		s.Clock.Advance(10 * time.Second)
		s.Settle()
		sh.wait(14 * 24 * time.Hour)
		sh.key.Post(path, map[string]any{"rating": 5}).Refused(409, "csat_expired")

		// An unsolicited rating creates its survey.
		var other custom.Received
		sh.key.Post(sh.path("/messages"), map[string]any{"contact": map[string]any{"external_id": "u2"}, "body": "x"}).Want(200).Data(&other)
		var r survey.Rating
		sh.key.Post(sh.path("/conversations/"+other.Conversation.ID.String()+"/csat"), map[string]any{"rating": 4}).Want(200).Data(&r)
		if !r.Recorded || *r.Rating != 4 {
			t.Errorf("got %+v", r)
		}
		// If no channel reaches the customer, the timeline says so.
		plain := sh.Owner.Post(conversations, map[string]any{"contact_id": other.Conversation.ContactID, "body": "x"}).Want(201).ID()
		sh.Owner.Post(conversations+"/"+plain+"/close", nil).Want(200)
		s.Clock.Advance(10 * time.Second)
		s.Settle()
		if top := sh.items(uuid.MustParse(plain))[0]; *top.Event != "csat_not_sent" || top.Detail["reason"] != "no_route" {
			t.Errorf("got %+v", top)
		}
	})
}

func TestEscalate(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		var group struct{ ID uuid.UUID }
		sh.Owner.Post("/api/crm/v1/groups", map[string]any{"name": "Destek", "description": "", "agent_ids": []uuid.UUID{sh.Member}}).Want(201).Data(&group)
		sh.Owner.Do("PATCH", channels+"/"+sh.ch.ID.String()+"/ai", map[string]any{"enabled": true}).Want(200)
		got := sh.wrote("Merhaba", "")
		if got.Conversation.AIState != conversation.AIActive {
			t.Fatalf("got %+v", got.Conversation)
		}
		sh.Owner.Do("PATCH", sh.session(""), map[string]any{"group_id": group.ID}).Want(200)
		sh.Owner.Post(conversations+"/"+got.Conversation.ID.String()+"/close", nil).Want(200)
		path := sh.path("/conversations/" + got.Conversation.ID.String() + "/escalate")
		var c conversation.Conversation
		sh.key.Post(path, nil).Want(200).Data(&c)
		if c.AIState != conversation.AIHandedOver || *c.HandoverReason != "customer_asked" || c.State != conversation.Open || *c.GroupID != group.ID {
			t.Errorf("got %+v", c)
		}
		// The thread's line names the team that has it now.
		at := slices.IndexFunc(sh.items(c.ID), func(i conversation.Item) bool { return i.Event != nil && *i.Event == "escalated" })
		if d := sh.items(c.ID)[at].Detail; d["reason"] != "customer_asked" || d["group_id"] != group.ID.String() {
			t.Errorf("the event says %+v", d)
		}
		before := len(sh.Events())
		sh.key.Post(path, nil).Want(200)
		if after := len(sh.Events()); after != before {
			t.Errorf("a repeat announced %d events", after-before)
		}
		sh.Owner.Get(conversations + "/" + c.ID.String()).Want(200).Data(&c)
		if c.Unread != 1 {
			t.Errorf("the team was not told: %+v", c)
		}
	})
}

// An address that fails is shown on the message and on the channel, and a ping delivers
// everything once the address answers again.
func TestFailingAddress(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		got := sh.wrote("Merhaba", "")
		sh.soft.answer(http.StatusGone) // switches the address off at once
		sh.reply(got.Conversation.ID, "Buyurun")
		s.Settle()
		if a := sh.account(); a.Status != channel.Attention || *a.Reason != channel.WebhookFailing {
			t.Errorf("got %+v", a)
		}
		if top := sh.items(got.Conversation.ID)[0]; *top.Delivery != conversation.Queued {
			t.Errorf("got %+v", top)
		}
		sh.reply(got.Conversation.ID, "Orada mısınız?") // waits
		sh.soft.answer(http.StatusOK)
		sh.soft.take()
		var ping custom.Ping
		sh.Owner.Post(sh.session("/ping"), nil).Want(200).Data(&ping)
		s.Settle()
		s.Clock.Advance(2 * time.Minute)
		s.Settle()
		if a := sh.account(); a.Status != channel.Active || a.Reason != nil || ping.Retried != 1 {
			t.Errorf("got %+v, %+v", a, ping)
		}
		if list := sh.soft.take(); len(list) != 3 {
			t.Errorf("%d deliveries", len(list))
		}
		for _, i := range sh.items(got.Conversation.ID) {
			if i.AuthorKind == conversation.ByAgent && *i.Delivery != conversation.Sent {
				t.Errorf("got %+v", i)
			}
		}
		// After the last probe the address is given up, and the message says so.
		sh.soft.answer(http.StatusInternalServerError)
		sh.reply(got.Conversation.ID, "Son söz")
		for range 60 {
			s.Settle()
			sh.wait(25 * time.Hour)
		}
		failed := false
		for _, i := range sh.items(got.Conversation.ID) {
			failed = failed || i.Event != nil && *i.Event == "channel_delivery_failed"
		}
		if !failed {
			t.Error("nobody was told that the message did not arrive")
		}
	})
}

// Once the new secret is shown, nothing arrives that is signed with the old one.
func TestRotateUnderLoad(t *testing.T) {
	t.Parallel()
	for _, d := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			s := apptest.New(t, d)
			sh := open(t, s)
			got := sh.wrote("Merhaba", "")
			ctx, cancel := context.WithCancel(t.Context())
			var workers sync.WaitGroup
			workers.Go(func() { s.Work(ctx) })
			defer workers.Wait()
			defer cancel()
			secrets := []string{sh.ch.Secret}
			var shown []time.Time
			var wg sync.WaitGroup
			done := make(chan struct{})
			for range 3 {
				wg.Go(func() {
					for {
						select {
						case <-done:
							return
						case <-ctx.Done():
							return
						default:
							sh.reply(got.Conversation.ID, "Yük")
						}
					}
				})
			}
			for range 8 {
				sh.soft.await(10)
				var r custom.Resigned
				sh.Owner.Post(sh.session("/rotate-secret"), nil).Want(200).Data(&r)
				shown = append(shown, time.Now())
				secrets = append(secrets, r.Secret)
			}
			close(done)
			wg.Wait()
			late, seen := 0, map[int]bool{}
			for _, g := range sh.peek() {
				signed := slices.IndexFunc(secrets, func(k string) bool { return signature.Sign(k, g.body) == g.signature })
				seen[signed] = true
				if signed < 0 || signed < len(shown) && g.at.After(shown[signed]) {
					late++
				}
			}
			if late > 0 || len(seen) < 5 {
				t.Errorf("%d deliveries were signed with a dead secret; secrets seen: %v", late, seen)
			}
		})
	}
}

func (sh *shop) peek() []delivery {
	sh.soft.mu.Lock()
	defer sh.soft.mu.Unlock()
	return slices.Clone(sh.soft.got)
}
