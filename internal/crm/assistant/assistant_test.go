package assistant_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/assistant"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/custom"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/crm/helpcenter"
	"konak/internal/identity"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

const (
	channels       = "/api/crm/v1/channels"
	conversations  = "/api/crm/v1/conversations"
	configurations = "/api/crm/v1/assistant/configurations"
)

// shop is a workspace with a help center and a channel with the assistant on.
type shop struct {
	*apptest.Workspace
	t       *testing.T
	s       *apptest.Server
	key     *apptest.Client
	account uuid.UUID
	group   uuid.UUID
}

func open(t *testing.T, s *apptest.Server) *shop {
	t.Helper()
	sh := &shop{Workspace: s.Workspace("demo"), t: t, s: s}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	sh.key = sh.FullKey()
	var group struct{ ID uuid.UUID }
	sh.Owner.Post("/api/crm/v1/groups", map[string]any{"name": "Destek", "description": "", "agent_ids": []uuid.UUID{sh.Member}}).Want(201).Data(&group)
	var ch custom.Opened
	sh.Owner.Post(channels+"/custom", map[string]any{
		"name": "Uygulama", "address": server.URL + "/in", "group_id": group.ID, "window_hours": 24,
	}).Want(201).Data(&ch)
	sh.account, sh.group = ch.ID, group.ID
	sh.setAI(true, nil)
	sh.writeArticles()
	return sh
}

func (sh *shop) setAI(on bool, configuration *uuid.UUID) (a channel.Account) {
	sh.t.Helper()
	body := map[string]any{"enabled": on}
	if configuration != nil {
		body["configuration_id"] = *configuration
	}
	sh.Owner.Do("PATCH", channels+"/"+sh.account.String()+"/ai", body).Want(200).Data(&a)
	return a
}

func (sh *shop) writeArticles() {
	sh.t.Helper()
	title := "Yardım"
	if _, err := sh.s.HelpCenter.Change(sh.Context(), helpcenter.SettingsChange{Title: &title, Languages: &[]string{"tr", "en"}}); err != nil {
		sh.t.Fatal(err)
	}
	for _, w := range []struct{ language, title, body string }{
		{"tr", "Ürünü nasıl iade ederim?", "Ürünü **14 gün** içinde iade edebilirsiniz.\n\n## Edilemeyenler\n\n| Ürün | Neden |\n|---|---|\n| Perde | Ölçüye dikilir |"},
		{"tr", "Kargo takibi", "Takip numarası e-posta ile gelir."},
		{"en", "How do I return an item?", "You can return an item within **14 days**."},
		{"en", "Tracking a parcel", "The tracking number comes by e-mail."},
	} {
		sh.article(w.language, w.title, w.body)
	}
}

// article publishes a help article.
func (sh *shop) article(language, title, body string) {
	sh.t.Helper()
	ctx, center := sh.Context(), sh.s.HelpCenter
	must := func(err error) {
		sh.t.Helper()
		if err != nil {
			sh.t.Fatal(err)
		}
	}
	c, err := center.AddCategory(ctx, helpcenter.CategoryInput{Slug: uuid.NewString(), Texts: []helpcenter.CategoryText{{Language: "tr", Name: "İade"}}})
	must(err)
	a, err := center.AddArticle(ctx, helpcenter.NewArticle{CategoryID: c.ID, Language: language, Words: helpcenter.Words{Title: title, Body: body}})
	must(err)
	_, err = center.Publish(ctx, a.ID, language)
	must(err)
	sh.s.Clock.Advance(2 * time.Second) // a node believes what it read for a second
}

// writes sends a customer's message.
func (sh *shop) writes(who, body string) custom.Received {
	sh.t.Helper()
	return sh.writesBy(sh.key, who, body)
}

