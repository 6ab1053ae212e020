package apptest

import (
	"context"
	"encoding/base32"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/commerce"
	"konak/internal/crm/agent"
	"konak/internal/crm/assistant"
	"konak/internal/crm/channel/custom"
	"konak/internal/crm/channel/widget"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/desk"
	"konak/internal/crm/email"
	"konak/internal/crm/helpcenter"
	"konak/internal/identity"
	"konak/internal/identity/oauth"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
	"konak/internal/kit/policy"
	"konak/internal/mail"
	"konak/internal/mail/dlp"
	"konak/internal/mail/domain"
	"konak/internal/mail/migration"
)

// Sample creates one of each record of every module that has text in it, as the workspace's
// owner. The tests that call every route need one of each.
func (w *Workspace) Sample(text string) {
	w.s.tb.Helper()
	ctx := w.Context()
	for _, sample := range []func(context.Context, string) error{
		w.sampleIdentity, w.samplePasskey, w.sampleAgent, w.sampleWebhooks, w.sampleContacts, w.sampleConversations,
		w.sampleDesk, w.sampleNotices, w.sampleCommerce, w.sampleChannels, w.samplePartner, w.sampleHelpCenter, w.sampleTemplate, w.sampleTelephony,
	} {
		if err := sample(ctx, text); err != nil {
			w.s.tb.Fatal(err)
		}
	}
	if err := w.sampleMail(ctx, text); err != nil {
		w.s.tb.Fatal(err)
	}
}

// sampleMail creates a disabled rule and an open incident.
func (w *Workspace) sampleMail(ctx context.Context, text string) error {
	if _, err := w.s.Mail.AddException(ctx, text+"@example.com", text); err != nil {
		return err
	}
	if _, err := w.s.Mail.AddPrivacyRequest(ctx, mail.RequestExport, text+"@example.com", text); err != nil {
		return err
	}
	r, err := w.s.Mail.AddRule(ctx, mail.Rule{Name: text, PatternType: dlp.Keyword, Pattern: text, Action: mail.ActionQuarantine, Severity: "low", Enabled: true})
	if err != nil {
		return err
	}
	if _, err := w.s.Mail.CheckMail(ctx, policy.Mail{
		Ref: text, Source: policy.SourceCRM, Sender: "from@" + text + ".example", Recipients: []string{"to@" + text + ".example"}, Subject: text,
		Open: func() io.Reader { return strings.NewReader("Subject: " + text + "\r\n\r\n" + text) },
	}); err != nil {
		return err
	}
	_, err = w.s.Mail.SetRuleEnabled(ctx, r.ID, false)
	return err
}

func (w *Workspace) sampleIdentity(ctx context.Context, text string) error {
	ids := w.s.Identity
	_, err := ids.SetRole(ctx, identity.Role{Name: text, Title: text, Permissions: []perm.Permission{perm.ConversationsView}})
	if err != nil {
		return err
	}
	if _, err := ids.AddKey(ctx, text, identity.EnvLive, []string{"conversations.read"}, nil); err != nil {
		return err
	}
	app, err := w.s.OAuth.AddApp(ctx, oauth.App{Name: text, RedirectURIs: []string{"https://" + text + ".example/cb"}, Scopes: []string{"conversations.read"}})
	if err != nil {
		return err
	}
	_, err = w.s.OAuth.Authorize(ctx, oauth.AuthRequest{
		ClientID: app.ClientID, RedirectURI: app.RedirectURIs[0], ResponseType: "code", State: text,
		CodeChallenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", CodeChallengeMethod: "S256",
	}, true, uuid.Nil)
	if err != nil {
		return err
	}
	_, err = ids.Invite(ctx, identity.NewMember{Email: text + "@invited.example", Name: text, Role: identity.RoleAgent, Language: "tr"})
	return err
}

func (w *Workspace) sampleAgent(ctx context.Context, text string) error {
	if _, err := w.s.Agents.Change(ctx, w.Member, agent.Update{Title: &text}); err != nil {
		return err
	}
	_, err := w.s.Agents.CreateQR(ctx, w.Member)
	return err
}

func (w *Workspace) sampleNotices(_ context.Context, text string) error {
	w.s.tb.Helper()
	w.Owner.Get("/api/crm/v1/me/push-key").Want(200)
	w.Owner.Post("/api/crm/v1/me/push-subscriptions", map[string]any{
		"endpoint": "https://" + text + ".example.com/push", "keys": map[string]any{
			"p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", "auth": "BTBZMqHH6r4Tts7J_aSIgg",
		},
	}).Want(201)
	return nil
}

