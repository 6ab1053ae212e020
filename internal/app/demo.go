package app

import (
	"context"
	"errors"

	"konak/internal/identity"
	"konak/internal/kit/caller"
	"konak/internal/kit/perm"
)

// DemoPassword opens every demo account.
const DemoPassword = "konak-demo-password"

// fillDemo makes the demo workspaces once, through the same gates as a person
// would. It refuses a database that holds anything else.
func (a *App) fillDemo(ctx context.Context) error {
	others, err := a.Identity.Tenants(ctx, false)
	if err != nil {
		return err
	}
	if others > 0 {
		return errors.New("--demo: this database holds real workspaces; choose another --data folder")
	}
	if err := a.Advisor.FillDemo(ctx); err != nil {
		return err
	}
	if n, err := a.Identity.Tenants(ctx, true); err != nil || n > 0 {
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
	return nil
}

func (a *App) fillWorkspace(ctx context.Context, n identity.NewWorkspace) error {
	w, m, err := a.Identity.CreateWorkspace(ctx, n)
	if err != nil {
		return err
	}
	licences := map[string]bool{}
	for _, l := range identity.AllLicences {
		licences[l] = true
	}
	ctx = caller.With(ctx, &caller.Caller{
		Kind: caller.Agent, TenantID: w.ID, Slug: w.Slug, ID: m.ID, Perms: perm.NewSet(perm.All()...), Licences: licences,
	})
	for email, note := range map[string]string{
		"denetci@bagimsiz-denetim.example": "Bağımsız denetçi, yıl sonuna kadar",
		"archive@" + w.Slug + ".example":   "Compliance archive",
	} {
		if _, err := a.Mail.AddException(ctx, email, note); err != nil {
			return err
		}
	}
	if err := a.fillDesk(ctx, w.Slug); err != nil {
		return err
	}
	return a.fillCRM(ctx, w)
}
