// Package app wires the house: it is the only place that knows every module.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"konak/internal/advisor"
	"konak/internal/commerce"
	"konak/internal/crm/agent"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/custom"
	"konak/internal/crm/channel/whatsapp"
	"konak/internal/crm/channel/widget"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/desk"
	"konak/internal/crm/email"
	"konak/internal/crm/finder"
	"konak/internal/crm/live"
	"konak/internal/crm/template"
	"konak/internal/identity"
	"konak/internal/identity/captcha"
	"konak/internal/identity/oauth"
	"konak/internal/identity/signin"
	"konak/internal/kit/api"
	"konak/internal/kit/blob"
	"konak/internal/kit/bus"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/headroom"
	"konak/internal/kit/jobs"
	"konak/internal/kit/limit"
	"konak/internal/kit/mailer"
	"konak/internal/kit/node"
	"konak/internal/kit/outbound"
	"konak/internal/kit/realtime"
	"konak/internal/kit/secret"
	"konak/internal/mail"
	graph "konak/internal/provider/whatsapp"
	"konak/internal/webhook"
	"konak/migrations"
	"konak/web"
)

// Version is set when a release is built.
var Version = "dev"

// App is a node: its database, its modules and its workers.
type App struct {
	cfg     Config
	log     *slog.Logger
	clock   clock.Source
	metrics *prometheus.Registry

	DB       *db.DB
	API      *api.API
	Mailer   *mailer.Mailer
	Blobs    *blob.Store
	Identity *identity.Service
	Accounts *signin.Service
	OAuth    *oauth.Service
	Captcha  *captcha.Gate
	Mail     *mail.Service
	Webhook  *webhook.Service
	Advisor  *advisor.Service
	Commerce *commerce.Service

	Contacts      *contact.Service
	Conversations *conversation.Service
	Agents        *agent.Service
	Desk          *desk.Service
	Channels      *channel.Service
	Email         *email.Service
	Custom        *custom.Service
	Widget        *widget.Service
	Templates     *template.Service
	WhatsApp      *whatsapp.Service
	Live          *live.Service
	Finder        *finder.Service

	Dispatcher *event.Dispatcher
	Jobs       *jobs.Runner
	Sender     *webhook.Sender
	Waker      *conversation.Waker
	Limits     *limit.Shared // nil where there is but one node

	standIn *standIn // nil outside a demo
	ready   atomic.Bool
}

// Catalog is every event of every module.
func Catalog() event.Catalog {
	var c event.Catalog
	c = append(c, contact.Events()...)
	c = append(c, conversation.Events()...)
	c = append(c, desk.Events()...)
	c = append(c, channel.Events()...)
	c = append(c, custom.Events()...)
	c = append(c, template.Events()...)
	c = append(c, mail.Events()...)
	c = append(c, commerce.Events()...)
	return append(c, webhook.Events()...)
}

// Open opens the database and brings it up to date, makes the modules and
// their routes, and fills the demo. Nothing runs yet.
func Open(ctx context.Context, cfg Config, log *slog.Logger, c clock.Source) (*App, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	if err := cfg.PrepareData(); err != nil {
		return nil, err
	}
	box, err := openBox(cfg)
	if err != nil {
		return nil, err
	}
	d, err := db.Open(ctx, db.Options{
		URL: cfg.DatabaseURL(), Clock: c, Log: log, RowSecurity: cfg.RowSecurity, Sync: cfg.SQLiteSync,
	})
	if err != nil {
		return nil, err
	}
	a := &App{cfg: cfg, log: log, clock: c, DB: d, metrics: prometheus.NewRegistry()}
	if err := a.build(ctx, box); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return a, nil
}

func openBox(cfg Config) (*secret.Box, error) {
	if cfg.MasterKey != "" {
		return secret.ParseBox(cfg.MasterKey)
	}
	return secret.LoadBox(cfg.Data)
}