func (w *Workspace) sampleWebhooks(_ context.Context, text string) error {
	w.s.tb.Helper()
	for _, hooks := range []string{"/api/erp/v1/webhooks", "/api/mail/v1/webhooks"} {
		one := hooks + "/" + w.Owner.Post(hooks, map[string]any{
			"address": "https://" + text + ".example.com/hook", "description": text, "events": []string{"ping.test"},
		}).Want(201).ID()
		w.Owner.Post(one+"/test", nil).Want(200)
		w.Owner.Post(one+"/recover", map[string]any{"since": w.s.Clock.Now().Add(-time.Hour)}).Want(202)
	}
	return nil
}

func (w *Workspace) sampleContacts(ctx context.Context, text string) error {
	book := w.s.Contacts
	emails, name, second := []string{text + "@example.com"}, text, text+" 2"
	c, err := book.Create(ctx, contact.Input{Name: &name, Emails: &emails, Tags: &[]string{text}})
	if err != nil {
		return err
	}
	if _, err := book.AddNote(ctx, c.ID, text); err != nil {
		return err
	}
	err = w.s.DB.Tenant(w.ID).InTx(ctx, func(tx *db.Tx) error {
		_, err := book.Resolve(tx, contact.Sender{
			Channel: text, AccountID: tx.NewID(), ExternalID: text, Name: text, Email: text + "@claim.example", Unproven: true,
		})
		return err
	})
	if err != nil {
		return err
	}
	other, err := book.Create(ctx, contact.Input{Name: &second})
	if err != nil {
		return err
	}
	if _, err := book.Merge(ctx, c.ID, other.ID); err != nil {
		return err
	}
	_, err = book.Import(ctx, text+".csv", "name\n"+text+" 3\n")
	return err
}

func (w *Workspace) sampleConversations(ctx context.Context, text string) error {
	w.s.tb.Helper()
	const crm = "/api/crm/v1"
	list, err := w.s.Contacts.List(ctx, contact.Filter{}, db.Page{Limit: 1, After: db.First})
	if err != nil {
		return err
	}
	group := w.Owner.Post(crm+"/groups", map[string]any{"name": text, "description": text}).Want(201).ID()
	one := crm + "/conversations/" + w.Owner.Post(crm+"/conversations", map[string]any{
		"contact_id": list.Rows[0].ID, "subject": text, "body": text, "group_id": group, "tags": []string{text},
	}).Want(201).ID()
	file := w.Owner.Header("Content-Type", "text/plain").Post(crm+"/attachments?filename="+text+".txt", text).Want(201).ID()
	w.Owner.Post(one+"/reply-as-customer", map[string]any{"body": text, "attachments": []string{file}}).Want(200)
	w.Owner.Post(one+"/join", nil).Want(200)
	// A conversation that needs no channel, so that something can wait in it.
	c, err := w.s.Conversations.Create(ctx, conversation.NewConversation{
		ContactID: list.Rows[0].ID, Channel: conversation.API, Subject: text, Body: text,
	})
	if err != nil {
		return err
	}
	w.Owner.Post(crm+"/conversations/"+c.ID.String()+"/scheduled", map[string]any{
		"body": text, "send_at": w.s.Clock.Now().Add(time.Hour),
	}).Want(201)
	return nil
}

func (w *Workspace) sampleDesk(ctx context.Context, text string) error {
	_, macro := w.s.Desk.AddMacro(ctx, desk.NewMacro{Name: text, Description: text, Actions: []desk.Action{{Type: "note", Body: &text}}})
	_, canned := w.s.Desk.AddCannedReply(ctx, desk.NewCannedReply{Shared: true, Shortcut: text, Title: text, Body: text})
	_, view := w.s.Desk.AddView(ctx, desk.NewView{Shared: true, Name: text, Filter: conversation.Query{Tag: text, Sort: "-last_activity"}})
	return errors.Join(macro, canned, view)
}

