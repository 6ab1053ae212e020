package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"konak/internal/crm/channel/custom"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	wire "konak/internal/provider/whatsapp"
	"konak/internal/sandbox/social"
	"konak/internal/sandbox/telegram"
	"konak/internal/sandbox/whatsapp"
)

// channelKills is the number of answers during which the server is killed.
var channelKills = stormOr(2, 10)

// killingProvider passes calls to a stand-in, which outlives the server. Once armed, it
// kills the server after the stand-in accepted the next message and before the server
// learns of it: nobody can record the provider's answer.
type killingProvider struct {
	http.Handler
	sends string // how the paths end that messages are sent to

	mu    sync.Mutex
	armed func() error
	ended chan error
}

func (p *killingProvider) arm(kill func() error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed, p.ended = kill, make(chan error, 1)
}

// strike kills the server if it is armed.
func (p *killingProvider) strike() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.armed != nil {
		p.ended <- p.armed()
		p.armed = nil
	}
}

// ServeHTTP implements http.Handler.
func (p *killingProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := httptest.NewRecorder()
	p.Handler.ServeHTTP(answer, r)
	if strings.HasSuffix(r.URL.Path, p.sends) && answer.Code == http.StatusOK {
		p.strike()
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// killedChannel is a channel whose server is killed while it answers a customer.
type killedChannel struct {
	provider *killingProvider
	connect  string         // below /channels
	with     map[string]any // what connects the account
	// say lets the customer write Merhaba to an account; the client is the owner's.
	say   func(c *client, account string)
	texts func() []string
}

// An answer that Telegram accepted right before kill -9 is sent at most once more, and none
// is lost.
func TestKillTelegram(t *testing.T) {
	t.Parallel()
	onBoth(t, sharedPostgres, func(k *trial) {
		box := telegram.New(clock.System{})
		k.t.Cleanup(box.Close)
		box.Add(telegram.Bot{ID: 42, Name: "Demo", Username: "kill_bot", Token: "42:kill"})
		c := &killedChannel{
			provider: &killingProvider{Handler: box, sends: "/sendMessage"}, connect: "connect/telegram",
			with: map[string]any{"bot_token": "42:kill", "mode": "polling"},
			say:  func(*client, string) { box.Say(42, telegram.Person{ID: 4711, Name: "Elif"}, "Merhaba") },
			texts: func() (out []string) {
				for _, m := range box.Sent(42) {
					out = append(out, m.Text)
				}
				return out
			},
		}
		k.args = append(k.args, "--telegram-address="+c.serve(k))
		c.run(k)
	})
}

// An answer that Messenger accepted right before kill -9 is sent at most once more, and
// none is lost.
func TestKillMessenger(t *testing.T) {
	t.Parallel()
	killOnPage(t, "messenger", "4711")
}

// An answer that Instagram accepted right before kill -9 is sent at most once more, and
// none is lost.
func TestKillInstagram(t *testing.T) {
	t.Parallel()
	killOnPage(t, "instagram", "ig4711")
}

// killOnPage tests a page, or its Instagram account, that a customer writes to.
func killOnPage(t *testing.T, kind, customer string) {
	t.Helper()
	onBoth(t, sharedPostgres, func(k *trial) {
		box := social.New(clock.System{})
		k.t.Cleanup(box.Close)
		box.AddApp(social.App{ID: "7", Secret: "secret"})
		box.Add(social.Page{ID: "109", Name: "Demo", Token: "token", AppID: "7", InstagramID: "ig1", Username: "demo"})
		c := &killedChannel{
			provider: &killingProvider{Handler: box, sends: "/messages"}, connect: "connect/" + kind,
			with: map[string]any{"page_id": "109", "access_token": "token", "app_secret": "secret"},
			say:  func(*client, string) { box.Say("109", social.Person{ID: customer, Name: "Elif"}, "Merhaba") },
			texts: func() (out []string) {
				for _, m := range box.Sent("109") {
					out = append(out, m.Message.Text)
				}
				return out
			},
		}
		c.runCalledBack(k)
	})
}

// An answer that WhatsApp accepted right before kill -9 is sent at most once more, and none
// is lost.
func TestKillWhatsApp(t *testing.T) {
	t.Parallel()
	onBoth(t, sharedPostgres, func(k *trial) {
		box := whatsapp.New(clock.System{})
		k.t.Cleanup(box.Close)
		box.Add(whatsapp.Business{ID: "1", Token: "token", AppSecret: "secret", Numbers: []wire.PhoneNumber{{ID: "11", Display: "+90 212 123 45 67", VerifiedName: "Demo"}}})
		c := &killedChannel{
			provider: &killingProvider{Handler: box, sends: "/messages"}, connect: "connect/whatsapp",
			with: map[string]any{"phone_number_id": "11", "business_account_id": "1", "access_token": "token", "app_secret": "secret"},
			say: func(*client, string) {
				_, err := box.Say("11", whatsapp.Customer{ID: "905321234567", Name: "Elif"}, "Merhaba")
				k.must(err)
			},
			texts: func() (out []string) {
				for _, m := range box.Sent() {
					out = append(out, m.Text.Body)
				}
				return out
			},
		}
		c.runCalledBack(k)
	})
}

// An answer that the company's own software accepted right before kill -9 is sent at most
// once more, and none is lost.
func TestKillCustom(t *testing.T) {
	t.Parallel()
	onBoth(t, sharedPostgres, func(k *trial) {
		var mu sync.Mutex
		var got []string
		took := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			var m struct {
				Data struct{ Object custom.Outgoing }
			}
			if json.NewDecoder(r.Body).Decode(&m) == nil {
				mu.Lock()
				defer mu.Unlock()
				got = append(got, m.Data.Object.Body)
			}
		})
		c := &killedChannel{
			provider: &killingProvider{Handler: took, sends: "/in"}, connect: "custom",
			say: func(owner *client, account string) {
				key, err := owner.post(k.ctx, "/api/v1/auth/api-keys", "", map[string]any{"name": "App", "environment": "live", "scopes": []string{"channels.write"}})
				k.must(err)
				said, err := newClient(owner.url, key.Data.Key).post(k.ctx, "/api/crm/public/v1/channels/custom/"+account+"/messages", "",
					map[string]any{"contact": map[string]any{"external_id": "user-1", "name": "Elif"}, "body": "Merhaba", "message_id": "m1"})
				k.must(err)
				if said.Status != http.StatusOK {
					k.t.Fatalf("writing: %+v", said)
				}
			},
			texts: func() []string {
				mu.Lock()
				defer mu.Unlock()
				return slices.Clone(got)
			},
		}
		c.with = map[string]any{"name": "App", "address": c.serve(k) + "/in"}
		c.run(k)
	})
}

