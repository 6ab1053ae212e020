package conversation_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/crm/reply"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/perm"
	"konak/internal/kit/pgtest"
)

// The state machine as decided, written a second time on purpose: a test against the code's
// own table would always agree. Each line is a trigger, and for open, snoozed and closed
// the next state and the events; "-" stands for a repeat that changes nothing.
var decided = map[conversation.Trigger][3]string{
	"customer_message": {"open replied", "open replied opened", "open replied opened"},
	"blocked_message":  {"open replied", "snoozed replied", "closed replied"},
	"machine_message":  {"open replied", "snoozed replied", "closed replied"},
	"agent_comment":    {"open replied", "snoozed replied", "open replied opened"},
	"note":             {"open noted", "snoozed noted", "closed noted"}, // hidden: no webhook hears of notes
	"snooze":           {"snoozed snoozed", "snoozed snoozed", "snoozed snoozed"},
	"wake":             {"open -", "open opened", "closed -"},
	"close":            {"closed closed", "closed closed", "closed -"},
	"open":             {"open -", "open opened", "open opened"},
	"join":             {"open assigned", "snoozed assigned", "closed assigned"},
	"leave":            {"open assigned", "snoozed assigned", "closed assigned"},
	"assign":           {"open assigned", "snoozed assigned", "closed assigned"},
	"escalate":         {"open updated", "open opened", "open opened"},
	"merge":            {"closed closed merged", "closed closed merged", "closed merged"},
	"delete":           {"open deleted", "snoozed deleted", "closed deleted"},
	"restore":          {"open restored", "snoozed restored", "closed restored"},
}

var states = []conversation.State{"open", "snoozed", "closed"}

// decision reads one cell.
func decision(on conversation.Trigger, from int) (to conversation.State, emits []string) {
	emits = []string{}
	for i, word := range strings.Fields(decided[on][from]) {
		switch {
		case i == 0:
			to = conversation.State(word)
		case word != "-":
			emits = append(emits, "conversation."+word)
		}
	}
	return to, emits
}

// pull is one trigger: its precondition, and how to trigger it.
type pull struct {
	before func(id uuid.UUID) error
	act    func(ctx context.Context, id uuid.UUID) error
	after  func(id uuid.UUID) error
}

// pulls returns all triggers of an existing conversation.
func (in *inbox) pulls() map[conversation.Trigger]pull {
	s, gate, owner := in.s, in.s.Conversations, in.Context()
	other := in.begin()
	_, can := in.member("can")
	colleague := caller.With(in.t.Context(), &caller.Caller{Kind: caller.Agent, TenantID: in.ID, Slug: in.Slug, ID: can, Perms: perm.NewSet(perm.All()...)})
	one := func(_ any, err error) error { return err }
	block := func(yes bool) func(uuid.UUID) error {
		return func(uuid.UUID) error { return one(s.Contacts.Block(owner, in.customer.ID, yes)) }
	}
	me := conversation.AgentAuthor(in.Member)
	customer := func(ctx context.Context, id uuid.UUID) error {
		return one(s.Replies.ReplyAsCustomer(ctx, id, "Hâlâ bekliyorum"))
	}
	return map[conversation.Trigger]pull{
		"customer_message": {act: customer},
		"blocked_message":  {before: block(true), act: customer, after: block(false)},
		"machine_message": {act: func(ctx context.Context, id uuid.UUID) error {
			return one(s.Inbound.Ingest(ctx, inbound.Inbound{
				Channel: conversation.Mail, Body: "Ofis dışındayım", ConversationID: &id, AutoReply: true,
				From: contact.Sender{Channel: conversation.Mail, AccountID: uuid.New(), ExternalID: "elif@example.com", Email: "elif@example.com"},
			}))
		}},
		"agent_comment": {act: func(ctx context.Context, id uuid.UUID) error {
			return one(s.Replies.Reply(ctx, id, reply.Answer{Author: me, Body: "Yarın"}))
		}},
		"note": {act: func(ctx context.Context, id uuid.UUID) error {
			return one(s.Replies.Reply(ctx, id, reply.Answer{Author: me, Body: "VIP", Note: true}))
		}},
		"snooze": {act: func(ctx context.Context, id uuid.UUID) error {
			return one(gate.Snooze(ctx, id, clock.Ptr(s.Clock.Now().Add(2*time.Hour)), false))
		}},
		"wake": {act: func(context.Context, uuid.UUID) error {
			s.Clock.Advance(90 * time.Minute)
			return one(s.Waker.Step(in.t.Context()))
		}},
		"close": {act: func(ctx context.Context, id uuid.UUID) error { return one(gate.Close(ctx, id)) }},
		"open":  {act: func(ctx context.Context, id uuid.UUID) error { return one(gate.Open(ctx, id)) }},
		"join":  {act: func(ctx context.Context, id uuid.UUID) error { return one(gate.Join(ctx, id)) }},
		"leave": {
			before: func(id uuid.UUID) error { return one(gate.Join(colleague, id)) },
			act:    func(_ context.Context, id uuid.UUID) error { return one(gate.Leave(colleague, id)) },
		},
		"assign": {act: func(ctx context.Context, id uuid.UUID) error { return one(gate.Assign(ctx, id, &in.Member)) }},
		"escalate": {act: func(ctx context.Context, id uuid.UUID) error {
			return one(gate.Escalate(ctx, id, "customer_asked", nil))
		}},
		"merge": {act: func(ctx context.Context, id uuid.UUID) error { return one(s.Whole.Merge(ctx, id, other)) }},
		"delete": {
			act:   func(ctx context.Context, id uuid.UUID) error { return gate.Delete(ctx, id) },
			after: func(id uuid.UUID) error { return one(gate.Restore(owner, id)) },
		},
		"restore": {
			before: func(id uuid.UUID) error { return gate.Delete(owner, id) },
			act:    func(ctx context.Context, id uuid.UUID) error { return one(gate.Restore(ctx, id)) },
		},
	}
}

