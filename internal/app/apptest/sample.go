package apptest

import (
	"context"
	"encoding/base32"
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
	for _, sample := range []func(context.Context, string){
		w.sampleIdentity, w.samplePasskey, w.sampleAgent, w.sampleWebhooks, w.sampleContacts, w.sampleConversations,
		w.sampleDesk, w.sampleNotices, w.sampleCommerce, w.sampleChannels, w.samplePartner, w.sampleHelpCenter, w.sampleTemplate, w.sampleTelephony, w.sampleMail,
	} {
		sample(ctx, text)
	}
}

// sampleMail creates a disabled rule and an open incident.
func (w *Workspace) sampleMail(ctx context.Context, text string) {
	w.s.mustDo(w.s.Mail.AddException(ctx, text+"@example.com", text))
	w.s.mustDo(w.s.Mail.AddPrivacyRequest(ctx, mail.RequestExport, text+"@example.com", text))
	r, err := w.s.Mail.AddRule(ctx, mail.Rule{Name: text, PatternType: dlp.Keyword, Pattern: text, Action: mail.ActionQuarantine, Severity: "low", Enabled: true})
	w.s.must(err)
	w.s.mustDo(w.s.Mail.CheckMail(ctx, policy.Mail{
		Ref: text, Source: policy.SourceCRM, Sender: "from@" + text + ".example", Recipients: []string{"to@" + text + ".example"}, Subject: text,
		Open: func() io.Reader { return strings.NewReader("Subject: " + text + "\r\n\r\n" + text) },
	}))
	w.s.mustDo(w.s.Mail.SetRuleEnabled(ctx, r.ID, false))
}

func (w *Workspace) sampleIdentity(ctx context.Context, text string) {
	ids := w.s.Identity
	w.s.mustDo(ids.SetRole(ctx, identity.Role{Name: text, Title: text, Permissions: []perm.Permission{perm.ConversationsView}}))
	w.s.mustDo(ids.AddKey(ctx, text, identity.EnvLive, []string{"conversations.read"}, nil))
	app, err := w.s.OAuth.AddApp(ctx, oauth.App{Name: text, RedirectURIs: []string{"https://" + text + ".example/cb"}, Scopes: []string{"conversations.read"}})
	w.s.must(err)
	w.s.mustDo(w.s.OAuth.Authorize(ctx, oauth.AuthRequest{
		ClientID: app.ClientID, RedirectURI: app.RedirectURIs[0], ResponseType: "code", State: text,
		CodeChallenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", CodeChallengeMethod: "S256",
	}, true, uuid.Nil))
	w.s.mustDo(ids.Invite(ctx, identity.NewMember{Email: text + "@invited.example", Name: text, Role: identity.RoleAgent, Language: "tr"}))
}

func (w *Workspace) sampleAgent(ctx context.Context, text string) {
	w.s.mustDo(w.s.Agents.Change(ctx, w.Member, agent.Update{Title: &text}))
	w.s.mustDo(w.s.Agents.CreateQR(ctx, w.Member))
}

func (w *Workspace) sampleNotices(_ context.Context, text string) {
	w.s.tb.Helper()
	w.Owner.Get("/api/crm/v1/me/push-key").Want(200)
	w.Owner.Post("/api/crm/v1/me/push-subscriptions", map[string]any{
		"endpoint": "https://" + text + ".example.com/push", "keys": map[string]any{
			"p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", "auth": "BTBZMqHH6r4Tts7J_aSIgg",
		},
	}).Want(201)
}

func (w *Workspace) sampleWebhooks(_ context.Context, text string) {
	w.s.tb.Helper()
	for _, hooks := range []string{"/api/erp/v1/webhooks", "/api/mail/v1/webhooks"} {
		one := hooks + "/" + w.Owner.Post(hooks, map[string]any{
			"address": "https://" + text + ".example.com/hook", "description": text, "events": []string{"ping.test"},
		}).Want(201).ID()
		w.Owner.Post(one+"/test", nil).Want(200)
		w.Owner.Post(one+"/recover", map[string]any{"since": w.s.Clock.Now().Add(-time.Hour)}).Want(202)
	}
}

func (w *Workspace) sampleContacts(ctx context.Context, text string) {
	book := w.s.Contacts
	emails, name, second := []string{text + "@example.com"}, text, text+" 2"
	c, err := book.Create(ctx, contact.Input{Name: &name, Emails: &emails, Tags: &[]string{text}})
	w.s.must(err)
	w.s.mustDo(book.AddNote(ctx, c.ID, text))
	w.inTx(ctx, func(tx *db.Tx) error {
		_, err := book.Resolve(tx, contact.Sender{
			Channel: text, AccountID: tx.NewID(), ExternalID: text, Name: text, Email: text + "@claim.example", Unproven: true,
		})
		return err
	})
	other, err := book.Create(ctx, contact.Input{Name: &second})
	w.s.must(err)
	w.s.mustDo(book.Merge(ctx, c.ID, other.ID))
	w.s.mustDo(book.Import(ctx, text+".csv", "name\n"+text+" 3\n"))
}

