package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/kit/api"
	"konak/internal/kit/jobs"
	"konak/internal/kit/limit"
	"konak/internal/kit/node"
	"konak/internal/kit/secret"
)

// Meta is the public information about a node.
type Meta struct {
	Version string `json:"version" example:"0.1.0"`
	Commit  string `json:"commit" example:"0f8137af2b1c" doc:"Git commit of the build; unknown if it was built without git"`
	Demo    bool   `json:"demo" doc:"Whether this is a demo with publicly known passwords"`
	SignUp  string `json:"sign_up" enum:"open,invite,closed" example:"open" doc:"Who can open an account: open for everyone, invite for people with an invitation, closed for no one; the operator then creates accounts"`
	Mail    string `json:"mail" enum:"sent,kept" example:"sent" doc:"kept if no mail server is configured; the operator then passes mails on"`
}

func (a *App) registerHealth() {
	a.API.Mux().Get("/healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") })
	a.API.Mux().Get("/readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		if wrong := a.notReady(ctx); len(wrong) > 0 {
			http.Error(w, "not ready: "+strings.Join(wrong, "; "), http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintln(w, "ready")
	})
	api.Handle(a.API, api.Route{
		Method: "GET", Path: "/api/v1/meta", ID: "meta", Tag: "Service", Access: api.Public,
		Summary: "Get the version, whether this is a demo, and who can sign up",
	}, func(context.Context, *struct{}) (Meta, error) {
		m := Meta{Version: Version, Commit: Commit, Demo: a.cfg.Demo, SignUp: cmp.Or(a.cfg.SignUp, SignUpInvite), Mail: "sent"}
		if a.Mailer.KeepsOutbox() {
			m.Mail = "kept"
		}
		return m, nil
	})
}

// notReady returns the reasons why the node cannot serve now; none if it can. They name no
// address and no path, because anybody may ask.
func (a *App) notReady(ctx context.Context) []string {
	var wrong []string
	if !a.ready.Load() {
		wrong = append(wrong, "the server is starting or stopping")
	}
	if err := a.DB.Ping(ctx); err != nil {
		wrong = append(wrong, "the database does not answer")
	} else if err := a.box.CheckCurrent(ctx, a.DB); errors.Is(err, secret.ErrOtherKey) || errors.Is(err, secret.ErrNoKeys) {
		wrong = append(wrong, "the database has other keys: it was replaced, or its master key was changed")
	} else if err != nil {
		wrong = append(wrong, "the keys of the database cannot be read")
	} else if !a.Advisor.Ready(ctx) { // which asks the database, too
		wrong = append(wrong, "the search index is being read")
	}
	if a.API.DiskWasFull() {
		wrong = append(wrong, "the disk of the database is full")
	}
	if err := node.ProbeDisk(a.cfg.Data); errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		wrong = append(wrong, "the disk of the data folder is full")
	} else if err != nil {
		wrong = append(wrong, "the data folder cannot be written")
	}
	return wrong
}

// buildInfo is a metric that names the running version.
func buildInfo() prometheus.Collector {
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "konak_build_info", Help: "1, with the version and the commit of the program.",
		ConstLabels: prometheus.Labels{"version": Version, "commit": Commit},
	})
	g.Set(1)
	return g
}

// Metrics returns the handler of /metrics.
func (a *App) Metrics() prometheus.Gatherer { return a.metrics }

// servePrivate answers operators on ln, if set, and returns a function that ends that.
func (a *App) servePrivate(ln net.Listener) (end func(context.Context) error) {
	if ln == nil {
		return func(context.Context) error { return nil }
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", a.metricsHandler())
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: 5 * time.Minute}
	go func() {
		if err := ignoreClosed(server.Serve(ln)); err != nil {
			a.log.Error("private listener failed", "error", err)
		}
	}()
	return server.Shutdown
}

// janitor removes expired data, a little at a time.
func (a *App) janitor(ctx context.Context) {
	jobs.Loop{
		Name: "janitor", DB: a.DB, Log: a.log, Every: 10 * time.Minute, Step: a.clean,
	}.Run(ctx)
}

// leastBatch is the smallest batch of a cleaning step: one that removed fewer has nothing
// left.
const leastBatch = 100

// clean runs each cleaning step until nothing is left, and returns the number of rows
// removed.
func (a *App) clean(ctx context.Context) (int, error) {
	total := 0
	for _, step := range []func(context.Context) (int, error){a.API.Clean, a.Webhook.Clean, a.Identity.Clean, a.Accounts.Clean, a.Captcha.Clean, a.OAuth.Clean, a.Agents.CleanQRs, a.cleanLimits, a.Files.CleanUploads, a.Widget.CleanVisitors, a.Mail.CleanJournal, a.Mail.SignLedgers, a.Engine.CleanQueue, a.Engine.ReportTLS, a.Blobs.Sweep, a.cleanJobs} {
		for n := leastBatch; n >= leastBatch && ctx.Err() == nil; {
			var err error
			if n, err = step(ctx); err != nil {
				return total, err
			}
			total += n
		}
	}
	return total, nil
}

func (a *App) cleanJobs(ctx context.Context) (int, error) { return jobs.CleanDead(ctx, a.DB) }

func (a *App) cleanLimits(ctx context.Context) (int, error) { return limit.Clean(ctx, a.DB) }
