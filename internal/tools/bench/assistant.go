package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/assistant"
	"konak/internal/crm/channel/custom"
	"konak/internal/kit/clock"
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
func measureAssistant(ctx context.Context, e *env, o options) error {
	return e.onDatabases(ctx, o, assistantGroup, func(h *node) error {
		fmt.Printf("\n%s, %s: an inbound message until it is accepted, %d on each channel\n", assistantGroup, h.dialect(), assistantRounds*assistantMessages)
		return h.messagesBesideModels(ctx, e, os.Stdout, assistantRounds, assistantMessages)
	})
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
				took, err := h.timePost(ctx, key.Reveal(), a.path)
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

// openAnswered opens a channel with its assistant.
func (h *node) openAnswered(ctx context.Context, e *env, a *answered) error {
	takes, err := e.serveHTTP(&http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})})
	if err != nil {
		return err
	}
	ch, err := h.app.Custom.Create(ctx, custom.NewChannel{Name: a.name, Settings: custom.Settings{Address: "http://" + takes}})
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
		in.Model = &assistant.ModelInput{Address: "http://" + address + "/v1", Model: "sandbox", DailyTokens: &tokens, DailySeconds: &seconds}
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
		return e.serveHTTP(&http.Server{Handler: a.model})
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return ln.Addr().String(), ln.Close()
}

// timePost sends a message of a new customer and returns how long it took until it was
// accepted.
func (h *node) timePost(ctx context.Context, key, path string) (time.Duration, error) {
	id := uuid.NewString()
	body := fmt.Sprintf(`{"contact":{"external_id":%q,"name":"Elif"},"body":"Ürünü nasıl iade edebilirim?","message_id":%q}`, id, id)
	elapsed := clock.Stopwatch()
	err := h.post(ctx, path, key, body)
	return elapsed(), err
}
