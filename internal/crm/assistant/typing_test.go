package assistant_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/channel/widget"
	"konak/internal/sandbox/openai"
)

// visitor is somebody in the shop's live chat, with an open stream.
type visitor struct {
	conversation uuid.UUID
	lines        *bufio.Scanner
}

// visit opens a live chat with the assistant on and writes there. A nil configuration means
// the defaults.
func (sh *shop) visit(configuration *uuid.UUID, body string) *visitor {
	sh.t.Helper()
	text := map[string]any{"title": "", "greeting": "", "away": ""}
	var w widget.Opened
	sh.Owner.Post(channels+"/widget", map[string]any{"name": "Site", "look": map[string]any{
		"origins": []string{"https://www.shop.example"}, "color": "#112233", "position": "right", "language": "auto", "tr": text, "en": text,
		"prechat": map[string]any{"enabled": false, "name_required": false, "email_required": false, "phone": false},
	}}).Want(201).Data(&w)
	var set widget.Settings
	if err := json.Unmarshal(w.Settings, &set); err != nil {
		sh.t.Fatal(err)
	}
	sh.Owner.Do("PATCH", channels+"/"+w.ID.String()+"/ai", map[string]any{"enabled": true, "configuration_id": configuration}).Want(200)
	path := "/api/crm/widget/v1/" + set.Key
	var in widget.Session
	sh.s.Client("").Header("Origin", "https://www.shop.example").Post(path+"/session", map[string]any{"language": "tr"}).Want(200).Data(&in)
	var written widget.Written
	sh.s.Client(*in.Token).Header("Origin", "https://www.shop.example").Post(path+"/messages", map[string]any{"body": body, "message_id": "1"}).Want(200).Data(&written)

	ctx, cancel := context.WithTimeout(sh.t.Context(), 30*time.Second)
	sh.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", sh.s.URL+path+"/stream", nil)
	if err != nil {
		sh.t.Fatal(err)
	}
	req.Header.Set("Origin", "https://www.shop.example")
	req.Header.Set("Authorization", "Bearer "+*in.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		sh.t.Fatal(err)
	}
	sh.t.Cleanup(func() { _ = resp.Body.Close() })
	v := &visitor{*written.Session.ConversationID, bufio.NewScanner(resp.Body)}
	for v.lines.Scan() && v.lines.Text() != ": here" { //nolint:revive // the stream begins with it
	}
	return v
}

// next returns the next event: the assistant's or an agent's typing indicator, or the
// assistant's message; "" at the end.
func (v *visitor) next() string {
	for v.lines.Scan() {
		switch line := v.lines.Text(); {
		case line == `data: {"bot":true,"typing":true}`:
			return "typing"
		case line == `data: {"bot":false,"typing":true}`:
			return "agent types"
		case strings.HasPrefix(line, "data: ") && strings.Contains(line, `"from":"bot"`):
			return "bot"
		}
	}
	return ""
}

// The customer sees the typing indicator until the answer is there.
func TestTyping(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		c := sh.configure(map[string]any{"name": "Yavaş", "delay_s": 12})
		v := sh.visit(&c.ID, answerable)
		for _, wait := range []time.Duration{5, 5, 2} {
			s.Settle()
			if got := v.next(); got != "typing" {
				t.Fatalf("before the answer: %q", got)
			}
			s.Clock.Advance(wait * time.Second)
		}
		s.Settle()
		if got := v.next(); got != "bot" {
			t.Errorf("after the delay: %q", got)
		}
	})
}

// runThinking runs fn in a shop whose language model takes as long as the test wants.
func runThinking(t *testing.T, fn func(t *testing.T, sh *shop, model *openai.Server, v *visitor)) {
	t.Helper()
	t.Parallel()
	apptest.RunWith(t, func(cfg *app.Config) { cfg.AssistantTime = time.Minute }, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		s.Assistant.TypingEvery = 5 * time.Millisecond
		model := openai.New()
		server := httptest.NewServer(model)
		t.Cleanup(server.Close)
		c := sh.configure(map[string]any{"name": "Model", "delay_s": 0, "model": modelAt(server.URL, nil)})
		fn(t, sh, model, sh.visit(&c.ID, answerable))
	})
}

// While a language model is working, the typing indicator is renewed.
func TestTypingWhileTheModelThinks(t *testing.T) {
	runThinking(t, func(t *testing.T, sh *shop, model *openai.Server, v *visitor) {
		signs := 0
		model.OnAsked(func() {
			for signs < 4 && v.next() == "typing" {
				signs++
			}
		})
		sh.s.Settle()
		if signs != 4 {
			t.Fatalf("%d signs while the model thought", signs)
		}
		got := v.next()
		for got == "typing" {
			got = v.next()
		}
		if got != "bot" {
			t.Errorf("then came %q", got)
		}
	})
}

// The typing indicator ends when somebody takes over the conversation while the language
// model is working.
func TestTypingEndsAtTakeover(t *testing.T) {
	runThinking(t, func(t *testing.T, sh *shop, model *openai.Server, v *visitor) {
		const times = 25
		after, typed := 0, 0
		model.OnAsked(func() {
			path := conversations + "/" + v.conversation.String()
			sh.Owner.Post(path+"/join", nil).Want(200)
			for range times {
				sh.Owner.Post(path+"/typing", map[string]any{"typing": true}).Want(200)
			}
			for typed < times {
				switch v.next() {
				case "typing":
					if typed > 0 {
						after++
					}
				case "agent types":
					typed++
				default:
					return
				}
			}
		})
		sh.s.Settle()
		if typed != times || after > 1 { // one may have been on its way
			t.Errorf("the agent typed %d times, and the assistant %d times after the first of them", typed, after)
		}
	})
}
