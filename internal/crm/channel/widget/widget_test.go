package widget_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/widget"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/blob"
)

const (
	channels      = "/api/crm/v1/channels"
	conversations = "/api/crm/v1/conversations"
	site          = "https://www.shop.example"
)

// chat is a workspace with a widget and a visitor's browser.
type chat struct {
	*apptest.Workspace
	t   *testing.T
	s   *apptest.Server
	w   widget.Opened
	key string
}

func open(t *testing.T, s *apptest.Server, look map[string]any) *chat {
	t.Helper()
	c := &chat{Workspace: s.Workspace("demo"), t: t, s: s}
	body := map[string]any{"name": "Web sitesi", "look": merge(map[string]any{"origins": []string{site}}, look)}
	c.Owner.Post(channels+"/widget", body).Want(201).Data(&c.w)
	var set widget.Settings
	if err := json.Unmarshal(c.w.Settings, &set); err != nil {
		t.Fatal(err)
	}
	c.key = set.Key
	return c
}

// merge fills in a look's required parts.
func merge(a, b map[string]any) map[string]any {
	text := map[string]any{"title": "", "greeting": "", "away": ""}
	out := map[string]any{
		"color": "#112233", "position": "right", "language": "auto", "tr": text, "en": text,
		"prechat": map[string]any{"enabled": false, "name_required": false, "email_required": false, "phone": false},
	}
	for _, m := range []map[string]any{a, b} {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

func (c *chat) path(tail string) string { return "/api/crm/widget/v1/" + c.key + tail }

// visitor begins a session from the allowed page.
func (c *chat) visitor() *apptest.Client {
	c.t.Helper()
	var in widget.Session
	c.s.Client("").Header("Origin", site).Post(c.path("/session"), map[string]any{"language": "tr"}).Want(200).Data(&in)
	if in.Token == nil {
		c.t.Fatal("no token")
	}
	return c.s.Client(*in.Token).Header("Origin", site)
}

func (c *chat) write(v *apptest.Client, body, id string) (out widget.Written) {
	c.t.Helper()
	v.Post(c.path("/messages"), map[string]any{"body": body, "message_id": id}).Want(200).Data(&out)
	return out
}

func (c *chat) messages(v *apptest.Client) (out []widget.Message) {
	c.t.Helper()
	v.Get(c.path("/messages")).Want(200).Data(&out)
	return out
}

func TestChat(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		c := open(t, s, nil)
		if !strings.Contains(c.w.Snippet, "/widget.js") || !strings.Contains(c.w.Snippet, c.key) {
			t.Errorf("got %q", c.w.Snippet)
		}
		page := s.Client("").Header("Origin", site)
		var cfg widget.PublicConfig
		resp := page.Get(c.path("/config")).Want(200).Data(&cfg)
		if !cfg.Open || cfg.Look.TR.Title == "" || resp.Header.Get("Access-Control-Allow-Origin") != site || resp.Header.Get("Vary") != "Origin" {
			t.Errorf("got %+v, %v", cfg, resp.Header)
		}
		v, other := c.visitor(), c.visitor()
		if got := c.messages(v); len(got) != 0 {
			t.Errorf("got %+v", got)
		}
		v.Get(c.path("/stream")).Refused(404, "not_found")
		first := c.write(v, "Merhaba", "a")
		if again := c.write(v, "Merhaba", "a"); again.Message.ID != first.Message.ID {
			t.Errorf("the same message twice: %+v", again)
		}
		// The same message id from another visitor is another message.
		if theirs := c.write(other, "Selam", "a"); theirs.Message.ID == first.Message.ID || *theirs.Session.ConversationID == *first.Session.ConversationID {
			t.Errorf("got %+v", theirs)
		}
		id := *first.Session.ConversationID
		var answer conversation.Written
		c.Owner.Post(conversations+"/"+id.String()+"/reply-as-agent", map[string]any{"body": "Buyurun"}).Want(200).Data(&answer)
		c.Owner.Post(conversations+"/"+id.String()+"/reply-as-agent", map[string]any{"body": "Gizli not", "message_type": "note"}).Want(200)
		got := c.messages(v)
		if len(got) != 2 || got[0].From != "agent" || got[0].Name != "Owner" || got[0].Body != "Buyurun" || got[1].From != "visitor" {
			t.Errorf("got %+v", got)
		}
		if theirs := c.messages(other); len(theirs) != 1 || theirs[0].Body != "Selam" {
			t.Errorf("got %+v", theirs)
		}
		var items []conversation.Item
		c.Owner.Get(conversations + "/" + id.String() + "/items").Want(200).Data(&items)
		if d := items[1].Delivery; d == nil || *d != conversation.Sent {
			t.Errorf("got %+v", items[1])
		}
		// The visitor returns and the conversation continues; once closed, it is reopened.
		var back widget.Session
		v.Post(c.path("/session"), map[string]any{}).Want(200).Data(&back)
		if back.Token != nil || *back.ConversationID != id || *back.State != conversation.Open || !back.Known {
			t.Errorf("got %+v", back)
		}
		c.Owner.Put(conversations+"/settings", map[string]any{"reopen": true, "reopen_days": nil, "csat": true}).Want(200)
		c.Owner.Post(conversations+"/"+id.String()+"/close", nil).Want(200)
		s.Clock.Advance(10 * time.Second)
		s.Settle()
		v.Post(c.path("/session"), map[string]any{}).Want(200).Data(&back)
		if *back.State != conversation.Closed || !back.AskRating {
			t.Errorf("got %+v", back)
		}
		var rated widget.Rated
		v.Post(c.path("/rating"), map[string]any{"rating": 4}).Want(200).Data(&rated)
		if !rated.Recorded {
			t.Errorf("got %+v", rated)
		}
		v.Post(c.path("/rating"), map[string]any{"rating": 1}).Want(200).Data(&rated)
		if rated.Recorded || *rated.Rating != 4 {
			t.Errorf("got %+v", rated)
		}
		if more := c.write(v, "Bir şey daha", ""); *more.Session.ConversationID != id || *more.Session.State != conversation.Open {
			t.Errorf("got %+v", more.Session)
		}
		v.Post(c.path("/typing"), map[string]any{"typing": true}).Want(200)
	})
}

