package conversation_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/perm"
)

// deliver reports the delivery state of a message.
func (in *inbox) deliver(item conversation.Item, status string) {
	in.t.Helper()
	d := conversation.Delivery{Status: status}
	if status == conversation.Failed {
		d.Error = "time_out"
	}
	if err := in.s.Inbound.RecordOutcome(in.Context(), item.ID, d); err != nil {
		in.t.Fatal(err)
	}
}

// waits fails the test unless the customer has waited since a time (zero: does not wait),
// and the list of waiting conversations agrees.
func (in *inbox) waits(id uuid.UUID, what string, since time.Time) {
	in.t.Helper()
	c := in.get(id)
	if since.IsZero() != (c.WaitingSince == nil) || c.WaitingSince != nil && !c.WaitingSince.Equal(since) {
		in.t.Errorf("%s: the customer waits since %v, want %v", what, c.WaitingSince, since)
	}
	var list []conversation.Conversation
	in.Owner.Get(base + "?waiting=true").Want(200).Data(&list)
	if listed := len(list) == 1 && list[0].ID == id; listed == since.IsZero() {
		in.t.Errorf("%s: waiting are %+v", what, list)
	}
	open := 0
	for _, c := range list {
		if c.State == conversation.Open {
			open++
		}
	}
	if n := in.counts().All.Waiting; n != open {
		in.t.Errorf("%s: %d are counted as waiting, and %d are listed", what, n, open)
	}
}

// tick advances the clock by a second and returns the new time.
func (in *inbox) tick() time.Time {
	in.s.Clock.Advance(time.Second)
	return in.s.Clock.Now()
}

// A failed answer is no answer: the customer waits again since the first message that no
// other answer followed, until it is sent after all.
func TestFailedReplyKeepsCustomerWaiting(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		router := &fakeRouter{account: uuid.New()}
		s.UseRouter(router)
		retry := func(item conversation.Item) {
			t.Helper()
			in.Owner.Post(itemPath(item)+"/retry", nil).Want(200)
		}
		first := in.tick()
		id := in.inbound(router.account, "wamid.1").Conversation.ID
		in.tick()
		one := in.say(id, map[string]any{"body": "Bir"})
		in.waits(id, "an answer is on its way", time.Time{})
		in.tick()
		in.deliver(one, conversation.Failed)
		in.waits(id, "it failed", first)
		retry(one)
		in.waits(id, "it is sent again", time.Time{})
		second := in.tick()
		in.inbound(router.account, "wamid.2")
		in.waits(id, "the customer wrote again", second)
		in.tick()
		in.deliver(one, conversation.Failed)
		in.waits(id, "it failed again", first)
		retry(one)
		in.waits(id, "it is sent again and the second message stays", second)
		in.tick()
		two := in.say(id, map[string]any{"body": "İki"})
		in.deliver(one, conversation.Failed)
		in.waits(id, "a later answer is on its way", time.Time{})
		in.deliver(two, conversation.Failed)
		in.waits(id, "both failed", first)
		in.deliver(one, conversation.Sent)
		in.waits(id, "the first arrived after all", second)
		in.deliver(two, conversation.Sent)
		in.waits(id, "both arrived after all", time.Time{})
	})
}

