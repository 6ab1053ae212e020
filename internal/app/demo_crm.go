package app

import (
	"bufio"
	"context"
	"embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/commerce"
	"konak/internal/crm/channel/social"
	"konak/internal/crm/channel/whatsapp"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/edit"
	"konak/internal/crm/conversation/group"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/crm/conversation/whole"
	"konak/internal/crm/reply"
	"konak/internal/identity"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// The demo's contacts and conversations. A line that begins with @ is a
// contact, # begins a conversation; > is the customer, < the agent, ! a note, *
// the assistant with its sources; $ is an order.
//
//go:embed demo/*.txt
var demoTexts embed.FS

// talk is a conversation of the demo.
type talk struct {
	channel, contact, state, priority, owner, group, subject string
	tags                                                     []string
	age                                                      time.Duration
	lines                                                    []string
}

// DemoAccount returns the id of a demo workspace's account on a channel; it is always the
// same, so that channels can connect it.
func DemoAccount(tenant uuid.UUID, channel string) uuid.UUID {
	return uuid.NewSHA1(tenant, []byte("demo account "+channel))
}

// demoRoad accepts what the demo's agents wrote long ago; nothing is sent.
type demoRoad struct {
	conversation.NoRouter
	tenant uuid.UUID
}

// Route implements conversation.Router.
func (d demoRoad) Route(_ *db.Reader, w conversation.Wish) (*conversation.Route, error) {
	return &conversation.Route{Channel: w.Channel, AccountID: DemoAccount(d.tenant, w.Channel)}, nil
}

// demoCRM creates a workspace's past through the gates, with a clock that is set to when
// each thing happened.
type demoCRM struct {
	clock         *clock.Fake
	now           time.Time
	contacts      *contact.Service
	conversations *conversation.Service
	inbound       *inbound.Service
	replies       *reply.Service
	teams         *group.Service
	shop          *commerce.Service
	standIn       *standIn
	tenant        uuid.UUID
	slug          string
	people        map[string]contact.Contact
	agents        map[string]uuid.UUID
	groups        map[string]uuid.UUID
}

// fillCRM fills the inbox of a demo workspace. It has its own database handle, because only
// there the clock runs in the past.
func (a *App) fillCRM(ctx context.Context, w identity.Workspace) (err error) {
	now := a.clock.Now()
	past := clock.NewFake(now)
	d, err := db.Open(ctx, db.Options{
		URL: a.cfg.DatabaseURL(), Clock: past, Log: a.log, RowSecurity: a.cfg.RowSecurity, Sync: "normal", MaxConns: 2,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	f := &demoCRM{clock: past, now: now, standIn: a.standIn, tenant: w.ID, slug: w.Slug, people: map[string]contact.Contact{}, groups: map[string]uuid.UUID{}}
	f.teams = group.New(group.Config{DB: d, Agents: a.Identity})
	people := contact.NewBook(a.Identity)
	f.conversations = conversation.New(conversation.Config{
		DB: d, Contacts: people, Agents: a.Identity, Blobs: a.Blobs, Router: demoRoad{tenant: w.ID},
	})
	f.inbound = inbound.New(inbound.Config{DB: d, Conversations: f.conversations, Contacts: people, Agents: a.Identity, Edits: edit.New(edit.Config{DB: d, Conversations: f.conversations})})
	f.replies = reply.New(reply.Config{DB: d, Conversations: f.conversations, Inbound: f.inbound, Contacts: people, Agents: a.Identity, Policy: a.Mail, Senders: a.Email})
	f.contacts = contact.New(contact.Config{DB: d, Book: people, Followers: []contact.Follower{whole.New(f.conversations)}})
	if f.agents, err = a.demoAgents(ctx, w); err != nil {
		return err
	}
	file, err := readDemo(w.Slug)
	if err != nil {
		return err
	}
	for i, line := range file.people {
		f.clock.Set(now.Add(-60*24*time.Hour + time.Duration(i)*7*time.Hour))
		if err := f.person(ctx, line); err != nil {
			return fmt.Errorf("demo contact %q: %w", line, err)
		}
	}
	f.shop = commerce.New(commerce.Config{DB: d, Contacts: book{people}})
	for _, line := range file.orders {
		if err := f.order(ctx, line); err != nil {
			return fmt.Errorf("demo order %q: %w", line, err)
		}
	}
	// In the order in which they began, so that events are numbered in that order too.
	talks := file.talks
	slices.SortStableFunc(talks, func(x, y talk) int { return int(y.age - x.age) })
	for _, t := range talks {
		if err := f.createConversation(ctx, t); err != nil {
			return fmt.Errorf("demo conversation of %s: %w", t.contact, err)
		}
	}
	return nil
}

// demoAgents adds two colleagues and returns everybody's id by name.
func (a *App) demoAgents(ctx context.Context, w identity.Workspace) (map[string]uuid.UUID, error) {
	colleagues := map[string]string{"Selin Aydın": "selin", "Can Demir": "can"}
	if w.Slug == "acme" {
		colleagues = map[string]string{"Sam Patel": "sam"}
	}
	for _, name := range slices.Sorted(maps.Keys(colleagues)) {
		email := colleagues[name] + "@" + w.Slug + ".localhost"
		if err := a.Identity.AddMember(ctx, w.ID, name, email, DemoPassword, identity.RoleAgent); err != nil {
			return nil, err
		}
	}
	out := map[string]uuid.UUID{}
	err := a.DB.Tenant(w.ID).Read(ctx, func(r *db.Reader) error {
		names, err := a.Identity.Agents(r)
		for id, name := range names {
			out[name] = id
		}
		return err
	})
	return out, err
}

// demoFile is the content of a workspace's file.
type demoFile struct {
	people, orders []string
	talks          []talk
}

// readDemo parses a workspace's file.
func readDemo(slug string) (out demoFile, err error) {
	file, err := demoTexts.Open("demo/" + slug + ".txt")
	if err != nil {
		return out, err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case line == "":
		case strings.HasPrefix(line, "@ "):
			out.people = append(out.people, line[2:])
		case strings.HasPrefix(line, "$ "):
			out.orders = append(out.orders, line[2:])
		case strings.HasPrefix(line, "# "):
			t, err := readTalk(line[2:])
			if err != nil {
				return out, err
			}
			out.talks = append(out.talks, t)
		default:
			last := &out.talks[len(out.talks)-1]
			last.lines = append(last.lines, strings.ReplaceAll(line, `\n`, "\n"))
		}
	}
	return out, lines.Err()
}

// cells splits a line at a separator.
func cells(line, separator string) []string {
	out := strings.Split(line, separator)
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

func readTalk(line string) (talk, error) {
	c := cells(line, "|")
	if len(c) != 9 {
		return talk{}, fmt.Errorf("demo: %q has %d cells", line, len(c))
	}
	t := talk{channel: c[0], contact: c[1], state: c[3], priority: c[4], owner: c[5], group: c[6], subject: c[8]}
	if c[7] != "" {
		t.tags = strings.Split(c[7], ",")
	}
	var err error
	t.age, err = readAge(c[2])
	return t, err
}

// readAge parses a duration that may be in days.
func readAge(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		age, err := time.ParseDuration(days + "h")
		return 24 * age, err
	}
	return time.ParseDuration(text)
}

func (f *demoCRM) as(ctx context.Context, agent uuid.UUID) context.Context {
	return caller.With(ctx, &caller.Caller{Kind: caller.Agent, TenantID: f.tenant, Slug: f.slug, ID: agent})
}

func (f *demoCRM) person(ctx context.Context, line string) error {
	c := cells(line, "|")
	in := contact.Input{Name: &c[0], Emails: &[]string{c[1]}, Phones: &[]string{c[2]}, Company: &c[3], Kind: &c[5], Language: &c[6]}
	if c[4] != "" {
		in.Tags = &[]string{c[4]}
	}
	if first, last, ok := strings.Cut(c[0], " "); ok {
		in.FirstName, in.LastName = &first, &last
	}
	system := caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: f.tenant, Slug: f.slug})
	who, err := f.contacts.Create(system, in)
	f.people[c[0]] = who
	return err
}

