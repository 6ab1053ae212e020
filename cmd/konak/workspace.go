package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"konak/internal/app"
	"konak/internal/identity"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
)

type workspaceCmd struct {
	Create   createCmd   `cmd:"" help:"Make a workspace and its owner."`
	Licences licencesCmd `cmd:"" help:"Set which modules a workspace has."`
	Storage  storageCmd  `cmd:"" help:"Show what a workspace's files take, or set what they may take."`
}

type createCmd struct {
	app.Config
	Name       string `arg:"" help:"Name of the workspace; its address comes from it."`
	OwnerEmail string `required:"" placeholder:"ADDRESS" help:"The owner's e-mail address. It counts as proven."`
	OwnerName  string `required:"" placeholder:"NAME" help:"The owner's name."`
	Language   string `enum:"tr,en" default:"tr" help:"Language of the owner's mails: tr or en."`
}

// Run makes the workspace and prints the owner's password, which is kept nowhere.
func (c *createCmd) Run(ctx context.Context, out io.Writer) error {
	a, err := app.OpenExisting(ctx, c.Config, logger(c.Config), clock.System{})
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	w, password, err := a.CreateWorkspace(ctx, c.Name, app.NewOwner{Name: c.OwnerName, Email: c.OwnerEmail, Language: c.Language})
	if f, ok := fault.As(err); ok {
		switch f.Code {
		case fault.AccountExists:
			return fmt.Errorf("%s has an account already; sign in with it and add a workspace there", c.OwnerEmail)
		case fault.ValidationFailed:
			return fmt.Errorf("--owner-email %q: write an e-mail address", c.OwnerEmail)
		}
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Workspace %s (%s)\nSign in   %s/sign-in\nAddress   %s\nPassword  %s\n\nThe password is not shown again; the owner changes it under Account.\n",
		w.Name, w.Slug, c.BaseURL(), c.OwnerEmail, password.Reveal())
	return err
}

type licencesCmd struct {
	app.Config
	Slug     string   `arg:"" help:"The workspace."`
	Licences []string `arg:"" optional:"" help:"The modules it is to have; none for none. One or more of advisor, ai, commerce, crm, erp, mail, telephony, telephony_line, or all."`
}

// Run sets the licences. Nodes that run notice within seconds.
func (l *licencesCmd) Run(ctx context.Context, out io.Writer) error {
	if len(l.Licences) == 1 && l.Licences[0] == "all" {
		l.Licences = identity.AllLicences
	}
	for _, name := range l.Licences {
		if !slices.Contains(identity.AllLicences, name) {
			return fmt.Errorf("there is no licence %q; there are %s, or all", name, strings.Join(identity.AllLicences, ", "))
		}
	}
	a, err := app.OpenExisting(ctx, l.Config, logger(l.Config), clock.System{})
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	if err := a.SetLicences(ctx, l.Slug, l.Licences); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %s\n", l.Slug, strings.Join(l.Licences, ", "))
	return err
}

type storageCmd struct {
	app.Config
	Slug  string `arg:"" help:"The workspace."`
	Quota string `placeholder:"SIZE" help:"How much it may keep: bytes, or a number with MiB, GiB or TiB, or 'default'."`
}

// Run sets the quota where one is given, and prints the workspace's storage.
// Nodes that run use the new quota at once.
func (s *storageCmd) Run(ctx context.Context, out io.Writer) error {
	var quota *int64
	if s.Quota != "" && s.Quota != "default" {
		var size app.Size
		if err := size.UnmarshalText([]byte(s.Quota)); err != nil {
			return fmt.Errorf("--quota %q: %w", s.Quota, err)
		}
		quota = new(int64(size))
	}
	a, err := app.OpenExisting(ctx, s.Config, logger(s.Config), clock.System{})
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
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
	_, err = fmt.Fprintf(out, "%s: %d of %d bytes (%s); visitors %d of %d\n", s.Slug, u.Bytes, u.Quota, source, u.VisitorBytes, u.VisitorQuota)
	return err
}
