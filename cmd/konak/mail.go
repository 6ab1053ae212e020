package main

import (
	"context"
	"fmt"
	"io"

	"konak/internal/app"
	"konak/internal/kit/clock"
)

type mailCmd struct {
	Outbox outboxCmd `cmd:"" help:"Show the mail that was kept because no mail server is configured."`
}

type outboxCmd struct {
	app.Config
	Tenant string `placeholder:"SLUG" help:"Show a workspace's mail; by default the service's own: verifications and resets."`
	Limit  int    `default:"20" help:"How many mails, the newest first."`
}

// Run prints mails as their readers would see them. They open accounts, so
// this is for whoever runs the machine.
func (o *outboxCmd) Run(ctx context.Context, out io.Writer) error {
	a, err := app.OpenExisting(ctx, o.Config, logger(o.Config), clock.System{})
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	mails, err := a.Outbox(ctx, o.Tenant, o.Limit)
	if err != nil {
		return err
	}
	if len(mails) == 0 {
		_, err = fmt.Fprintln(out, "The outbox is empty.")
		return err
	}
	for _, l := range mails {
		if _, err := fmt.Fprintf(out, "%s  %s\nTo: %s\nSubject: %s\n\n%s\n", l.CreatedAt.Format("2006-01-02 15:04:05Z"), l.ID, l.To, l.Subject, l.Text); err != nil {
			return err
		}
	}
	return nil
}
