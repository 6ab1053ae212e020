package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"

	"konak/internal/kit/caller"
	"konak/internal/kit/db"
)

// table is every benchmark. The first of a group is its raw limit.
var table = []group{
	{"API core", []mark{
		{"bare net/http handler that reads a body and answers as much", 0, bare("POST", sampleBody)},
		{"POST: trace, session, licence, permission, validated body, envelope", 0.5, served(db.SQLite, "POST", echoPath, fixed(sampleBody))},
	}},
	{"GET /me, warm", []mark{
		{"bare net/http handler that answers as many bytes", 0, bareMe},
		{"SQLite: trace, session, limits, headers, envelope", 0.5, served(db.SQLite, "GET", mePath, nil)},
		{"PostgreSQL: the same", 0.5, served(db.Postgres, "GET", mePath, nil)},
	}},
	{"Write, SQLite, synchronous=FULL", []mark{
		{"one row a transaction, group commit", 0, rawCommit(db.SQLite)},
		{"the same behind a bare net/http handler", 0, rawServed(db.SQLite)},
		{"the gate alone: record, audit line, event, dispatched", 0, gate(db.SQLite)},
		{"POST DLP exception: request, record, audit line, event, dispatched", 0.6, served(db.SQLite, "POST", exceptionPath, newAddress)},
	}},
	{"Write, PostgreSQL, fsync on", []mark{
		{"one row a transaction", 0, rawCommit(db.Postgres)},
		{"the same behind a bare net/http handler", 0, rawServed(db.Postgres)},
		{"the gate alone: record, audit line, event, dispatched", 0, gate(db.Postgres)},
		{"POST DLP exception: request, record, audit line, event, dispatched", 0.6, served(db.Postgres, "POST", exceptionPath, newAddress)},
	}},
	{"Conversations, writes, SQLite, synchronous=FULL", crmWrites(db.SQLite)},
	{"Conversations, reads, SQLite", crmReads(db.SQLite)},
	{"Conversations, writes, PostgreSQL, fsync on", crmWrites(db.Postgres)},
	{"Conversations, reads, PostgreSQL", crmReads(db.Postgres)},
	{"Single-row read, PostgreSQL", []mark{
		{"without row security", 0, readOne(false)},
		{"with row security", 0, readOne(true)},
	}},
}

const (
	sampleBody    = `{"email":"auditor@example.com","note":"External auditor, until the end of the year"}`
	exceptionPath = "/api/mail/v1/dlp/exceptions"
	mePath        = "/api/v1/auth/me"
)

// made numbers the addresses of a whole run: no two are the same.
var made atomic.Int64

// newAddress is a body of a constant length, so that the rest of the request
// can be prepared once.
func newAddress() string {
	return fmt.Sprintf(`{"email":"a%012d@example.com","note":"External auditor"}`, made.Add(1))
}

func fixed(body string) func() string { return func() string { return body } }

func bare(method, body string) func(context.Context, *env, int) (func() error, func(), error) {
	return func(_ context.Context, e *env, _ int) (func() error, func(), error) {
		addr, err := e.bareServer()
		if err != nil {
			return nil, nil, err
		}
		return dial(addr, method, "/", "", fixed(body))
	}
}

// bareMe answers what GET /me answered once, from memory.
func bareMe(ctx context.Context, e *env, _ int) (func() error, func(), error) {
	h, err := e.house(ctx, db.SQLite)
	if err != nil {
		return nil, nil, err
	}
	addr, err := e.bareServer()
	if err != nil {
		return nil, nil, err
	}
	if e.answer == nil {
		if e.answer, err = h.get(ctx, mePath); err != nil {
			return nil, nil, err
		}
	}
	return dial(addr, "GET", mePath, h.token, nil)
}

// served calls a house that really serves, with its workers, on a database.
func served(d db.Dialect, method, path string, body func() string) func(context.Context, *env, int) (func() error, func(), error) {
	return func(ctx context.Context, e *env, _ int) (func() error, func(), error) {
		h, err := e.house(ctx, d)
		if err != nil {
			return nil, nil, err
		}
		return dial(h.addr, method, path, h.token, body)
	}
}

// rawCommit is the shortest durable write.
func rawCommit(d db.Dialect) func(context.Context, *env, int) (func() error, func(), error) {
	return func(ctx context.Context, e *env, _ int) (func() error, func(), error) {
		h, err := e.house(ctx, d)
		if err != nil {
			return nil, nil, err
		}
		return func() error { return h.putRow(ctx) }, nil, nil
	}
}

// rawServed is what a request could reach at most: a bare handler around that
// transaction.
func rawServed(d db.Dialect) func(context.Context, *env, int) (func() error, func(), error) {
	return func(ctx context.Context, e *env, _ int) (func() error, func(), error) {
		h, err := e.house(ctx, d)
		if err != nil {
			return nil, nil, err
		}
		addr, err := serve(e, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err == nil {
				err = h.putRow(r.Context())
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			_, _ = w.Write(body)
		}))
		if err != nil {
			return nil, nil, err
		}
		return dial(addr, "POST", "/", "", fixed(sampleBody))
	}
}

// gate makes a record as a request would, without the request.
func gate(d db.Dialect) func(context.Context, *env, int) (func() error, func(), error) {
	return func(ctx context.Context, e *env, _ int) (func() error, func(), error) {
		h, err := e.house(ctx, d)
		if err != nil {
			return nil, nil, err
		}
		ctx = caller.With(ctx, &caller.Caller{Kind: caller.Agent, TenantID: h.tenant, Slug: "bench", ID: h.member})
		return func() error {
			_, err := h.app.Mail.AddException(ctx, fmt.Sprintf("a%012d@example.com", made.Add(1)), "External auditor")
			return err
		}, nil, nil
	}
}

// readOne reads a record by its id.
func readOne(rowSecurity bool) func(context.Context, *env, int) (func() error, func(), error) {
	return func(ctx context.Context, e *env, _ int) (func() error, func(), error) {
		g, err := e.guarded(ctx, rowSecurity)
		if err != nil {
			return nil, nil, err
		}
		tenant := g.db.Tenant(g.tenant)
		return func() error { return tenant.Read(ctx, g.read) }, nil, nil
	}
}
