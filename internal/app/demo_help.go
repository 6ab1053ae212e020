package app

import (
	"context"
	"fmt"

	"konak/internal/app/demo"
	"konak/internal/crm/helpcenter"
	"konak/internal/identity"
)

// demoHelpCenter creates the help center of a demo company.
func (a *App) demoHelpCenter(ctx context.Context, w identity.Workspace) error {
	help := demo.HelpOf(w.Slug)
	if _, err := a.HelpCenter.Change(ctx, help.Settings); err != nil {
		return err
	}
	for i, c := range help.Categories {
		c.Position = i + 1
		if _, err := a.HelpCenter.AddCategory(ctx, c); err != nil {
			return err
		}
	}
	packed, err := help.Pack()
	if err != nil {
		return err
	}
	done, err := a.HelpCenter.Import(ctx, helpcenter.ImportOptions{Filename: "demo.zip", Language: help.Language, Publish: true}, packed)
	if err == nil && done.Failed > 0 {
		err = fmt.Errorf("demo: %d help articles were refused: %+v", done.Failed, done.Files)
	}
	return err
}
