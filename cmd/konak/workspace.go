package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"konak/internal/app"
	"konak/internal/identity"
	"konak/internal/kit/clock"
)

type workspaceCmd struct {
	Licences licencesCmd `cmd:"" help:"Set which modules a workspace has."`
}

type licencesCmd struct {
	app.Config
	Slug     string   `arg:"" help:"The workspace."`
	Licences []string `arg:"" optional:"" help:"The modules it is to have; none for none. One or more of advisor, ai, commerce, crm, erp, mail, telephony, or all."`
}

// Run sets the licences. Nodes that run notice within seconds.
func (l *licencesCmd) Run(ctx context.Context, out io.Writer) error {
	l.Demo = false
	a, err := app.Open(ctx, l.Config, logger(l.Config), clock.System{})
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	if len(l.Licences) == 1 && l.Licences[0] == "all" {
		l.Licences = identity.AllLicences
	}
	if err := a.Identity.SetLicences(ctx, l.Slug, l.Licences); err != nil {
		return fmt.Errorf("workspace %q: %w", l.Slug, err)
	}
	_, err = fmt.Fprintf(out, "%s: %s\n", l.Slug, strings.Join(l.Licences, ", "))
	return err
}
