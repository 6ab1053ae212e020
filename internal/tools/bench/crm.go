package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

// The sizes of the inboxes that are compared.
const (
	small = 2_000
	large = 100_000
)

// crmReads measures the inbox of the public API with an API key. A page must cost the same
// however large the inbox is: at least two thirds of the small one's rate.
func crmReads(d db.Dialect) []mark {
	return []mark{
		{"list 25, 2,000 conversations", 0, withInbox(d, small, list(""))},
		{"list 25, 100,000 conversations", 0.67, withInbox(d, large, list(""))},
		{"list 25 open and unassigned, 100,000 conversations", 0.67, withInbox(d, large, list("?state=open&owner_id=none"))},
		{"get, 2,000 conversations", 0, withInbox(d, small, get)},
		{"get, 100,000 conversations", 0, withInbox(d, large, get)},
	}
}

// inbox is a workspace with many conversations.
type inbox struct {
	addr, key string
	agent     uuid.UUID
	contacts  []uuid.UUID
	ids       []uuid.UUID
	contactOf map[uuid.UUID]uuid.UUID
	next      atomic.Int64
}

const conversations = "/api/crm/public/v1/conversations"

// one returns the conversations in turn, so that no row is hot.
func (i *inbox) one() uuid.UUID { return i.ids[int(i.next.Add(1))%len(i.ids)] }

func list(query string) func(*inbox) string {
	return func(*inbox) string { return conversations + query }
}

func get(i *inbox) string { return conversations + "/" + i.one().String() }

// withInbox reads from a node with a workspace of size conversations.
func withInbox(d db.Dialect, size int, path func(*inbox) string) opener {
	return func(ctx context.Context, e *env, _ int) (func() error, func(), error) {
		i, err := e.inbox(ctx, d, size)
		if err != nil {
			return nil, nil, err
		}
		return dialNext(i.addr, "GET", i.key, func() (string, string) { return path(i), "" })
	}
}

// inbox returns a workspace with size conversations on the node for a database.
func (e *env) inbox(ctx context.Context, d db.Dialect, size int) (*inbox, error) {
	n, err := e.node(ctx, d)
	if err != nil {
		return nil, err
	}
	return n.inbox(ctx, size)
}

// inbox returns a workspace with size conversations, which it creates the first time.
// Without conversations it is the node's own, with the session of its owner.
func (h *node) inbox(ctx context.Context, size int) (*inbox, error) {
	if size == 0 {
		return &inbox{addr: h.addr, key: h.token}, nil
	}
	return openOnce(h.inboxes, size, func() (*inbox, error) {
		w, m, err := createWorkspace(ctx, h.app, inboxSlug(size))
		if err != nil {
			return nil, err
		}
		key, err := h.app.Identity.CreateKey(ctx, w.ID, "bench", false, perm.All())
		if err != nil {
			return nil, err
		}
		i := &inbox{addr: h.addr, key: key.Reveal(), agent: m.ID}
		i.contacts, i.contactOf, err = fillInbox(ctx, h.app.DB, w.ID, size)
		i.ids = slices.Collect(maps.Keys(i.contactOf))
		return i, err
	})
}

// inboxSlug is the short name of the workspace with so many conversations.
func inboxSlug(size int) string { return fmt.Sprintf("inbox%d", size) }
