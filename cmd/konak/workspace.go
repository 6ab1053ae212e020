package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"konak/internal/app"
	"konak/internal/crm/telephony/wallet"
	"konak/internal/identity"
	"konak/internal/kit/fault"
)

type workspaceCmd struct {
	Create   createCmd        `cmd:"" help:"Create a workspace and its owner."`
	List     workspaceListCmd `cmd:"" help:"List the workspaces."`
	Show     workspaceShowCmd `cmd:"" help:"Show a workspace."`
	Suspend  suspendCmd       `cmd:"" help:"Suspend a workspace: nobody can enter it and it sends nothing until resumed."`
	Resume   resumeCmd        `cmd:"" help:"Resume a suspended workspace."`
	Delete   deleteCmd        `cmd:"" help:"Delete a suspended workspace and everything in it."`
	Export   exportCmd        `cmd:"" help:"Export a workspace and everything in it to one file."`
	Import   importCmd        `cmd:"" help:"Import a workspace from such a file; it stays suspended until resumed."`
	Licences licencesCmd      `cmd:"" help:"Show or set the modules a workspace is licensed for."`
	Storage  storageCmd       `cmd:"" help:"Show a workspace's storage usage, or set its quota."`
	Credit   creditCmd        `cmd:"" help:"Show or add call credit of a workspace."`
}

type createCmd struct {
	app.Config
	Name       string `arg:"" help:"Name of the workspace; its address is derived from it."`
	OwnerEmail string `required:"" placeholder:"ADDRESS" help:"The owner's e-mail address, treated as verified. If it has an account, that account gets the workspace."`
	OwnerName  string `placeholder:"NAME" help:"The owner's name; required if the address has no account."`
	Language   string `enum:"tr,en" default:"tr" help:"Language of the owner's mails: tr or en."`
	printing
}

// Run creates the workspace and prints the password of a new owner, which is not stored.
func (c *createCmd) Run(ctx context.Context, out io.Writer) error {
	return withApp(ctx, c.Config, func(a *app.App) error {
		w, password, err := a.CreateWorkspace(ctx, c.Name, app.NewOwner{Name: c.OwnerName, Email: c.OwnerEmail, Language: c.Language})
		if err != nil {
			return c.explain(err)
		}
		return c.print(out, w, password.Reveal())
	})
}

// explain says which argument of a refused workspace must be changed.
func (c *createCmd) explain(err error) error {
	f, ok := fault.As(err)
	switch {
	case !ok || f.Code != fault.ValidationFailed:
		return err
	case f.Fields["workspace_name"] != nil:
		return fmt.Errorf("the name %q: write 1 to 100 characters", c.Name)
	case f.Fields["name"] != nil:
		return fmt.Errorf("--owner-name %q: write 1 to 100 characters", c.OwnerName)
	}
	return fmt.Errorf("--owner-email %q: write an e-mail address", c.OwnerEmail)
}

// print prints a new workspace. The password is empty if the owner already had an account.
func (c *createCmd) print(out io.Writer, w identity.Workspace, password string) error {
	if c.JSON {
		made := map[string]any{"workspace": w, "sign_in": c.BaseURL() + "/sign-in", "email": c.OwnerEmail}
		if password != "" {
			made["password"] = password
		}
		return printJSON(out, made)
	}
	last := "The owner already has an account and signs in with its password."
	if password != "" {
		last = "Password  " + password + "\n\nThe password is not shown again; the owner can change it under Account."
	}
	return printf(out, "Workspace %s (%s)\nSign in   %s/sign-in\nAddress   %s\n%s\n", w.Name, w.Slug, c.BaseURL(), c.OwnerEmail, paragraphs(last))
}

type workspaceListCmd struct {
	app.Config
	printing
}

