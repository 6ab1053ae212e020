package conversation_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/crm/conversation/edit"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/crm/inboxapi"
	"konak/internal/crm/reply"
	"konak/internal/identity"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// say writes as the owner and returns the item.
func (in *inbox) say(id uuid.UUID, body map[string]any) conversation.Item {
	in.t.Helper()
	var out conversation.Written
	in.Owner.Post(base+"/"+id.String()+"/reply-as-agent", body).Want(200).Data(&out)
	return out.Item
}

func itemPath(i conversation.Item) string {
	return base + "/" + i.ConversationID.String() + "/items/" + i.ID.String()
}

// agent signs in a member who may only reply.
func (in *inbox) agent(name string) *apptest.Client {
	in.t.Helper()
	if err := in.s.Identity.AddMember(in.t.Context(), in.ID, name, name+"@demo.example", apptest.Password, identity.RoleAgent); err != nil {
		in.t.Fatal(err)
	}
	return in.SignIn(name + "@demo.example")
}

func TestEditItem(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		note, message := in.say(id, map[string]any{"body": "not", "message_type": "note"}), in.say(id, map[string]any{"body": "Bugün gelir"})
		in.events()
		var got conversation.Item
		in.Owner.Put(itemPath(message), map[string]any{"body": " Yarın gelir "}).Want(200).Data(&got)
		if got.Body != "Yarın gelir" || got.EditedAt == nil || in.get(id).Preview != "Yarın gelir" {
			t.Errorf("got %+v", got)
		}
		if diff := cmp.Diff([]string{conversation.ItemChanged}, in.events()); diff != "" {
			t.Error(diff)
		}
		in.Owner.Put(itemPath(message), map[string]any{"body": "Yarın gelir"}).Want(200)
		if diff := cmp.Diff([]string{}, in.events()); diff != "" {
			t.Errorf("an edit that changes nothing: %s", diff)
		}
		s.Clock.Advance(time.Minute)
		in.Owner.Put(itemPath(message), map[string]any{"body": "Cuma gelir"}).Want(200)
		var list []edit.Edition
		in.Owner.Get(itemPath(message) + "/edits").Want(200).Data(&list)
		if len(list) != 2 || list[0].Body != "Yarın gelir" || list[1].Body != "Bugün gelir" || *list[0].EditorID != in.Member {
			t.Errorf("got %+v", list)
		}
		in.Owner.Put(itemPath(message), map[string]any{"body": " "}).Refused(422, "validation_failed")

		policy := func(c *apptest.Client, i conversation.Item) (p edit.EditPolicy) {
			t.Helper()
			c.Get(itemPath(i) + "/edit-policy").Want(200).Data(&p)
			return p
		}
		refused := func(i conversation.Item, reason string) {
			t.Helper()
			if p := policy(in.Owner, i); p.CanEdit || *p.EditReason != reason || p.EditableUntil != nil {
				t.Errorf("%s: got %+v", reason, p)
			}
			if e := in.Owner.Put(itemPath(i), map[string]any{"body": "x"}).Refused(409, "conflict"); e.Reason != reason {
				t.Errorf("got %+v, want %s", e, reason)
			}
		}
		if p := policy(in.Owner, message); !p.CanEdit || !p.CanDelete || !p.EditableUntil.Equal(message.CreatedAt.Add(24*time.Hour)) {
			t.Errorf("got %+v", p)
		}
		refused(in.items(id)[2], "customer_message")
		in.Owner.Post(base+"/"+id.String()+"/close", nil).Want(200)
		event := in.items(id)[0]
		refused(event, "event")
		in.Owner.Delete(itemPath(event)).Refused(409, "conflict")

		// Changing what others wrote needs another permission.
		agent := in.agent("can")
		if p := policy(agent, note); p.CanEdit || p.CanDelete || *p.EditReason != "other_author" {
			t.Errorf("got %+v", p)
		}
		for _, r := range []*apptest.Response{agent.Put(itemPath(note), map[string]any{"body": "x"}), agent.Delete(itemPath(note))} {
			if e := r.Refused(403, "forbidden"); e.Permission != "crm.conversations.delete" {
				t.Errorf("got %+v", e)
			}
		}
		// A note can always be edited, a message cannot.
		s.Clock.Advance(25 * time.Hour)
		in.Owner = in.SignIn("owner@demo.example")
		refused(message, "too_old")
		in.Owner.Put(itemPath(note), map[string]any{"body": "yeni"}).Want(200)

		// An item is found only in its own conversation.
		other := in.begin()
		in.Owner.Put(base+"/"+other.String()+"/items/"+note.ID.String(), map[string]any{"body": "x"}).Refused(404, "not_found")
		in.Owner.Post(base+"/"+id.String()+"/merge", map[string]any{"into_id": other}).Want(200)
		in.Owner.Put(itemPath(note), map[string]any{"body": "x"}).Refused(404, "not_found")
		in.Owner.Put(base+"/"+other.String()+"/items/"+note.ID.String(), map[string]any{"body": "x"}).Want(200)
	})
}

