package main

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// operation is a POST that writes.
type operation struct {
	name string
	// next returns the values that differ in every request: ids, an address.
	next func(*inbox) []any
	// request returns the path and the body of a request.
	request func(i *inbox, next []any) (path, body string)
	// again means that the same request can be sent again and is then an ordinary one: the
	// first reply to a conversation opens it.
	again bool
}

var (
	reply = operation{
		name: "reply", again: true,
		next: func(i *inbox) []any {
			id := i.one()
			return []any{id, i.contactOf[id]}
		},
		request: func(i *inbox, next []any) (string, string) {
			return conversations + "/" + next[0].(uuid.UUID).String() + "/reply",
				fmt.Sprintf(`{"type":"admin","admin_id":%q,"body":"Siparişiniz yarın öğleden sonra teslim edilecek, iyi günler."}`, i.agent)
		},
	}
	create = operation{
		name: "create with a known contact",
		next: func(i *inbox) []any { return []any{i.contacts[int(i.next.Add(1))%len(i.contacts)]} },
		request: func(_ *inbox, next []any) (string, string) {
			return conversations, fmt.Sprintf(`{"contact_id":%q,"subject":"Teslimat","body":"Merhaba, siparişim ne zaman gelir?"}`, next[0])
		},
	}
	exception = operation{
		name: "POST",
		next: func(*inbox) []any { return []any{newAddress()} },
		request: func(_ *inbox, next []any) (string, string) {
			return exceptionPath, fmt.Sprintf(`{"email":%q,"note":"External auditor"}`, next[0])
		},
	}
)

// writes returns the group of one operation on one database, with an inbox of so many
// conversations: the floor, and the served operation, whose target is half the floor's rate.
func writes(name string, d db.Dialect, op operation, size int, alone opener) group {
	g := group{name: name + ", " + title(d), marks: []mark{{"floor: the same statements behind a bare net/http handler", 0, op.floor(d, size)}}}
	if size > 0 {
		g.name += fmt.Sprintf(", %d,000 conversations", size/1000)
	}
	if alone != nil {
		g.marks = append(g.marks, mark{"without the request", 0, alone})
	}
	g.marks = append(g.marks, mark{op.name, 0.5, op.served(d, size)})
	return g
}

func title(d db.Dialect) string {
	if d == db.SQLite {
		return "SQLite, synchronous=FULL"
	}
	return "PostgreSQL, fsync on"
}

// served calls a node that serves, with its workers.
func (op operation) served(d db.Dialect, size int) opener {
	return func(ctx context.Context, e *env, _ int) (func() error, func(), error) {
		i, err := e.inbox(ctx, d, size)
		if err != nil {
			return nil, nil, err
		}
		return dialNext(i.addr, "POST", i.key, func() (string, string) { return op.request(i, op.next(i)) })
	}
}