// Run prints a line for each workspace.
func (l *workspaceListCmd) Run(ctx context.Context, out io.Writer) error {
	return withApp(ctx, l.Config, func(a *app.App) error {
		list, err := a.Identity.AllWorkspaces(ctx)
		if err != nil {
			return err
		}
		return printList(l.printing, out, list, "", func(w identity.WorkspaceSummary) error { return printWorkspace(out, w) })
	})
}

type workspaceShowCmd struct {
	app.Config
	Slug string `arg:"" help:"Short name of the workspace."`
	printing
}

// Run prints a workspace.
func (s *workspaceShowCmd) Run(ctx context.Context, out io.Writer) error {
	return withApp(ctx, s.Config, func(a *app.App) error {
		w, err := a.WorkspaceSummary(ctx, s.Slug)
		if err != nil {
			return err
		}
		return s.print(out, w)
	})
}

// print prints a workspace in the requested format.
func (s *workspaceShowCmd) print(out io.Writer, w identity.WorkspaceSummary) error {
	if s.JSON {
		return printJSON(out, w)
	}
	return printWorkspace(out, w)
}

func printWorkspace(out io.Writer, w identity.WorkspaceSummary) error {
	state := ""
	if w.SuspendedAt != nil {
		state = "  suspended since " + w.SuspendedAt.Format(time.DateOnly)
	}
	return printf(out, "%s  %s  since %s  %d members  licences %s%s\n",
		w.Slug, w.Name, w.CreatedAt.Format(time.DateOnly), w.Members, cmp.Or(strings.Join(w.Licences, ", "), "none"), state)
}

type suspendCmd struct{ workspaceShowCmd }

// Run suspends a workspace and prints it. Running nodes notice within a second.
func (s *suspendCmd) Run(ctx context.Context, out io.Writer) error { return s.set(ctx, out, true) }

type resumeCmd struct{ workspaceShowCmd }

// Run resumes a workspace and prints it.
func (r *resumeCmd) Run(ctx context.Context, out io.Writer) error { return r.set(ctx, out, false) }

// set suspends or resumes the workspace and prints it.
func (s *workspaceShowCmd) set(ctx context.Context, out io.Writer, suspended bool) error {
	return withApp(ctx, s.Config, func(a *app.App) error {
		w, err := a.SetSuspended(ctx, s.Slug, suspended)
		if err != nil {
			return err
		}
		if w.Deleting {
			return fmt.Errorf("the workspace %q is being deleted; run `konak workspace delete` to finish", s.Slug)
		}
		return s.print(out, w)
	})
}

type deleteCmd struct {
	workspaceShowCmd
	Confirm string `required:"" placeholder:"NAME" help:"The name of the workspace, to confirm."`
}

// Run deletes a workspace and prints what was removed.
func (d *deleteCmd) Run(ctx context.Context, out io.Writer) error {
	return withApp(ctx, d.Config, func(a *app.App) error {
		w, err := a.DeleteWorkspace(ctx, d.Slug, d.Confirm)
		if err != nil {
			return err
		}
		return d.result(out, w, "%s is deleted: %s of %s, %s, and %s without another workspace.\n",
			w.Slug, countOf(w.Rows, "row"), countOf(len(w.Tables), "table"), countOf(w.Files, "file"), countPeople(w.People))
	})
}

type licencesCmd struct {
	app.Config
	Slug     string   `arg:"" help:"Short name of the workspace."`
	Licences []string `arg:"" optional:"" help:"Modules to license: one or more of advisor, ai, commerce, crm, erp, mail, telephony, telephony_line, or all, or none. Without any, shows the current ones."`
	printing
}

