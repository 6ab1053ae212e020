package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"konak/internal/app"
	"konak/internal/kit/clock"
)

type mailCmd struct {
	Outbox outboxCmd `cmd:"" help:"Show mail kept because no mail server is configured."`
}

type outboxCmd struct {
	app.Config
	Workspace string `placeholder:"SLUG" help:"Only mail of this workspace; by default mail of all workspaces and of the service itself (verifications and resets)."`
	Limit     int    `default:"20" help:"Number of mails, newest first."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run prints mails as their readers would see them. Their links open accounts, so this is
// for operators of the machine.
func (o *outboxCmd) Run(ctx context.Context, out io.Writer) error {
	a, err := app.OpenExisting(ctx, o.Config, logger(o.Config), clock.System{})
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	mails, err := a.Outbox(ctx, o.Workspace, o.Limit)
	if err != nil {
		return err
	}
	if o.JSON {
		return printJSON(out, mails)
	}
	if len(mails) == 0 {
		_, err = fmt.Fprintln(out, "The outbox is empty.")
		return err
	}
	for _, m := range mails {
		whose := cmp.Or(m.Workspace, "outside workspaces")
		if err := printf(out, "%s  %s  %s\nTo: %s\nSubject: %s\n\n%s\n", m.CreatedAt.Format("2006-01-02 15:04:05Z"), m.ID, whose, m.To, m.Subject, paragraphs(m.Text)); err != nil {
			return err
		}
	}
	return nil
}
