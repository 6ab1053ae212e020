package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/assistant"
	"konak/internal/crm/channel/custom"
	"konak/internal/identity"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
	"konak/internal/sandbox/openai"
)

const (
	assistantGroup    = "Assistant"
	assistantRounds   = 5
	assistantMessages = 40 // in a round, on each channel
	// assistantPace is how far apart messages are, so that each finds the work of the one before done.
	assistantPace = 25 * time.Millisecond
)

// measureAssistant takes how long a customer's message takes until it is accepted: on a channel
// without the assistant, on one whose language model answers at once, and on one whose
// language model says nothing, in turns.
func measureAssistant(ctx context.Context, e *env, only *regexp.Regexp) error {
	for _, d := range []db.Dialect{db.SQLite, db.Postgres} {
		if !only.MatchString(assistantGroup + ", " + string(d)) {
			continue
		}
		h, err := e.node(ctx, d)
		if errors.Is(err, errSkip) {
			fmt.Printf("\n%s, %s: skipped, %v\n", assistantGroup, d, err)
			continue
		}
		if err != nil {
			return err
		}
		fmt.Printf("\n%s, %s: an inbound message until it is accepted, %d on each channel\n", assistantGroup, d, assistantRounds*assistantMessages)
		if err := h.messagesBesideModels(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// answered is a channel of the benchmark and how long its messages took.
type answered struct {
	name  string
	path  string
	model *openai.Server // nil for no assistant
	took  []time.Duration
}

// messagesBesideModels sends the messages and prints how long they took.
func (h *node) messagesBesideModels(ctx context.Context, e *env) error {
	key, err := h.app.Identity.CreateKey(ctx, h.tenant, "assistant", false, perm.All())
	if err != nil {
		return err
	}
	list := []*answered{{name: "no assistant"}, {name: "a model that answers at once", model: openai.New()}, {name: "a model that says nothing", model: openai.New()}}
	list[2].model.Fail(openai.Slow)
	for _, a := range list {
		if err := h.openAnswered(ctx, e, a); err != nil {
			return err
		}
	}
	pace := time.NewTicker(assistantPace)
	defer pace.Stop()
	for range assistantRounds {
		for _, a := range list {
			for range assistantMessages {
				<-pace.C
				took, err := h.post(ctx, key.Reveal(), a.path)
				if err != nil {
					return err
				}
				a.took = append(a.took, took)
			}
		}
	}
	for _, a := range list {
		slices.Sort(a.took)
		fmt.Printf("  %-29s median %s, p95 %s, p99 %s", a.name+":", quantile(a.took, 0.5), quantile(a.took, 0.95), quantile(a.took, 0.99))
		if a.model != nil {
			fmt.Printf("; median %s and p95 %s times those without; the model was asked %d times",
				ratio(a.took, list[0].took, 0.5), ratio(a.took, list[0].took, 0.95), len(a.model.Requests()))
		}
		fmt.Println()
	}
	return nil
}

// ratio is how many times as long some took as others, at a quantile.
func ratio(some, others []time.Duration, q float64) string {
	return fmt.Sprintf("%.2f", quantile(some, q).Seconds()/quantile(others, q).Seconds())
}

// openAnswered opens a channel, with the assistant where it has a language model.
func (h *node) openAnswered(ctx context.Context, e *env, a *answered) error {
	licences := map[string]bool{}
	for _, l := range identity.AllLicences {
		licences[l] = true
	}
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.Agent, TenantID: h.tenant, Slug: "bench", ID: h.member, Licences: licences})
	takes, err := e.listen(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	if err != nil {
		return err
	}
	ch, err := h.app.Custom.Create(ctx, custom.NewChannel{Name: a.name, Settings: custom.Settings{Address: takes}})
	if err != nil {
		return err
	}
	a.path = "/api/crm/public/v1/channels/custom/" + ch.ID.String() + "/messages"
	if a.model == nil {
		return nil
	}
	address, err := e.listen(a.model)
	if err != nil {
		return err
	}
	now, tokens, seconds := 0, int64(1_000_000_000), int64(86_400)
	c, err := h.app.Assistant.Add(ctx, assistant.Input{Name: a.name, Delay: &now, Model: &assistant.ModelInput{
		Address: address + "/v1", Model: "sandbox", DailyTokens: &tokens, DailySeconds: &seconds,
	}})
	if err != nil {
		return err
	}
	_, err = h.app.Channels.SetAI(ctx, ch.ID, true, &c.ID)
	return err
}

// listen serves on a port of its own until the end, and returns its address.
func (e *env) listen(handler http.Handler) (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(ln) }()
	e.closing(server.Close)
	return "http://" + ln.Addr().String(), nil
}

// post sends a message of a new customer and returns how long it took to be accepted.
func (h *node) post(ctx context.Context, key, path string) (time.Duration, error) {
	id := uuid.NewString()
	body := fmt.Sprintf(`{"contact":{"external_id":%q,"name":"Elif"},"body":"Ürünü nasıl iade edebilirim?","message_id":%q}`, id, id)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+h.addr+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	elapsed := clock.Stopwatch()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	text, err := io.ReadAll(resp.Body)
	took := elapsed()
	if err = errors.Join(err, resp.Body.Close()); err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("a message was answered %s: %s", resp.Status, text)
	}
	return took, err
}