func TestDeleteItem(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		message := in.say(id, map[string]any{"body": "Yanlış kişiye"})
		in.events()
		in.Owner.Delete(itemPath(message)).Want(200)
		if diff := cmp.Diff([]string{conversation.ItemChanged}, in.events()); diff != "" {
			t.Error(diff)
		}
		if list := in.items(id); len(list) != 1 || in.get(id).Preview != "Siparişim ne zaman gelir?" {
			t.Errorf("got %+v", list)
		}
		in.Owner.Delete(itemPath(message)).Refused(404, "not_found")
		in.Owner.Get(itemPath(message)+"/edit-policy").Refused(404, "not_found")
		// The customer's messages can be hidden by callers with the permission to manage.
		in.agent("can").Delete(itemPath(in.items(id)[0])).Refused(403, "forbidden")
		in.Owner.Delete(itemPath(in.items(id)[0])).Want(200)
		if c := in.get(id); c.Preview != "" {
			t.Errorf("got %+v", c)
		}
	})
}

// reactionRouter is a fakeRouter whose channel has reactions.
type reactionRouter struct {
	fakeRouter
	reactions []conversation.OutgoingReaction
	fail      error
}

func (h *reactionRouter) React(_ context.Context, r conversation.OutgoingReaction) error {
	h.reactions = append(h.reactions, r)
	return h.fail
}

func (h *reactionRouter) Reacts(channel string) bool { return channel == "whatsapp" }

// inbound is a customer's message on WhatsApp.
func (in *inbox) inbound(account uuid.UUID, message string) inbound.Ingested {
	in.t.Helper()
	got, err := in.s.Inbound.Ingest(in.Context(), inbound.Inbound{
		Channel: "whatsapp", From: contact.Sender{Channel: "whatsapp", AccountID: account, ExternalID: "905321112233", Name: "Elif"},
		Body: "Merhaba", ProviderMessageID: message,
	})
	if err != nil {
		in.t.Fatal(err)
	}
	return got
}

// onWhatsApp connects a WhatsApp account on which the customer has written, and
// returns its router and the conversation.
func (in *inbox) onWhatsApp() (*fakeRouter, uuid.UUID) {
	in.t.Helper()
	router := &fakeRouter{account: uuid.New()}
	in.s.UseRouter(router)
	return router, in.inbound(router.account, "wamid.1").Conversation.ID
}

func TestReactions(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		account := uuid.New()
		plain := &fakeRouter{account: account}
		s.UseRouter(plain)
		message := in.inbound(account, "wamid.1").Item
		react := func(i conversation.Item, emoji string) *apptest.Response {
			return in.Owner.Post(itemPath(i)+"/reaction", map[string]any{"emoji": emoji})
		}
		unsupported := func(i conversation.Item, reason string) {
			t.Helper()
			if e := react(i, "👍").Refused(422, "reaction_unsupported"); e.Reason != reason {
				t.Errorf("got %+v, want %s", e, reason)
			}
		}
		unsupported(message, "channel_unsupported")
		router := &reactionRouter{fakeRouter: fakeRouter{account: account}}
		s.UseRouter(router)
		in.events()
		var got conversation.Item
		react(message, "👍").Want(200).Data(&got)
		if len(got.Reactions) != 1 || got.Reactions[0].Emoji != "👍" || got.Reactions[0].AuthorID != in.Member {
			t.Errorf("got %+v", got.Reactions)
		}
		if len(router.reactions) != 1 || router.reactions[0].ProviderMessageID != "wamid.1" || router.reactions[0].OwnMessage || router.reactions[0].Route.AccountID != account {
			t.Errorf("sent %+v", router.reactions)
		}
		if diff := cmp.Diff([]string{conversation.ItemChanged}, in.events()); diff != "" {
			t.Error(diff)
		}
		react(message, "❤️").Want(200)
		if err := s.Inbound.CustomerReacted(in.Context(), account, "wamid.1", "🎉"); err != nil {
			t.Fatal(err)
		}
		for _, unknown := range []string{"wamid.unknown", "wamid.1"} {
			if err := s.Inbound.CustomerReacted(in.Context(), account, unknown, "text"); err != nil {
				t.Fatal(err)
			}
		}
		if list := in.items(message.ConversationID)[0].Reactions; len(list) != 2 || list[0].Emoji != "❤️" || list[1].AuthorKind != conversation.ByContact {
			t.Errorf("got %+v", list)
		}
		react(message, "").Want(200).Data(&got)
		if len(got.Reactions) != 1 || got.Reactions[0].Emoji != "🎉" {
			t.Errorf("got %+v", got.Reactions)
		}
		if e := react(message, "tamam").Refused(422, "validation_failed"); e.Fields["emoji"][0] != "not_an_emoji" {
			t.Errorf("got %+v", e)
		}
		// A message that the channel never had or has not accepted yet, or a note.
		unsupported(in.items(in.begin())[0], "channel_unsupported")
		unsupported(in.say(message.ConversationID, map[string]any{"body": "Merhaba"}), "no_channel_copy")
		unsupported(in.say(message.ConversationID, map[string]any{"body": "not", "message_type": "note"}), "no_channel_copy")
		// If the channel refuses, the reaction is refused and nothing is written.
		router.fail = fault.New(fault.ReactionUnsupported).Because("channel_unsupported")
		unsupported(message, "channel_unsupported")
		router.fail, router.refuse = nil, fault.New(fault.WindowClosed)
		react(message, "👍").Refused(422, "window_closed")
		if list := in.items(message.ConversationID); len(list[len(list)-1].Reactions) != 1 {
			t.Errorf("got %+v", list[len(list)-1])
		}
	})
}

