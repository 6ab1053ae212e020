package identity

import (
	"context"
	"unicode/utf8"

	"github.com/google/uuid"

	"konak/internal/identity/notice"
	"konak/internal/kit/caller"
	"konak/internal/kit/fault"
	"konak/internal/kit/trtext"
)

// User is a person, in any number of workspaces.
type User struct {
	ID    uuid.UUID `json:"id"`
	Email string    `json:"email" example:"owner@demo.localhost"`
	Name  string    `json:"name" example:"Defne Yılmaz"`
	// Language is the language of mail to this person.
	Language  string `json:"language" enum:"tr,en"`
	TwoFactor bool   `json:"two_factor" doc:"Whether two-factor authentication is on"`
}

// maxName is the maximum length of the name of a person or a workspace, in characters.
const maxName = 100

// CleanName returns the name of a person or a workspace in its stored form: one line
// without control characters. The fault names the field if it is empty or too long.
func CleanName(field, name string) (string, error) {
	name = trtext.OneLine(name)
	switch {
	case name == "":
		return "", fault.Invalid(field, "required")
	case utf8.RuneCountInString(name) > maxName:
		return "", fault.Invalid(field, "too_long")
	}
	return name, nil
}

// Recipient is the person as a notice addresses them.
func (u User) Recipient() notice.Recipient {
	return notice.Recipient{Email: u.Email, Name: u.Name, Language: u.Language}
}

// Account is a person in one of their workspaces, with the data that proves who they are.
type Account struct {
	User         User
	PasswordHash string
	Workspace    Workspace
	Membership   Membership
}

// ActIn returns a context in which the account is the caller. It is for steps before a
// session determines the caller.
func (a Account) ActIn(ctx context.Context, ip string) context.Context {
	return caller.With(ctx, &caller.Caller{
		Kind: caller.Agent, TenantID: a.Workspace.ID, Slug: a.Workspace.Slug, ID: a.Membership.ID, UserID: a.User.ID, IP: ip,
	})
}
