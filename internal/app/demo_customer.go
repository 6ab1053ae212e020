package app

import (
	"bytes"
	"context"
	"strings"

	"github.com/google/uuid"

	"konak/internal/app/demo"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/custom"
	"konak/internal/crm/telephony/number"
	"konak/internal/identity"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/sandbox/customer"
)

// demoCustomers adds the page where a visitor of a demo is the customer, on every
// channel of the workspaces that the demo stands in for.
func (a *App) demoCustomers(ctx context.Context) error {
	if a.standIn == nil {
		return nil
	}
	for slug := range demoNumbers {
		id, err := a.Identity.TenantBySlug(ctx, slug)
		if err != nil {
			return err
		}
		w, err := a.Identity.WorkspaceByID(ctx, id)
		if err != nil {
			return err
		}
		own := []customer.Channel{a.demoCustom(w)}
		if a.standIn.carrier != nil {
			own = append(own, customer.OnPhone(w.Slug, func(from string, tell func(string)) error { return a.callDemo(w, from, tell) }, a.standIn.carrier.HangUp))
		}
		a.standIn.customers.Add(a.standIn.workspaceOf(w, own))
		if err := a.connectDemoApp(demoSystem(ctx, w), w); err != nil {
			return err
		}
		if err := a.connectDemoModel(demoSystem(ctx, w)); err != nil {
			return err
		}
	}
	page := a.API.OwnHosts(a.standIn.customers)
	a.API.Mux().Handle(customer.Path, page)
	a.API.Mux().Handle(customer.Path+"/*", page)
	return nil
}

// workspaceOf returns a workspace as the customers' page shows it.
func (s *standIn) workspaceOf(w identity.Workspace, own []customer.Channel) customer.Workspace {
	n, page := demoNumbers[w.Slug], demoPageNames[w.Slug]
	return customer.Workspace{
		Slug: w.Slug, Name: w.Name,
		Channels: append([]customer.Channel{
			customer.OnWhatsApp(s.whatsapp, n.business, n.number), customer.OnTelegram(s.telegram, demoBotNames[w.Slug].ID),
			customer.OnPage(s.social, page.ID, false, s.url), customer.OnPage(s.social, page.ID, true, s.url),
		}, own...),
		Review: customer.ReviewOf(s.whatsapp, n.business),
	}
}

// callDemo lets a customer of the carrier call the number of a workspace.
func (a *App) callDemo(w identity.Workspace, from string, tell func(string)) error {
	n, err := db.Read(demoSystem(context.Background(), w), a.DB.Tenant(w.ID), func(r *db.Reader) (number.Number, error) { return a.Numbers.FindActive(r, nil) })
	if db.IsNoRow(err) {
		return customer.ErrNoNumber
	}
	if err != nil {
		return err
	}
	return a.standIn.carrier.Call(a.sip.Addr().String(), n.E164, from, tell)
}

// demoSystem makes the demo itself the caller in a workspace.
func demoSystem(ctx context.Context, w identity.Workspace) context.Context {
	return caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: w.ID, Slug: w.Slug, Licences: map[string]bool{"crm": true}})
}

// connectDemoApp sends the answers of the workspace's custom channel to the stand-in of the
// company's own software, whose port changes with every start. A channel that somebody
// disconnected or gave another address stays as it is.
func (a *App) connectDemoApp(ctx context.Context, w identity.Workspace) error {
	id := DemoAccount(w.ID, custom.Name)
	account, err := a.Channels.Get(ctx, custom.Name, id)
	if fault.Is(err, fault.NotFound) || err == nil && account.Status == channel.Disconnected {
		return nil
	}
	var set custom.Settings
	if err == nil {
		err = account.Read(&set)
	}
	if err != nil || set.Address != demoAppAddress(w) && !strings.Contains(set.Address, customer.AppPath) {
		return err
	}
	address := a.standIn.url + customer.AppPath + id.String()
	_, err = a.Custom.Update(ctx, id, custom.Change{Address: &address})
	return err
}

// demoCustom returns the workspace's custom channel: the company's own software, whose
// customers the demo plays.
func (a *App) demoCustom(w identity.Workspace) customer.Channel {
	account := DemoAccount(w.ID, custom.Name)
	says := func(ctx context.Context, p customer.Person, m custom.Message) (string, error) {
		m.ID, m.Contact = a.clock.NewID().String(), custom.Sender{ExternalID: p.Name, Name: p.Name}
		_, err := a.Custom.Receive(ctx, account, m)
		return m.ID, err
	}
	return customer.Channel{
		Kind: custom.Name, Name: demo.AppName(w.Slug), Account: account.String(),
		ID:   func(p customer.Person) string { return p.Name },
		Seen: func(p customer.Person) string { return p.Name },
		Write: func(p customer.Person, text string) (string, error) {
			return says(demoSystem(context.Background(), w), p, custom.Message{Body: text})
		},
		Picture: func(p customer.Person, content []byte) (string, error) {
			ctx := demoSystem(context.Background(), w)
			content, kind := customer.PictureOr(content)
			f, err := a.Custom.Upload(ctx, account, strings.Replace(kind, "/", ".", 1), kind, bytes.NewReader(content))
			if err != nil {
				return "", err
			}
			return says(ctx, p, custom.Message{Attachments: []uuid.UUID{f.ID}})
		},
		Lacks: []string{"Tepki, değiştirme, silme ve arama: kendi yazılımınızın kanalında yok. · Reactions, edits, deletions and calls: a channel of your own software has none."},
	}
}