func (w *Workspace) sampleCommerce(ctx context.Context, text string) error {
	shop, who, at := w.s.Commerce, commerce.Party{ExternalID: text, Name: text}, clock.At(w.s.Clock.Now())
	_, order := shop.PutOrder(ctx, who, commerce.Order{ExternalID: text, Number: text, Status: "paid", Currency: "TRY", PlacedAt: at})
	_, shipment := shop.PutShipment(ctx, text, commerce.Shipment{ExternalID: text, Carrier: text, Status: "in_transit"})
	_, back := shop.PutReturn(ctx, text, commerce.Return{ExternalID: text, Status: "requested", Reason: text, Currency: "TRY", RequestedAt: at})
	_, entry := shop.PutEntry(ctx, who, commerce.Entry{ExternalID: text, Currency: "TRY", Amount: 1, Description: text, At: at})
	return errors.Join(order, shipment, back, entry)
}

func (w *Workspace) sampleChannels(ctx context.Context, text string) error {
	c, err := w.s.Custom.Create(ctx, custom.NewChannel{Name: text, Settings: custom.Settings{Address: "https://" + text + ".example.com/in"}})
	if err != nil {
		return err
	}
	_, err = w.s.Custom.Submit(ctx, c.ID, custom.Submission{
		Form: text, Contact: custom.Sender{Name: text, Email: text + "@form.example"}, Message: text, Fields: map[string]any{text: text},
	})
	if err != nil {
		return err
	}
	if _, err := w.s.Widget.Create(ctx, widget.NewWidget{Name: text, Look: widget.Look{Origins: []string{"https://" + text + ".example"}}}); err != nil {
		return err
	}
	name := strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte(text)))
	m, err := w.s.Email.Connect(ctx, email.Input{
		Name: text, Settings: email.Settings{Address: name[:min(len(name), 60)] + "@mail.example", SenderName: text, AutoReply: text},
	})
	if err != nil {
		return err
	}
	if _, err := w.s.Domains.Provision(ctx, domain.Input{Domain: text + ".example", Routing: domain.RoutingEmbedded}); err != nil {
		return err
	}
	if err := w.sampleMailbox(ctx, text, m.ID); err != nil {
		return err
	}
	_, err = w.s.Email.Accept(ctx, email.Arrival{AccountID: m.ID, Route: "smtp", From: text, To: text, Key: text, Raw: strings.NewReader(text)})
	return err
}

// sampleMailbox creates a mailbox with its records, and a mail in the journal.
func (w *Workspace) sampleMailbox(ctx context.Context, text string, account uuid.UUID) error {
	box, err := w.s.Domains.ProvisionMailbox(ctx, domain.MailboxInput{Address: "info@" + text + ".example", Kind: domain.KindInbox, AccountID: &account})
	if err != nil {
		return err
	}
	if _, err := w.s.Domains.AddGrant(ctx, box.ID, "satis@"+text+".example"); err != nil {
		return err
	}
	if _, err := w.s.Migrations.Add(ctx, box.Address, migration.Source{Host: text + ".example", Port: 993, TLS: "tls", User: text, Auth: "password"}); err != nil {
		return err
	}
	if _, err := w.s.Mail.SetJournaling(ctx, mail.Journaling{Enabled: true, RetentionDays: 1}); err != nil {
		return err
	}
	if err := w.s.Mail.RecordOutbound(ctx, box.ID, box.Address, []string{text + "@example.com"}, []byte("Subject: "+text+"\r\n\r\n"+text)); err != nil {
		return err
	}
	if _, err := w.s.Mail.SetJournaling(ctx, mail.Journaling{RetentionDays: 1}); err != nil {
		return err
	}
	return w.sampleQueue(ctx, text)
}

func (w *Workspace) sampleHelpCenter(ctx context.Context, text string) error {
	center := w.s.HelpCenter
	if _, err := center.Change(ctx, helpcenter.SettingsChange{Title: &text}); err != nil {
		return err
	}
	c, err := center.AddCategory(ctx, helpcenter.CategoryInput{Slug: text, Texts: []helpcenter.CategoryText{{Language: "tr", Name: text}}})
	if err != nil {
		return err
	}
	a, err := center.AddArticle(ctx, helpcenter.NewArticle{
		CategoryID: c.ID, Language: "tr", Words: helpcenter.Words{Title: text, Summary: text, Body: text},
	})
	if err != nil {
		return err
	}
	if _, err := w.s.Sources.AddFile(ctx, "kaynak.txt", text, strings.NewReader(text)); err != nil {
		return err
	}
	if _, err := w.s.Assistant.Add(ctx, assistant.Input{Name: text}); err != nil {
		return err
	}
	_, err = center.Publish(ctx, a.ID, "tr")
	return err
}
