package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/jobs"
)

type jobsCmd struct {
	List   jobsListCmd   `cmd:"" help:"List dead jobs, which are no longer retried, newest first."`
	Retry  jobsRetryCmd  `cmd:"" help:"Retry dead jobs."`
	Delete jobsDeleteCmd `cmd:"" aliases:"drop" help:"Delete dead jobs."`
}

type jobsListCmd struct {
	app.Config
	Kind  string `placeholder:"KIND" help:"Only jobs of this kind, such as email.send."`
	Limit int    `default:"50" help:"Number of jobs."`
	printing
}

// deadJob is a dead job and the slug of its workspace: empty if it belongs to none, or to a
// deleted one.
type deadJob struct {
	jobs.Dead
	Workspace string `json:"workspace"`
}

// deadJobs lists dead jobs with their workspaces.
func deadJobs(ctx context.Context, a *app.App, kind string, limit int) ([]deadJob, error) {
	list, err := jobs.ListDead(ctx, a.DB, kind, limit)
	if err != nil {
		return nil, err
	}
	workspaces, err := a.Identity.AllWorkspaces(ctx)
	if err != nil {
		return nil, err
	}
	slugs := map[uuid.UUID]string{}
	for _, w := range workspaces {
		slugs[w.ID] = w.Slug
	}
	return each.Map(list, func(j jobs.Dead) deadJob { return deadJob{j, slugs[j.TenantID]} }), nil
}

// workspaceText describes which workspace a job belongs to.
func (j deadJob) workspaceText() string {
	switch {
	case j.Workspace != "":
		return "workspace " + j.Workspace
	case j.TenantID == uuid.Nil:
		return "outside workspaces"
	}
	return "of a deleted workspace, " + j.TenantID.String()
}

// Run prints a line for each dead job and its reason below it.
func (l *jobsListCmd) Run(ctx context.Context, out io.Writer) error {
	return withApp(ctx, l.Config, func(a *app.App) error {
		list, err := deadJobs(ctx, a, l.Kind, l.Limit)
		if err != nil {
			return err
		}
		return printList(l.printing, out, list, "There are no dead jobs.\n", func(j deadJob) error {
			reason, _, _ := strings.Cut(j.Error, "\n")
			return printf(out, "%s  %s  %s  %s  %d attempts, %d lost processes\n    %s\n",
				j.ID, j.DeadAt.Format("2006-01-02 15:04:05Z"), j.Kind, j.workspaceText(), j.Attempts, j.Lost, reason)
		})
	})
}

// jobIDs are the arguments of retry and delete.
type jobIDs struct {
	app.Config
	ID   []string `arg:"" optional:"" help:"Job ids, as shown by konak jobs list."`
	All  bool     `help:"All dead jobs, or all of one kind with --kind."`
	Kind string   `placeholder:"KIND" help:"With --all: only jobs of this kind."`
	printing
}

// each calls fn with the given ids, or with those of all dead jobs.
func (c *jobIDs) each(ctx context.Context, out io.Writer, done string, fn func(context.Context, *db.DB, uuid.UUID) error) error {
	if c.All == (len(c.ID) > 0) || c.Kind != "" && !c.All {
		return errors.New("give job ids, or --all with or without --kind")
	}
	var ids []uuid.UUID
	for _, text := range c.ID {
		id, err := uuid.Parse(text)
		if err != nil {
			return fmt.Errorf("%q is not a job id", text)
		}
		ids = append(ids, id)
	}
	return withApp(ctx, c.Config, func(a *app.App) error {
		if c.All {
			list, err := jobs.ListDead(ctx, a.DB, c.Kind, 100_000)
			if err != nil {
				return err
			}
			for _, j := range list {
				ids = append(ids, j.ID)
			}
		}
		for _, id := range ids {
			if err := fn(ctx, a.DB, id); db.IsNoRow(err) {
				return fmt.Errorf("there is no dead job %s", id)
			} else if err != nil {
				return err
			}
		}
		return c.result(out, map[string]any{"ids": db.OrEmpty(ids)}, "%d %s.\n", len(ids), done)
	})
}

type jobsRetryCmd struct{ jobIDs }

// Run makes dead jobs due now. A running node takes them within a second.
func (r *jobsRetryCmd) Run(ctx context.Context, out io.Writer) error {
	return r.each(ctx, out, "will be retried", jobs.RetryDead)
}

type jobsDeleteCmd struct{ jobIDs }

// Run deletes dead jobs.
func (r *jobsDeleteCmd) Run(ctx context.Context, out io.Writer) error {
	return r.each(ctx, out, "deleted", jobs.DeleteDead)
}