func (sh *shop) writesBy(key *apptest.Client, who, body string) (out custom.Received) {
	sh.t.Helper()
	key.Post("/api/crm/public/v1/channels/custom/"+sh.account.String()+"/messages", map[string]any{
		"contact": map[string]any{"external_id": who, "name": who}, "body": body, "message_id": uuid.NewString(),
	}).Want(200).Data(&out)
	return out
}

// settle runs the jobs until the assistant has answered.
func (sh *shop) settle() {
	sh.t.Helper()
	sh.s.Settle()
	sh.s.Clock.Advance(3 * time.Second)
	sh.s.Settle()
}

// items returns the items of a conversation, newest first.
func (sh *shop) items(c uuid.UUID) (out []conversation.Item) {
	sh.t.Helper()
	sh.Owner.Get(conversations + "/" + c.String() + "/items?limit=100").Want(200).Data(&out)
	return out
}

// answers returns the assistant's messages, newest first.
func (sh *shop) answers(c uuid.UUID) []conversation.Item {
	sh.t.Helper()
	return slices.DeleteFunc(sh.items(c), func(i conversation.Item) bool {
		return i.Kind != conversation.Message || i.AuthorKind != conversation.ByBot
	})
}

func (sh *shop) state(c uuid.UUID) (out airecord.AIRecord) {
	sh.t.Helper()
	sh.Owner.Get(conversations + "/" + c.String() + "/ai-state").Want(200).Data(&out)
	return out
}

func (sh *shop) configure(body map[string]any) (c assistant.Configuration) {
	sh.t.Helper()
	sh.Owner.Post(configurations, body).Want(201).Data(&c)
	return c
}

// The assistant answers a question from the help center and names its source, in the
// customer's language.
func TestAnswer(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		c := sh.configure(map[string]any{"name": "Satış sonrası"})
		if a := sh.setAI(true, &c.ID); a.AIConfigurationID == nil || *a.AIConfigurationID != c.ID {
			t.Fatalf("got %+v", a)
		}
		for _, q := range []struct{ who, text, quote, source, language string }{
			{"elif", "Merhaba, ürünü nasıl iade edebilirim, acil!", "Ürünü 14 gün içinde iade edebilirsiniz.", "Kaynak: Ürünü nasıl iade ederim?", "tr"},
			{"john", "How can I return an item?", "You can return an item within 14 days.", "Source: How do I return an item?", "en"},
		} {
			got := sh.writes(q.who, q.text)
			id := got.Conversation.ID
			s.Settle()
			if n := len(sh.answers(id)); n != 0 {
				t.Fatalf("%s: %d answers at once", q.who, n)
			}
			sh.settle()
			list := sh.answers(id)
			if len(list) != 1 || !strings.HasPrefix(list[0].Body, q.quote) || !strings.Contains(list[0].Body, q.source) ||
				!strings.Contains(list[0].Body, ".help.localhost") || list[0].Detail["in_answer_to"] != got.Item.ID.String() {
				t.Fatalf("%s: got %+v", q.who, list)
			}
			a := sh.state(id)
			if a.State != conversation.AIActive || a.Answers != 1 || a.Configuration.V == nil || *a.Configuration.V.ID != c.ID || a.Configuration.V.Name != "Satış sonrası" {
				t.Errorf("%s: got %+v", q.who, a)
			}
			var sources []conversation.AISource
			sh.Owner.Get(conversations + "/" + id.String() + "/items/" + list[0].ID.String() + "/ai-sources").Want(200).Data(&sources)
			if len(sources) != 1 || sources[0].Kind != "article" || sources[0].Excerpt != q.quote || sources[0].URL == "" {
				t.Errorf("%s: got %+v", q.who, sources)
			}
			var made airecord.Summary
			sh.Owner.Post(conversations+"/"+id.String()+"/summary/generate", nil).Want(200).Data(&made)
			if !strings.Contains(*made.Summary, q.quote) || strings.Contains(*made.Summary, "http") || strings.Contains(*made.Summary, q.source) {
				t.Errorf("%s: the summary says where answers stand: %q", q.who, *made.Summary)
			}
			var attributes []airecord.AIAttribute
			sh.Owner.Get(conversations + "/" + id.String() + "/ai-attributes").Want(200).Data(&attributes)
			found := map[string]any{}
			for _, x := range attributes {
				found[x.Name] = x.Value
			}
			if found["language"] != q.language || found["intent"] != "question" || (q.who == "elif") != (found["urgency"] == "high") {
				t.Errorf("%s: understood %v", q.who, found)
			}
			var conv conversation.Conversation
			sh.Owner.Get(conversations + "/" + id.String()).Want(200).Data(&conv)
			if conv.WaitingSince != nil {
				t.Errorf("%s: still waits", q.who)
			}
		}
	})
}

