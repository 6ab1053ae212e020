package app

import (
	"cmp"
	"context"
	"maps"
	"net"

	"github.com/google/uuid"

	"konak/internal/commerce"
	"konak/internal/crm/agent"
	"konak/internal/crm/assistant"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/calling"
	"konak/internal/crm/channel/custom"
	"konak/internal/crm/channel/partner"
	"konak/internal/crm/channel/social"
	"konak/internal/crm/channel/telegram"
	"konak/internal/crm/channel/whatsapp"
	"konak/internal/crm/channel/widget"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/crm/conversation/card"
	"konak/internal/crm/conversation/edit"
	"konak/internal/crm/conversation/export"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/group"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/crm/conversation/survey"
	"konak/internal/crm/conversation/whole"
	"konak/internal/crm/desk"
	"konak/internal/crm/email"
	"konak/internal/crm/helpcenter"
	"konak/internal/crm/reply"
	"konak/internal/crm/telephony/messaging"
	"konak/internal/crm/template"
	"konak/internal/kit/db"
	"konak/internal/kit/dns"
	"konak/internal/kit/each"
	"konak/internal/kit/mtasts"
	"konak/internal/kit/outbound"
	"konak/internal/kit/secret"
	"konak/internal/mail/domain"
	"konak/internal/mail/engine"
	"konak/internal/mail/migration"
	"konak/internal/mail/origin"
	"konak/internal/mail/setup"
	signup "konak/internal/provider/partner"
	pages "konak/internal/provider/social"
	botapi "konak/internal/provider/telegram"
	graph "konak/internal/provider/whatsapp"
)

// wireInbox builds the gate of the inbox with the stores below it. Channels are built
// before it because they carry its messages; their kinds come later.
func (a *App) wireInbox(p *parts) error {
	p.book = contact.NewBook(a.Identity)
	a.Files = file.New(file.Config{DB: a.DB, Blobs: a.Blobs})
	a.Groups = group.New(group.Config{DB: a.DB, Agents: a.Identity})
	a.Kinds = channel.Kinds{}
	a.Channels = channel.New(channel.Config{DB: a.DB, Box: p.box, Groups: a.Groups, Assistants: assistant.Known{}, Contacts: p.book, Kinds: a.Kinds})
	client, err := a.whatsAppClient(p)
	if err != nil {
		return err
	}
	p.numbers = whatsapp.NewNumbers(a.DB, a.log, a.Channels, client)
	a.Templates = template.New(template.Config{DB: a.DB, Provider: p.numbers})
	a.Conversations = conversation.New(conversation.Config{
		DB: a.DB, Contacts: p.book, Agents: a.Identity, Blobs: a.Blobs, Router: a.Channels,
	})
	a.Whole = whole.New(a.Conversations)
	a.Edits = edit.New(edit.Config{DB: a.DB, Conversations: a.Conversations})
	a.Inbound = inbound.New(inbound.Config{DB: a.DB, Conversations: a.Conversations, Contacts: p.book, Agents: a.Identity, Edits: a.Edits, Tests: a.Channels, Assistant: assistant.Queue{}})
	a.Surveys = survey.New(a.Conversations)
	a.AIRecords = airecord.New(airecord.Config{Conversations: a.Conversations, Contacts: p.book, Assistant: assistant.Summarizer{}})
	a.Exports = export.New(export.Config{DB: a.DB, Conversations: a.Conversations, Contacts: p.book, Agents: a.Identity, Blobs: a.Blobs})
	return nil
}

// wireContacts builds contacts and agents, with what follows when they change.
func (a *App) wireContacts(p *parts) (err error) {
	a.Commerce = commerce.New(commerce.Config{DB: a.DB, Contacts: book{p.book}})
	a.Contacts = contact.New(contact.Config{DB: a.DB, Book: p.book, Ledger: p.privacy, Followers: []contact.Follower{a.Whole, shop{a.Commerce}}})
	a.Cards = card.New(card.Config{Conversations: a.Conversations, Contacts: p.book, Shop: shop{a.Commerce}})
	a.Agents, err = agent.New(agent.Config{
		DB: a.DB, Members: members{a.Identity}, Mailer: a.Mailer, BaseURL: a.cfg.BaseURL(), Presence: p.present,
		OnLeave: []agent.Hook{endAccess(a.Identity), func(_ context.Context, tx *db.Tx, who agent.Agent) error {
			_, err := a.Conversations.ReleaseAgent(tx, who.ID)
			return err
		}, func(_ context.Context, tx *db.Tx, who agent.Agent) error { return a.PhoneTeam.Leave(tx, who.ID) }},
	})
	return err
}

