package conversation_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/crm/reply"
	"konak/internal/kit/clock"
)

// look is everything that a conversation contains for those who work on it.
type look struct {
	Conversation conversation.Conversation
	Said         []string
	Waiting      []string
	People       conversation.People
	Drafts       []string
	Unread       []int
}

// pair is two customers on one messaging account, each with their own agent.
type pair struct {
	*inbox
	router    *fakeRouter
	ayse      conversation.Conversation
	bora      conversation.Conversation
	crew      []*apptest.Client
	can, ece  uuid.UUID
	bystander contact.Contact
}

func (in *inbox) wrote(account uuid.UUID, external, name, body string) conversation.Conversation {
	in.t.Helper()
	got, err := in.s.Inbound.Ingest(in.Context(), inbound.Inbound{
		Channel: "whatsapp", Body: body,
		From: contact.Sender{Channel: "whatsapp", AccountID: account, ExternalID: external, Name: name},
	})
	if err != nil {
		in.t.Fatal(err)
	}
	return got.Conversation
}

func twoCustomers(t *testing.T, s *apptest.Server) *pair {
	t.Helper()
	p := &pair{inbox: open(t, s), router: &fakeRouter{account: uuid.New()}}
	s.UseRouter(p.router)
	p.ayse = p.wrote(p.router.account, "1", "Ayşe", "Ayşe'nin sorusu")
	s.Clock.Advance(time.Minute)
	p.bora = p.wrote(p.router.account, "2", "Bora", "Bora'nın sırrı")
	can, canID := p.member("can")
	ece, eceID := p.member("ece")
	p.crew, p.can, p.ece = []*apptest.Client{p.Owner, can, ece}, canID, eceID
	p.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Ortak"}).Want(201).Data(&p.bystander)
	return p
}

func (p *pair) look(id uuid.UUID) (l look) {
	p.t.Helper()
	path := base + "/" + id.String()
	l.Conversation = p.get(id)
	for _, i := range p.items(id) {
		if i.Kind != conversation.Event {
			l.Said = append(l.Said, i.Body)
		}
	}
	for _, m := range p.scheduled(id, "?state=waiting") {
		l.Waiting = append(l.Waiting, m.Body)
	}
	p.Owner.Get(path + "/participants").Want(200).Data(&l.People)
	for _, who := range p.crew {
		var d reply.Detail
		who.Get(path).Want(200).Data(&d)
		text := ""
		if len(d.Drafts) > 0 {
			text = d.Drafts[0].Body
		}
		l.Drafts, l.Unread = append(l.Drafts, text), append(l.Unread, d.Unread)
	}
	return l
}

func (p *pair) merge() (undo string) {
	p.t.Helper()
	var out contact.MergeResult
	p.Owner.Post("/api/crm/v1/contacts/"+p.ayse.ContactID.String()+"/merge", map[string]any{"contact_id": p.bora.ContactID}).Want(200).Data(&out)
	return "/api/crm/v1/contacts/merges/" + out.Merge.ID.String() + "/undo"
}

// as compares two looks at a conversation, ignoring when it last changed.
func as(want, got look, also ...string) string {
	return cmp.Diff(want, got, cmpopts.IgnoreFields(conversation.Conversation{}, append(also, "UpdatedAt")...),
		cmpopts.IgnoreUnexported(conversation.Conversation{}))
}

// Undoing a merge returns a customer's scheduled messages and everything else of theirs;
// nothing of it stays with the other.
func TestUnmergeReturnsEverything(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		p := twoCustomers(t, s)
		ayse, bora := base+"/"+p.ayse.ID.String(), base+"/"+p.bora.ID.String()
		p.crew[1].Post(bora+"/join", nil).Want(200)
		p.wrote(p.router.account, "2", "", "Bora yine yazdı")
		p.later(p.bora.ID, 60, map[string]any{"body": "yalnız Bora için"})
		p.later(p.ayse.ID, 60, map[string]any{"body": "yalnız Ayşe için"})
		p.crew[1].Put(bora+"/draft", map[string]any{"body": "Bora'ya taslak"}).Want(200)
		p.Owner.Put(ayse+"/draft", map[string]any{"body": "Ayşe'ye taslak"}).Want(200)
		p.Owner.Put(bora+"/draft", map[string]any{"body": "Bora'ya ikinci taslak"}).Want(200)
		p.Owner.Post(bora+"/participants", map[string]any{"contact_id": p.bystander.ID}).Want(200)
		// Each takes part in a third conversation.
		third := p.begin()
		p.Owner.Post(base+"/"+third.String()+"/participants", map[string]any{"contact_id": p.bora.ContactID}).Want(200)
		wasAyse, wasBora, wasThird := p.look(p.ayse.ID), p.look(p.bora.ID), p.look(third)
		if wasBora.Conversation.Unread != 0 || wasBora.Unread[1] != 1 || *wasBora.Conversation.OwnerID != p.can || wasAyse.Conversation.OwnerID != nil {
			t.Fatalf("the test does not test: %+v", wasBora)
		}

		s.Clock.Advance(time.Minute)
		undo := p.merge()
		if l := p.look(p.ayse.ID); len(l.Waiting) != 2 || *l.Conversation.OwnerID != p.can || l.Drafts[1] != "Bora'ya taslak" || l.Drafts[0] != "Ayşe'ye taslak" ||
			l.Conversation.Preview != "Bora yine yazdı" || len(l.People.Contacts) != 2 {
			t.Fatalf("got %+v", l)
		}
		p.events()
		s.Clock.Advance(time.Minute)
		p.Owner.Post(undo, nil).Want(200)
		if diff := as(wasAyse, p.look(p.ayse.ID)); diff != "" {
			t.Errorf("the one who stayed\n%s", diff)
		}
		if diff := as(wasBora, p.look(p.bora.ID), "LastActivityAt"); diff != "" {
			t.Errorf("the one who went\n%s", diff)
		}
		if diff := as(wasThird, p.look(third)); diff != "" {
			t.Errorf("a conversation that they take part in\n%s", diff)
		}
		got := p.events()
		for _, name := range []string{conversation.Restored, conversation.Opened, conversation.Assigned} {
			if !slices.Contains(got, name) {
				t.Errorf("%s was not announced: %v", name, got)
			}
		}

		s.Clock.Advance(time.Hour)
		s.Settle()
		sent := map[string]uuid.UUID{}
		for _, m := range p.router.taken {
			sent[m.Body] = m.ContactID
		}
		want := map[string]uuid.UUID{"yalnız Bora için": p.bora.ContactID, "yalnız Ayşe için": p.ayse.ContactID}
		if diff := cmp.Diff(want, sent); diff != "" {
			t.Error(diff)
		}
	})
}

