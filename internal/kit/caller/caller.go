// Package caller identifies on whose behalf code runs.
//
// The API kit puts a Caller into the request's context; jobs and the dispatcher restore the
// Caller that triggered them. Gates read it for the audit line and the event's actor, and
// for the test flag, which travels with everything that a test-environment key triggers.
package caller

import (
	"context"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/perm"
)

// Kind is the kind of actor, in the words of the event body.
type Kind string

// The kinds of actor.
const (
	Agent   Kind = "agent"
	Contact Kind = "contact"
	Bot     Kind = "bot"
	System  Kind = "system"
	APIKey  Kind = "api_key"
)

// Caller is who acts, in which workspace, and what they may do.
type Caller struct {
	Kind     Kind
	TenantID uuid.UUID
	Slug     string
	// ID is the membership for an agent, or the key for an API key.
	ID        uuid.UUID
	UserID    uuid.UUID
	SessionID uuid.UUID
	Perms     perm.Set
	Licences  map[string]bool
	// Delegated marks a session that the person did not open themselves: it was granted to
	// an app, or opened with a code that somebody else created.
	Delegated bool
	// App is the name of the app that acts for the person, "" if none does.
	App string
	// Resource is the path of the only route for which an app's token was issued (RFC
	// 8707); "" means the whole API.
	Resource string
	// MustEnrol marks a session in a workspace that requires a second step which the person
	// has not set up: the session can be used for nothing else.
	MustEnrol bool
	// Test marks what a test-environment key triggered: no live side effects.
	Test bool
	// Silent marks a caller whose actions must not reach a customer, such as the tools of
	// MCP.
	Silent bool
	// VerifiedAt is when the person last proved their password.
	VerifiedAt time.Time
	IP         string
	// Kept is further data of the module that verified the credential. Only that module
	// reads it.
	Kept any
}

// Actor returns the id of the member or API key that acts, nil for the system.
func (c *Caller) Actor() *uuid.UUID {
	if c.ID == uuid.Nil {
		return nil
	}
	return &c.ID
}

// Can reports whether the caller holds p.
func (c *Caller) Can(p perm.Permission) bool { return c != nil && c.Perms.Has(p) }

// MaySee reports whether the caller may see a record that is a test's or, if test is false,
// a live one. Keys of the test environment see only test records; everybody else sees both.
func (c *Caller) MaySee(test bool) bool { return test || !c.Test }

// OnlyVisible is MaySee as a part of a query: for a key of the test environment it returns
// " AND " and the column that marks test records, for everybody else "". Each query of a
// store that finds such records includes it.
func OnlyVisible(ctx context.Context, column string) string {
	if From(ctx).Test {
		return " AND " + column
	}
	return ""
}

type ctxKey struct{}

// With puts c into the context.
func With(ctx context.Context, c *Caller) context.Context {
	return context.WithValue(ctx, ctxKey{}, c)
}

// From returns the caller in the context; if there is none, it is the system itself.
func From(ctx context.Context) *Caller {
	if c, ok := ctx.Value(ctxKey{}).(*Caller); ok {
		return c
	}
	return &Caller{Kind: System}
}
