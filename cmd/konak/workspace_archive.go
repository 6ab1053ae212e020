package main

import (
	"context"
	"fmt"
	"io"

	"konak/internal/app"
	"konak/internal/identity"
	"konak/internal/kit/archive"
	"konak/internal/kit/backup"
)

type exportCmd struct {
	app.Config
	Slug         string   `arg:"" help:"Short name of the workspace."`
	Target       string   `arg:"" help:"New file NAME.tar, which only this installation can import, or NAME.tar.age."`
	AgeRecipient []string `placeholder:"AGE1…" help:"Encrypt NAME.tar.age for this age recipient; can be repeated. The recipient can import it anywhere and read every secret in it."`
	printing
}

// Run writes the archive of a workspace, while a server may be running, and prints its
// contents.
func (e *exportCmd) Run(ctx context.Context, out io.Writer) error {
	return withApp(ctx, e.Config, func(a *app.App) error {
		s, err := e.write(ctx, a)
		if err != nil {
			return err
		}
		where := "any installation of this version, by anyone who can decrypt it"
		if len(e.AgeRecipient) == 0 {
			where = "this installation only, because of its secrets (use --age-recipient for others)"
		}
		return e.result(out, s, "%s contains %s: %s of %s, %s and %s. It can be imported into %s.\n",
			e.Target, s.Workspace.Slug, countOf(s.Rows, "row"), countOf(len(s.Tables), "table"), countOf(s.Files, "file"), countOf(s.Secrets, "secret"), where)
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
	Path        string `arg:"" type:"existingfile" help:"File created by konak workspace export."`
	AgeIdentity string `placeholder:"FILE" type:"existingfile" help:"File with the age identity, for an encrypted file."`
	Slug        string `placeholder:"NAME" help:"Import under this short name, if the workspace's own is taken."`
	printing
}

// Run imports a workspace completely or not at all, and prints what it wrote.
func (i *importCmd) Run(ctx context.Context, out io.Writer) error {
	if i.Slug != "" && !identity.ValidSlug(i.Slug) {
		return fmt.Errorf("--slug %q: write 2 to 40 lower-case letters and digits, with hyphens between words", i.Slug)
	}
	return withApp(ctx, i.Config, func(a *app.App) error {
		c, err := a.ArchiveConfig()
		if err != nil {
			return err
		}
		c.Slug = i.Slug
		w, err := asOwner(&i.Config, func() (archive.Imported, error) { return archive.Import(ctx, c, i.Path, i.AgeIdentity) })
		if err != nil {
			return err
		}
		err = i.result(out, w, "%s is imported: %s of %s and %s, with %s; %s kept their existing account here.\n"+
			"It is suspended: `konak workspace resume %s` resumes it, and then anything waiting in it is sent.\n",
			w.Workspace.Slug, countOf(w.Rows, "row"), countOf(len(w.Tables), "table"), countOf(w.Files, "file"),
			countOf(w.People, "new account"), countPeople(w.Joined), w.Workspace.Slug)
		if err == nil && w.Elsewhere && !i.JSON {
			_, err = fmt.Fprintln(out, "It comes from another installation: see docs/operating.md for what to set up again.")
		}
		return err
	})
}