// What happened in the merged conversation since stays as it is.
func TestUnmergeKeepsLaterChanges(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		p := twoCustomers(t, s)
		ayse, bora := base+"/"+p.ayse.ID.String(), base+"/"+p.bora.ID.String()
		p.crew[1].Post(bora+"/join", nil).Want(200)
		p.later(p.bora.ID, 1, map[string]any{"body": "çıkmış olacak"})
		p.crew[1].Put(bora+"/draft", map[string]any{"body": "Bora'ya"}).Want(200)
		until := clock.At(s.Clock.Now().Add(3 * time.Hour))
		p.Owner.Post(bora+"/snooze", map[string]any{"until": until}).Want(200)
		undo := p.merge()
		s.Clock.Advance(time.Hour)
		s.Settle()
		p.Owner.Post(ayse+"/assign", map[string]any{"owner_id": p.ece}).Want(200)
		p.crew[1].Put(ayse+"/draft", map[string]any{"body": "artık ikisine"}).Want(200)
		p.Owner.Post(ayse+"/reply-as-agent", map[string]any{"body": "İkinize de"}).Want(200)
		before := p.get(p.ayse.ID)
		p.Owner.Post(undo, nil).Want(200)
		l := p.look(p.ayse.ID)
		if *l.Conversation.OwnerID != p.ece || l.Conversation.Preview != "İkinize de" || l.Conversation.LastActivityAt != before.LastActivityAt ||
			l.Conversation.WaitingSince != nil || l.Drafts[1] != "artık ikisine" || len(l.People.Agents) != 1 {
			t.Errorf("got %+v", l)
		}
		back := p.look(p.bora.ID)
		if c := back.Conversation; c.State != conversation.Snoozed || c.SnoozedUntil == nil || !c.SnoozedUntil.Equal(until.Time) || *c.OwnerID != p.can {
			t.Errorf("got %+v", c)
		}
		if len(back.Waiting) != 0 || back.Drafts[1] != "" {
			t.Errorf("got %+v", back)
		}
		// The snooze ended during the merge, so the conversation is open afterwards.
		undo = p.merge()
		s.Clock.Advance(4 * time.Hour)
		s.Settle()
		p.Owner.Post(undo, nil).Want(200)
		if c := p.get(p.bora.ID); c.State != conversation.Open || c.SnoozedUntil != nil {
			t.Errorf("got %+v", c)
		}
		// It was closed before and is closed afterwards; if deleted meanwhile, it stays
		// deleted.
		p.Owner.Post(bora+"/close", nil).Want(200)
		was := p.get(p.bora.ID)
		undo = p.merge()
		p.Owner.Post(undo, nil).Want(200)
		if c := p.get(p.bora.ID); c.State != conversation.Closed || !c.ClosedAt.Equal(was.ClosedAt.Time) {
			t.Errorf("got %+v", c)
		}
		undo = p.merge()
		p.Owner.Delete(bora).Want(200)
		p.events()
		p.Owner.Post(undo, nil).Want(200)
		p.Owner.Get(bora).Refused(404, "not_found")
		if slices.Contains(p.events(), conversation.Restored) {
			t.Error("what stays deleted was announced as restored")
		}
		var counts conversation.Counts
		p.Owner.Get(base + "/counts").Want(200).Data(&counts)
		if counts.All.Open != 1 || counts.All.Closed != 0 || counts.All.Snoozed != 0 {
			t.Errorf("got %+v", counts.All)
		}
	})
}