func TestForward(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		file := upload(t, in.Owner, files, "fatura.txt", "fatura")
		in.Owner.Post(base+"/"+id.String()+"/reply-as-customer", map[string]any{"body": "Faturam ekte.\n\nElif", "attachments": []uuid.UUID{file.ID}}).Want(200)
		message := in.items(id)[0]
		body := map[string]any{"to": []string{"depo@example.com", "Depo@example.com", "muhasebe@example.com"}, "note": "Bakar mısınız?"}
		var out reply.Forwarding
		in.Owner.Header("Accept-Language", "tr").Post(itemPath(message)+"/forward", body).Want(200).Data(&out)
		if diff := cmp.Diff([]string{"depo@example.com", "muhasebe@example.com"}, out.To); diff != "" || out.Delivery != "queued" {
			t.Errorf("%s %+v", diff, out)
		}
		s.Settle()
		mails := s.Mails(in.ID, "depo@example.com")
		if len(mails) != 1 || len(s.Mails(in.ID, "muhasebe@example.com")) != 1 {
			t.Fatalf("got %+v", mails)
		}
		for _, want := range []string{"Owner of demo size bir ileti iletti.", "Bakar mısınız?", "Yazan: Elif Kaya", "Faturam ekte."} {
			if !strings.Contains(mails[0].Text, want) {
				t.Errorf("%q is not in\n%s", want, mails[0].Text)
			}
		}
		if mails[0].Subject != "Fwd: Teslimat" {
			t.Errorf("got %q", mails[0].Subject)
		}
		event := in.items(id)[0]
		if event.Event == nil || *event.Event != "forwarded" || event.Detail["item_id"] != message.ID.String() {
			t.Errorf("got %+v", event)
		}
		if e := in.Owner.Post(itemPath(message)+"/forward", map[string]any{"to": []string{"depo@example.com", "yanlış"}}).Refused(422, "validation_failed"); e.Fields["to"][0] != "invalid_address" {
			t.Errorf("got %+v", e)
		}
		in.Owner.Post(itemPath(message)+"/forward", map[string]any{"to": []string{}}).Refused(422, "validation_failed")
		in.Owner.Post(itemPath(event)+"/forward", body).Refused(409, "conflict")
	})
}