// A question that the texts do not answer goes to the team with its reason, and so does a
// customer who asks for a person; from then on the assistant is silent.
func TestHandOver(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		for _, q := range []struct{ who, text, says, reason string }{
			{"elif", "Mağazanız hangi semtte?", "Sizi bir temsilciye aktarıyorum", assistant.NoAnswer},
			{"john", "What are your opening hours?", "handing you over to a colleague", assistant.NoAnswer},
			{"mary", "Can I pause the tracking of a parcel?", "Meanwhile, this may help:\nTracking a parcel\nhttp", assistant.NoAnswer},
			{"hans", "Wo ist mein Paket?", "handing you over to a colleague", assistant.NoAnswer},
			{"jane", "talk to agent", "handing you over to a colleague", assistant.CustomerAsked},
			{"ayse", "Bir temsilciyle görüşmek istiyorum", "Sizi bir temsilciye aktarıyorum", assistant.CustomerAsked},
		} {
			id := sh.writes(q.who, q.text).Conversation.ID
			sh.settle()
			a := sh.state(id)
			if list := sh.answers(id); len(list) != 1 || !strings.Contains(list[0].Body, q.says) || a.State != conversation.AIHandedOver || *a.HandoverReason != q.reason {
				t.Fatalf("%s: got %+v, %+v", q.who, list, a)
			}
			var c conversation.Conversation
			sh.Owner.Get(conversations + "/" + id.String()).Want(200).Data(&c)
			if c.State != conversation.Open || c.WaitingSince == nil || c.GroupID == nil || *c.GroupID != sh.group || c.Unread == 0 {
				t.Errorf("%s: the team was not told: %+v", q.who, c)
			}
			var made airecord.Summary
			sh.Owner.Post(conversations+"/"+id.String()+"/summary/generate", nil).Want(200).Data(&made)
			if lines := strings.Split(*made.Summary, "\n"); len(lines) != 2 || lines[1] != "The customer waits for an answer." && lines[1] != "Müşteri yanıt bekliyor." {
				t.Errorf("%s: the summary says %q", q.who, lines)
			}
			sh.writes(q.who, "Ürünü nasıl iade edebilirim?")
			sh.settle()
			if n := len(sh.answers(id)); n != 1 {
				t.Errorf("%s: %d answers after the hand-over", q.who, n)
			}
		}
	})
}

const answerable = "Ürünü nasıl iade edebilirim?"