func (a *App) build(ctx context.Context, box *secret.Box) error {
	applied, err := a.DB.Migrate(ctx, migrations.Files)
	if err != nil {
		return err
	}
	if len(applied) > 0 {
		a.log.Info("database is up to date", "applied", len(applied))
	}
	if err := a.wire(box); err != nil {
		return err
	}
	if a.cfg.Demo {
		return a.fillDemo(ctx)
	}
	return nil
}

// wire makes the modules and hands them to each other.
func (a *App) wire(box *secret.Box) error {
	proxies, err := prefixes("trusted-proxies", a.cfg.TrustedProxies)
	if err != nil {
		return err
	}
	inside, err := prefixes("webhook-allow", a.cfg.WebhookAllow)
	if err != nil {
		return err
	}
	if a.cfg.Demo {
		inside = append(inside, netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	}
	a.metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	hub, catalog := bus.NewHub(), Catalog()
	var limits limit.Limiter = limit.NewMemory(a.clock, a.cfg.limitFactor())
	if a.DB.Dialect() == db.Postgres { // there may be other nodes
		a.Limits = limit.NewShared(a.DB, a.log, a.cfg.limitFactor())
		limits = a.Limits
	}
	if a.Mailer, err = mailer.New(a.DB, box, a.log, mailer.Settings{URL: a.cfg.SMTPURL, CA: a.cfg.SMTPCA, From: a.cfg.mailFrom()}); err != nil {
		return err
	}
	if a.Blobs, err = blob.New(a.DB, a.cfg.FilesFolder(), a.cfg.S3URL); err != nil {
		return err
	}
	a.Blobs.Quota = a.cfg.StorageQuota
	a.Mailer.ReadFiles(a.Blobs)
	openStreams := api.NewOpenStreams()
	if err := a.wireIdentity(box, limits, openStreams); err != nil {
		return err
	}
	a.Mail = mail.New(a.DB)
	a.Advisor = advisor.New(a.DB, a.log, a.cfg.Data)
	out := outbound.New(outbound.Options{Allowed: inside})
	if a.Webhook, err = webhook.New(a.DB, box, out, webhook.Watch{Bus: hub, Catalog: catalog}, owners{a.Identity, a.Mailer, a.cfg.BaseURL()}); err != nil {
		return err
	}
	a.Sender = webhook.NewSender(a.Webhook, a.log, webhook.NewMetrics(a.metrics), a.cfg.WebhookLease)
	a.Dispatcher = &event.Dispatcher{DB: a.DB, Bus: hub, Log: a.log, Subscribers: []event.Subscriber{a.Webhook}}
	a.Agents, err = agent.New(agent.Config{
		DB: a.DB, Members: members{a.Identity}, Mailer: a.Mailer, BaseURL: a.cfg.BaseURL(),
		OnSuspend: []agent.Hook{endAccess(a.Identity), func(_ context.Context, tx *db.Tx, who agent.Agent) error {
			_, err := a.Conversations.Released(tx, who.ID)
			return err
		}},
	})
	if err != nil {
		return err
	}
	a.Contacts = contact.New(a.DB, a.Identity)
	a.Conversations = conversation.New(a.DB, a.Contacts, a.Identity, a.Blobs)
	a.Conversations.HandBack(a.Agents)
	a.Commerce = commerce.New(a.DB, book{a.Contacts})
	a.Conversations.Sell(shop{a.Commerce})
	a.Contacts.Follow(shop{a.Commerce})
	a.Desk = desk.New(a.DB, a.Contacts, a.Conversations, a.Identity)
	a.Channels = channel.New(a.DB, box, a.Conversations)
	a.Conversations.Deliver(a.Channels)
	a.Email = email.New(email.Config{
		DB: a.DB, Log: a.log, Channels: a.Channels, Inbox: a.Conversations, Blobs: a.Blobs, House: a.Mailer, Out: out,
		Key: box.Derive("email"), Domain: a.cfg.mailDomain(), MaxSize: a.cfg.MailMaxSize,
	})
	a.Channels.Add(email.Kind, a.Email)
	a.Conversations.ForwardWith(email.Forwarder{Mailboxes: a.Email, Otherwise: conversation.Letters{Mailer: a.Mailer}})
	a.Templates = template.New(a.DB)
	a.Conversations.Offer(a.Templates)
	if a.standIn, err = a.cfg.standIn(a.clock); err != nil {
		return err
	}
	if a.standIn != nil {
		a.standIn.demoBusinesses(a.cfg.BaseURL())
		a.log.Info("a stand-in for WhatsApp listens", "address", a.standIn.url)
	}
	a.WhatsApp = whatsapp.New(whatsapp.Config{
		DB: a.DB, Log: a.log, Box: box, Channels: a.Channels, Contacts: a.Contacts, Inbox: a.Conversations, Templates: a.Templates,
		Provider: graph.New(a.standIn.address(a.cfg.WhatsAppAddress), out), BaseURL: a.cfg.BaseURL(),
	})
	a.Custom = custom.New(a.DB, a.Channels, a.Conversations, a.Webhook, a.cfg.BaseURL())
	streams := &realtime.Streams{
		DB: a.DB, Bus: hub, Log: a.log, Catalog: catalog, Signals: live.Signals(), Digests: digests(a.Conversations),
	}
	a.Live = live.New(live.Config{
		DB: a.DB, Log: a.log, Bus: hub, Streams: streams, Limits: limits, Agents: a.Agents, Conversations: a.Conversations,
	})
	streams.Audience = a.Live
	a.Finder = finder.New(finder.Config{DB: a.DB, Log: a.log, Dir: filepath.Join(a.cfg.Data, "search")})
	a.Widget = widget.New(widget.Deps{
		DB: a.DB, Channels: a.Channels, Conversations: a.Conversations, Typing: visitors{a.Live}, Bus: hub, Limits: limits, BaseURL: a.cfg.BaseURL(),
	})
	a.Conversations.Log = a.log
	a.Waker = &conversation.Waker{Service: a.Conversations, Log: a.log}
	a.Jobs, err = jobs.New(jobs.Config{
		DB: a.DB, Log: a.log, Node: a.Sender.Claim(), Accounts: a.Channels, Metrics: a.metrics, Random: rand.Float64,
		Kinds: slices.Concat(
			a.Mailer.Jobs(), a.Accounts.Jobs(), a.Webhook.Jobs(), a.Contacts.Jobs(), a.Conversations.Jobs(),
			a.Email.Jobs(), a.WhatsApp.Jobs(),
			[]jobs.Kind{{Name: webhook.OutcomeJob, Handler: a.Custom.Outcome, PerNode: 32, PerTenant: 8, MaxAttempts: 20}},
		),
	})
	if err != nil {
		return err
	}
	a.API = api.New(api.Config{
		DB: a.DB, Log: a.log, Clock: a.clock, Auth: a.Identity, Metrics: a.metrics, Version: Version,
		Domain: a.cfg.Domain, Secure: a.cfg.secure(), CursorKey: box.Derive("cursor"),
		TrustedProxies: proxies, Limits: limits, Streams: openStreams, StreamCheck: a.streamCheck(), Fallback: web.Handler(a.cfg.captchaSources()...),
	})
	a.registerHealth()
	a.registerStorage()
	a.Identity.Register(a.API)
	a.Accounts.Register(a.API)
	a.OAuth.Register(a.API)
	a.Agents.Register(a.API)
	a.Contacts.Register(a.API)
	a.Conversations.Register(a.API)
	a.Desk.Register(a.API)
	a.Channels.Register(a.API)
	a.Templates.Register(a.API)
	a.WhatsApp.Register(a.API)
	a.Email.Register(a.API)
	a.Custom.Register(a.API)
	a.Widget.Register(a.API)
	a.Mail.Register(a.API)
	a.Webhook.Register(a.API)
	a.Advisor.Register(a.API)
	a.Commerce.Register(a.API)
	a.Live.Register(a.API)
	a.Finder.Register(a.API)
	streams.Register(a.API)
	return nil
}

// streamCheck is how often open streams look whether their watchers may still
// watch. What this node revokes ends them at once; only where other nodes may
// revoke something do they have to look often.
func (a *App) streamCheck() time.Duration {
	if a.cfg.StreamCheck != 0 {
		return a.cfg.StreamCheck
	}
	if a.DB.Dialect() == db.Postgres {
		return 4 * time.Second
	}
	return 15 * time.Second
}

// Close closes the database.
func (a *App) Close() error {
	a.Finder.Close()
	return errors.Join(a.standIn.close(), a.DB.Close())
}

// Work runs the background workers until ctx ends.
func (a *App) Work(ctx context.Context) {
	defer a.succeed(ctx)()
	var wg sync.WaitGroup
	workers := []func(context.Context){
		a.Dispatcher.Run, a.Sender.Run, a.Jobs.Run, a.Waker.Run, a.Live.Run, a.Finder.Run, a.Advisor.Run, a.janitor,
	}
	if a.Limits != nil {
		workers = append(workers, a.Limits.Run)
	}
	for _, run := range workers {
		wg.Go(func() { run(ctx) })
	}
	wg.Wait()
}

// succeed frees what the process before this one on the same data folder held.
// Without it, or where another process runs on the folder, leases end by
// themselves. What it returns lets go of the folder.
func (a *App) succeed(ctx context.Context) (leave func()) {
	n, err := node.Take(a.cfg.Data)
	if err != nil {
		a.log.Debug("what an earlier process held is free when its lease ends", "reason", err)
		return func() {}
	}
	if n.Before != uuid.Nil {
		err = errors.Join(a.Sender.Succeed(ctx, n.Before), a.Jobs.TakeOver(ctx, n.Before))
	}
	if err == nil {
		err = n.Keep(a.Sender.Claim())
	}
	if err != nil {
		a.log.Error("what an earlier process held could not be freed", "error", err)
	}
	return func() { _ = n.Close() }
}

// grace is how long open requests and workers may take to finish at a stop,
// whatever servers outside do.
const grace = 20 * time.Second

// indexBytes is what the search indexes take.
func (a *App) indexBytes() int {
	_, found := a.Finder.Held()
	return a.Advisor.Bytes() + found
}

// Serve answers on ln until ctx ends, then drains: no new requests, open ones
// finish, workers stop.
func (a *App) Serve(ctx context.Context, ln net.Listener) error {
	defer headroom.Keep(a.indexBytes)()
	server := &http.Server{
		Handler: a.API.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		WriteTimeout: 5 * time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
	}
	private, err := a.servePrivate()
	if err != nil {
		return err
	}
	door, err := a.listenMail()
	if err != nil {
		return errors.Join(err, private(ctx))
	}
	workers, stopWorkers := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWorkers()
	var wg sync.WaitGroup
	wg.Go(func() { a.Work(workers) })

	failed := make(chan error, 2)
	wg.Go(func() { failed <- server.Serve(ln) })
	if door != nil {
		wg.Go(func() {
			if err := door(workers); err != nil {
				failed <- fmt.Errorf("mail: %w", err)
			}
		})
	}
	a.ready.Store(true)
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	a.ready.Store(false)
	a.API.Drain()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	stopWorkers() // while open requests finish
	err = errors.Join(ignoreClosed(err), server.Shutdown(stop), private(stop))
	ended := make(chan struct{})
	go func() { wg.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-stop.Done():
		a.log.Error("some workers did not end in time; what they held is free when its lease ends", "grace", grace)
	}
	return err
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
