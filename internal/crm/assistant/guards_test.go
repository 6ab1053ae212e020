package assistant_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/assistant"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/custom"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/sandbox/openai"
)

// A server that never begins to answer uses no tokens and no money of the day, however
// often it is called; one that received the request and does not answer may have used them.
func TestUnreachableModelUsesNoBudget(t *testing.T) {
	runWithModel(t, func(t *testing.T, sh *shop, model *openai.Server, c assistant.Configuration) {
		gone := httptest.NewServer(http.NotFoundHandler())
		gone.Close()
		reachable := c.Model.V.Address
		budget := map[string]any{"input_price": 1000, "output_price": 1000, "daily_money": 100, "daily_tokens": 20_000, "api_key": modelKey}
		ask := func(who, address string) assistant.Spending {
			t.Helper()
			budget["address"] = address
			c = sh.change(c, budget) // forgets the pause, and not what was spent
			id := sh.writes(who, answerable).Conversation.ID
			sh.settle()
			sh.handedOver(who, id, assistant.ModelUnreachable)
			return sh.read(c).Model.V.Spent
		}
		for fault, address := range map[string]string{openai.Dead: reachable, openai.Refuses: reachable, "gone": gone.URL + "/v1"} {
			if fault != "gone" {
				model.Fail(fault)
			}
			for _, turn := range []string{"a", "b", "c"} {
				if u := ask(fault+turn, address); u.Tokens != 0 || u.Money != 0 {
					t.Errorf("%s used %+v", fault, u)
				}
			}
		}
		model.Fail(openai.Slow)
		if u := ask("slow", reachable); u.Tokens == 0 || u.Money == 0 {
			t.Errorf("a server that may be at work used %+v", u)
		}
	})
}

