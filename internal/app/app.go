// Package app builds the server: it is the only package that knows every module.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/advisor"
	"konak/internal/commerce"
	"konak/internal/crm/agent"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/custom"
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
	"konak/internal/crm/finder"
	"konak/internal/crm/live"
	"konak/internal/crm/reply"
	"konak/internal/crm/telephony"
	"konak/internal/crm/telephony/greeting"
	"konak/internal/crm/telephony/number"
	"konak/internal/crm/telephony/wallet"
	"konak/internal/crm/template"
	"konak/internal/identity"
	"konak/internal/identity/captcha"
	"konak/internal/identity/oauth"
	"konak/internal/identity/signin"
	"konak/internal/kit/api"
	"konak/internal/kit/blob"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/jobs"
	"konak/internal/kit/limit"
	"konak/internal/kit/mailer"
	"konak/internal/kit/node"
	"konak/internal/kit/secret"
	"konak/internal/mail"
	"konak/internal/webhook"
	"konak/migrations"
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
	Files         *file.Service
	Groups        *group.Service
	AIRecords     *airecord.Service
	Cards         *card.Service
	Edits         *edit.Service
	Exports       *export.Service
	Whole         *whole.Service
	Inbound       *inbound.Service
	Surveys       *survey.Service
	Replies       *reply.Service
	Agents        *agent.Service
	Desk          *desk.Service
	Channels      *channel.Service
	Kinds         channel.Kinds
	Email         *email.Service
	Custom        *custom.Service
	Widget        *widget.Service
	Templates     *template.Service
	WhatsApp      *whatsapp.Service
	Telephony     *telephony.Service
	Wallet        *wallet.Service
	Numbers       *number.Service
	Greetings     *greeting.Service
	Live          *live.Service
	Finder        *finder.Service

	Dispatcher *event.Dispatcher
	Jobs       *jobs.Runner
	Sender     *webhook.Sender
	Streams    *api.OpenStreams
	Waker      *conversation.Waker
	Limits     *limit.Shared // nil where there is but one node

	standIn     *standIn       // nil outside a demo
	demoServers []*http.Server // stand-ins of a demo
	ready       atomic.Bool
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
	c = append(c, wallet.Events()...)
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

// Close closes the database.
func (a *App) Close() error {
	a.Finder.Close()
	return errors.Join(a.standIn.close(), a.closeDemoServers(), a.DB.Close())
}

// Work runs the background workers until ctx ends.
func (a *App) Work(ctx context.Context) {
	defer a.takeOver(ctx)()
	var wg sync.WaitGroup
	workers := []func(context.Context){
		a.Dispatcher.Run, a.Sender.Run, a.Jobs.Run, a.Waker.Run, a.Live.Run, a.Finder.Run, a.Advisor.Run, a.janitor, a.Blobs.Run,
	}
	if a.Limits != nil {
		workers = append(workers, a.Limits.Run)
	}
	for _, run := range workers {
		wg.Go(func() { run(ctx) })
	}
	wg.Wait()
}

// takeOver frees what the process before this one on the same data folder held.
// Without it, or where another process runs on the folder, leases end by
// themselves. What it returns lets go of the folder.
func (a *App) takeOver(ctx context.Context) (leave func()) {
	n, err := node.Take(a.cfg.Data)
	if err != nil {
		a.log.Debug("what an earlier process held is free when its lease ends", "reason", err)
		return func() {}
	}
	if n.Before != uuid.Nil {
		err = errors.Join(a.Sender.TakeOver(ctx, n.Before), a.Jobs.TakeOver(ctx, n.Before))
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
// whatever servers outside do. Requests that are still open after half of it are
// cancelled: they wait for a server outside.
const grace = 20 * time.Second

// Serve answers on ln until ctx ends, then drains: no new requests, open ones
// finish, workers stop.
func (a *App) Serve(ctx context.Context, ln net.Listener) error {
	requests, cancelRequests := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelRequests()
	server := &http.Server{
		BaseContext: func(net.Listener) context.Context { return requests },
		Handler:     a.API.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		WriteTimeout: 5 * time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
	}
	private, err := a.servePrivate()
	if err != nil {
		return err
	}
	serveMail, err := a.listenMail()
	if err != nil {
		return errors.Join(err, private(ctx))
	}
	workers, stopWorkers := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWorkers()
	var wg sync.WaitGroup
	wg.Go(func() { a.Work(workers) })

	failed := make(chan error, 2)
	wg.Go(func() { failed <- server.Serve(ln) })
	if serveMail != nil {
		wg.Go(func() {
			if err := serveMail(workers); err != nil {
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
	late := time.AfterFunc(grace/2, cancelRequests)
	defer late.Stop()
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