// createConversation creates a conversation: a few minutes from line to line, and its later life after
// the last line.
func (f *demoCRM) createConversation(ctx context.Context, t talk) error {
	at := f.now.Add(-t.age)
	pace := min(t.age/time.Duration(len(t.lines)+2), 11*time.Minute)
	owner, owned := f.agents[t.owner]
	if !owned {
		owner = slices.MinFunc(slices.Collect(maps.Values(f.agents)), func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	}
	staff := f.as(ctx, owner)
	f.clock.Set(at)
	c, err := f.first(ctx, t)
	if err != nil {
		return err
	}
	if err := f.setDetails(staff, c, t, owner, owned); err != nil {
		return err
	}
	for i, line := range t.lines[1:] {
		f.clock.Set(at.Add(time.Duration(i+1) * pace))
		if err := f.line(staff, c, line, owner); err != nil {
			return err
		}
	}
	f.clock.Advance(pace)
	switch conversation.State(t.state) {
	case conversation.Closed:
		_, err = f.conversations.Close(staff, c)
	case conversation.Snoozed:
		until := clock.At(f.now.Truncate(time.Hour).Add(50 * time.Hour))
		_, err = f.conversations.Snooze(staff, c, &until, false)
	}
	if err == nil && t.state != string(conversation.Open) {
		_, err = f.conversations.Read(staff, c)
	}
	return err
}

// first lets the customer begin, on the workspace's account of the channel.
func (f *demoCRM) first(ctx context.Context, t talk) (uuid.UUID, error) {
	who, ok := f.people[t.contact]
	if !ok {
		return uuid.Nil, fmt.Errorf("no contact %q", t.contact)
	}
	system := caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: f.tenant, Slug: f.slug})
	in := inbound.Inbound{
		Channel: t.channel, Subject: t.subject, Body: strings.TrimPrefix(t.lines[0], "> "),
		From: contact.Sender{Channel: t.channel, Email: who.Emails[0].Address, Phone: who.Phones[0].E164},
		AI:   slices.ContainsFunc(t.lines, func(line string) bool { return strings.HasPrefix(line, "* ") }),
	}
	if t.channel != conversation.API && t.channel != "phone" {
		in.From.AccountID = DemoAccount(f.tenant, t.channel)
		in.From.ExternalID = strings.TrimPrefix(who.Phones[0].E164, "+")
		if t.channel == conversation.Mail {
			in.From.ExternalID = who.Emails[0].Address
		}
	}
	switch t.channel {
	case whatsapp.Name:
		in.Window = demoWindow
		f.standIn.rememberMessage(f.slug, &who, f.clock.Now())
	case social.Messenger:
		in.Window = demoWindow
	case social.Instagram:
		in.Window, in.From.ExternalID = demoWindow, demoInstagramID(in.From.ExternalID)
	}
	got, err := f.inbound.Ingest(system, in)
	return got.Conversation.ID, err
}