// A conversation whose answer fails permanently goes to the team.
func TestPermanentFailureHandsOver(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		c := sh.configure(map[string]any{"name": "Kayıp"})
		sh.setAI(true, &c.ID)
		// The channel's configuration is missing, which no user can cause.
		if err := s.DB.Tenant(sh.ID).InTx(sh.Context(), func(tx *db.Tx) error {
			return tx.Exec(`DELETE FROM assistant_configuration WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), c.ID)
		}); err != nil {
			t.Fatal(err)
		}
		id := sh.writes("elif", answerable).Conversation.ID
		for range 6 {
			s.Settle()
			s.Clock.Advance(time.Minute)
		}
		if a := sh.state(id); len(sh.answers(id)) != 0 || a.State != conversation.AIHandedOver || a.HandoverReason == nil || *a.HandoverReason != assistant.Broken {
			t.Errorf("got %+v", a)
		}
	})
}

// changeHours opens the account on the given weekdays, all day; without days it has no
// hours.
func (sh *shop) changeHours(days ...int) error {
	var hours *channel.Hours
	for _, day := range days {
		if hours == nil {
			hours = &channel.Hours{Timezone: "UTC"}
		}
		hours.Spans = append(hours.Spans, channel.Span{Day: day, From: "00:00", To: "24:00"})
	}
	return sh.s.DB.Tenant(sh.ID).InTx(sh.Context(), func(tx *db.Tx) error {
		_, err := sh.s.Channels.Change(tx, custom.Name, sh.account, func(a *channel.Account) error { a.Hours.V = hours; return nil })
		return err
	})
}

func (sh *shop) setHours(days ...int) {
	sh.t.Helper()
	if err := sh.changeHours(days...); err != nil {
		sh.t.Fatal(err)
	}
}

// A configuration that depends on business hours requires channels that have them.
func TestBusinessHoursConfigurationNeedsHours(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		always, night := sh.configure(map[string]any{"name": "Hep"}), sh.configure(map[string]any{"name": "Gece", "active": assistant.OutsideHours})
		ai := channels + "/" + sh.account.String() + "/ai"
		refused := func(e *apptest.Error, field, code string) {
			t.Helper()
			if !slices.Contains(e.Fields[field], code) {
				t.Errorf("got %+v", e)
			}
		}
		sh.setAI(true, &always.ID)
		refused(sh.Owner.Do("PATCH", ai, map[string]any{"enabled": true, "configuration_id": night.ID}).Refused(422, "validation_failed"), "configuration_id", "channel_without_hours")
		path := configurations + "/" + always.ID.String()
		refused(sh.Owner.Put(path, map[string]any{"name": "Hep", "active": assistant.DuringHours}).Refused(422, "validation_failed"), "active", "channel_without_hours")
		sh.Owner.Put(path, map[string]any{"name": "Her zaman"}).Want(200)

		// While the assistant is off, no hours are required, but it cannot be switched on
		// without them.
		sh.setAI(false, &night.ID)
		refused(sh.Owner.Do("PATCH", ai, map[string]any{"enabled": true}).Refused(422, "validation_failed"), "configuration_id", "channel_without_hours")
		sh.setHours(1)
		sh.setAI(true, nil)
		if err := sh.changeHours(); err == nil || !strings.Contains(err.Error(), "validation_failed") {
			t.Errorf("the hours were taken away: %v", err)
		}
		sh.Owner.Put(configurations+"/"+night.ID.String(), map[string]any{"name": "Gece", "active": assistant.DuringHours}).Want(200)
	})
}

// A configuration for business hours answers within them and hands over outside.
func TestAnswersDuringBusinessHours(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		c := sh.configure(map[string]any{"name": "Mesai", "active": assistant.DuringHours})
		// The clock is set to a Sunday.
		for day, reason := range map[int]string{1: assistant.OutOfHours, 7: ""} {
			sh.setHours(day)
			sh.setAI(true, &c.ID)
			id := sh.writes("day"+string(rune('0'+day)), answerable).Conversation.ID
			sh.settle()
			a, list := sh.state(id), sh.answers(id)
			if len(list) != 1 || (reason != "") != strings.Contains(list[0].Body, "çalışma saatlerimizde yazacak") || reason != "" && (a.HandoverReason == nil || *a.HandoverReason != reason) {
				t.Errorf("open on day %d: %+v, %+v", day, list, a)
			}
		}
	})
}

// What prevents an answer is checked again when it is written: here the assistant was
// switched off while the language model was writing.
func TestSwitchedOffWhileModelWrites(t *testing.T) {
	runWithModel(t, func(t *testing.T, sh *shop, model *openai.Server, c assistant.Configuration) {
		model.OnAsked(func() { sh.setAI(false, nil) })
		id := sh.writes("elif", answerable).Conversation.ID
		sh.settle()
		if a := sh.state(id); len(sh.answers(id)) != 0 || a.State != conversation.AIHandedOver || *a.HandoverReason != assistant.SwitchedOff {
			t.Errorf("%d answers, %+v", len(sh.answers(id)), a)
		}
	})
}

// Messages are accepted while a language model is working: its answer comes only after all
// of them. The additional time is printed.
func TestMessagesAreAcceptedWhileModelWorks(t *testing.T) {
	runWithModelFor(t, 30*time.Second, func(t *testing.T, sh *shop, model *openai.Server, _ assistant.Configuration) {
		const messages = 20
		write := func(name string) time.Duration {
			begin := time.Now()
			for i := range messages {
				sh.writes(name+strconv.Itoa(i), "Merhaba")
			}
			return time.Since(begin)
		}
		write("first")
		alone, beside := write("alone"), make(chan time.Duration, 1)
		sh.settle()
		id := sh.writes("elif", answerable).Conversation.ID
		model.OnAsked(func() { beside <- write("beside") })
		sh.settle()
		select {
		case took := <-beside:
			t.Logf("%d messages: %v alone, %v beside a language model that thinks, %.2f times as long", messages, alone, took, took.Seconds()/alone.Seconds())
		default:
			t.Fatal("the language model did not answer after the messages")
		}
		if list := sh.answers(id); len(list) != 1 || len(list[0].Body) == 0 || sh.state(id).State != conversation.AIActive {
			t.Errorf("got %+v", list)
		}
	})
}

// A conversation that the customer reopened, and that somebody took before the assistant
// handled it, stays with people.
func TestReopenedConversationTakenByAgentIsNotAnswered(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		again := func(who, question string, take func(path string)) (uuid.UUID, airecord.AIRecord) {
			t.Helper()
			id := sh.writes(who, question).Conversation.ID
			sh.settle()
			path := conversations + "/" + id.String()
			sh.Owner.Post(path+"/close", nil).Want(200)
			sh.writes(who, answerable)
			s.Clock.Advance(time.Second)
			take(path)
			sh.settle()
			return id, sh.state(id)
		}
		id, a := again("elif", answerable, func(path string) {
			sh.Owner.Post(path+"/ai-handover", map[string]any{"reason": "agent_asked"}).Want(200)
		})
		if len(sh.answers(id)) != 1 || a.State != conversation.AIHandedOver || !strings.Contains(*a.HandoverReason, "agent_asked") {
			t.Errorf("%d answers, %+v", len(sh.answers(id)), a)
		}
		id, a = again("can", "Mağazanız hangi semtte?", func(path string) { sh.Owner.Post(path+"/join", nil).Want(200) })
		if len(sh.answers(id)) != 1 || a.State != conversation.AIHandedOver {
			t.Errorf("somebody joined: %d answers, %+v", len(sh.answers(id)), a)
		}
	})
}

// The assistant is silent in a conversation that gets an owner through a merge.
func TestConversationOwnedByMergeIsNotAnswered(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		c := sh.writes("elif", answerable).Conversation
		sh.settle()
		other, err := s.Conversations.Create(sh.Context(), conversation.NewConversation{ContactID: c.ContactID, Channel: conversation.API, Body: "Bir sorum daha var"})
		if err != nil {
			t.Fatal(err)
		}
		path := conversations + "/" + other.ID.String()
		sh.Owner.Post(path+"/join", nil).Want(200)
		sh.Owner.Post(path+"/merge", map[string]any{"into_id": c.ID}).Want(200)
		sh.writes("elif", answerable)
		sh.settle()
		if n := len(sh.answers(c.ID)); n != 1 {
			t.Errorf("%d answers", n)
		}
	})
}

// Messages from machines, our own people outside Konak and the test environment get no
// answer, and do not return a closed conversation to the assistant.
func TestMachinesAndColleaguesAreNotAnswered(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		as := func(test bool) context.Context {
			return caller.With(t.Context(), &caller.Caller{Kind: caller.System, TenantID: sh.ID, Slug: sh.Slug, Test: test})
		}
		receive := func(test bool, who string, in inbound.Inbound) uuid.UUID {
			t.Helper()
			in.Channel, in.Body, in.AI = custom.Name, answerable, true
			in.From = contact.Sender{Channel: custom.Name, AccountID: sh.account, ExternalID: who}
			got, err := s.Inbound.Ingest(as(test), in)
			if err != nil {
				t.Fatal(err)
			}
			return got.Conversation.ID
		}
		end := func(test bool, id uuid.UUID) {
			t.Helper()
			if _, err := s.Conversations.Change(as(test), id, s.Conversations.ToClose()); err != nil {
				t.Fatal(err)
			}
		}
		check := func(name string, id uuid.UUID, answers int, state string) {
			t.Helper()
			sh.settle()
			if n, a := len(sh.answers(id)), sh.state(id); n != answers || a.State != state {
				t.Errorf("%s: %d answers, %+v", name, n, a)
			}
		}
		check("a machine that begins", receive(false, "news", inbound.Inbound{Automatic: true}), 0, conversation.AIOff)
		check("a machine that answers", receive(false, "absent", inbound.Inbound{AutoReply: true}), 0, conversation.AIActive)

		id := receive(false, "back", inbound.Inbound{})
		check("a person", id, 1, conversation.AIActive)
		receive(false, "back", inbound.Inbound{Automatic: true})
		check("a machine after a person", id, 1, conversation.AIActive)

		id = receive(false, "phone", inbound.Inbound{FromUs: true})
		check("the owner on the phone", id, 0, conversation.AIOff)
		end(false, id)
		receive(false, "phone", inbound.Inbound{FromUs: true})
		check("the owner again", id, 0, conversation.AIOff)

		id = receive(true, "test", inbound.Inbound{})
		check("a test", id, 0, conversation.AIOff)
		end(true, id)
		receive(true, "test", inbound.Inbound{})
		check("a test that opens its conversation again", id, 0, conversation.AIOff)

		c := sh.writes("unwanted", answerable).Conversation
		check("who is not blocked yet", c.ID, 1, conversation.AIActive)
		sh.Owner.Post("/api/crm/v1/contacts/"+c.ContactID.String()+"/block", nil).Want(200)
		sh.Owner.Delete(conversations + "/" + c.ID.String()).Want(200)
		check("a blocked contact that begins", receive(false, "unwanted", inbound.Inbound{}), 0, conversation.AIOff)

		// Messages in a conversation that people have create no jobs for the assistant.
		id = sh.writes("handed", "Bir insanla görüşmek istiyorum").Conversation.ID
		check("who asks for a person", id, 1, conversation.AIHandedOver)
		sh.writes("handed", answerable)
		left, err := db.Read(t.Context(), s.DB.Tenant(sh.ID), func(r *db.Reader) (int, error) {
			return db.One(r, db.Scalar[int], `SELECT count(*) FROM job WHERE tenant_id = $1 AND kind = $2`, r.Tenant(), assistant.AnswerJob)
		})
		if err != nil || left != 0 {
			t.Errorf("%d jobs, %v", left, err)
		}
	})
}
