package app

import (
	"math/rand/v2"
	"net/netip"
	"path/filepath"
	"slices"

	"github.com/prometheus/client_golang/prometheus/collectors"

	"konak/internal/crm/channel/whatsapp"
	"konak/internal/crm/channel/widget"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/hourly"
	"konak/internal/crm/conversation/tag"
	"konak/internal/crm/finder"
	"konak/internal/crm/inboxapi"
	"konak/internal/crm/live"
	"konak/internal/crm/notice"
	"konak/internal/crm/telephony/command"
	"konak/internal/crm/telephony/messaging"
	"konak/internal/identity/password"
	"konak/internal/kit/api"
	"konak/internal/kit/blob"
	"konak/internal/kit/bus"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/jobs"
	"konak/internal/kit/ledger"
	"konak/internal/kit/limit"
	"konak/internal/kit/mailer"
	"konak/internal/kit/outbound"
	"konak/internal/kit/realtime"
	"konak/internal/kit/reference"
	"konak/internal/kit/secret"
	"konak/internal/kit/setting"
	"konak/internal/kit/trace"
	"konak/internal/webhook"
	"konak/web"
)

// parts are the components that several areas share while they are built.
type parts struct {
	box       *secret.Box
	hub       bus.Bus
	catalog   event.Catalog
	limits    limit.Limiter
	out       *outbound.Client
	book      *contact.Book
	streams   *realtime.Streams
	present   *live.Registry
	numbers   *whatsapp.Numbers
	messaging *messaging.Service
	privacy   *ledger.Ledger

	passwords *password.Hasher
}

// wire builds the modules, one area after the other, without their routes. Later ones may
// use earlier ones; stores and gates come first, workers last.
func (a *App) wire(box *secret.Box) (*parts, error) {
	a.box = box
	p := &parts{box: box, hub: a.makeBus(), catalog: Catalog(), privacy: ledger.New(box)}
	for _, area := range []func(*parts) error{
		a.wireKit,
		a.wireIdentity,
		a.wireWebhooks,
		a.wireInbox,
		a.wireStreams,
		a.wireNotices,
		a.wireContacts,
		a.wireReplies,
		a.wireChannels,
		a.wireExchange,
		a.wireTelephony,
		a.wireLive,
		a.wireJobs,
	} {
		if err := area(p); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// topicsOfNodes are the wake-ups that nodes send each other, for work that a node leaves to
// the holder of its lane or lease. Events are dispatched by the node that wrote them.
var topicsOfNodes = []string{jobs.Topic, webhook.Topic, command.Topic}

// makeBus creates the bus: on a database that nodes can share, one that reaches them.
func (a *App) makeBus() bus.Bus {
	if a.DB.Dialect() == db.SQLite {
		return bus.NewHub()
	}
	a.Link = bus.NewLink(bus.LinkConfig{DB: a.DB, Log: a.log, Topics: topicsOfNodes})
	return a.Link
}

// wireKit builds the base of every module: limits, mail, files, outgoing requests.
func (a *App) wireKit(p *parts) (err error) {
	if p.out, err = a.wayOut("webhook-allow", a.cfg.WebhookAllow); err != nil {
		return err
	}
	if a.Traces, err = trace.Open(a.cfg.Traces, outbound.New(outbound.Options{Operator: true, MaxBody: trace.MaxAnswer}), a.log, Version); err != nil {
		return err
	}
	a.metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), buildInfo())
	p.limits = limit.NewMemory(a.clock, a.cfg.limitFactor())
	if a.DB.Dialect() == db.Postgres { // there may be other nodes
		a.Limits = limit.NewShared(a.DB, a.log, a.cfg.limitFactor())
		p.limits = a.Limits
	}
	if a.Blobs, err = blob.New(blob.Config{
		DB: a.DB, Log: a.log, Metrics: a.metrics, Folder: a.cfg.FilesFolder(), S3URL: a.cfg.S3URL, Quota: int64(a.cfg.StorageQuota),
	}); err != nil {
		return err
	}
	if a.Mailer, err = mailer.New(mailer.Config{
		DB: a.DB, Box: p.box, Log: a.log, Files: a.Blobs,
		URL: a.cfg.SMTPURL, CA: a.cfg.SMTPCA, From: a.cfg.mailFrom(), DailyQuota: a.cfg.MailDailyQuota,
	}); err != nil {
		return err
	}
	a.metrics.MustRegister(a.Mailer)
	return nil
}