// setDetails sets a conversation's owner, group, priority and tags.
func (f *demoCRM) setDetails(ctx context.Context, c uuid.UUID, t talk, owner uuid.UUID, owned bool) error {
	ch := conversation.Change{Priority: &t.priority}
	if t.group != "-" {
		id, err := f.group(ctx, t.group)
		if err != nil {
			return err
		}
		ch.GroupID = &id
	}
	if _, err := f.conversations.Update(ctx, c, ch); err != nil {
		return err
	}
	if len(t.tags) > 0 {
		if _, err := f.conversations.Retag(ctx, c, func([]string) []string { return t.tags }); err != nil {
			return err
		}
	}
	if !owned {
		return nil
	}
	_, err := f.conversations.Assign(ctx, c, &owner)
	return err
}

func (f *demoCRM) group(ctx context.Context, name string) (uuid.UUID, error) {
	if id, ok := f.groups[name]; ok {
		return id, nil
	}
	members := slices.SortedFunc(maps.Values(f.agents), func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	g, err := f.teams.Add(ctx, name, "", members)
	f.groups[name] = g.ID
	return g.ID, err
}

func (f *demoCRM) line(ctx context.Context, c uuid.UUID, line string, owner uuid.UUID) error {
	mark, text := line[:1], strings.TrimSpace(line[1:])
	if mark == ">" {
		_, err := f.replies.ReplyAsCustomer(ctx, c, text)
		return err
	}
	answer := reply.Answer{Author: conversation.AgentAuthor(owner), Body: text, Note: mark == "!"}
	if mark == "*" {
		answer = demoAssistant(text)
	}
	out, err := f.replies.Reply(ctx, c, answer)
	if err != nil || mark == "!" || out.Item.Delivery == nil || *out.Item.Delivery == conversation.NotGoing {
		return err
	}
	return f.inbound.RecordOutcome(ctx, out.Item.ID, conversation.Delivery{Status: conversation.Sent})
}

// demoAssistant parses what the assistant said: the text, and after a bar the sources it
// relied on.
func demoAssistant(line string) reply.Answer {
	text, list, _ := strings.Cut(line, "|")
	a := reply.Answer{
		Author: conversation.Author{Kind: conversation.ByBot}, Body: strings.TrimSpace(text),
		Configuration: &conversation.Configuration{Name: "Karşılama asistanı"},
	}
	for source := range strings.SplitSeq(list, ";") {
		part := strings.SplitN(source, ",", 4)
		for i := range part {
			part[i] = strings.TrimSpace(part[i])
		}
		if len(part) == 4 {
			a.Sources = append(a.Sources, conversation.AISource{Kind: part[0], Title: part[1], URL: part[2], Excerpt: part[3]})
		}
	}
	return a
}
