package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/google/uuid"

	"konak/internal/identity"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

// The sizes of an inbox that are held against each other.
const (
	small = 2_000
	large = 100_000
)

// crmWrites and crmReads are the inbox of the public API with an API key. A
// page must cost the same however large the inbox: at least two thirds of the
// small one's rate.
func crmWrites(d db.Dialect) []mark {
	return []mark{
		{"one row a transaction", 0, rawCommit(d)},
		{"reply, 2,000 conversations", 0.6, inboxed(d, small, reply)},
		{"reply, 100,000 conversations", 0.6, inboxed(d, large, reply)},
		{"create with a known contact, 2,000 conversations", 0.6, inboxed(d, small, create)},
		{"create with a known contact, 100,000 conversations", 0.6, inboxed(d, large, create)},
	}
}

func crmReads(d db.Dialect) []mark {
	return []mark{
		{"list 25, 2,000 conversations", 0, inboxed(d, small, list(""))},
		{"list 25, 100,000 conversations", 0.67, inboxed(d, large, list(""))},
		{"list 25 open and unassigned, 100,000 conversations", 0.67, inboxed(d, large, list("?state=open&owner_id=none"))},
		{"get, 2,000 conversations", 0, inboxed(d, small, get)},
		{"get, 100,000 conversations", 0, inboxed(d, large, get)},
	}
}

// inbox is a workspace with many conversations.
type inbox struct {
	addr, key string
	agent     uuid.UUID
	contacts  []uuid.UUID
	ids       []uuid.UUID
	next      atomic.Int64
}

const conversations = "/api/crm/public/v1/conversations"

// one takes the conversations in turn, so that no row is hot.
func (i *inbox) one() uuid.UUID { return i.ids[int(i.next.Add(1))%len(i.ids)] }

func reply(i *inbox) (string, func() string, func() string) {
	return "POST", func() string { return conversations + "/" + i.one().String() + "/reply" },
		fixed(fmt.Sprintf(`{"type":"admin","admin_id":%q,"body":"Siparişiniz yarın öğleden sonra teslim edilecek, iyi günler."}`, i.agent))
}

func create(i *inbox) (string, func() string, func() string) {
	return "POST", fixed(conversations), func() string {
		return fmt.Sprintf(`{"contact_id":%q,"subject":"Teslimat","body":"Merhaba, siparişim ne zaman gelir?"}`, i.contacts[int(i.next.Add(1))%len(i.contacts)])
	}
}

func list(query string) func(*inbox) (string, func() string, func() string) {
	return func(*inbox) (string, func() string, func() string) { return "GET", fixed(conversations + query), nil }
}

func get(i *inbox) (string, func() string, func() string) {
	return "GET", func() string { return conversations + "/" + i.one().String() }, nil
}

// inboxed calls a house whose workspace has so many conversations.
func inboxed(d db.Dialect, size int, what func(*inbox) (method string, path, body func() string)) func(context.Context, *env, int) (func() error, func(), error) {
	return func(ctx context.Context, e *env, _ int) (func() error, func(), error) {
		h, err := e.house(ctx, d)
		if err != nil {
			return nil, nil, err
		}
		i, err := h.inbox(ctx, size)
		if err != nil {
			return nil, nil, err
		}
		method, path, body := what(i)
		return dialPaths(i.addr, method, path, i.key, body)
	}
}

// inbox makes a workspace of a size, the first time.
func (h *house) inbox(ctx context.Context, size int) (*inbox, error) {
	if i, ok := h.inboxes[size]; ok {
		return i, nil
	}
	slug := fmt.Sprintf("inbox%d", size)
	w, m, err := h.app.Identity.CreateWorkspace(ctx, identity.NewWorkspace{
		Slug: slug, Name: slug, OwnerName: "Owner", OwnerEmail: "owner@" + slug + ".example", Password: "correct horse battery staple",
	})
	if err != nil {
		return nil, err
	}
	key, err := h.app.Identity.CreateKey(ctx, w.ID, "bench", false, perm.All())
	if err != nil {
		return nil, err
	}
	i := &inbox{addr: h.addr, key: key.Reveal(), agent: m.ID}
	if i.contacts, i.ids, err = fillInbox(ctx, h.app.DB, w.ID, size); err != nil {
		return nil, err
	}
	if h.inboxes == nil {
		h.inboxes = map[int]*inbox{}
	}
	h.inboxes[size] = i
	return i, nil
}