func TestOtherOriginsAndTokensAreRefused(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		c := open(t, s, nil)
		v := c.visitor()
		for _, origin := range []string{"https://evil.example", "http://www.shop.example", "null", ""} {
			bad := v.Header("Origin", origin)
			if h := bad.Get(c.path("/config")); h.Status != 403 || h.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%q: status %d, %q", origin, h.Status, h.Header.Get("Access-Control-Allow-Origin"))
			}
			bad.Post(c.path("/messages"), map[string]any{"body": "x"}).Refused(403, "cross_origin")
		}
		page := s.Client("").Header("Origin", site)
		page.Get("/api/crm/widget/v1/chk_nobody/config").Refused(404, "not_found")
		page.Post(c.path("/messages"), map[string]any{"body": "x"}).Refused(401, "unauthenticated")
		s.Client("vis_wrong").Header("Origin", site).Get(c.path("/messages")).Refused(401, "unauthenticated")
		// A visitor's token opens no other widget.
		var second widget.Opened
		c.Owner.Post(channels+"/widget", map[string]any{"name": "İkinci", "look": merge(map[string]any{"origins": []string{site}}, nil)}).Want(201).Data(&second)
		var set widget.Settings
		if err := json.Unmarshal(second.Settings, &set); err != nil {
			t.Fatal(err)
		}
		v.Get("/api/crm/widget/v1/"+set.Key+"/messages").Refused(401, "unauthenticated")
		for _, bad := range []map[string]any{
			{"color": "red"},
			{"origins": []string{"shop.example"}},
			{"origins": []string{"https://*.shop.example"}},
			{"origins": []string{"https://shop.example/path"}},
		} {
			c.Owner.Post(channels+"/widget", map[string]any{"name": "x", "look": merge(bad, nil)}).Refused(422, "validation_failed")
		}
		c.Owner.Do("PATCH", channels+"/"+c.w.ID.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		v.Post(c.path("/messages"), map[string]any{"body": "x"}).Refused(409, "channel_unavailable")
		c.Owner.Delete(channels + "/" + c.w.ID.String()).Want(200)
		v.Get(c.path("/config")).Refused(404, "not_found")
	})
}