func TestOriginalEmail(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		raw, err := s.Blobs.Put(t.Context(), in.ID, strings.NewReader("From: elif@example.com\r\n\r\nMerhaba"), 1000)
		if err != nil {
			t.Fatal(err)
		}
		original := conversation.Email{
			MessageID: "m1@example.com", From: "elif@example.com", To: []string{"destek@demo.example"}, Subject: "Teslimat",
			Headers: []conversation.Header{{Name: "From", Value: "elif@example.com"}}, Text: "Merhaba", HTML: "<p>Merhaba</p>", RawBlobID: &raw.ID, RawSize: raw.Size,
		}
		got, err := s.Inbound.Ingest(in.Context(), inbound.Inbound{
			Channel: "email", From: contact.Sender{Channel: "email", AccountID: uuid.New(), ExternalID: "elif@example.com", Email: "elif@example.com"},
			Body: "Merhaba", ProviderMessageID: "m1@example.com", Email: &original,
		})
		if err != nil || !got.Item.HasEmail {
			t.Fatalf("%+v, %v", got, err)
		}
		if !in.items(got.Conversation.ID)[0].HasEmail {
			t.Error("the timeline does not say so")
		}
		var e conversation.Email
		in.Owner.Get(itemPath(got.Item) + "/email").Want(200).Data(&e)
		if e.HTML != "<p>Merhaba</p>" || e.To[0] != "destek@demo.example" || e.Cc == nil || e.RawSize != raw.Size {
			t.Errorf("got %+v", e)
		}
		r := in.Owner.Get(itemPath(got.Item) + "/email/raw").Want(200)
		if r.Header.Get("Content-Type") != "message/rfc822" || !strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment") || !strings.HasSuffix(string(r.Body), "Merhaba") {
			t.Errorf("%v %q", r.Header, r.Body)
		}
		// A replacement releases the old original; without a new one there is none.
		err = s.DB.Tenant(in.ID).InTx(t.Context(), func(tx *db.Tx) error {
			return s.Conversations.KeepEmail(tx, got.Item.ID, conversation.Email{MessageID: "m2@example.com"})
		})
		if err != nil {
			t.Fatal(err)
		}
		if e := in.Owner.Get(itemPath(got.Item)+"/email/raw").Refused(404, "not_found"); e.Reason != "no_original" {
			t.Errorf("got %+v", e)
		}
		s.Clock.Advance(25 * time.Hour)
		if n, err := s.Blobs.Sweep(t.Context()); err != nil || n != 1 {
			t.Errorf("swept %d, %v", n, err)
		}
		in.Owner = in.SignIn("owner@demo.example")
		if e := in.Owner.Get(itemPath(in.items(in.begin())[0])+"/email").Refused(404, "not_found"); e.Reason != "no_email" {
			t.Errorf("got %+v", e)
		}
	})
}

func TestAIFeedbackAndSources(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		out, err := s.Replies.Reply(in.Context(), id, reply.Answer{
			Author: conversation.Author{Kind: conversation.ByBot}, Body: "14 gün içinde iade edebilirsiniz.",
			Sources: []conversation.AISource{{Kind: "article", Title: "İade", URL: "https://example.com/iade", Excerpt: "14 gün"}, {Kind: "file", Title: "Sözleşme"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		answer, question := out.Item, in.items(id)[1]
		var list []conversation.AISource
		in.Owner.Get(itemPath(answer) + "/ai-sources").Want(200).Data(&list)
		if len(list) != 2 || list[0].Title != "İade" || list[1].Kind != "file" {
			t.Errorf("got %+v", list)
		}
		in.Owner.Get(itemPath(question) + "/ai-sources").Want(200).Data(&list)
		if len(list) != 0 {
			t.Errorf("got %+v", list)
		}
		rate := func(i conversation.Item, rating string) *apptest.Response {
			return in.Owner.Post(itemPath(i)+"/ai-feedback", map[string]any{"rating": rating, "comment": " doğru "})
		}
		var f airecord.Feedback
		rate(answer, "down").Want(200)
		rate(answer, "up").Want(200).Data(&f)
		if f.AuthorKind != "agent" || f.AuthorID != in.Member || f.Rating != "up" || f.Comment != "doğru" {
			t.Errorf("got %+v", f)
		}
		vote := airecord.CustomerVote{ConversationID: id, ItemID: answer.ID, Rating: airecord.RatedDown}
		if _, err := s.AIRecords.CustomerRated(in.Context(), vote); !fault.Is(err, fault.NotFound) {
			t.Fatalf("got %v", err)
		}
		var all []airecord.Feedback
		in.Owner.Get(itemPath(answer) + "/ai-feedback").Want(200).Data(&all)
		if len(all) != 1 {
			t.Errorf("got %+v", all)
		}
		in.Owner.Get(itemPath(question) + "/ai-feedback").Want(200).Data(&all)
		if len(all) != 0 {
			t.Errorf("got %+v", all)
		}
		var record airecord.AIRecord
		in.Owner.Get(base + "/" + id.String() + "/ai-state").Want(200).Data(&record)
		votes := map[string]string{}
		for _, f := range record.Feedback {
			if f.ItemID != answer.ID {
				t.Errorf("a vote on %s", f.ItemID)
			}
			votes[f.AuthorKind] = f.Rating
		}
		if diff := cmp.Diff(map[string]string{"agent": "up"}, votes); diff != "" || len(record.Feedback) != 1 {
			t.Error(diff, record.Feedback)
		}
		if e := rate(question, "up").Refused(409, "conflict"); e.Reason != "not_an_ai_answer" {
			t.Errorf("got %+v", e)
		}
		rate(answer, "sideways").Refused(422, "validation_failed")
	})
}

func TestEmailCC(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		path := base + "/" + in.begin().String() + "/email-cc"
		var cc inboxapi.EmailCC
		in.Owner.Get(path).Want(200).Data(&cc)
		if len(cc.EmailCC) != 0 {
			t.Errorf("got %+v", cc)
		}
		in.events()
		in.Owner.Put(path, map[string]any{"email_cc": []string{"a@example.com", "A@example.com", "b@example.com"}}).Want(200)
		if diff := cmp.Diff([]string{conversation.Updated}, in.events()); diff != "" {
			t.Errorf("whoever looks at it is told: %s", diff)
		}
		in.Owner.Get(path).Want(200).Data(&cc)
		if diff := cmp.Diff([]string{"a@example.com", "b@example.com"}, cc.EmailCC); diff != "" {
			t.Error(diff)
		}
		for _, wrong := range []string{"elif", "Elif <a@example.com>", "a@example.com\r\nBcc: b@example.com", ""} {
			if e := in.Owner.Put(path, map[string]any{"email_cc": []string{"c@example.com", wrong}}).Refused(422, "validation_failed"); e.Fields["email_cc"][0] != "invalid_address" {
				t.Errorf("%q: %+v", wrong, e)
			}
		}
		in.Owner.Get(path).Want(200).Data(&cc)
		if len(cc.EmailCC) != 2 {
			t.Errorf("a refused list changed it: %+v", cc)
		}
		in.Owner.Put(path, map[string]any{"email_cc": []string{}}).Want(200).Data(&cc)
		if cc.EmailCC == nil || len(cc.EmailCC) != 0 {
			t.Errorf("got %+v", cc)
		}
	})
}