// each calls fn for every state and trigger with a separate conversation that is ready for
// it.
func (in *inbox) each(fn func(name string, from int, on conversation.Trigger, p pull, id uuid.UUID)) {
	in.t.Helper()
	pulls := in.pulls()
	for _, on := range slices.Sorted(maps.Keys(decided)) {
		p, ok := pulls[on]
		if !ok {
			in.t.Fatalf("the test cannot set %s off", on)
		}
		for from, state := range states {
			name := fmt.Sprintf("%s on %s", state, on)
			do := func(step func(uuid.UUID) error, id uuid.UUID) {
				if step == nil {
					return
				}
				if err := step(id); err != nil {
					in.t.Fatalf("%s: %v", name, err)
				}
			}
			id := in.begin()
			if state != conversation.Open {
				in.put(id, state)
			}
			do(p.before, id)
			in.events()
			fn(name, from, on, p, id)
			do(p.after, id)
			if c := in.get(id); c.MergedIntoID == nil {
				in.put(id, conversation.Closed) // or it would wake among the next
			}
			in.events()
		}
	}
}

// TestTransitions walks the whole table: every state on every trigger, with the next state,
// exactly the decided events, and the fields that belong to a state.
func TestTransitions(t *testing.T) {
	t.Parallel()
	for _, row := range conversation.Transitions {
		if _, known := decided[row.On]; row.From != "" && !known {
			t.Errorf("%s is a trigger that nobody decided on", row.On)
		}
	}
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		in.each(func(name string, from int, on conversation.Trigger, p pull, id uuid.UUID) {
			to, emits := decision(on, from)
			before, was := in.timeline(id), conversation.Conversation{}
			if len(emits) == 0 {
				was = in.get(id)
			}
			s.Clock.Advance(time.Millisecond)
			if err := p.act(in.Context(), id); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := cmp.Diff(emits, in.events()); diff != "" {
				t.Errorf("%s: events\n%s", name, diff)
			}
			if after := in.timeline(id); len(emits) == 0 && after != before {
				t.Errorf("%s: a repeat wrote %d items", name, after-before)
			}
			if on == "delete" {
				in.Owner.Get(base+"/"+id.String()).Refused(404, "not_found")
				return
			}
			c := in.get(id)
			if len(emits) == 0 {
				if diff := cmp.Diff(was, c, cmpopts.IgnoreUnexported(c)); diff != "" {
					t.Errorf("%s: a repeat changed\n%s", name, diff)
				}
			}
			if c.State != to {
				t.Errorf("%s: state %s, want %s", name, c.State, to)
			}
			if (c.ClosedAt != nil) != (to == "closed") || (c.SnoozedUntil != nil) != (to == "snoozed") {
				t.Errorf("%s: closed at %v, snoozed until %v", name, c.ClosedAt, c.SnoozedUntil)
			}
			switch waits := c.WaitingSince != nil; {
			case on == "customer_message" && !waits, on == "escalate" && !waits:
				t.Errorf("%s: the customer does not wait", name)
			case on == "agent_comment" && (waits || c.FirstReplyAt == nil), on == "close" && waits:
				t.Errorf("%s: the customer waits since %v, first answer %v", name, c.WaitingSince, c.FirstReplyAt)
			case on == "escalate" && c.AIState != conversation.AIHandedOver:
				t.Errorf("%s: the assistant is %s", name, c.AIState)
			case (on == "join" || on == "assign") && (c.OwnerID == nil || *c.OwnerID != in.Member):
				t.Errorf("%s: the owner is %v", name, c.OwnerID)
			case on == "leave" && c.OwnerID != nil:
				t.Errorf("%s: the owner is %v", name, c.OwnerID)
			case on == "merge" && c.MergedIntoID == nil:
				t.Errorf("%s: it is not merged", name)
			}
		})
	})
	for _, e := range conversation.Events() {
		if e.Hidden != slices.Contains([]string{"conversation.noted", "conversation.item_changed", "conversation.annotated", "conversation.schedule_changed"}, e.Name) {
			t.Errorf("%s: hidden %v", e.Name, e.Hidden)
		}
	}
}

