package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/crm/reply"
	"konak/internal/kit/caller"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// writer is an assistant whose summary reports how much it read.
type writer struct {
	read []airecord.Transcript
	id   uuid.UUID
	err  error
	hook func()
}

func (w *writer) CanSummarize(context.Context) (bool, error) { return true, nil }

func (w *writer) Summarize(_ context.Context, t airecord.Transcript) (airecord.NewSummary, error) {
	w.read = append(w.read, t)
	if w.hook != nil {
		w.hook()
	}
	return airecord.NewSummary{
		Body: fmt.Sprintf("%d mesaj: %s", len(t.Items), t.Items[len(t.Items)-1].Body), Language: "tr",
		Configuration: &conversation.Configuration{ID: &w.id, Name: "Özetçi"},
	}, w.err
}

func TestSummary(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		path := base + "/" + id.String()
		get := func() (got airecord.Summary) {
			t.Helper()
			in.Owner.Get(path + "/summary").Want(200).Data(&got)
			return got
		}
		var raw map[string]any
		in.Owner.Get(path + "/summary").Want(200).Data(&raw)
		if v, there := raw["summary"]; v != nil || !there || raw["available"] != true {
			t.Errorf("got %v", raw)
		}
		// A workspace without the licence reports it.
		if err := s.Identity.SetLicences(t.Context(), in.Slug, []string{"crm"}); err != nil {
			t.Fatal(err)
		}
		in.events()
		if e := in.Owner.Header("Accept-Language", "tr").Post(path+"/summary/generate", nil).Refused(409, "no_assistant"); !strings.Contains(e.Message, "asistan") {
			t.Errorf("got %+v", e)
		}
		ai := &writer{id: uuid.New()}
		*s.AIRecords = *airecord.New(airecord.Config{Conversations: s.Conversations, Contacts: s.Contacts.Book, Assistant: ai})
		if !get().Available {
			t.Error("a workspace with an assistant is not told of it")
		}
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "Gizli not", "message_type": "note"}).Want(200)
		in.Owner.Post(path+"/close", nil).Want(200)
		in.events()
		var made airecord.Summary
		in.Owner.Post(path+"/summary/generate", nil).Want(200).Data(&made)
		if *made.Summary != "2 mesaj: Gizli not" || made.Outdated || *made.Configuration.V.ID != ai.id || *made.RequestedBy != in.Member {
			t.Errorf("got %+v", made)
		}
		if diff := cmp.Diff([]string{conversation.Annotated}, in.events()); diff != "" {
			t.Error(diff)
		}
		if got := get(); *got.Summary != *made.Summary || *got.Language != "tr" || !got.GeneratedAt.Equal(made.GeneratedAt.Time) {
			t.Errorf("got %+v", got)
		}
		if read := ai.read[0]; read.Items[0].Body != "Siparişim ne zaman gelir?" || read.Conversation.ID != id {
			t.Errorf("got %+v", read)
		}
		// A later message makes the summary outdated, even if it arrives while the
		// assistant writes.
		in.Owner.Post(path+"/open", nil).Want(200)
		if get().Outdated {
			t.Error("an event is nothing to read")
		}
		in.Owner.Post(path+"/reply-as-customer", map[string]any{"body": "Geldi mi?"}).Want(200)
		if !get().Outdated {
			t.Error("not outdated")
		}
		ai.hook = func() {
			if _, err := s.Replies.ReplyAsCustomer(in.Context(), id, "Alo?"); err != nil {
				t.Error(err)
			}
		}
		in.Owner.Post(path+"/summary/generate", nil).Want(200).Data(&made)
		if *made.Summary != "3 mesaj: Geldi mi?" || !made.Outdated {
			t.Errorf("got %+v", made)
		}
		// So does an edited text.
		ai.hook = nil
		in.Owner.Post(path+"/summary/generate", nil).Want(200).Data(&made)
		if made.Outdated {
			t.Error("outdated at once")
		}
		s.Clock.Advance(time.Second)
		note := ai.read[0].Items[1].ID.String()
		in.Owner.Put(path+"/items/"+note, map[string]any{"body": "Başka not"}).Want(200)
		if !get().Outdated {
			t.Error("not outdated by an edit")
		}
		if !made.Available {
			t.Error("an assistant that has just written says that it cannot")
		}
		// A summary reveals what was written: callers who may not read do not get one.
		in.Owner.Put("/api/v1/auth/roles", map[string]any{"name": "yazar", "title": "Yazar", "permissions": []perm.Permission{perm.ConversationsReply}}).Want(200)
		blind, _ := in.memberAs("Yazar", "yazar")
		if f := blind.Post(path+"/summary/generate", nil).Refused(403, "forbidden"); f.Permission != string(perm.ConversationsView) {
			t.Errorf("got %+v", f)
		}
		// Callers who may only read can neither write nor delete one.
		in.Owner.Put("/api/v1/auth/roles", map[string]any{"name": "okur", "title": "Okur", "permissions": []perm.Permission{perm.ConversationsView}}).Want(200)
		reader, _ := in.memberAs("Okur", "okur")
		for _, got := range []*apptest.Response{reader.Post(path+"/summary/generate", nil), reader.Delete(path + "/summary")} {
			if f := got.Refused(403, "forbidden"); f.Permission != string(perm.ConversationsReply) {
				t.Errorf("got %+v", f)
			}
		}
		// If the assistant fails, the stored summary stays.
		ai.hook, ai.err = nil, fault.New(fault.Unavailable)
		in.Owner.Post(path+"/summary/generate", nil).Refused(503, "unavailable")
		ai.err = errors.New("model on fire")
		in.Owner.Post(path+"/summary/generate", nil).Refused(500, "internal")
		if got := get(); *got.Summary != *made.Summary {
			t.Errorf("got %+v", got)
		}
		in.events()
		var gone struct{ Deleted bool }
		in.Owner.Delete(path + "/summary").Want(200).Data(&gone)
		if !gone.Deleted || get().Summary != nil {
			t.Errorf("got %+v", gone)
		}
		in.Owner.Delete(path + "/summary").Want(200).Data(&gone)
		if gone.Deleted {
			t.Error("deleted twice")
		}
		if diff := cmp.Diff([]string{conversation.Annotated}, in.events()); diff != "" {
			t.Error(diff)
		}
		empty, err := s.Conversations.Create(in.Context(), conversation.NewConversation{ContactID: in.customer.ID, Channel: conversation.API, Subject: "Boş"})
		if err != nil {
			t.Fatal(err)
		}
		in.Owner.Post(base+"/"+empty.ID.String()+"/summary/generate", nil).Refused(422, "nothing_to_summarize")
		for _, unknown := range []func(string) *apptest.Response{
			func(p string) *apptest.Response { return in.Owner.Get(p + "/summary") },
			func(p string) *apptest.Response { return in.Owner.Delete(p + "/summary") },
			func(p string) *apptest.Response { return in.Owner.Post(p+"/summary/generate", nil) },
		} {
			unknown(base+"/"+uuid.NewString()).Refused(404, "not_found")
		}
	})
}