func (w *Workspace) sampleConversations(ctx context.Context, text string) {
	w.s.tb.Helper()
	const crm = "/api/crm/v1"
	list, err := w.s.Contacts.List(ctx, contact.Filter{}, db.Page{Limit: 1, After: db.First})
	w.s.must(err)
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
	w.s.must(err)
	w.Owner.Post(crm+"/conversations/"+c.ID.String()+"/scheduled", map[string]any{
		"body": text, "send_at": w.s.Clock.Now().Add(time.Hour),
	}).Want(201)
}

func (w *Workspace) sampleDesk(ctx context.Context, text string) {
	w.s.mustDo(w.s.Desk.AddMacro(ctx, desk.NewMacro{Name: text, Description: text, Actions: []desk.Action{{Type: "note", Body: &text}}}))
	w.s.mustDo(w.s.Desk.AddCannedReply(ctx, desk.NewCannedReply{Shared: true, Shortcut: text, Title: text, Body: text}))
	w.s.mustDo(w.s.Desk.AddView(ctx, desk.NewView{Shared: true, Name: text, Filter: conversation.Query{Tag: text, Sort: "-last_activity"}}))
}

func (w *Workspace) sampleCommerce(ctx context.Context, text string) {
	shop, who, at := w.s.Commerce, commerce.Party{ExternalID: text, Name: text}, clock.At(w.s.Clock.Now())
	w.s.mustDo(shop.PutOrder(ctx, who, commerce.Order{ExternalID: text, Number: text, Status: "paid", Currency: "TRY", PlacedAt: at}))
	w.s.mustDo(shop.PutShipment(ctx, text, commerce.Shipment{ExternalID: text, Carrier: text, Status: "in_transit"}))
	w.s.mustDo(shop.PutReturn(ctx, text, commerce.Return{ExternalID: text, Status: "requested", Reason: text, Currency: "TRY", RequestedAt: at}))
	w.s.mustDo(shop.PutEntry(ctx, who, commerce.Entry{ExternalID: text, Currency: "TRY", Amount: 1, Description: text, At: at}))
}

func (w *Workspace) sampleChannels(ctx context.Context, text string) {
	c, err := w.s.Custom.Create(ctx, custom.NewChannel{Name: text, Settings: custom.Settings{Address: "https://" + text + ".example.com/in"}})
	w.s.must(err)
	w.s.mustDo(w.s.Custom.Submit(ctx, c.ID, custom.Submission{
		Form: text, Contact: custom.Sender{Name: text, Email: text + "@form.example"}, Message: text, Fields: map[string]any{text: text},
	}))
	w.s.mustDo(w.s.Widget.Create(ctx, widget.NewWidget{Name: text, Look: widget.Look{Origins: []string{"https://" + text + ".example"}}}))
	name := strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte(text)))
	m, err := w.s.Email.Connect(ctx, email.Input{
		Name: text, Settings: email.Settings{Address: name[:min(len(name), 60)] + "@mail.example", SenderName: text, AutoReply: text},
	})
	w.s.must(err)
	w.s.mustDo(w.s.Domains.Provision(ctx, domain.Input{Domain: text + ".example", Routing: domain.RoutingEmbedded}))
	w.sampleMailbox(ctx, text, m.ID)
	w.s.mustDo(w.s.Email.Accept(ctx, email.Arrival{AccountID: m.ID, Route: "smtp", From: text, To: text, Key: text, Raw: strings.NewReader(text)}))
}

// sampleMailbox creates a mailbox with its records, and a mail in the journal.
func (w *Workspace) sampleMailbox(ctx context.Context, text string, account uuid.UUID) {
	box, err := w.s.Domains.ProvisionMailbox(ctx, domain.MailboxInput{Address: "info@" + text + ".example", Kind: domain.KindInbox, AccountID: &account})
	w.s.must(err)
	w.s.mustDo(w.s.Domains.AddGrant(ctx, box.ID, "satis@"+text+".example"))
	w.s.mustDo(w.s.Migrations.Add(ctx, box.Address, migration.Source{Host: text + ".example", Port: 993, TLS: "tls", User: text, Auth: "password"}))
	w.s.mustDo(w.s.Mail.SetJournaling(ctx, mail.Journaling{Enabled: true, RetentionDays: 1}))
	w.s.must(w.s.Mail.RecordOutbound(ctx, box.ID, box.Address, []string{text + "@example.com"}, []byte("Subject: "+text+"\r\n\r\n"+text)))
	w.s.mustDo(w.s.Mail.SetJournaling(ctx, mail.Journaling{RetentionDays: 1}))
	w.sampleQueue(ctx, text)
}

func (w *Workspace) sampleHelpCenter(ctx context.Context, text string) {
	center := w.s.HelpCenter
	w.s.mustDo(center.Change(ctx, helpcenter.SettingsChange{Title: &text}))
	c, err := center.AddCategory(ctx, helpcenter.CategoryInput{Slug: text, Texts: []helpcenter.CategoryText{{Language: "tr", Name: text}}})
	w.s.must(err)
	a, err := center.AddArticle(ctx, helpcenter.NewArticle{
		CategoryID: c.ID, Language: "tr", Words: helpcenter.Words{Title: text, Summary: text, Body: text},
	})
	w.s.must(err)
	w.s.mustDo(w.s.Sources.AddFile(ctx, "kaynak.txt", text, strings.NewReader(text)))
	w.s.mustDo(w.s.Assistant.Add(ctx, assistant.Input{Name: text}))
	w.s.mustDo(center.Publish(ctx, a.ID, "tr"))
}