func TestRetry(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		router, id := in.onWhatsApp()
		file := upload(t, in.Owner, files, "a.txt", "a")
		message := in.say(id, map[string]any{"body": "Merhaba", "attachments": []uuid.UUID{file.ID}})
		if e := in.Owner.Post(itemPath(message)+"/retry", nil).Refused(409, "conflict"); e.Reason != "not_failed" {
			t.Errorf("got %+v", e)
		}
		fail := func() {
			t.Helper()
			if err := s.Inbound.RecordOutcome(in.Context(), message.ID, conversation.Delivery{Status: conversation.Failed, Error: "time_out"}); err != nil {
				t.Fatal(err)
			}
		}
		fail()
		router.refuse = fault.New(fault.WindowClosed)
		in.Owner.Post(itemPath(message)+"/retry", nil).Refused(422, "window_closed")
		router.refuse = nil
		s.UseRouter(conversation.NoRouter{})
		in.Owner.Post(itemPath(message)+"/retry", nil).Refused(422, "no_route")
		s.UseRouter(router)
		in.events()
		var got conversation.Item
		in.Owner.Post(itemPath(message)+"/retry", nil).Want(200).Data(&got)
		if *got.Delivery != "queued" || got.DeliveryError != nil || len(router.taken) != 2 || router.taken[1].ItemID != message.ID || len(router.taken[1].Attachments) != 1 {
			t.Errorf("got %+v, taken %+v", got, router.taken)
		}
		if diff := cmp.Diff([]string{conversation.ItemChanged}, in.events()); diff != "" {
			t.Error(diff)
		}
		in.Owner.Post(itemPath(message)+"/retry", nil).Refused(409, "conflict")
		in.Owner.Put(itemPath(message), map[string]any{"body": "x"}).Refused(409, "conflict")
		fail() // it may fail again, and be told again
		if diff := cmp.Diff([]string{conversation.DeliveryFailed}, in.events()); diff != "" {
			t.Error(diff)
		}
		if err := s.Inbound.RecordOutcome(in.Context(), message.ID, conversation.Delivery{Status: conversation.Sent}); err != nil {
			t.Fatal(err)
		}
		if e := in.Owner.Put(itemPath(message), map[string]any{"body": "x"}).Refused(409, "conflict"); e.Reason != "already_sent" {
			t.Errorf("got %+v", e)
		}
		in.Owner.Delete(itemPath(message)).Want(200)
		in.Owner.Post(itemPath(in.items(id)[len(in.items(id))-1])+"/retry", nil).Refused(409, "conflict")
	})
}
