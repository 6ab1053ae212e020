package conversation_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/hourly"
	"konak/internal/crm/finder"
	"konak/internal/crm/reply"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

func (in *inbox) person(id uuid.UUID) (c contact.Contact) {
	in.t.Helper()
	in.Owner.Get("/api/crm/v1/contacts/" + id.String()).Want(200).Data(&c)
	return c
}

// A key of the test environment writes records that are marked as such, and causes no
// deliveries, whoever acts on them later.
func TestTestKeyRecordsAreMarked(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		in.Owner.Post("/api/erp/v1/webhooks", map[string]any{
			"address": "http://127.0.0.1:1/", "events": []string{conversation.Created, conversation.Replied, contact.Created, contact.Updated},
		}).Want(201)
		way := &mailRouter{mailbox: uuid.New()}
		s.UseRouter(way)
		key := in.Key(true, perm.All()...)
		var c conversation.Conversation
		// The address belongs to a live contact; the test environment gets its own contact.
		key.Post(public, map[string]any{"contact": map[string]any{"email": "ELIF@example.com", "name": "Deneme"}, "body": "deneme"}).Want(201).Data(&c)
		if !c.Test || c.ContactID == in.customer.ID {
			t.Errorf("got %+v", c)
		}
		who := in.person(c.ContactID)
		if !who.Test || who.Name != "Deneme" || who.Emails[0].Address != "ELIF@example.com" || in.person(in.customer.ID).Test {
			t.Errorf("got %+v", who)
		}
		// It can change and find what it created.
		path := public + "/" + c.ID.String()
		key.Post(path+"/reply", map[string]any{"type": "user", "body": "x"}).Want(200)
		key.Post(path+"/reply", map[string]any{"type": "admin", "admin_id": in.Member, "body": "x"}).Want(200)
		key.Post(path+"/tags", map[string]any{"add": []string{"deneme"}}).Want(200)
		key.Put(path+"/state", map[string]any{"state": "closed"}).Want(200)
		var again conversation.Conversation
		key.Post(public, map[string]any{"contact_id": c.ContactID, "body": "yine"}).Want(201).Data(&again)
		if again.ContactID != c.ContactID || !again.Test {
			t.Errorf("got %+v", again)
		}
		// An agent may act on it, and what they do there is also test data.
		in.Owner.Post(base+"/"+c.ID.String()+"/reply-as-agent", map[string]any{"body": "x"}).Want(200)
		in.Owner.Do("PUT", "/api/crm/v1/contacts/"+c.ContactID.String(), map[string]any{"company": "Deneme A.Ş."}).Want(200)
		var begun conversation.Conversation
		in.Owner.Post(base, map[string]any{"contact_id": c.ContactID, "subject": "x"}).Want(201).Data(&begun)
		if !begun.Test {
			t.Error("a conversation with a contact of the test environment is live")
		}
		in.events()
		var n int
		err := s.DB.Tenant(in.ID).Read(t.Context(), func(r *db.Reader) (err error) {
			n, err = db.One(r, db.Scalar[int], `SELECT count(*) FROM webhook_delivery WHERE tenant_id = $1`, r.Tenant())
			return err
		})
		if err != nil || n != 0 {
			t.Errorf("%d deliveries, %v", n, err)
		}
		if len(way.taken) != 0 {
			t.Errorf("a customer is sent %+v", way.taken)
		}
		// A live sender with the same address becomes the live contact.
		var live conversation.Conversation
		in.FullKey().Post(public, map[string]any{"contact": map[string]any{"email": "elif@example.com"}, "body": "canlı"}).Want(201).Data(&live)
		if live.Test || live.ContactID != in.customer.ID {
			t.Errorf("got %+v", live)
		}
		// Test and live records cannot be combined.
		for path, body := range map[string]map[string]any{
			"/api/crm/v1/contacts/" + in.customer.ID.String() + "/merge": {"contact_id": c.ContactID},
			"/api/crm/v1/contacts/" + c.ContactID.String() + "/merge":    {"contact_id": in.customer.ID},
			base + "/" + live.ID.String() + "/merge":                     {"into_id": c.ID},
			base + "/" + live.ID.String() + "/participants":              {"contact_id": c.ContactID},
			base + "/" + c.ID.String() + "/participants":                 {"contact_id": in.customer.ID},
		} {
			in.Owner.Post(path, body).Refused(409, "test_environment")
		}
		in.Owner.Put(base+"/"+live.ID.String(), map[string]any{"contact_id": c.ContactID}).Refused(409, "test_environment")
		if file := string(in.Owner.Get("/api/crm/v1/contacts/export").Want(200).Body); !strings.Contains(file, "elif@example.com") || strings.Contains(file, "ELIF@example.com") {
			t.Errorf("got %s", file)
		}
	})
}

