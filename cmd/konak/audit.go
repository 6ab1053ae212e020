package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/each"
)

type auditCmd struct {
	app.Config
	Limit int `default:"50" help:"Number of lines, newest first."`
	printing
}

// auditLine is a printed line of the audit log.
type auditLine struct {
	ID      uuid.UUID  `json:"id"`
	At      clock.Time `json:"at"`
	Action  string     `json:"action"`
	Object  string     `json:"object"`
	Details any        `json:"details"`
}

// Run prints the lines of the audit log that belong to no workspace. A workspace's lines
// are in its panel.
func (l *auditCmd) Run(ctx context.Context, out io.Writer) error {
	if l.Limit < 1 || l.Limit > 10_000 {
		return errors.New("--limit: write a number from 1 to 10000")
	}
	return withApp(ctx, l.Config, func(a *app.App) error {
		found, err := audit.ListInstallation(ctx, a.DB, l.Limit)
		if err != nil {
			return err
		}
		lines := each.Map(found, func(f audit.Line) auditLine { return auditLine{f.ID, f.At, f.Action, f.Object, f.Details} })
		return printList(l.printing, out, lines, "There are no lines outside workspaces.\n", func(line auditLine) error {
			details, err := json.Marshal(line.Details)
			if err != nil {
				return err
			}
			return printf(out, "%s  %s  %s  %s\n", line.At.Format("2006-01-02 15:04:05Z"), line.Action, line.Object, string(details))
		})
	})
}