// wayOut builds the client for addresses that users enter, which may also reach the
// internal ranges of a setting.
func (a *App) wayOut(flag string, ranges []string) (*outbound.Client, error) {
	inside, err := setting.Prefixes(flag, ranges)
	if a.cfg.Demo {
		inside = append(inside, netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	}
	return outbound.New(outbound.Options{Allowed: inside, Patience: a.cfg.PeerPatience}), err
}

// wireWebhooks builds webhooks.
func (a *App) wireWebhooks(p *parts) (err error) {
	told := owners{a.Identity, a.Mailer, a.cfg.BaseURL()}
	if a.Sender, err = webhook.NewSender(webhook.SenderConfig{
		DB: a.DB, Box: p.box, Out: p.out, Owners: told, Log: a.log, Metrics: a.metrics, Traces: a.Traces, Lease: a.cfg.WebhookLease,
	}); err != nil {
		return err
	}
	a.Webhook, err = webhook.New(webhook.Config{
		DB: a.DB, Box: p.box, Out: p.out, Bus: p.hub, Catalog: p.catalog, Owners: told, Sender: a.Sender,
	})
	return err
}

// wireStreams builds the streams and the registry of connected agents, to which the agents'
// module reports the presence that they choose.
func (a *App) wireStreams(p *parts) error {
	p.streams = realtime.New(realtime.Config{
		DB: a.DB, Bus: p.hub, Log: a.log, Catalog: p.catalog, Signals: live.Signals(), Digests: digests(a.Conversations),
	})
	p.present = live.NewRegistry(live.RegistryConfig{DB: a.DB, Log: a.log, Bus: p.hub, Streams: p.streams})
	return nil
}

// wireNotices builds what notifies agents of events, and the dispatcher that passes each
// event to it and to the webhooks.
func (a *App) wireNotices(p *parts) (err error) {
	if a.Notices, err = notice.New(notice.Config{
		DB: a.DB, Log: a.log, Box: p.box, Out: p.out, Sessions: a.Identity, Presence: p.present, Subject: a.cfg.BaseURL(),
	}); err != nil {
		return err
	}
	a.Dispatcher = &event.Dispatcher{DB: a.DB, Bus: p.hub, Log: a.log, Traces: a.Traces, Subscribers: []event.Subscriber{a.Webhook, a.Notices}}
	return nil
}

// wireLive builds live updates, search, the widget, which shows who types, and the MCP
// server, which searches.
func (a *App) wireLive(p *parts) error {
	a.Live = live.New(live.Config{Registry: p.present, Limits: p.limits, Agents: a.Agents, Conversations: a.Conversations, Customers: a.Channels})
	a.Finder = finder.New(finder.Config{DB: a.DB, Log: a.log, Dir: filepath.Join(a.cfg.Data, "search")})
	a.Widget = widget.New(widget.Config{
		DB: a.DB, Channels: a.Channels, Conversations: a.Conversations, Inbound: a.Inbound, Files: a.Files, AIRecords: a.AIRecords,
		Typing: visitors{a.Live}, Articles: helpArticles{a.HelpCenter}, Bus: p.hub, Limits: p.limits, BaseURL: a.cfg.BaseURL(),
	})
	a.Kinds[widget.Name] = a.Widget
	if err := a.wireMCP(p); err != nil {
		return err
	}
	return a.wireAssistant(p)
}

// wireJobs builds the workers.
func (a *App) wireJobs(*parts) (err error) {
	a.Waker = &conversation.Waker{Service: a.Conversations, Log: a.log}
	a.Jobs, err = jobs.New(jobs.Config{
		DB: a.DB, Log: a.log, Node: a.Sender.Claim(), Accounts: a.Channels, Metrics: a.metrics, Traces: a.Traces, Random: rand.Float64,
		Kinds: slices.Concat(
			a.Mailer.Jobs(), a.Accounts.Jobs(), a.Webhook.Jobs(), a.Contacts.Jobs(), a.Surveys.Jobs(), a.Edits.Jobs(), a.Channels.Jobs(), a.Replies.Jobs(),
			a.Email.Jobs(), a.WhatsApp.Jobs(), a.Telegram.Jobs(), a.Social.Jobs(), a.Domains.Jobs(), a.Engine.Jobs(), a.Wallet.Jobs(), a.Numbers.Jobs(), a.Notices.Jobs(), a.Assistant.Jobs(), a.Sources.Jobs(),
			[]jobs.Kind{{Name: webhook.OutcomeJob, Handler: a.Custom.Outcome, PerNode: 32, PerTenant: 8, MaxAttempts: 20}},
		),
	})
	return err
}

// wireAPI builds the API and adds the routes of every module.
func (a *App) wireAPI(p *parts) error {
	proxies, err := setting.Prefixes("trusted-proxies", a.cfg.TrustedProxies)
	if err != nil {
		return err
	}
	hosts, err := a.cfg.helpDomains()
	if err != nil {
		return err
	}
	a.API = api.New(api.Config{
		DB: a.DB, Log: a.log, Clock: a.clock, Auth: a.Identity, Metrics: a.metrics, Version: Version,
		Domain: a.cfg.Domain, BaseURL: a.cfg.BaseURL(), Secure: a.cfg.secure(), CursorKey: p.box.Derive("cursor"),
		TrustedProxies: proxies, SessionGuard: a.Mail.CheckAddress, Limits: p.limits, Streams: a.Streams, StreamCheck: a.cfg.StreamCheckOn(a.DB.Dialect()), Fallback: web.Handler(a.bankForms, a.cfg.captchaSources()...),
		HelpSite: a.HelpCenter.Site(), HelpHosts: hosts, AccessLog: a.cfg.AccessLog, Traces: a.Traces,
		Rates: api.Rates{Key: a.cfg.LimitKey, Account: a.cfg.LimitAccount, Address: a.cfg.LimitAddress, Workspace: a.cfg.LimitWorkspace},
	})
	a.registerHealth()
	a.watch()
	docs := reference.Handler(a.API.Document)
	a.API.Mux().Method("GET", reference.Path, docs)
	a.API.Mux().Method("GET", reference.Path+"/*", docs)
	a.registerStorage()
	inbox := inboxapi.New(inboxapi.Config{
		Log: a.log, Edits: a.Edits, Conversations: a.Conversations, AIRecords: a.AIRecords, Cards: a.Cards, Exports: a.Exports, Files: a.Files, Groups: a.Groups,
		Hours: hourly.New(a.DB), Tags: tag.New(a.DB), Whole: a.Whole, Replies: a.Replies, Readers: a.Live,
	})
	for _, module := range []interface{ Register(*api.API) }{
		a.Identity, a.Accounts, a.OAuth, a.Agents, a.Contacts, inbox, a.Desk, a.Channels, a.Templates,
		a.WhatsApp, a.Telegram, a.Social, a.Partner, a.Calling, a.Email, a.Custom, a.Widget, a.HelpCenter, a.Assistant, a.Sources, a.MCP,
		a.Mail, a.Domains, a.Setup, a.Engine, a.Migrations,
		a.Telephony, a.Wallet, a.Numbers, a.Greetings, a.PhoneBlocks, a.PhoneSettings, a.PhoneTeam, a.PhoneLine, a.Calls, a.PhoneSocket,
		a.Webhook, a.Advisor, a.Commerce,
		a.Live, a.Notices, a.Finder, &realtime.Routes{Streams: p.streams, Audience: a.Live},
	} {
		module.Register(a.API)
	}
	return nil
}
