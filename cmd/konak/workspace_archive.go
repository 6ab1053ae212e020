package main

import (
	"context"
	"fmt"
	"io"

	"konak/internal/app"
	"konak/internal/kit/archive"
	"konak/internal/kit/backup"
)

type exportCmd struct {
	app.Config
	Slug         string   `arg:"" help:"The workspace."`
	Target       string   `arg:"" help:"New file NAME.tar, which only this installation can import, or NAME.tar.age."`
	AgeRecipient []string `placeholder:"AGE1…" help:"Encrypt NAME.tar.age for this age recipient; may be given several times. Its owner can import it anywhere, and read every secret in it."`
	JSON         bool     `name:"json" help:"Print JSON."`
}

// Run writes the archive of a workspace, beside a server that may run, and prints what is
// in it.
func (e *exportCmd) Run(ctx context.Context, out io.Writer) error {
	return withApp(ctx, e.Config, func(a *app.App) error {
		s, err := e.write(ctx, a)
		if err != nil {
			return err
		}
		if e.JSON {
			return printJSON(out, s)
		}
		where := "any installation of this version, by whoever can decrypt it"
		if len(e.AgeRecipient) == 0 {
			where = "this installation only, because of its secrets (--age-recipient is for others)"
		}
		_, err = fmt.Fprintf(out, "%s holds %s: %d rows of %d tables, %d files and %d secrets. It can be imported into %s.\n",
			e.Target, s.Workspace.Slug, s.Rows, len(s.Tables), s.Files, s.Secrets, where)
		return err
	})
}

// write writes the archive.
func (e *exportCmd) write(ctx context.Context, a *app.App) (archive.Summary, error) {
	to, err := backup.ParseRecipients(e.AgeRecipient)
	if err != nil {
		return archive.Summary{}, err
	}
	w, err := a.WorkspaceSummary(ctx, e.Slug)
	if err == nil && w.Deleting {
		err = fmt.Errorf("the workspace %q is being deleted", e.Slug)
	}
	if err != nil {
		return archive.Summary{}, err
	}
	c, err := a.ArchiveConfig()
	if err != nil {
		return archive.Summary{}, err
	}
	return archive.Export(ctx, c, archive.Workspace{ID: w.ID, Slug: w.Slug, Name: w.Name}, e.Target, to)
}

type importCmd struct {
	app.Config
	Path        string `arg:"" type:"existingfile" help:"File that konak workspace export wrote."`
	AgeIdentity string `placeholder:"FILE" type:"existingfile" help:"File with the age identity for an encrypted one."`
	JSON        bool   `name:"json" help:"Print JSON."`
}

// Run imports a workspace, all of it or nothing, and prints what it wrote.
func (i *importCmd) Run(ctx context.Context, out io.Writer) error {
	return withApp(ctx, i.Config, func(a *app.App) error {
		c, err := a.ArchiveConfig()
		if err != nil {
			return err
		}
		w, err := archive.Import(ctx, c, i.Path, i.AgeIdentity)
		if err != nil {
			return err
		}
		if i.JSON {
			return printJSON(out, w)
		}
		_, err = fmt.Fprintf(out, "%s is imported: %d rows of %d tables and %d files; %d people are new, and %d had an account here.\n"+
			"It is suspended: `konak workspace resume %s` lets it go on, and then what waits in it is sent.\n",
			w.Workspace.Slug, w.Rows, len(w.Tables), w.Files, w.People, w.Joined, w.Workspace.Slug)
		if err == nil && w.Elsewhere {
			_, err = fmt.Fprintln(out, "It comes from another installation: docs/operating.md says what has to be set up anew.")
		}
		return err
	})
}