// Messages that the assistant is not responsible for get no answer from it.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		check := func(name string, c uuid.UUID, state, reason string) {
			t.Helper()
			sh.settle()
			a := sh.state(c)
			if n := len(sh.answers(c)); n != 0 || a.State != state || reason != "" && (a.HandoverReason == nil || *a.HandoverReason != reason) {
				t.Errorf("%s: %d answers, %+v", name, n, a)
			}
		}
		c := sh.writes("blocked", "Merhabalar size bir sorum olacak").Conversation
		sh.Owner.Post("/api/crm/v1/contacts/"+c.ContactID.String()+"/block", nil).Want(200)
		check("a blocked contact", c.ID, conversation.AIActive, "")

		id := sh.writes("closed", answerable).Conversation.ID
		sh.Owner.Post(conversations+"/"+id.String()+"/close", nil).Want(200)
		check("a closed conversation", id, conversation.AIActive, "")

		id = sh.writes("joined", answerable).Conversation.ID
		sh.Owner.Post(conversations+"/"+id.String()+"/join", nil).Want(200)
		check("a conversation that somebody joined", id, conversation.AIHandedOver, "agent_joined")

		id = sh.writes("replied", answerable).Conversation.ID
		sh.Owner.Post(conversations+"/"+id.String()+"/reply-as-agent", map[string]any{"body": "Ben yazdım"}).Want(200)
		check("a conversation that somebody answered", id, conversation.AIHandedOver, "agent_replied")

		test := sh.Key(true, "crm.channels.manage")
		id = sh.writesBy(test, "test", answerable).Conversation.ID
		check("the test environment", id, conversation.AIOff, "")

		id = sh.writes("off", answerable).Conversation.ID
		sh.setAI(false, nil)
		check("an account where it was switched off", id, conversation.AIHandedOver, assistant.SwitchedOff)
		sh.setAI(true, nil)

		id = sh.writes("unlicensed", answerable).Conversation.ID
		if err := s.Identity.SetLicences(t.Context(), sh.Slug, []string{"crm"}); err != nil {
			t.Fatal(err)
		}
		check("a workspace without the licence", id, conversation.AIHandedOver, assistant.NotLicensed)
		if err := s.Identity.SetLicences(t.Context(), sh.Slug, identity.AllLicences); err != nil {
			t.Fatal(err)
		}

		never := sh.configure(map[string]any{"name": "Gündüz", "active": assistant.OutsideHours})
		sh.setHours(1, 2, 3, 4, 5, 6, 7)
		sh.setAI(true, &never.ID)
		for question, says := range map[string]string{
			answerable:                 "Sizi bir temsilciye aktarıyorum; en kısa sürede yazacak.",
			"How do I return an item?": "I am handing you over to a colleague, who will write as soon as possible.",
		} {
			id = sh.writes("hours "+question, question).Conversation.ID
			sh.settle()
			if list, a := sh.answers(id), sh.state(id); len(list) != 1 || list[0].Body != says || *a.HandoverReason != assistant.OutOfHours {
				t.Errorf("during business hours: %+v, %+v", list, a)
			}
		}

		slow := sh.configure(map[string]any{"name": "Yavaş", "delay_s": 60})
		sh.setAI(true, &slow.ID)
		id = sh.writes("note", answerable).Conversation.ID
		sh.Owner.Post(conversations+"/"+id.String()+"/reply-as-agent", map[string]any{"body": "İç not", "message_type": "note"}).Want(200)
		check("before its time", id, conversation.AIActive, "")
		s.Clock.Advance(time.Minute)
		s.Settle()
		if n := len(sh.answers(id)); n != 1 {
			t.Errorf("%d answers after a note, want one", n)
		}

		// The window is checked when the answer is sent.
		id = sh.writes("window", answerable).Conversation.ID
		s.Clock.Advance(25 * time.Hour)
		sh.Owner = sh.SignIn("owner@demo.example")
		check("a closed window", id, conversation.AIHandedOver, "window_closed")
	})
}