// A key of the test environment changes nothing live, and sees none of it.
func TestTestKeysChangeNothingLive(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		in.Owner.Post(base+"/"+id.String()+"/join", nil).Want(200)
		item := in.say(id, map[string]any{"body": "Buyurun"})
		in.Owner.Post(base+"/"+id.String()+"/reply-as-customer", map[string]any{"body": "Bekliyorum"}).Want(200)
		var friend contact.Contact
		in.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Ortak"}).Want(201).Data(&friend)
		in.Owner.Post(base+"/"+id.String()+"/participants", map[string]any{"contact_id": friend.ID}).Want(200)
		was, wasItems, wasContact := in.get(id), in.items(id), in.person(in.customer.ID)
		in.events()

		key := in.Key(true, perm.All()...)
		path := public + "/" + id.String()
		key.Get(path).Refused(404, "not_found")
		key.Get(path+"/items").Refused(404, "not_found")
		key.Get(path+"/participants").Refused(404, "not_found")
		key.Post(path+"/typing", map[string]any{"typing": true}).Refused(404, "not_found")
		key.Post(path+"/reply", map[string]any{"type": "admin", "admin_id": in.Member, "body": "TEST REPLY"}).Refused(404, "not_found")
		key.Post(path+"/reply", map[string]any{"type": "admin", "admin_id": in.Member, "body": "not", "message_type": "note"}).Refused(404, "not_found")
		key.Post(path+"/reply", map[string]any{"type": "user", "body": "x"}).Refused(404, "not_found")
		key.Put(path+"/state", map[string]any{"state": "closed"}).Refused(404, "not_found")
		key.Post(path+"/tags", map[string]any{"add": []string{"x"}}).Refused(404, "not_found")
		key.Post(path+"/participants", map[string]any{"contact_id": friend.ID}).Refused(404, "not_found")
		key.Delete(path+"/participants/"+friend.ID.String()).Refused(404, "not_found")
		key.Post(public, map[string]any{"contact_id": in.customer.ID, "body": "x"}).Refused(422, "validation_failed")

		// The same at the gates, for operations that no route for keys reaches today.
		ctx := caller.With(t.Context(), &caller.Caller{Kind: caller.APIKey, TenantID: in.ID, Slug: in.Slug, ID: uuid.New(), Test: true, Perms: perm.NewSet(perm.All()...)})
		gate, book, later := s.Conversations, s.Contacts, clock.At(s.Clock.Now().Add(time.Hour))
		other := in.begin()
		in.events()
		text := "x"
		one := func(_ any, err error) error { return err }
		for name, act := range map[string]func(context.Context) error{
			"open":     func(ctx context.Context) error { return one(gate.Open(ctx, id)) },
			"snooze":   func(ctx context.Context) error { return one(gate.Snooze(ctx, id, &later, false)) },
			"assign":   func(ctx context.Context) error { return one(gate.Assign(ctx, id, nil)) },
			"update":   func(ctx context.Context) error { return one(gate.Update(ctx, id, conversation.Change{Subject: &text})) },
			"ai":       func(ctx context.Context) error { return one(gate.Change(ctx, id, gate.ToSetAI(conversation.AIActive))) },
			"escalate": func(ctx context.Context) error { return one(gate.Escalate(ctx, id, "x", nil)) },
			"merge":    func(ctx context.Context) error { return one(s.Whole.Merge(ctx, id, other)) },
			"delete":   func(ctx context.Context) error { return gate.Delete(ctx, id) },
			"split":    func(ctx context.Context) error { return one(s.Whole.Split(ctx, id, []uuid.UUID{item.ID}, "")) },
			"schedule": func(ctx context.Context) error {
				return one(s.Replies.Schedule(ctx, id, reply.Later{Answer: reply.Answer{Body: "x"}, SendAt: &later}))
			},
			"edit":        func(ctx context.Context) error { return one(s.Edits.Edit(ctx, id, item.ID, "x", nil)) },
			"delete item": func(ctx context.Context) error { return s.Edits.Delete(ctx, id, item.ID) },
			"react":       func(ctx context.Context) error { return one(s.Replies.React(ctx, id, item.ID, "👍")) },
			"copies":      func(ctx context.Context) error { return one(gate.SetCopies(ctx, id, nil, nil)) },
			"forward": func(ctx context.Context) error {
				return one(s.Replies.Forward(ctx, id, item.ID, reply.Forwarded{To: []string{"a@b.example"}}))
			},
			"begin": func(ctx context.Context) error {
				return one(s.Replies.BeginAsAgent(ctx, reply.Opening{ContactID: in.customer.ID, Channel: conversation.Mail, Body: "x"}))
			},

			"contact": func(ctx context.Context) error {
				return one(book.Update(ctx, in.customer.ID, contact.Input{Company: &text}))
			},
			"block":          func(ctx context.Context) error { return one(book.Block(ctx, in.customer.ID, true)) },
			"contact's tags": func(ctx context.Context) error { return one(book.Retag(ctx, in.customer.ID, []string{"x"}, nil)) },
			"contact's note": func(ctx context.Context) error { return one(book.AddNote(ctx, in.customer.ID, "x")) },
			"consent": func(ctx context.Context) error {
				return one(book.SetConsent(ctx, in.customer.ID, contact.Consent{Channel: "x", Purpose: "x", Status: "granted"}))
			},
			"contact merge":   func(ctx context.Context) error { return one(book.Merge(ctx, in.customer.ID, friend.ID)) },
			"contact removal": func(ctx context.Context) error { return book.Delete(ctx, in.customer.ID) },

			"read":         func(ctx context.Context) error { return one(gate.Get(ctx, id)) },
			"read contact": func(ctx context.Context) error { return one(book.Get(ctx, in.customer.ID)) },
			"read notes": func(ctx context.Context) error {
				return one(book.Notes(ctx, in.customer.ID, db.Page{Limit: 1, After: db.First}))
			},
			"read copies": func(ctx context.Context) error { return one(gate.Copies(ctx, id)) },
			"typing":      func(ctx context.Context) error { return one(s.Live.AgentTypes(ctx, id, true)) },
		} {
			want := fault.NotFound
			if name == "begin" {
				want = fault.ValidationFailed // of contact_id
			}
			if err := act(ctx); !fault.Is(err, want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if diff := cmp.Diff(was, in.get(id), cmpopts.IgnoreUnexported(conversation.Conversation{})); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(wasItems, in.items(id), cmpopts.IgnoreUnexported(conversation.Item{})); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(wasContact, in.person(in.customer.ID)); diff != "" {
			t.Error(diff)
		}
		if got := in.events(); len(got) != 0 {
			t.Errorf("announced %v", got)
		}
		// A deleted record stays not_found for every caller.
		in.Owner.Delete(base + "/" + id.String()).Want(200)
		key.Put(path+"/state", map[string]any{"state": "closed"}).Refused(404, "not_found")
		if err := one(gate.Restore(ctx, id)); !fault.Is(err, fault.NotFound) {
			t.Errorf("restore: %v", err)
		}
	})
}