// runCalledBack is run for a provider of Meta's, which calls the server: it must be given
// the server's address again after each start.
func (c *killedChannel) runCalledBack(k *trial) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	k.must(err)
	k.must(ln.Close())
	k.args = append(k.args, "--whatsapp-address="+c.serve(k), "--listen="+ln.Addr().String())
	c.run(k)
}

func (c *killedChannel) serve(k *trial) string {
	server := httptest.NewServer(c.provider)
	k.t.Cleanup(server.Close)
	return server.URL
}

// one reads one value; the zero value if there is no row.
func one[T any](k *trial, d *db.DB, query string, args ...any) (out T) {
	k.t.Helper()
	k.must(d.System("test").Read(k.ctx, func(r *db.Reader) (err error) {
		if out, err = db.One(r, db.Scalar[T], query, args...); db.IsNoRow(err) {
			err = nil
		}
		return err
	}))
	return out
}

func (c *killedChannel) run(k *trial) {
	p := k.start()
	k.signIn(p)
	d := k.open()
	account, err := newClient(p.url, k.token).post(k.ctx, "/api/crm/v1/channels/"+c.connect, "", c.with)
	k.must(err)
	if account.Status != http.StatusCreated {
		k.t.Fatalf("connecting: %+v", account)
	}
	c.say(newClient(p.url, k.token), account.Data.ID)
	accountID, err := uuid.Parse(account.Data.ID)
	k.must(err)
	var conversation uuid.UUID
	k.until("the customer's message", func() bool {
		conversation = one[uuid.UUID](k, d, `SELECT conversation_id FROM conversation_item WHERE channel_account_id = $1 AND body = 'Merhaba'`, accountID)
		return conversation != uuid.Nil
	})
	for round := range channelKills {
		text := fmt.Sprintf("yanıt %d", round)
		c.provider.arm(p.kill)
		if _, err := newClient(p.url, k.token).post(k.ctx, "/api/crm/v1/conversations/"+conversation.String()+"/reply-as-agent", "", map[string]any{"body": text}); err != nil {
			k.t.Logf("the answer to %q was lost: %v", text, err)
		}
		select {
		case err := <-c.provider.ended:
			k.must(err)
		case <-k.ctx.Done():
			k.t.Fatal("nothing was sent")
		}
		p = k.start()
		k.until("the answer to be marked", func() bool {
			return one[string](k, d, `SELECT delivery FROM conversation_item WHERE body = $1`, text) == "sent"
		})
		sent := 0
		for _, s := range c.texts() {
			if s == text {
				sent++
			}
		}
		if sent < 1 || sent > 2 {
			k.t.Errorf("%q was sent %d times", text, sent)
		}
	}
	k.must(p.stop())
}