// A conversation gets a limited number of answers, and a customer whose machine sends our
// answers back gets none.
func TestAnswerLimit(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		c := sh.configure(map[string]any{"name": "Kısa", "max_answers": 2, "delay_s": 0})
		sh.setAI(true, &c.ID)
		var id uuid.UUID
		asks := func(text string, answers int, says string) {
			t.Helper()
			id = sh.writes("elif", text).Conversation.ID
			sh.settle()
			if list := sh.answers(id); len(list) != answers || !strings.Contains(list[0].Body, says) {
				t.Errorf("%q: %d answers, the last is %q", text, len(list), list[0].Body)
			}
		}
		asks("Merhaba", 1, "Merhaba!")
		if a := sh.state(id); a.Answers != 0 || a.LastAnsweredAt != nil || a.Configuration.V == nil || *a.Configuration.V.ID != c.ID {
			t.Errorf("a greeting counts as an answer: %+v", a)
		}
		asks(answerable, 2, "14 gün")
		asks("Teşekkürler", 3, "Rica ederim")
		asks(answerable, 4, "14 gün")
		asks(answerable, 5, "Sizi bir temsilciye aktarıyorum")
		asks(answerable, 5, "Sizi bir temsilciye aktarıyorum")
		if a := sh.state(id); a.State != conversation.AIHandedOver || *a.HandoverReason != assistant.AnswerLimit || a.Answers != 2 || a.LastAnsweredAt == nil {
			t.Errorf("got %+v", a)
		}
		// After reopening, the count starts again.
		sh.Owner.Post(conversations+"/"+id.String()+"/close", nil).Want(200)
		s.Clock.Advance(time.Hour)
		asks(answerable, 6, "14 gün")
		echo := sh.writes("echo", answerable).Conversation.ID
		sh.settle()
		sh.writes("echo", sh.answers(echo)[0].Body)
		sh.settle()
		if a := sh.state(echo); len(sh.answers(echo)) != 1 || *a.HandoverReason != assistant.Repeated {
			t.Errorf("%d answers, %+v", len(sh.answers(echo)), a)
		}
	})
}

// Several messages in a row get one answer, and a job that is repeated, as after a crash,
// writes nothing.
func TestMessagesInARowAreAnsweredOnce(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		sh.writes("elif", answerable)
		last := sh.writes("elif", "Teşekkürler")
		id := last.Conversation.ID
		sh.settle()
		if list := sh.answers(id); len(list) != 1 || !strings.Contains(list[0].Body, "14 gün") {
			t.Fatalf("got %+v", list)
		}
		// The answer is removed from the timeline, so only the message's row shows that it
		// was answered.
		err := s.DB.Tenant(sh.ID).InTx(sh.Context(), func(tx *db.Tx) error {
			if err := tx.Exec(`UPDATE conversation_item SET deleted_at = 1 WHERE tenant_id = $1 AND author_kind = 'bot'`, tx.Tenant()); err != nil {
				return err
			}
			_, err := jobs.Enqueue(tx, assistant.AnswerJob, tx.Now(), map[string]any{"conversation_id": id, "item_id": last.Item.ID})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		sh.settle()
		if a := sh.state(id); len(sh.answers(id)) != 0 || a.Answers != 1 {
			t.Errorf("answered again: %+v", a)
		}
	})
}

// Either each of several questions in a row is answered, or a person answers all of them.
func TestSeveralQuestionsInARow(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		ask := func(who string, texts ...string) (uuid.UUID, []conversation.Item) {
			t.Helper()
			var id uuid.UUID
			for _, text := range texts {
				id = sh.writes(who, text).Conversation.ID
				s.Clock.Advance(100 * time.Millisecond)
			}
			sh.settle()
			return id, sh.answers(id)
		}
		id, list := ask("elif", answerable, "Kargo takip numarası nerede?", answerable)
		if len(list) != 1 || !strings.Contains(list[0].Body, "14 gün") || strings.Count(list[0].Body, "Kaynak: ") != 2 || !strings.Contains(list[0].Body, "Takip numarası e-posta") {
			t.Errorf("got %+v", list)
		}
		var sources []conversation.AISource
		sh.Owner.Get(conversations + "/" + id.String() + "/items/" + list[0].ID.String() + "/ai-sources").Want(200).Data(&sources)
		if len(sources) != 2 {
			t.Errorf("the sources are %+v", sources)
		}
		id, list = ask("can", answerable, "Mağazanız hangi semtte?")
		var c conversation.Conversation
		sh.Owner.Get(conversations + "/" + id.String()).Want(200).Data(&c)
		if a := sh.state(id); len(list) != 1 || c.WaitingSince == nil || a.State != conversation.AIHandedOver || *a.HandoverReason != assistant.NoAnswer {
			t.Errorf("got %+v, %+v, %+v", list, c, a)
		}
		// Parts of one question are one question.
		if _, list = ask("ece", "Selam", "ürünü", "nasıl iade edebilirim", "48213"); len(list) != 1 || !strings.Contains(list[0].Body, "14 gün") {
			t.Errorf("got %+v", list)
		}
	})
}

