package app

import (
	"context"
	"strings"

	"konak/internal/app/demo"
	"konak/internal/crm/assistant"
	"konak/internal/identity"
	"konak/internal/kit/db"
)

// demoModelPath is the path of a demo's stand-in for a language model. It identifies the
// configuration that the demo created.
const demoModelPath = "/demo-model/v1"

// demoModel adds a configuration of the assistant whose language model is the demo's
// stand-in. No channel uses it until somebody chooses it.
func (a *App) demoModel(ctx context.Context, w identity.Workspace) error {
	if a.standIn == nil {
		return nil
	}
	_, err := a.Assistant.Add(ctx, assistant.Input{
		Name:  demo.ModelName(w.Slug),
		Model: &assistant.ModelInput{Address: a.standIn.url + demoModelPath, Model: "konak-demo", InputPrice: 15, OutputPrice: 60},
	})
	return err
}

// connectDemoModel sends the demo's configuration to the stand-in, whose port changes with
// every start and which needs no key. A configuration that somebody deleted or gave another
// address stays as it is.
func (a *App) connectDemoModel(ctx context.Context) error {
	list, err := a.Assistant.Configurations(ctx, db.Page{Limit: 100})
	if err != nil {
		return err
	}
	address, noKey := a.standIn.url+demoModelPath, ""
	for _, c := range list.Rows {
		m := c.Model.V
		if m == nil || !strings.HasSuffix(m.Address, demoModelPath) || m.Address == address {
			continue
		}
		if _, err := a.Assistant.Change(ctx, c.ID, assistant.Input{
			Name: c.Name, Active: c.Active, Delay: &c.Delay, MaxAnswers: &c.MaxAnswers,
			Model: &assistant.ModelInput{
				Address: address, Model: m.Model, APIKey: &noKey, InputPrice: m.InputPrice, OutputPrice: m.OutputPrice,
				DailyTokens: &m.DailyTokens, DailyMoney: m.DailyMoney, DailySeconds: &m.DailySeconds,
			},
		}); err != nil {
			return err
		}
	}
	return nil
}
