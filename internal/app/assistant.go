package app

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/adapter"
	"konak/internal/commerce"
	"konak/internal/crm/assistant"
	"konak/internal/crm/assistant/library"
	"konak/internal/crm/assistant/source"
	"konak/internal/crm/channel"
	"konak/internal/crm/contact"
	"konak/internal/identity"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/mail/dlp"
	"konak/internal/provider/openai"
	"konak/internal/provider/webpage"
)

// wireAssistant builds the assistant.
func (a *App) wireAssistant(p *parts) (err error) {
	pages, err := a.wayOut("", a.cfg.SourceAllow)
	models, other := a.wayOut("model-allow", a.cfg.ModelAllow)
	if err = cmp.Or(err, other); err != nil {
		return err
	}
	if a.Sources, err = source.New(source.Config{DB: a.DB, Pages: webpage.New(pages), Limits: p.limits, Licences: a.Identity, ReadDocument: dlp.ReadDocument}); err != nil {
		return err
	}
	a.Assistant, err = assistant.New(assistant.Config{
		DB: a.DB, Conversations: a.Conversations, Records: a.AIRecords, Replies: a.Replies, Contacts: p.book,
		Channels: assistedChannels{a.Channels, a.clock}, Library: library.New(a.HelpCenter, a.Desk, a.Sources), Provisions: adapter.Provisions{Advisor: a.Advisor}, Workspaces: workspaces{a.Identity}, Typing: a.Live,
		Orders: orders{a.Commerce}, Mails: a.Email, Limits: p.limits, Model: openai.New(models), Box: p.box, ModelTime: a.cfg.AssistantTime,
	})
	return err
}

// assistedChannels lets the assistant look up channel accounts.
type assistedChannels struct {
	*channel.Service
	clock clock.Source
}

// Account implements assistant.Channels.
func (c assistedChannels) Account(r *db.Reader, id uuid.UUID) (assistant.Account, error) {
	a, err := c.Find(r, "", id)
	open := a.Hours.V == nil || a.Hours.V.Open(c.clock.Now())
	return assistant.Account{Enabled: a.AI && a.Works(), Open: open, ConfigurationID: a.AIConfigurationID}, err
}

// workspaces lets the assistant look up data of a workspace.
type workspaces struct{ identity *identity.Service }

// Workspace implements assistant.Workspaces.
func (w workspaces) Workspace(ctx context.Context, id uuid.UUID) (string, map[string]bool, error) {
	found, err := w.identity.WorkspaceByID(ctx, id)
	if err != nil {
		return "", nil, err
	}
	licences, err := w.identity.Licences(ctx, id)
	return found.Slug, licences, err
}

// orders lets the assistant look up what a customer bought.
type orders struct{ shop *commerce.Service }

// OrdersOf implements assistant.Orders.
func (o orders) OrdersOf(r *db.Reader, who contact.Contact) ([]assistant.Order, error) {
	found, err := o.shop.CardOf(r, asBuyer(who, false))
	out := make([]assistant.Order, len(found.Orders))
	for i, v := range found.Orders {
		out[i] = assistant.Order{
			Number: v.Number, Status: v.Status, PlacedAt: v.PlacedAt.UTC().Format(time.DateOnly),
			Total: fmt.Sprintf("%d.%02d %s", v.Total/100, v.Total%100, v.Currency), Items: []string{}, URL: v.URL,
		}
		for _, l := range v.Lines {
			out[i].Items = append(out[i].Items, fmt.Sprintf("%d × %s", l.Quantity, l.Name))
		}
		for _, sent := range found.Shipments {
			if sent.OrderID == v.ID {
				out[i].Tracking = append(out[i].Tracking, strings.TrimSpace(sent.Carrier+" "+sent.TrackingNumber+" "+sent.Status+" "+sent.TrackingURL))
			}
		}
	}
	return out, err
}