// A customer who reopens a closed conversation gets the assistant again, unless the
// conversation has an owner.
func TestAssistantAnswersReopenedConversation(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		for _, owned := range []bool{false, true} {
			who := map[bool]string{false: "elif", true: "can"}[owned]
			id := sh.writes(who, "Mağazanız hangi semtte?").Conversation.ID
			sh.settle()
			if owned {
				sh.Owner.Post(conversations+"/"+id.String()+"/join", nil).Want(200)
			}
			sh.Owner.Post(conversations+"/"+id.String()+"/close", nil).Want(200)
			before := len(sh.answers(id))
			sh.writes(who, answerable)
			sh.settle()
			want := map[bool]string{false: conversation.AIActive, true: conversation.AIHandedOver}[owned]
			if a := sh.state(id); a.State != want || (len(sh.answers(id)) == before) != owned {
				t.Errorf("%s: %d answers before, %d now, %+v", who, before, len(sh.answers(id)), a)
			}
		}
	})
}

// A summary needs no external service.
func TestSummarize(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		sh.setAI(false, nil)
		for who, q := range map[string][]string{
			"elif": {"tr", "Merhaba. Siparişim ne zaman kargoya verilecek?", "Siparişiniz yarın kargoya verilecek.", "Müşteri: Siparişim ne zaman kargoya verilecek?", "Yanıt: Siparişiniz yarın"},
			"john": {"en", "Hello. When will my order be shipped?", "Your order will be shipped tomorrow.", "Customer: When will my order be shipped?", "Answer: Your order will"},
		} {
			id := sh.writes(who, q[1]).Conversation.ID
			path := conversations + "/" + id.String()
			sh.Owner.Post(path+"/reply-as-agent", map[string]any{"body": q[2]}).Want(200)
			var made airecord.Summary
			sh.Owner.Post(path+"/summary/generate", nil).Want(200).Data(&made)
			if *made.Language != q[0] || !strings.Contains(*made.Summary, q[3]) || !strings.Contains(*made.Summary, q[4]) || made.Configuration.V.Name != "Konak" {
				t.Errorf("%s: got %q", who, *made.Summary)
			}
		}

		sh.setAI(true, nil)
		path := conversations + "/" + sh.writes("bot", answerable).Conversation.ID.String()
		sh.settle()
		lastLine := func(want string) {
			t.Helper()
			var made airecord.Summary
			if sh.Owner.Post(path+"/summary/generate", nil).Want(200).Data(&made); !strings.HasSuffix(*made.Summary, "\n"+want) {
				t.Errorf("got %q, want %q at its end", *made.Summary, want)
			}
		}
		lastLine("Son sözü asistan söyledi.")
		sh.Owner.Post(path+"/ai-handover", map[string]any{"reason": "agent_asked"}).Want(200)
		lastLine("Müşteri yanıt bekliyor.")
	})
}

// A trial shows the answer and the reason, and stores nothing.
func TestTrialStoresNothing(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		try := func(question string) (out assistant.Trial) {
			t.Helper()
			sh.Owner.Post("/api/crm/v1/assistant/try", map[string]any{"question": question}).Want(200).Data(&out)
			return out
		}
		if got := try(answerable); !got.Answered || got.Reason != nil || got.Language != "tr" || !strings.Contains(got.Text, "14 gün") ||
			len(got.Candidates) == 0 || got.Candidates[0].Confidence < got.Bound {
			t.Errorf("got %+v", got)
		}
		if got := try("What are your opening hours?"); got.Answered || *got.Reason != assistant.NoAnswer || got.Language != "en" {
			t.Errorf("got %+v", got)
		}
		sh.Guest().Post("/api/crm/v1/assistant/try", map[string]any{"question": "x"}).Refused(403, "forbidden")
		var list []conversation.Conversation
		sh.Owner.Get(conversations).Want(200).Data(&list)
		if len(list) != 0 {
			t.Errorf("a trial left %d conversations", len(list))
		}
	})
}

