package app

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"konak/internal/advisor"
	"konak/internal/app/demo"
	"konak/internal/crm/channel/custom"
	"konak/internal/crm/channel/widget"
	"konak/internal/crm/email"
	"konak/internal/identity"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
	"konak/internal/kit/secret"
	"konak/migrations"
)

// DemoPassword is the password of every demo account.
const DemoPassword = "konak-demo-password"

// demoFilled marks a complete demo; a demo of another kind has another mark.
const demoFilled = "demo 1"

// fillDemo creates the demo workspaces once, through the same gates as a person would. It
// refuses a database that holds workspaces and was never filled. In one that was filled,
// people may have created workspaces of their own. A demo whose filling was interrupted is
// created again: nobody has worked in it yet.
func (a *App) fillDemo(ctx context.Context) error {
	system := a.DB.System("fill demo")
	filled, err := db.Read(ctx, system, func(r *db.Reader) (bool, error) { return db.Marked(r, demoFilled) })
	if err != nil {
		return err
	}
	others, err := a.Identity.Tenants(ctx, false)
	if err != nil {
		return err
	}
	if others > 0 && !filled {
		return errors.New("--demo: this database contains real workspaces; choose another --data folder")
	}
	if err := a.Advisor.FillDemo(ctx); err != nil || filled {
		return err
	}
	tables, err := db.TablesOf(migrations.Files)
	if err != nil {
		return err
	}
	tables = slices.DeleteFunc(tables, func(t string) bool { return t == secret.KeyTable || slices.Contains(advisor.Tables, t) })
	if err := system.InTx(ctx, func(tx *db.Tx) error { return db.Empty(tx, tables) }); err != nil {
		return err
	}
	for _, w := range []identity.NewWorkspace{
		{Slug: "demo", Name: "Demo A.Ş.", OwnerName: "Defne Yılmaz", OwnerEmail: "owner@demo.localhost"},
		{Slug: "acme", Name: "Acme Ltd.", OwnerName: "Alex Morgan", OwnerEmail: "owner@acme.localhost"},
	} {
		w.Password, w.Demo = DemoPassword, true
		if err := a.fillWorkspace(ctx, w); err != nil {
			return err
		}
	}
	return system.InTx(ctx, func(tx *db.Tx) error { return db.Mark(tx, demoFilled) })
}

// Owner returns a caller who is the owner of a workspace with all licences.
func Owner(tenant uuid.UUID, slug string, member uuid.UUID) *caller.Caller {
	licences := map[string]bool{}
	for _, l := range identity.AllLicences {
		licences[l] = true
	}
	return &caller.Caller{Kind: caller.Agent, TenantID: tenant, Slug: slug, ID: member, Perms: perm.NewSet(perm.All()...), Licences: licences}
}

func (a *App) fillWorkspace(ctx context.Context, n identity.NewWorkspace) error {
	w, m, err := a.Identity.CreateWorkspace(ctx, n)
	if err != nil {
		return err
	}
	ctx = caller.With(ctx, Owner(w.ID, w.Slug, m.ID))
	for address, note := range map[string]string{
		"denetci@bagimsiz-denetim.example": "Bağımsız denetçi, yıl sonuna kadar",
		"archive@" + w.Slug + ".example":   "Compliance archive",
	} {
		if _, err := a.Mail.AddException(ctx, address, note); err != nil {
			return err
		}
	}
	for _, fill := range []func(context.Context, identity.Workspace) error{
		a.demoMailbox, a.fillChannels, a.demoWhatsApp, a.demoTelegram, a.demoSocial, a.fillDesk, a.demoHelpCenter, a.demoModel, a.fillCRM,
	} {
		if err := fill(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// demoMailbox connects the mailbox of the demo's e-mail conversations. It has no server:
// agents' answers land in the outbox.
func (a *App) demoMailbox(ctx context.Context, w identity.Workspace) error {
	_, err := a.Email.Connect(ctx, email.Input{
		ID: DemoAccount(w.ID, email.Kind), Name: demo.MailboxName(w.Slug),
		Settings: email.Settings{Address: "destek@" + w.Slug + ".example", SenderName: w.Name},
	})
	return err
}

// demoAppAddress is where the answers of a demo's custom channel go before the demo has
// started its stand-ins.
func demoAppAddress(w identity.Workspace) string { return "https://app." + w.Slug + ".example/konak" }

// fillChannels connects the demo's custom channel and its live chat. The channel's address
// leads nowhere while the demo is filled, and the widget may be embedded on the panel's own
// host. In the live chat the assistant answers.
func (a *App) fillChannels(ctx context.Context, w identity.Workspace) error {
	if _, err := a.Custom.Create(ctx, custom.NewChannel{
		ID: DemoAccount(w.ID, custom.Name), Name: demo.AppName(w.Slug), Settings: custom.Settings{Address: demoAppAddress(w)},
	}); err != nil {
		return err
	}
	_, err := a.Widget.Create(ctx, widget.NewWidget{
		ID: DemoAccount(w.ID, widget.Name), Name: demo.SiteName(w.Slug), AI: true, Look: widget.Look{Origins: []string{"http://localhost:8000", "https://www." + w.Slug + ".example"}},
	})
	return err
}
