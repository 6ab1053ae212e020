// Package app builds the server: it is the only package that knows every module.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"konak"
	"konak/internal/advisor"
	"konak/internal/commerce"
	"konak/internal/crm/agent"
	"konak/internal/crm/assistant"
	"konak/internal/crm/assistant/source"
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
	"konak/internal/crm/finder"
	"konak/internal/crm/helpcenter"
	"konak/internal/crm/live"
	"konak/internal/crm/mcp"
	"konak/internal/crm/notice"
	"konak/internal/crm/reply"
	"konak/internal/crm/telephony"
	"konak/internal/crm/telephony/block"
	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/greeting"
	"konak/internal/crm/telephony/line"
	"konak/internal/crm/telephony/number"
	"konak/internal/crm/telephony/setting"
	"konak/internal/crm/telephony/socket"
	"konak/internal/crm/telephony/team"
	"konak/internal/crm/telephony/wallet"
	"konak/internal/crm/template"
	"konak/internal/exchange"
	"konak/internal/exchange/sipexchange"
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
	"konak/internal/kit/jobs"
	"konak/internal/kit/limit"
	"konak/internal/kit/mailer"
	"konak/internal/kit/node"
	"konak/internal/kit/secret"
	"konak/internal/kit/trace"
	"konak/internal/mail"
	"konak/internal/mail/domain"
	"konak/internal/mail/engine"
	"konak/internal/mail/migration"
	"konak/internal/mail/setup"
	"konak/internal/webhook"
)

// Version is the version of the program.
var Version = konak.Version()

// Commit is the commit that the program was built from; the build sets it.
var Commit = "unknown"

// App is a node: its database, its modules and its workers.
type App struct {
	cfg     Config
	log     *slog.Logger
	clock   clock.Source
	metrics *prometheus.Registry
	node    *node.Node // nil if the data folder is not locked
	serving uuid.UUID  // this node's record among the serving nodes
	box     *secret.Box

	Traces   *trace.Tracer // nil if nothing is traced
	DB       *db.DB
	API      *api.API
	Link     *bus.Link // nil on the embedded database, which has one node
	Mailer   *mailer.Mailer
	Blobs    *blob.Store
	Identity *identity.Service
	Accounts *signin.Service
	OAuth    *oauth.Service
	Captcha  *captcha.Gate
	Mail     *mail.Service
	Domains  *domain.Service
	Setup    *setup.Service
	Engine   *engine.Service

	Migrations *migration.Service
	Webhook    *webhook.Service
	Advisor    *advisor.Service
	Commerce   *commerce.Service

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
	bankForms     string // where the panel may send a card payment
	Wallet        *wallet.Service
	Telegram      *telegram.Service
	Social        *social.Service
	Partner       *partner.Service
	Calling       *calling.Service
	Numbers       *number.Service
	Greetings     *greeting.Service
	PhoneBlocks   *block.Service
	PhoneSettings *setting.Service
	PhoneTeam     *team.Service
	PhoneLine     *line.Service
	Calls         *call.Service
	PhoneSocket   *socket.Service
	Live          *live.Service
	Notices       *notice.Service
	Finder        *finder.Service
	HelpCenter    *helpcenter.Service
	Assistant     *assistant.Service
	Sources       *source.Service
	MCP           *mcp.Service

	Dispatcher *event.Dispatcher
	Jobs       *jobs.Runner
	Sender     *webhook.Sender
	Streams    *api.OpenStreams
	Waker      *conversation.Waker
	Limits     *limit.Shared // nil if there is only one node

	// Exchange carries calls; nil if this node has none.
	Exchange exchange.Exchange
	sip      *sipexchange.Exchange

	standIn     *standIn       // nil outside a demo
	demoServers []*http.Server // stand-ins of a demo
	ready       atomic.Bool
}

// Catalog returns every event of every module.
func Catalog() event.Catalog {
	return slices.Concat(
		contact.Events(), conversation.Events(), desk.Events(), channel.Events(), custom.Events(), helpcenter.Events(), template.Events(),
		mail.Events(), engine.Events(), domain.Events(), commerce.Events(), wallet.Events(), call.Events(), webhook.Events(),
	)
}

// Close closes the database and unlocks the data folder.
func (a *App) Close() error {
	a.Finder.Close()
	a.closeExchange()
	return errors.Join(a.standIn.close(), a.closeDemoServers(), a.Traces.Close(), a.closeDatabase())
}

// Work runs the background workers until ctx ends.
func (a *App) Work(ctx context.Context) {
	a.takeOver(ctx)
	var wg sync.WaitGroup
	workers := []func(context.Context){
		a.Dispatcher.Run, a.Sender.Run, a.Jobs.Run, a.Waker.Run, a.Live.Run, a.Finder.Run, a.Advisor.Run, a.janitor, a.Blobs.Run, a.Calls.Run,
	}
	if a.Limits != nil {
		workers = append(workers, a.Limits.Run)
	}
	if a.Link != nil {
		workers = append(workers, a.Link.Run)
	}
	if a.cfg.BackupFolder != "" {
		workers = append(workers, a.backUpOnSchedule)
	}
	for _, run := range workers {
		wg.Go(func() { run(ctx) })
	}
	wg.Wait()
}

// takeOver frees what the previous process on the same data folder held. Without the
// folder's lock, leases end by themselves.
func (a *App) takeOver(ctx context.Context) {
	if a.node == nil {
		return
	}
	var err error
	if a.node.Before != uuid.Nil {
		err = errors.Join(a.Sender.TakeOver(ctx, a.node.Before), a.Jobs.TakeOver(ctx, a.node.Before))
	}
	if err == nil {
		err = a.node.Keep(a.Sender.Claim())
	}
	if err != nil {
		a.log.Error("claims of an earlier process could not be released", "error", err)
	}
}

// grace is how long open requests and workers may take to finish at a stop, even if an
// outside server is slow. Requests that are still open after half of it are cancelled: they
// wait for an outside server.
const grace = 20 * time.Second

// Serve answers on the listeners until ctx ends, then drains: it accepts no new requests,
// lets open ones finish and stops the workers.
func (a *App) Serve(ctx context.Context, l *Listeners) error {
	requests, cancelRequests := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelRequests()
	server := &http.Server{
		BaseContext: func(net.Listener) context.Context { return requests },
		Handler:     a.API.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		WriteTimeout: 5 * time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
	}
	carries, err := a.startExchange(ctx, l.sip)
	if err != nil && ctx.Err() != nil {
		return nil // stopped before it served anything
	}
	if err != nil {
		return fmt.Errorf("the exchange cannot start: %w", err)
	}
	leave, err := a.announce(ctx)
	if err != nil {
		return err
	}
	defer leave()
	private := a.servePrivate(l.private)
	workers, stopWorkers := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWorkers()
	var wg sync.WaitGroup
	wg.Go(func() { a.Work(workers) })
	wg.Go(func() { a.keepAnnounced(workers) })

	if carries {
		wg.Go(func() { a.keepExchange(workers) })
	}
	failed := make(chan error, 2)
	wg.Go(func() { failed <- server.Serve(l.public) })
	if l.mail != nil {
		a.log.Info("accepting mail", "address", l.mail.Addr().String(), "domain", a.cfg.mailDomain(), "starttls", l.cert != nil)
		wg.Go(func() {
			if err := a.Engine.Serve(workers, l.mail, l.mailTLS, l.cert); err != nil {
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
		a.log.Error("some workers did not stop in time; their claims expire with their leases", "grace", grace)
	}
	return err
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