func TestConfigurations(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		c := sh.configure(map[string]any{"name": " Gece ", "active": "outside_hours", "delay_s": 0, "max_answers": 3})
		if c.Name != "Gece" || c.Active != assistant.OutsideHours || c.Delay != 0 || c.MaxAnswers != 3 {
			t.Errorf("got %+v", c)
		}
		plain := sh.configure(map[string]any{"name": "Gündüz"})
		if plain.Active != assistant.Always || plain.Delay != 2 || plain.MaxAnswers != 5 {
			t.Errorf("got %+v", plain)
		}
		path := configurations + "/" + c.ID.String()
		sh.Owner.Post(configurations, map[string]any{"name": "GECE"}).Refused(409, "conflict")
		sh.Owner.Put(path, map[string]any{"name": "gündüz"}).Refused(409, "conflict")
		sh.Owner.Post(configurations, map[string]any{"name": "  "}).Refused(422, "validation_failed")
		sh.Owner.Post(configurations, map[string]any{"name": "x", "delay_s": 61}).Refused(422, "validation_failed")
		sh.Owner.Put(path, map[string]any{"name": "Gece", "max_answers": 4}).Want(200).Data(&c)
		sh.Owner.Get(path).Want(200).Data(&c)
		if c.MaxAnswers != 4 || c.Active != assistant.Always {
			t.Errorf("got %+v", c)
		}
		var list []assistant.Configuration
		sh.Owner.Get(configurations).Want(200).Data(&list)
		if len(list) != 2 || list[0].ID != c.ID {
			t.Errorf("got %+v", list)
		}
		// A channel can only name a configuration that exists, and a configuration that is
		// in use cannot be deleted.
		ai := channels + "/" + sh.account.String() + "/ai"
		sh.Owner.Do("PATCH", ai, map[string]any{"enabled": true, "configuration_id": uuid.New()}).Refused(422, "validation_failed")
		sh.setAI(true, &c.ID)
		if a := sh.setAI(false, nil); a.AIConfigurationID == nil || *a.AIConfigurationID != c.ID {
			t.Errorf("got %+v", a)
		}
		if e := sh.Owner.Delete(path).Refused(409, "conflict"); e.Reason != "in_use" {
			t.Errorf("got %+v", e)
		}
		for name, none := range map[string]any{"null": nil, "the nil id": uuid.Nil} {
			sh.setAI(true, &c.ID)
			var a channel.Account
			if sh.Owner.Do("PATCH", ai, map[string]any{"enabled": true, "configuration_id": none}).Want(200).Data(&a); a.AIConfigurationID != nil {
				t.Errorf("%s: got %+v", name, a)
			}
		}
		other := s.Workspace("acme")
		other.Owner.Get(path).Refused(404, "not_found")
		other.Owner.Put(path, map[string]any{"name": "x"}).Refused(404, "not_found")
		other.Owner.Delete(path).Refused(404, "not_found")
		guest := sh.Guest()
		guest.Get(configurations).Refused(403, "forbidden")
		guest.Post(configurations, map[string]any{"name": "x"}).Refused(403, "forbidden")
		sh.Owner.Delete(path).Want(200)
		sh.Owner.Get(path).Refused(404, "not_found")
		if err := s.Identity.SetLicences(t.Context(), sh.Slug, []string{"crm"}); err != nil {
			t.Fatal(err)
		}
		sh.Owner.Get(configurations).Refused(403, "not_licensed")
	})
}
