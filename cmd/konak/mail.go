package main

import (
	"cmp"
	"context"
	"io"

	"konak/internal/app"
)

type mailCmd struct {
	Outbox outboxCmd `cmd:"" help:"Show mail kept because no mail server is configured."`
}

type outboxCmd struct {
	app.Config
	Workspace string `placeholder:"SLUG" help:"Only mail of this workspace; by default mail of all workspaces and of the service itself (verifications and resets)."`
	Limit     int    `default:"20" help:"Number of mails, newest first."`
	printing
}

// Run prints mails as their readers would see them. Their links open accounts, so this is
// for operators of the machine.
func (o *outboxCmd) Run(ctx context.Context, out io.Writer) error {
	return withApp(ctx, o.Config, func(a *app.App) error {
		mails, err := a.Outbox(ctx, o.Workspace, o.Limit)
		if err != nil {
			return err
		}
		return printList(o.printing, out, mails, "The outbox is empty.\n", func(m app.OutboxMail) error {
			whose := cmp.Or(m.Workspace, "outside workspaces")
			return printf(out, "%s  %s  %s\nTo: %s\nSubject: %s\n\n%s\n", m.CreatedAt.Format("2006-01-02 15:04:05Z"), m.ID, whose, m.To, m.Subject, paragraphs(m.Text))
		})
	})
}