func TestAIRecords(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		path := base + "/" + id.String()
		bot := caller.With(t.Context(), &caller.Caller{Kind: caller.System, TenantID: in.ID, Slug: in.Slug})
		state := func() (a airecord.AIRecord) {
			t.Helper()
			in.Owner.Get(path + "/ai-state").Want(200).Data(&a)
			return a
		}
		if a := state(); a.State != conversation.AIOff || a.Since != nil || a.Configuration.V != nil || a.Answers != 0 {
			t.Errorf("got %+v", a)
		}
		over := func(body any) *apptest.Response {
			t.Helper()
			return in.Owner.Post(path+"/ai-handover", body)
		}
		for _, body := range []any{nil, map[string]any{}} {
			if e := over(body).Refused(409, "conflict"); e.Reason != "ai_off" {
				t.Errorf("got %+v", e)
			}
		}
		if _, err := s.Conversations.Change(bot, id, s.Conversations.ToSetAI(conversation.AIActive)); err != nil {
			t.Fatal(err)
		}
		if a := state(); a.State != conversation.AIActive || !a.Since.Equal(s.Clock.Now()) {
			t.Errorf("got %+v", a)
		}
		s.Clock.Advance(time.Minute)
		cfg := uuid.New()
		for _, name := range []string{"Eski", "Satış sonrası"} {
			if _, err := s.Replies.Reply(bot, id, reply.Answer{
				Author: conversation.Author{Kind: conversation.ByBot}, Body: "Merhaba", Configuration: &conversation.Configuration{ID: &cfg, Name: name},
			}); err != nil {
				t.Fatal(err)
			}
		}
		if a := state(); a.State != conversation.AIActive || a.Answers != 2 || a.Configuration.V.Name != "Satış sonrası" || *a.Configuration.V.ID != cfg || !a.LastAnsweredAt.Equal(s.Clock.Now()) {
			t.Errorf("got %+v", a)
		}

		set := func(list ...airecord.AIAttribute) ([]airecord.AIAttribute, error) {
			t.Helper()
			return s.AIRecords.SetAIAttributes(bot, id, list)
		}
		in.events()
		item := in.items(id)[0].ID
		if _, err := set(airecord.AIAttribute{Name: "order_number", Value: "TR-4711", Source: "message", ItemID: &item},
			airecord.AIAttribute{Name: "angry", Value: true, Source: "message"}); err != nil {
			t.Fatal(err)
		}
		first := s.Clock.Now()
		s.Clock.Advance(time.Minute)
		// A known attribute is not announced again.
		if _, err := set(airecord.AIAttribute{Name: "angry", Value: true, Source: "message"}, airecord.AIAttribute{Name: "gone", Source: "message"}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{conversation.Annotated}, in.events()); diff != "" {
			t.Error(diff)
		}
		if _, err := set(airecord.AIAttribute{Name: "angry", Source: "message"}, airecord.AIAttribute{Name: "amount", Value: 12.5, Source: "orders"}); err != nil {
			t.Fatal(err)
		}
		var list []airecord.AIAttribute
		in.Owner.Get(path + "/ai-attributes").Want(200).Data(&list)
		if len(list) != 2 || list[0].Value != 12.5 || list[0].Source != "orders" || list[1].Value != "TR-4711" || *list[1].ItemID != item || !list[1].At.Equal(first) {
			t.Errorf("got %+v", list)
		}
		for _, bad := range []airecord.AIAttribute{
			{Name: "", Value: 1, Source: "x"},
			{Name: "x", Value: 1},
			{Name: "x", Value: []int{1}, Source: "x"},
			{Name: "x", Value: strings.Repeat("x", 5000), Source: "x"},
		} {
			if _, err := set(bad); !fault.Is(err, fault.ValidationFailed) {
				t.Errorf("%+v: %v", bad, err)
			}
		}
		var many []airecord.AIAttribute
		for i := range 100 {
			many = append(many, airecord.AIAttribute{Name: fmt.Sprint("a", i), Value: i, Source: "x"})
		}
		if _, err := set(many...); !fault.Is(err, fault.LimitReached) {
			t.Errorf("got %v", err)
		}

		in.Owner.Post(path+"/snooze", map[string]any{"until_reply": true}).Want(200)
		in.Owner.Post(path+"/join", nil).Want(200)
		if _, err := s.Conversations.Change(bot, id, s.Conversations.ToSetAI(conversation.AIPaused)); err != nil {
			t.Fatal(err)
		}
		in.events()
		group := in.Owner.Post("/api/crm/v1/groups", map[string]any{"name": "Ekip"}).Want(201).ID()
		over(map[string]any{"group_id": uuid.New()}).Refused(422, "validation_failed")
		var c conversation.Conversation
		over(map[string]any{"reason": "Fiyat pazarlığı", "group_id": group}).Want(200).Data(&c)
		if c.AIState != conversation.AIHandedOver || *c.HandoverReason != "Fiyat pazarlığı" || c.State != conversation.Open || c.GroupID.String() != group || c.WaitingSince == nil {
			t.Errorf("got %+v", c)
		}
		if got := in.get(id); got.Unread != 0 {
			t.Error("unread by whoever did it")
		}
		if a := state(); a.State != conversation.AIHandedOver || *a.HandoverReason != "Fiyat pazarlığı" || a.Answers != 2 {
			t.Errorf("got %+v", a)
		}
		if got := in.events(); !slices.Contains(got, conversation.Opened) {
			t.Errorf("announced %v", got)
		}
		over(map[string]any{"reason": "Yine"}).Want(200).Data(&c)
		if *c.HandoverReason != "Fiyat pazarlığı" {
			t.Error("a repeat changed the reason")
		}
		if got := in.events(); len(got) != 0 {
			t.Errorf("a repeat announced %v", got)
		}
		for _, p := range []string{"/ai-state", "/ai-attributes"} {
			in.Owner.Get(base+"/"+uuid.NewString()+p).Refused(404, "not_found")
		}
		in.Owner.Post(base+"/"+uuid.NewString()+"/ai-handover", map[string]any{}).Refused(404, "not_found")
	})
}