func (in *inbox) timeline(id uuid.UUID) (n int) {
	in.t.Helper()
	err := in.s.DB.Tenant(in.ID).Read(in.t.Context(), func(r *db.Reader) (err error) {
		n, err = db.One(r, db.Scalar[int], `SELECT count(*) FROM conversation_item WHERE tenant_id = $1 AND conversation_id = $2`, r.Tenant(), id)
		return err
	})
	if err != nil {
		in.t.Fatal(err)
	}
	return n
}

// Each transition is one transaction: if its timeline item, or its event, cannot be
// written, nothing of it is left in the database.
func TestTransitionsAreWholeOrNothing(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			var url string
			s := apptest.NewOn(t, dialect, func(cfg *app.Config) { url = cfg.DB })
			wholeOrNothing(t, open(t, s), ownersWay(t, s, url))
		})
	}
}

// ownersWay returns a function that changes the schema, which the server's database role
// may not do.
func ownersWay(t *testing.T, s *apptest.Server, url string) func(statement string) {
	t.Helper()
	d := s.DB
	if d.Dialect() == db.Postgres {
		var err error
		if d, err = db.Open(t.Context(), db.Options{URL: strings.Replace(url, pgtest.AppRole, pgtest.OwnerRole, 1)}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return func(statement string) {
		t.Helper()
		err := d.System("test").InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(statement)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func wholeOrNothing(t *testing.T, in *inbox, alter func(string)) {
	t.Helper()
	d := in.s.DB
	in.each(func(name string, from int, on conversation.Trigger, p pull, id uuid.UUID) {
		if _, emits := decision(on, from); len(emits) == 0 {
			return
		}
		was := dbtest.Dump(t, d, in.ID)
		for _, table := range []string{"conversation_item", "outbox"} {
			alter(`ALTER TABLE ` + table + ` RENAME TO away`)
			err := p.act(in.Context(), id)
			alter(`ALTER TABLE away RENAME TO ` + table)
			// The waker only logs the error, and tries again.
			if err == nil && on != "wake" {
				t.Errorf("%s: went through without %s", name, table)
			}
			if diff := cmp.Diff(was, dbtest.Dump(t, d, in.ID)); diff != "" {
				t.Fatalf("%s: without %s something is left\n%s", name, table, diff)
			}
		}
		if err := p.act(in.Context(), id); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if dbtest.Dump(t, d, in.ID) == was {
			t.Errorf("%s: the test does not see what changes", name)
		}
	})
}