// mailAccounts lets mail domains look up the e-mail accounts of the inbox.
type mailAccounts struct{ channels *channel.Service }

// CheckAccount implements domain.Accounts.
func (m mailAccounts) CheckAccount(r *db.Reader, id uuid.UUID) error {
	_, err := m.channels.Find(r, email.Kind, id)
	return err
}

// wireReplies builds mail domains, the e-mail channel and what sends to customers, which
// forwards by e-mail.
func (a *App) wireReplies(p *parts) error {
	a.Domains = domain.New(domain.Config{
		DB: a.DB, Box: p.box, Key: p.box.Derive("mail domain"), Host: a.cfg.mailHost(), SPF: cmp.Or(a.cfg.MailSPF, "mx"), TLSListen: a.cfg.MailTLSListen, Accounts: mailAccounts{a.Channels},
		DNS: dns.New(dns.Config{Dial: p.out.DialNameServer, Servers: a.cfg.NameServers}), Passwords: p.passwords, Settings: a.Mail, NewRSAKey: a.cfg.NewRSAKey,
	})
	a.Setup, a.Migrations = setup.New(a.DB, a.Domains, a.Mail), migration.New(a.DB, a.Domains)
	a.Email = email.New(email.Config{
		DB: a.DB, Log: a.log, Channels: a.Channels, Inbox: a.Conversations, Inbound: a.Inbound, Files: a.Files, Blobs: a.Blobs,
		Relay: a.Mailer, Out: p.out, Limits: p.limits, DNS: a.cfg.resolver(), Key: p.box.Derive("email"), Domain: a.cfg.mailDomain(), MaxSize: int64(a.cfg.MailMaxSize), Policy: a.Mail, Mailboxes: a.Domains, Journal: a.Mail,
	})
	a.Kinds[email.Kind] = a.Email
	routes, err := a.cfg.mailRoutes()
	if err != nil {
		return err
	}
	checks := origin.Config{DNS: net.DefaultResolver, Log: a.log, Host: a.cfg.mailHost(), Lists: a.cfg.MailBlockLists}
	if a.cfg.MailDNS != nil {
		checks.DNS, checks.CheckLoopback = a.cfg.MailDNS, true
	}
	if checks.Filter, err = a.cfg.mailFilter(); err != nil {
		return err
	}
	a.Engine = engine.New(engine.Config{
		DB: a.DB, Log: a.log, Blobs: a.Blobs, Mail: a.Mail, Domains: a.Domains, Inbox: a.Email, Origin: origin.New(checks), Limits: p.limits, Out: p.out, DNS: checks.DNS,
		STS:    mtasts.New(mtasts.Config{LookupTXT: net.DefaultResolver.LookupTXT, HTTP: p.out, Now: a.DB.Clock().Now, Store: engine.PolicyStore{DB: a.DB}}),
		Routes: routes, Key: p.box.Derive("mail engine"), Host: a.cfg.mailHost(), Domain: a.cfg.mailDomain(), MaxSize: a.Email.MaxSize,
	})
	a.Replies = reply.New(reply.Config{
		DB: a.DB, Conversations: a.Conversations, Inbound: a.Inbound, Contacts: p.book, Agents: a.Identity, Templates: a.Templates,
		Forwarder: email.Forwarder{Mailboxes: a.Email, Otherwise: reply.PlainForwarder{Mailer: a.Mailer}},
		Policy:    a.Mail, Senders: a.Email, Signatures: a.Agents,
	})
	a.Desk = desk.New(desk.Config{DB: a.DB, Contacts: a.Contacts, Conversations: a.Conversations, Replies: a.Replies, Agents: a.Identity})
	return nil
}

