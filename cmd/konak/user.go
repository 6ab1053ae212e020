package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"konak/internal/app"
	"konak/internal/identity"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
)

type userCmd struct {
	List          userListCmd          `cmd:"" help:"List users."`
	ResetPassword userResetPasswordCmd `cmd:"" help:"Generate a new password for a user and end their sessions."`
	Reset2FA      userReset2FACmd      `cmd:"" name:"reset-2fa" help:"Turn off two-factor authentication of a user and end their sessions."`
	EndSessions   userEndSessionsCmd   `cmd:"" help:"End all sessions of a user."`
	Grant         userGrantCmd         `cmd:"" help:"Give an existing user a role in a workspace."`
}

// withApp opens the installation, while a server may be running, and calls fn with it.
func withApp(ctx context.Context, c app.Config, fn func(*app.App) error) error {
	a, err := app.OpenExisting(ctx, c, logger(c), clock.System{})
	if err != nil {
		return err
	}
	return errors.Join(fn(a), a.Close())
}

type userListCmd struct {
	app.Config
	Workspace string `placeholder:"SLUG" help:"Only members of this workspace."`
	printing
}

// Run prints a line for each membership of a person.
func (u *userListCmd) Run(ctx context.Context, out io.Writer) error {
	return withApp(ctx, u.Config, func(a *app.App) error {
		if u.Workspace != "" {
			if _, err := a.WorkspaceID(ctx, u.Workspace); err != nil {
				return err
			}
		}
		people, err := a.Identity.People(ctx, u.Workspace)
		if err != nil {
			return err
		}
		return printList(u.printing, out, people, "", func(p identity.Person) error {
			return printf(out, "%s  %s  %s  %s  %s  two-factor %t  %d sessions\n", p.Email, p.Name, p.Workspace, p.Role, p.State, p.TwoFactor, p.Sessions)
		})
	})
}

// userEmail identifies the person that a command is about.
type userEmail struct {
	app.Config
	Email string `arg:"" help:"The user's e-mail address."`
	printing
}

// act opens the installation and calls fn, and explains a missing account or second step.
func (u *userEmail) act(ctx context.Context, fn func(*app.App) error) error {
	err := withApp(ctx, u.Config, fn)
	f, ok := fault.As(err)
	switch {
	case ok && f.Code == fault.NotFound:
		return fmt.Errorf("there is no account with the address %q", u.Email)
	case ok && f.Code == fault.TwoFactorOff:
		return fmt.Errorf("two-factor authentication of %s is off", u.Email)
	}
	return err
}

type userResetPasswordCmd struct{ userEmail }

// Run prints the new password, which is not stored.
func (u *userResetPasswordCmd) Run(ctx context.Context, out io.Writer) error {
	return u.act(ctx, func(a *app.App) error {
		password, err := a.Accounts.ResetPassword(ctx, u.Email)
		if err != nil {
			return err
		}
		return u.result(out, map[string]string{"email": u.Email, "password": password.Reveal()},
			"Password  %s\n\nIt is not shown again; the user can change it under Account.\n", password.Reveal())
	})
}

type userReset2FACmd struct{ userEmail }

// Run switches the second step off.
func (u *userReset2FACmd) Run(ctx context.Context, out io.Writer) error {
	return u.act(ctx, func(a *app.App) error {
		if err := a.Accounts.ResetTwoFactor(ctx, u.Email); err != nil {
			return err
		}
		return u.result(out, map[string]any{"email": u.Email, "two_factor": false}, "Two-factor authentication of %s is now off.\n", u.Email)
	})
}

type userEndSessionsCmd struct{ userEmail }

// Run ends the person's sessions.
func (u *userEndSessionsCmd) Run(ctx context.Context, out io.Writer) error {
	return u.act(ctx, func(a *app.App) error {
		n, err := a.Accounts.EndSessions(ctx, u.Email)
		if err != nil {
			return err
		}
		return u.result(out, map[string]any{"email": u.Email, "ended": n}, "%d sessions of %s were ended.\n", n, u.Email)
	})
}

type userGrantCmd struct {
	userEmail
	Workspace string `arg:"" help:"Short name of the workspace."`
	Role      string `arg:"" help:"The role: owner, admin, agent, guest or a custom role."`
}

// Run grants the role, and makes the person a member if they are not.
func (u *userGrantCmd) Run(ctx context.Context, out io.Writer) error {
	err := u.act(ctx, func(a *app.App) error {
		tenant, err := a.WorkspaceID(ctx, u.Workspace)
		if err != nil {
			return err
		}
		m, err := a.Identity.GrantRole(ctx, tenant, u.Email, u.Role)
		if err != nil {
			return err
		}
		return u.result(out, map[string]any{"email": m.Email, "workspace": u.Workspace, "membership_id": m.ID, "role": m.Role, "state": m.State},
			"%s is %s in %s.\n", m.Email, m.Role, u.Workspace)
	})
	f, ok := fault.As(err)
	switch {
	case ok && f.Code == fault.ValidationFailed:
		return fmt.Errorf("the workspace %s has no role %q", u.Workspace, u.Role)
	case ok && f.Code == fault.NotActive:
		return fmt.Errorf("%s is suspended in %s; an owner has to resume them first", u.Email, u.Workspace)
	case ok && f.Code == fault.LastAdmin:
		return fmt.Errorf("%s keeps the role, because a workspace needs an owner", u.Email)
	}
	return err
}