func TestPrechatAndHours(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		c := open(t, s, map[string]any{"prechat": map[string]any{"enabled": true, "name_required": true, "email_required": true, "phone": false}})
		v := c.visitor()
		if f := v.Post(c.path("/messages"), map[string]any{"body": "x"}).Refused(422, "validation_failed").Fields; f["name"] == nil || f["email"] == nil {
			t.Errorf("got %v", f)
		}
		v.Post(c.path("/messages"), map[string]any{"body": "x", "name": "Elif", "email": "elif"}).Refused(422, "validation_failed")
		var out widget.Written
		v.Post(c.path("/messages"), map[string]any{"body": "x", "name": "Elif \u202eKaya\u2069", "email": "elif@kaya.example"}).Want(200).Data(&out)
		var conv conversation.Conversation
		c.Owner.Get(conversations + "/" + out.Session.ConversationID.String()).Want(200).Data(&conv)
		if conv.ContactName != "Elif Kaya" || conv.Channel != widget.Name {
			t.Errorf("got %+v", conv)
		}
		c.write(v, "Devam", "") // what was asked is known by now
		// The clock is set to a Sunday.
		hours := map[string]any{"timezone": "Europe/Istanbul", "spans": []map[string]any{{"day": 1, "from": "09:00", "to": "18:00"}}}
		c.Owner.Do("PATCH", channels+"/widget/"+c.w.ID.String(), map[string]any{"business_hours": hours}).Want(200)
		var cfg widget.PublicConfig
		v.Get(c.path("/config")).Want(200).Data(&cfg)
		if cfg.Open || cfg.OpensAt == nil || cfg.OpensAt.Format("2006-01-02T15:04") != "2026-11-16T06:00" {
			t.Errorf("got %+v", cfg)
		}
		hours["timezone"] = "Nowhere"
		c.Owner.Do("PATCH", channels+"/widget/"+c.w.ID.String(), map[string]any{"business_hours": hours}).Refused(422, "validation_failed")
		c.Owner.Do("PATCH", channels+"/widget/"+c.w.ID.String(), map[string]any{"always_open": true}).Want(200)
		var got widget.Opened
		c.Owner.Get(channels + "/widget/" + c.w.ID.String()).Want(200).Data(&got)
		if got.Hours.V != nil || got.Snippet == "" || got.Status != channel.Active {
			t.Errorf("got %+v", got)
		}
	})
}

