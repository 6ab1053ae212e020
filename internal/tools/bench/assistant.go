package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
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
	assistantMessages = 20 // in a round, on each channel
	// assistantPace is the interval between messages, so that the work of each is done
	// before the next.
	assistantPace = 100 * time.Millisecond
)

// measureAssistant measures how long it takes until a customer's message is accepted: on a
// channel without the assistant, on one with the embedded assistant, and on channels whose
// language model works or fails, in turns.
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
		if err := h.messagesBesideModels(ctx, e, os.Stdout, assistantRounds, assistantMessages); err != nil {
			return err
		}
	}
	return nil
}

// answered is a channel of the benchmark with the times of its messages.
type answered struct {
	name     string
	embedded bool
	model    *openai.Server // nil for none
	fault    string         // of the model
	refused  bool           // nothing listens at the model's address
	path     string
	took     []time.Duration
}

// answeredChannels returns the channels. The first has no assistant.
func answeredChannels() []*answered {
	return []*answered{
		{name: "no assistant"},
		{name: "embedded assistant", embedded: true},
		{name: "model that answers at once", model: openai.New()},
		{name: "model that refuses connections", model: openai.New(), refused: true},
		{name: "model that says nothing", model: openai.New(), fault: openai.Slow},
		{name: "model that never stops", model: openai.New(), fault: openai.Endless},
		{name: "model that writes nonsense", model: openai.New(), fault: openai.BadJSON},
	}
}

// messagesBesideModels sends the messages and prints how long they took.
func (h *node) messagesBesideModels(ctx context.Context, e *env, out io.Writer, rounds, messages int) error {
	key, err := h.app.Identity.CreateKey(ctx, h.tenant, "assistant", false, perm.All())
	if err != nil {
		return err
	}
	ctx = h.asOwner(ctx)
	if _, err := h.publish(ctx, "Ürünü iade etmek", "Ürünü 14 gün içinde iade edebilirsiniz. İade kodunu hesabınızdan alın."); err != nil {
		return err
	}
	list := answeredChannels()
	for _, a := range list {
		if err := h.openAnswered(ctx, e, a); err != nil {
			return err
		}
	}
	pace := time.NewTicker(assistantPace)
	defer pace.Stop()
	for range rounds {
		for _, a := range list {
			for range messages {
				<-pace.C
				took, err := h.post(ctx, key.Reveal(), a.path)
				if err != nil {
					return err
				}
				a.took = append(a.took, took)
			}
		}
	}
	// The figures mean something only if the assistant was at work.
	for works := list[2].model; len(works.Requests()) == 0 && ctx.Err() == nil; {
		<-pace.C
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "p50\tp99\tof the first p50\tof its p99\tasked\t\t")
	for _, a := range list {
		slices.Sort(a.took)
		asked := ""
		if a.model != nil {
			asked = fmt.Sprint(len(a.model.Requests()))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t\t%s\n", quantile(a.took, 0.5), quantile(a.took, 0.99),
			ratio(a.took, list[0].took, 0.5), ratio(a.took, list[0].took, 0.99), asked, a.name)
	}
	return w.Flush()
}

// ratio returns some divided by others at a quantile.
func ratio(some, others []time.Duration, q float64) string {
	return fmt.Sprintf("%.2f", quantile(some, q).Seconds()/quantile(others, q).Seconds())
}

// asOwner returns a context of the owner of the node's workspace, with all licences.
func (h *node) asOwner(ctx context.Context) context.Context {
	licences := map[string]bool{}
	for _, l := range identity.AllLicences {
		licences[l] = true
	}
	return caller.With(ctx, &caller.Caller{Kind: caller.Agent, TenantID: h.tenant, Slug: "bench", ID: h.member, Licences: licences})
}

// openAnswered opens a channel with its assistant.
func (h *node) openAnswered(ctx context.Context, e *env, a *answered) error {
	takes, err := e.listen(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	if err != nil {
		return err
	}
	ch, err := h.app.Custom.Create(ctx, custom.NewChannel{Name: a.name, Settings: custom.Settings{Address: takes}})
	if err != nil {
		return err
	}
	a.path = "/api/crm/public/v1/channels/custom/" + ch.ID.String() + "/messages"
	if a.model == nil && !a.embedded {
		return nil
	}
	now := 0
	in := assistant.Input{Name: a.name, Delay: &now}
	if a.model != nil {
		a.model.Fail(a.fault)
		address, err := modelAddress(e, a)
		if err != nil {
			return err
		}
		tokens, seconds := int64(1_000_000_000), int64(86_400)
		in.Model = &assistant.ModelInput{Address: address + "/v1", Model: "sandbox", DailyTokens: &tokens, DailySeconds: &seconds}
	}
	c, err := h.app.Assistant.Add(ctx, in)
	if err != nil {
		return err
	}
	_, err = h.app.Channels.SetAI(ctx, ch.ID, true, &c.ID)
	return err
}

// modelAddress returns the address of a channel's model, or one where nothing listens.
func modelAddress(e *env, a *answered) (string, error) {
	if !a.refused {
		return e.listen(a.model)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return "http://" + ln.Addr().String(), ln.Close()
}

// listen serves on a new port until the end of the run, and returns its address.
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

// post sends a message of a new customer and returns how long it took until it was
// accepted.
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