// After a failed answer nobody waits in a closed conversation, in one that was closed
// before the answer, or as a blocked customer; and automatic replies of the customer do not
// count as waiting.
func TestFailedReplyWithoutWaitingCustomer(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(in *inbox, account, id uuid.UUID) conversation.Item{
		"closed after it": func(in *inbox, _, id uuid.UUID) conversation.Item {
			answer := in.say(id, map[string]any{"body": "Bir"})
			in.tick()
			in.put(id, conversation.Closed)
			return answer
		},
		"closed before it": func(in *inbox, _, id uuid.UUID) conversation.Item {
			in.put(id, conversation.Closed)
			in.tick()
			return in.say(id, map[string]any{"body": "Bir"})
		},
		"blocked": func(in *inbox, _, id uuid.UUID) conversation.Item {
			answer := in.say(id, map[string]any{"body": "Bir"})
			in.Owner.Post("/api/crm/v1/contacts/"+in.get(id).ContactID.String()+"/block", nil).Want(200)
			return answer
		},
		"machine": func(in *inbox, account, id uuid.UUID) conversation.Item {
			in.deliver(in.say(id, map[string]any{"body": "Bir"}), conversation.Sent)
			in.tick()
			if _, err := in.s.Inbound.Ingest(in.Context(), inbound.Inbound{
				Channel: "whatsapp", From: contact.Sender{Channel: "whatsapp", AccountID: account, ExternalID: "905321112233", Name: "Elif"},
				Body: "Tatildeyim", ProviderMessageID: "wamid.2", AutoReply: true,
			}); err != nil {
				in.t.Fatal(err)
			}
			in.tick()
			return in.say(id, map[string]any{"body": "İki"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			apptest.Run(t, func(t *testing.T, s *apptest.Server) {
				in := open(t, s)
				router, id := in.onWhatsApp()
				in.tick()
				answer := act(in, router.account, id)
				in.tick()
				in.deliver(answer, conversation.Failed)
				in.waits(id, name, time.Time{})
			})
		})
	}
}

// Each change of a message's delivery reaches open panels once, a failure as its own event.
func TestDeliveryIsAnnounced(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		_, id := in.onWhatsApp()
		message := in.say(id, map[string]any{"body": "Merhaba"})
		in.events()
		for _, step := range []struct {
			status, reason string
			event          string
		}{
			{conversation.Queued, "", ""},
			{conversation.Queued, "sending_quota_reached", conversation.ItemChanged},
			{conversation.Failed, "time_out", conversation.DeliveryFailed},
			{conversation.Sent, "", conversation.ItemChanged},
		} {
			want := []string{}
			if step.event != "" {
				want = append(want, step.event)
			}
			for range 2 {
				d := conversation.Delivery{Status: step.status, Error: step.reason}
				if err := s.Inbound.RecordOutcome(in.Context(), message.ID, d); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, in.events(), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%+v: %s", step, diff)
				}
				want = nil // a repeat says nothing
			}
		}
	})
}

// The list shows that the last message to the customer did not arrive, until it is on its
// way again or a later one arrived; a later one that is still on its way changes nothing
// yet.
func TestListShowsFailedDelivery(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		router := &fakeRouter{account: uuid.New()}
		s.UseRouter(router)
		id := in.inbound(router.account, "wamid.1").Conversation.ID
		key := in.Key(false, perm.ConversationsView)
		says := func(what string, want bool) {
			t.Helper()
			in.tick()
			for who, c := range map[string]*apptest.Client{"an agent": in.Owner, "a program": key} {
				at := base
				if c == key {
					at = public
				}
				var list []conversation.Conversation
				if c.Get(at).Want(200).Data(&list); len(list) != 1 || list[0].DeliveryFailed != want {
					t.Errorf("%s: %s is told %+v, want %v", what, who, list, want)
				}
			}
			if got := in.get(id).DeliveryFailed; got != want {
				t.Errorf("%s: the conversation itself says %v, want %v", what, got, want)
			}
		}
		says("nobody answered", false)
		one := in.say(id, map[string]any{"body": "Bir"})
		says("an answer is on its way", false)
		in.deliver(one, conversation.Failed)
		says("it failed", true)
		in.inbound(router.account, "wamid.2")
		says("the customer wrote again", true)
		in.Owner.Post(itemPath(one)+"/retry", nil).Want(200)
		says("it is sent again", false)
		in.deliver(one, conversation.Failed)
		two := in.say(id, map[string]any{"body": "İki"})
		says("a later one is on its way", true)
		in.deliver(two, conversation.Sent)
		says("a later one arrived", false)
		in.deliver(two, conversation.Failed)
		says("the later one was returned", true)
		in.Owner.Delete(itemPath(two)).Want(200)
		says("it was deleted, and the one before it failed", true)
		in.deliver(one, conversation.Sent)
		says("what is left arrived", false)
		in.deliver(one, conversation.Failed)
		says("it was returned", true)
		for n := range 20 {
			in.inbound(router.account, "wamid.later"+strconv.Itoa(n))
		}
		says("the customer wrote much since", false)
	})
}