// stream opens the event stream of a visitor's page.
func (c *chat) stream(ctx context.Context, v *apptest.Client) *http.Response {
	c.t.Helper()
	req, err := http.NewRequestWithContext(ctx, "GET", c.s.URL+c.path("/stream"), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Origin", site)
	req.Header.Set("Authorization", "Bearer "+v.Token())
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp
}

// An agent's message reaches the visitor's page immediately; what is not for the visitor
// does not.
func TestStream(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		c := open(t, s, nil)
		v, other := c.visitor(), c.visitor()
		id := *c.write(v, "Merhaba", "").Session.ConversationID
		theirs := *c.write(other, "Selam", "").Session.ConversationID
		s.Settle()
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		defer wg.Wait()
		defer cancel()
		resp := c.stream(ctx, v)
		defer func() { _ = resp.Body.Close() }()
		if resp.StatusCode != 200 || resp.Header.Get("Access-Control-Allow-Origin") != site {
			t.Fatalf("got %d, %v", resp.StatusCode, resp.Header)
		}
		lines := bufio.NewScanner(resp.Body)
		next := func() (kind, data string) {
			for lines.Scan() {
				line := lines.Text()
				if k, ok := strings.CutPrefix(line, "event: "); ok {
					kind = k
				}
				if d, ok := strings.CutPrefix(line, "data: "); ok {
					return kind, d
				}
				if line == ": here" {
					return "here", ""
				}
			}
			t.Fatal("the stream ended")
			return "", ""
		}
		if kind, _ := next(); kind != "here" {
			t.Fatalf("got %q", kind)
		}
		reply := func(id uuid.UUID, body map[string]any) {
			c.Owner.Post(conversations+"/"+id.String()+"/reply-as-agent", body).Want(200)
		}
		reply(theirs, map[string]any{"body": "Başkasına"})
		reply(id, map[string]any{"body": "Gizli", "message_type": "note"})
		reply(id, map[string]any{"body": "Size"})
		s.Settle()
		kind, data := next()
		if kind != "message" || !strings.Contains(data, "Size") {
			t.Errorf("got %s %s", kind, data)
		}
		c.Owner.Post(conversations+"/"+id.String()+"/typing", map[string]any{"typing": true}).Want(200)
		if kind, data = next(); kind != "typing" || data != `{"bot":false,"typing":true}` {
			t.Errorf("got %s %s", kind, data)
		}
		s.Live.BotTypes(c.Context(), conversation.Conversation{ID: id})
		if kind, data = next(); kind != "typing" || data != `{"bot":true,"typing":true}` {
			t.Errorf("got %s %s", kind, data)
		}
		c.Owner.Post(conversations+"/"+id.String()+"/close", nil).Want(200)
		s.Settle()
		if kind, _ = next(); kind != "state" {
			t.Errorf("got %s", kind)
		}
	})
}

func TestLimits(t *testing.T) {
	t.Parallel()
	s := apptest.NewWith(t, func(cfg *app.Config) { cfg.LimitFactor = 1 })
	c := open(t, s, nil)
	v := c.visitor()
	for i := range 20 {
		c.write(v, "Yük", uuid.NewString()[:8]+string(rune('a'+i)))
	}
	v.Post(c.path("/messages"), map[string]any{"body": "Fazla"}).Refused(429, "rate_limited")
	page := s.Client("").Header("Origin", site)
	for range 19 {
		page.Post(c.path("/session"), map[string]any{}).Want(200)
	}
	page.Post(c.path("/session"), map[string]any{}).Refused(429, "rate_limited")
}

// A visitor can send a file and read those of their own chat, but of no other.
func TestFiles(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		c := open(t, s, nil)
		v, other := c.visitor(), c.visitor()
		var sent widget.Written
		v.Header("Content-Type", "text/plain").Post(c.path("/files?filename=liste.txt"), "bir iki üç").Want(200).Data(&sent)
		if len(sent.Message.Files) != 1 || sent.Message.Files[0].Name != "liste.txt" || sent.Session.ConversationID == nil {
			t.Fatalf("got %+v", sent)
		}
		path := c.path("/files/" + sent.Message.Files[0].ID.String())
		if got := v.Get(path).Want(200); string(got.Body) != "bir iki üç" || got.Header.Get("Access-Control-Allow-Origin") != site {
			t.Errorf("got %q, %v", got.Body, got.Header)
		}
		c.write(other, "Selam", "")
		other.Get(path).Refused(404, "not_found")
		s.Client("").Header("Origin", site).Get(path).Refused(401, "unauthenticated")
		v.Header("Content-Type", "application/octet-stream").Post(c.path("/files?filename=x.exe"), "MZ\x90\x00").Refused(422, "validation_failed")
		v.Post(c.path("/files?filename=leer.txt"), "").Refused(422, "validation_failed")
		// A file of a note is not the visitor's.
		var up file.Attachment
		c.Owner.Header("Content-Type", "text/plain").Post("/api/crm/v1/attachments?filename=not.txt", "gizli").Want(201).Data(&up)
		c.Owner.Post(conversations+"/"+sent.Session.ConversationID.String()+"/reply-as-agent",
			map[string]any{"body": "x", "message_type": "note", "attachments": []uuid.UUID{up.ID}}).Want(200)
		v.Get(c.path("/files/"+up.ID.String())).Refused(404, "not_found")
		if got := c.messages(v); len(got) != 1 || len(got[0].Files) != 1 {
			t.Errorf("got %+v", got)
		}
	})
}

