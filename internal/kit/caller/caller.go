// Package caller says on whose behalf code runs.
//
// The API kit puts a Caller into the request's context; jobs and the
// dispatcher put back the one that set them off. Gates read it for the audit
// line and the event's actor, and for the test flag, which travels with
// everything a test-environment key sets off.
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
	// ID is the membership for an agent, the key for an API key.
	ID        uuid.UUID
	UserID    uuid.UUID
	SessionID uuid.UUID
	Perms     perm.Set
	Licences  map[string]bool
	// Delegated marks a session that the person did not open themselves: it
	// was granted to an app, or opened by a code that somebody else made.
	Delegated bool
	// App is the name of the app that acts for the person, "" where none does.
	App string
	// Resource is the path of the one route that a token of an app was issued for
	// (RFC 8707); "" is the whole API.
	Resource string
	// MustEnrol marks a session in a workspace that asks for a second step which
	// the person has not set up: it can do nothing else.
	MustEnrol bool
	// Test marks what a test-environment key set off: no live side effects.
	Test bool
	// Silent marks who acts where nothing may reach a customer, as with the tools of MCP.
	Silent bool
	// VerifiedAt is when the person last proved their password.
	VerifiedAt time.Time
	IP         string
	// Kept is what the module that proved the credential knows besides. Only
	// that module reads it.
	Kept any
}

// Can says whether the caller holds p.
func (c *Caller) Can(p perm.Permission) bool { return c != nil && c.Perms.Has(p) }

// MaySee says whether there is, for the caller, a record that is a test's or,
// where test is false, a live one. Keys of the test environment see only what
// was made in it; everybody else sees both.
func (c *Caller) MaySee(test bool) bool { return test || !c.Test }

// OnlyVisible is MaySee as a part of a query: it returns " AND " and the column
// that marks a test's record for a key of the test environment, and "" for
// everybody else. Each query of a store that finds such records has it.
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

// From finds the caller; without one it is the system itself.
func From(ctx context.Context) *Caller {
	if c, ok := ctx.Value(ctxKey{}).(*Caller); ok {
		return c
	}
	return &Caller{Kind: System}
}