// Run sets the licences if any are given, and prints them. Running nodes notice within
// seconds.
func (l *licencesCmd) Run(ctx context.Context, out io.Writer) error {
	set := l.Licences
	if len(set) == 1 && set[0] == "all" {
		set = identity.AllLicences
	}
	if len(set) == 1 && set[0] == "none" {
		set = []string{}
	}
	for _, name := range set {
		if !slices.Contains(identity.AllLicences, name) {
			return fmt.Errorf("there is no licence %q; use %s, or all, or none", name, strings.Join(identity.AllLicences, ", "))
		}
	}
	return withApp(ctx, l.Config, func(a *app.App) error {
		if set != nil {
			if err := a.SetLicences(ctx, l.Slug, set); err != nil {
				return err
			}
		}
		w, err := a.WorkspaceSummary(ctx, l.Slug)
		if err != nil {
			return err
		}
		return l.result(out, w.Licences, "%s: %s\n", l.Slug, cmp.Or(strings.Join(w.Licences, ", "), "none"))
	})
}

type storageCmd struct {
	app.Config
	Slug  string `arg:"" help:"Short name of the workspace."`
	Quota string `placeholder:"SIZE" help:"New quota: bytes, or a number with MiB, GiB or TiB, or 'default'."`
	printing
}

// Run sets the quota if one is given, and prints the workspace's storage. Running nodes use
// the new quota at once.
func (s *storageCmd) Run(ctx context.Context, out io.Writer) error {
	var quota *int64
	if s.Quota != "" && s.Quota != "default" {
		var size app.Size
		if err := size.UnmarshalText([]byte(s.Quota)); err != nil {
			return fmt.Errorf("--quota %q: %w", s.Quota, err)
		}
		quota = new(int64(size))
	}
	return withApp(ctx, s.Config, func(a *app.App) error {
		if s.Quota != "" {
			if err := a.SetStorageQuota(ctx, s.Slug, quota); err != nil {
				return err
			}
		}
		u, err := a.Storage(ctx, s.Slug)
		if err != nil {
			return err
		}
		source := "the default"
		if u.OwnQuota {
			source = "its own"
		}
		return s.result(out, u, "%s: %d of %d bytes (%s); visitors %d of %d\n", s.Slug, u.Bytes, u.Quota, source, u.VisitorBytes, u.VisitorQuota)
	})
}

type creditCmd struct {
	app.Config
	Slug string `arg:"" help:"Short name of the workspace."`
	Add  string `placeholder:"AMOUNT" help:"Amount to add, such as 100 or 99.50; a negative amount is deducted."`
	Note string `help:"Reason, for the audit log."`
	printing
}

// Run changes the credit if an amount is given, and prints it.
func (c *creditCmd) Run(ctx context.Context, out io.Writer) error {
	amount, err := parseAmount(cmp.Or(c.Add, "0"))
	if err != nil {
		return fmt.Errorf("--add %q: %w", c.Add, err)
	}
	return withApp(ctx, c.Config, func(a *app.App) error {
		tenant, err := a.WorkspaceID(ctx, c.Slug)
		if err != nil {
			return err
		}
		if amount != 0 {
			if err := a.Wallet.Adjust(ctx, tenant, amount, c.Note); err != nil {
				return fmt.Errorf("workspace %q: %w", c.Slug, err)
			}
		}
		w, err := a.Wallet.Wallet(ctx, tenant)
		if err != nil {
			return err
		}
		return c.result(out, w, "%s: %s %s available, %s reserved\n", c.Slug, formatAmount(w.Available), w.Currency, formatAmount(w.Held))
	})
}

var (
	amountText = regexp.MustCompile(`^(-?)([0-9]{1,9})(?:\.([0-9]{1,2}))?$`)
	errAmount  = errors.New("write an amount with at most two decimal places, such as 99.50")
)

// parseAmount parses an amount of money into millionths.
func parseAmount(text string) (int64, error) {
	m := amountText.FindStringSubmatch(text)
	if m == nil {
		return 0, errAmount
	}
	n, err := strconv.ParseInt(m[1]+m[2]+(m[3] + "00")[:2], 10, 64)
	return n * (wallet.Micro / 100), err
}

// formatAmount formats millionths as units and hundredths.
func formatAmount(micros int64) string {
	return fmt.Sprintf("%d.%02d", micros/wallet.Micro, micros%wallet.Micro/(wallet.Micro/100))
}