// The number of streams per visitor is limited; other visitors have their own limit.
func TestVisitorStreamsAreCounted(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		c := open(t, s, nil)
		v, other := c.visitor(), c.visitor()
		c.write(v, "Merhaba", "")
		c.write(other, "Selam", "")
		s.Settle()
		hold := func(v *apptest.Client) int {
			req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+c.path("/stream"), nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Origin", site)
			req.Header.Set("Authorization", "Bearer "+v.Token())
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = resp.Body.Close() })
			return resp.StatusCode
		}
		for range 10 {
			if got := hold(v); got != 200 {
				t.Fatalf("answered %d", got)
			}
		}
		v.Get(c.path("/stream")).Refused(429, "too_many_streams")
		if got := hold(other); got != 200 {
			t.Errorf("another visitor was answered %d", got)
		}
	})
}

// A visitor who fills up the visitors' storage stops other visitors' files, but neither
// agents' files nor anybody's text.
func TestVisitorsCannotFillTheDisk(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		c := open(t, s, nil)
		quota := int64(100_000)
		if err := s.SetStorageQuota(t.Context(), "demo", &quota); err != nil {
			t.Fatal(err)
		}
		v := c.visitor()
		upload := func(fill string, size int) *apptest.Response {
			return v.Header("Content-Type", "text/plain").Post(c.path("/files?filename=dosya.txt"), strings.Repeat(fill, size))
		}
		upload("a", 9_000).Want(200)
		if f := upload("b", 2_000).Refused(409, "storage_full"); f.Reason != "visitors" {
			t.Errorf("got %+v", f)
		}
		c.write(v, "Yazı yine gider", "x")
		agent := c.Owner.Header("Content-Type", "text/plain")
		agent.Post("/api/crm/v1/attachments?filename=not.txt", strings.Repeat("c", 90_000)).Want(201)
		if f := agent.Post("/api/crm/v1/attachments?filename=not.txt", strings.Repeat("d", 20_000)).Refused(409, "storage_full"); f.Reason != "workspace" {
			t.Errorf("got %+v", f)
		}
		var got blob.Use
		c.Owner.Get("/api/v1/workspace/storage").Want(200).Data(&got)
		if got != (blob.Use{Bytes: 90_000, Quota: 100_000, VisitorBytes: 9_000, VisitorQuota: 10_000, OwnQuota: true}) {
			t.Errorf("got %+v", got)
		}
		c.Guest().Get("/api/v1/workspace/storage").Refused(403, "forbidden")
	})
}

// One visitor's bytes per day are limited, and the refusal says when they can continue.
func TestVisitorBytesPerDayAreLimited(t *testing.T) {
	t.Parallel()
	s := apptest.NewWith(t, func(cfg *app.Config) { cfg.LimitFactor = 1 })
	c := open(t, s, nil)
	v := c.visitor()
	send := func(n int) *apptest.Response {
		return v.Header("Content-Type", "text/plain").Post(c.path("/files?filename=x.txt"), strings.Repeat(string(rune('a'+n)), 24<<20))
	}
	send(0).Want(200)
	send(1).Want(200)
	f := send(2)
	if f.Refused(429, "rate_limited"); f.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if u, err := s.Storage(t.Context(), "demo"); err != nil || u.VisitorBytes != 48<<20 {
		t.Errorf("%+v, %v", u, err)
	}
	other := c.visitor()
	other.Header("Content-Type", "text/plain").Post(c.path("/files?filename=x.txt"), "küçük").Want(200)
}