// A key of the test environment sees what was created in it, in lists, searches and
// numbers, and nothing live. Everybody else sees both.
func TestTestKeysSeeOnlyTestRecords(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		live := in.begin()
		upload := in.Owner.Header("Content-Type", "text/plain").Post("/api/crm/v1/attachments?filename=a.txt", "canlı").Want(201).ID()
		in.Owner.Post(base+"/"+live.String()+"/reply-as-customer", map[string]any{"body": "x", "attachments": []string{upload}}).Want(200)
		key := in.Key(true, perm.All()...)
		var mine conversation.Conversation
		key.Post(public, map[string]any{"contact": map[string]any{"email": "elif@example.com", "name": "Elif Deneme"}, "subject": "Kargo", "body": "deneme"}).Want(201).Data(&mine)
		s.Settle()

		ids := func(r *apptest.Response) (out []string) {
			var list []struct{ ID string }
			r.Want(200).Data(&list)
			for _, c := range list {
				out = append(out, c.ID)
			}
			return out
		}
		for _, query := range []string{"", "?sort=created", "?sort=-priority", "?sort=waiting_since", "?q=elif", "?state=open", "?q=kargo"} {
			if diff := cmp.Diff([]string{mine.ID.String()}, ids(key.Get(public+query))); diff != "" {
				t.Errorf("%q: %s", query, diff)
			}
		}
		if got := ids(in.Owner.Get(base)); len(got) != 2 {
			t.Errorf("an agent sees %v", got)
		}
		key.Get("/api/crm/public/v1/attachments/"+upload).Refused(404, "not_found")
		key.Delete("/api/crm/public/v1/attachments/"+upload).Refused(404, "not_found")

		// What an agent uploads and writes in a test conversation belongs to the test
		// environment.
		theirs := in.Owner.Header("Content-Type", "text/plain").Post("/api/crm/v1/attachments?filename=b.txt", "deneme").Want(201).ID()
		in.Owner.Post(base+"/"+mine.ID.String()+"/reply-as-customer", map[string]any{"body": "x", "attachments": []string{theirs}}).Want(200)
		key.Get("/api/crm/public/v1/attachments/" + theirs).Want(200)

		// The same below the routes, for operations that take no key today.
		ctx := caller.With(t.Context(), &caller.Caller{Kind: caller.APIKey, TenantID: in.ID, Slug: in.Slug, ID: uuid.New(), Test: true, Perms: perm.NewSet(perm.All()...)})
		page := db.Page{Limit: 10, After: db.First}
		people, err := s.Contacts.List(ctx, contact.Filter{}, page)
		if err != nil || len(people.Rows) != 1 || people.Rows[0].ID != mine.ContactID {
			t.Errorf("contacts: %+v, %v", people.Rows, err)
		}
		people, err = s.Contacts.List(ctx, contact.Filter{Query: "elif"}, page)
		if err != nil || len(people.Rows) != 1 || people.Rows[0].ID != mine.ContactID {
			t.Errorf("contacts called elif: %+v, %v", people.Rows, err)
		}
		counts, err := s.Conversations.Counts(ctx)
		if err != nil || counts.All.Open != 1 || len(counts.Channels) != 1 {
			t.Errorf("counts: %+v, %v", counts, err)
		}
		if counts, err = s.Conversations.Counts(in.Context()); err != nil || counts.All.Open != 2 {
			t.Errorf("everybody's counts: %+v, %v", counts, err)
		}
		if all, err := hourly.New(s.DB).Overview(ctx); err != nil || len(all.Channels) != 0 {
			t.Errorf("by the hour: %+v, %v", all.Channels, err)
		}
		if all, err := hourly.New(s.DB).Overview(in.Context()); err != nil || len(all.Channels) == 0 {
			t.Errorf("everybody's hours: %+v, %v", all.Channels, err)
		}
		// The index is complete, whoever searches first.
		found, err := s.Finder.Contacts(ctx, finder.Query{Text: "elif"}, page)
		if err != nil || len(found.Rows) != 1 || found.Rows[0].Contact.ID != mine.ContactID {
			t.Errorf("the search found %+v, %v", found.Rows, err)
		}
		if found, err = s.Finder.Contacts(in.Context(), finder.Query{Text: "elif"}, page); err != nil || len(found.Rows) != 2 {
			t.Errorf("an agent's search found %+v, %v", found.Rows, err)
		}
		in.Owner.Post(base+"/"+live.String()+"/reply-as-customer", map[string]any{"body": "zeytinyağı"}).Want(200)
		s.Settle()
		talks, err := s.Finder.Conversations(ctx, finder.Query{Text: "zeytinyağı"}, page)
		if err != nil || len(talks.Rows) != 0 {
			t.Errorf("the search found %+v, %v", talks.Rows, err)
		}
		if talks, err = s.Finder.Conversations(in.Context(), finder.Query{Text: "zeytinyağı"}, page); err != nil || len(talks.Rows) != 1 {
			t.Errorf("an agent's search found %+v, %v", talks.Rows, err)
		}
	})
}

// Nothing from the test environment is forwarded, not even by hand.
func TestTestMessagesAreNotForwarded(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		var c conversation.Conversation
		in.Key(true, perm.All()...).Post(public, map[string]any{"contact": map[string]any{"email": "x@y.example"}, "body": "deneme"}).Want(201).Data(&c)
		item := in.items(c.ID)[0]
		in.Owner.Post(itemPath(item)+"/forward", map[string]any{"to": []string{"disari@firma.example"}}).Refused(409, "test_environment")
		if got := s.Mails(in.ID, "disari@firma.example"); len(got) != 0 {
			t.Errorf("sent %+v", got)
		}
	})
}