// whatsAppClient returns a client for WhatsApp's API, or for its stand-in if one is
// configured.
func (a *App) whatsAppClient(p *parts) (_ whatsapp.Provider, err error) {
	if a.standIn, err = a.startStandIn(); err != nil {
		return nil, err
	}
	if a.standIn != nil {
		a.standIn.demoBusinesses(a.cfg.BaseURL())
		a.standIn.demoBots()
		a.standIn.demoPages(a.cfg.BaseURL())
		a.log.Info("the stand-ins for WhatsApp, Telegram, Messenger and Instagram are listening", "address", a.standIn.url)
	}
	return graph.New(a.standIn.address(a.cfg.WhatsAppAddress), p.out), nil
}

// wireChannels builds the kinds of channels that need no live updates.
func (a *App) wireChannels(p *parts) (err error) {
	a.WhatsApp = whatsapp.New(whatsapp.Config{
		Numbers: p.numbers, Box: p.box, Contacts: a.Contacts, Inbox: a.Conversations, Inbound: a.Inbound,
		Replies: a.Replies, Files: a.Files, Templates: a.Templates, BaseURL: a.cfg.BaseURL(),
	})
	a.Kinds[whatsapp.Name] = a.WhatsApp
	a.Telegram = telegram.New(telegram.Config{
		DB: a.DB, Log: a.log, Box: p.box, Channels: a.Channels, Inbound: a.Inbound, Edits: a.Edits, Files: a.Files,
		Provider: botapi.New(a.standIn.address(a.cfg.TelegramAddress), p.out), BaseURL: a.cfg.BaseURL(), Plain: a.cfg.TelegramAddress != "",
		OperatorBot: secret.Of(a.cfg.TelegramBotToken),
	})
	a.Kinds[telegram.Name] = a.Telegram
	a.Social = social.New(social.Config{
		DB: a.DB, Log: a.log, Box: p.box, Channels: a.Channels, Contacts: a.Contacts, Inbound: a.Inbound, Edits: a.Edits, Files: a.Files,
		Provider: pages.New(a.standIn.address(a.cfg.WhatsAppAddress), p.out, outbound.New(outbound.Options{Patience: a.cfg.PeerPatience})), BaseURL: a.cfg.BaseURL(),
	})
	maps.Copy(a.Kinds, a.Social.Kinds())
	a.Partner = partner.New(partner.Config{
		DB: a.DB, Log: a.log, App: a.standIn.app(a.cfg), Provider: signup.New(a.standIn.address(a.cfg.WhatsAppAddress), p.out), Sessions: a.Identity,
		WhatsApp: a.WhatsApp, Social: a.Social, BaseURL: a.cfg.BaseURL(),
	})
	if p.messaging, err = messaging.New(messaging.Config{DB: a.DB, Accounts: callAccounts{a.Channels}, Server: a.callServer}); err != nil {
		return err
	}
	a.Calling = calling.New(calling.Config{DB: a.DB, Log: a.log, Channels: a.Channels, Kinds: a.Kinds, Contacts: p.book, Exchange: p.messaging})
	a.Custom = custom.New(custom.Config{
		DB: a.DB, Channels: a.Channels, Conversations: a.Conversations, Inbound: a.Inbound, Files: a.Files, AIRecords: a.AIRecords,
		Engine: a.Webhook, BaseURL: a.cfg.BaseURL(),
	})
	a.Kinds[custom.Name] = a.Custom
	hosts, err := a.cfg.helpDomains()
	if err != nil {
		return err
	}
	a.HelpCenter, err = helpcenter.New(helpcenter.Config{
		DB: a.DB, Channels: a.Channels, Inbound: a.Inbound, Limits: p.limits, BaseURL: a.cfg.BaseURL(), Domain: a.cfg.Domain, Hosts: hosts,
		FormKey: p.box.Derive("help form"),
	})
	a.Kinds[helpcenter.Name] = a.HelpCenter
	return err
}

// helpArticles lets the live chat offer articles of the help center.
type helpArticles struct{ *helpcenter.Service }

// FindArticles implements widget.Articles.
func (h helpArticles) FindArticles(ctx context.Context, language, text string, limit int) ([]widget.Article, error) {
	hits, err := h.SearchForWidget(ctx, language, text, limit)
	return each.Map(hits, func(hit helpcenter.Hit) widget.Article {
		return widget.Article{Title: hit.Title, Snippet: hit.Snippet, URL: hit.URL}
	}), err
}
