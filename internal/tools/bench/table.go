package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"

	"konak/internal/kit/db"
)

// table lists every benchmark. The first of a group is its raw limit.
var table = slices.Concat([]group{
	{"API core", []mark{
		{"bare net/http handler that reads a body and answers as much", 0, bare("POST", sampleBody)},
		{"POST: trace, session, licence, permission, validated body, envelope", 0.5, served(db.SQLite, "POST", echoPath, fixed(sampleBody))},
	}},
	{"GET /me, warm", []mark{
		{"bare net/http handler that answers as many bytes", 0, bareMe},
		{"SQLite: trace, session, limits, headers, envelope", 0.5, served(db.SQLite, "GET", mePath, nil)},
		{"PostgreSQL: the same", 0.5, served(db.Postgres, "GET", mePath, nil)},
	}},
	{"Help center, a cached article", []mark{
		{"bare net/http handler that answers as many bytes", 0, readArticle(true)},
		{"host, revision, page from memory, headers", 0.5, readArticle(false)},
	}},
	writes("DLP exception", db.SQLite, exception, 0, gate(db.SQLite)),
	writes("Reply", db.SQLite, reply, small, nil),
	writes("Reply", db.SQLite, reply, large, nil),
	writes("Create", db.SQLite, create, small, nil),
	writes("Create", db.SQLite, create, large, nil),
	{"Conversations, reads, SQLite", crmReads(db.SQLite)},
	writes("DLP exception", db.Postgres, exception, 0, gate(db.Postgres)),
	writes("Reply", db.Postgres, reply, small, nil),
	writes("Reply", db.Postgres, reply, large, nil),
	writes("Create", db.Postgres, create, small, nil),
	writes("Create", db.Postgres, create, large, nil),
	{"Conversations, reads, PostgreSQL", crmReads(db.Postgres)},
	{"Single-row read, PostgreSQL", []mark{
		{"without row security", 0, readOne(false)},
		{"with row security", 0, readOne(true)},
	}},
}, mailMarks())

const (
	sampleBody    = `{"email":"auditor@example.com","note":"External auditor, until the end of the year"}`
	exceptionPath = "/api/mail/v1/dlp/exceptions"
	mePath        = "/api/v1/auth/me"
)

// made numbers the addresses of a whole run, so that no two are the same.
var made atomic.Int64

// newAddress returns an address of constant length, so that the rest of a request can be
// prepared once.
func newAddress() string { return fmt.Sprintf("a%012d@example.com", made.Add(1)) }

func fixed(body string) func() string { return func() string { return body } }

func bare(method, body string) opener {
	return func(_ context.Context, e *env, _ int) (func() error, func(), error) {
		addr, err := e.bareServer()
		if err != nil {
			return nil, nil, err
		}
		return dial(addr, method, "/", "", fixed(body))
	}
}

// bareMe answers from memory what GET /me answered once.
func bareMe(ctx context.Context, e *env, _ int) (func() error, func(), error) {
	h, err := e.node(ctx, db.SQLite)
	if err != nil {
		return nil, nil, err
	}
	addr, err := e.bareServer()
	if err != nil {
		return nil, nil, err
	}
	if e.answer == nil {
		if e.answer, err = request(ctx, http.DefaultClient, http.MethodGet, "http://"+h.addr+mePath, bearer(h.token), ""); err != nil {
			return nil, nil, err
		}
	}
	return dial(addr, "GET", mePath, h.token, nil)
}

// served calls a node, with its workers, on a database.
func served(d db.Dialect, method, path string, body func() string) opener {
	return func(ctx context.Context, e *env, _ int) (func() error, func(), error) {
		h, err := e.node(ctx, d)
		if err != nil {
			return nil, nil, err
		}
		return dial(h.addr, method, path, h.token, body)
	}
}

// gate creates a record as a request would, without the request.
func gate(d db.Dialect) opener {
	return func(ctx context.Context, e *env, _ int) (func() error, func(), error) {
		h, err := e.node(ctx, d)
		if err != nil {
			return nil, nil, err
		}
		ctx = h.asOwner(ctx)
		return func() error {
			_, err := h.app.Mail.AddException(ctx, newAddress(), "External auditor")
			return err
		}, nil, nil
	}
}

// readOne reads a record by its id.
func readOne(rowSecurity bool) opener {
	return func(ctx context.Context, e *env, _ int) (func() error, func(), error) {
		g, err := e.guarded(ctx, rowSecurity)
		if err != nil {
			return nil, nil, err
		}
		tenant := g.db.Tenant(g.tenant)
		return func() error { return tenant.Read(ctx, g.read) }, nil, nil
	}
}
