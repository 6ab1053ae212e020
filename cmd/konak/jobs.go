package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

type jobsCmd struct {
	List   jobsListCmd   `cmd:"" help:"List the jobs that are no longer tried, the newest first."`
	Retry  jobsRetryCmd  `cmd:"" help:"Try jobs of that list again."`
	Delete jobsDeleteCmd `cmd:"" aliases:"drop" help:"Delete jobs of that list."`
}

// openJobs opens the database and calls fn with it.
func openJobs(ctx context.Context, c app.Config, fn func(d *db.DB) error) error {
	a, err := app.OpenExisting(ctx, c, logger(c), clock.System{})
	if err != nil {
		return err
	}
	return errors.Join(fn(a.DB), a.Close())
}

type jobsListCmd struct {
	app.Config
	Kind  string `placeholder:"KIND" help:"Only jobs of this kind, such as email.send."`
	Limit int    `default:"50" help:"How many."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

// Run prints a line for each dead job and its reason below it.
func (l *jobsListCmd) Run(ctx context.Context, out io.Writer) error {
	return openJobs(ctx, l.Config, func(d *db.DB) error {
		list, err := jobs.ListDead(ctx, d, l.Kind, l.Limit)
		if err != nil {
			return err
		}
		if l.JSON {
			return printJSON(out, db.OrEmpty(list))
		}
		if len(list) == 0 {
			_, err = fmt.Fprintln(out, "There are no dead jobs.")
			return err
		}
		for _, j := range list {
			reason, _, _ := strings.Cut(j.Error, "\n")
			if _, err := fmt.Fprintf(out, "%s  %s  %s  tenant %s  %d attempts, %d lost processes\n    %s\n",
				j.ID, j.DeadAt.Format("2006-01-02 15:04:05Z"), j.Kind, j.TenantID, j.Attempts, j.Lost, reason); err != nil {
				return err
			}
		}
		return nil
	})
}

// jobIDs are what retry and delete work on.
type jobIDs struct {
	app.Config
	ID   []string `arg:"" optional:"" help:"Ids of jobs, as konak jobs list shows them."`
	All  bool     `help:"All dead jobs, or with --kind all of a kind."`
	Kind string   `placeholder:"KIND" help:"With --all: only jobs of this kind."`
	JSON bool     `name:"json" help:"Print JSON."`
}

// each calls fn with the ids that were given, or with those of all dead jobs.
func (c *jobIDs) each(ctx context.Context, out io.Writer, done string, fn func(context.Context, *db.DB, uuid.UUID) error) error {
	if c.All == (len(c.ID) > 0) || c.Kind != "" && !c.All {
		return errors.New("give ids, or --all with or without --kind")
	}
	var ids []uuid.UUID
	for _, text := range c.ID {
		id, err := uuid.Parse(text)
		if err != nil {
			return fmt.Errorf("%q is no id of a job", text)
		}
		ids = append(ids, id)
	}
	return openJobs(ctx, c.Config, func(d *db.DB) error {
		if c.All {
			list, err := jobs.ListDead(ctx, d, c.Kind, 100_000)
			if err != nil {
				return err
			}
			for _, j := range list {
				ids = append(ids, j.ID)
			}
		}
		for _, id := range ids {
			if err := fn(ctx, d, id); db.IsNoRow(err) {
				return fmt.Errorf("there is no dead job %s", id)
			} else if err != nil {
				return err
			}
		}
		if c.JSON {
			return printJSON(out, map[string]any{"ids": db.OrEmpty(ids)})
		}
		_, err := fmt.Fprintf(out, "%d %s.\n", len(ids), done)
		return err
	})
}

type jobsRetryCmd struct{ jobIDs }

// Run makes dead jobs due now. A node that runs takes them within a second.
func (r *jobsRetryCmd) Run(ctx context.Context, out io.Writer) error {
	return r.each(ctx, out, "will be tried again", jobs.RetryDead)
}

type jobsDeleteCmd struct{ jobIDs }

// Run deletes dead jobs.
func (r *jobsDeleteCmd) Run(ctx context.Context, out io.Writer) error {
	return r.each(ctx, out, "deleted", jobs.DeleteDead)
}
