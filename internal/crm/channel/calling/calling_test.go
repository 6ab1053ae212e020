package calling_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/calling"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/kit/clock"
	wire "konak/internal/provider/whatsapp"
	sandbox "konak/internal/sandbox/whatsapp"
)

const (
	channels      = "/api/crm/v1/channels"
	conversations = "/api/crm/v1/conversations"
	number        = "11"
)

var elif = sandbox.Customer{ID: "905321234567", Name: "Elif Kaya"}

// shop is a workspace with a number, and the stand-in of its provider.
type shop struct{ *apptest.Shop[*sandbox.Server] }

// run runs a test with a number of a country on both databases.
func run(t *testing.T, display string, fn func(t *testing.T, sh *shop)) {
	t.Helper()
	apptest.RunShop(t, func(address string, cfg *app.Config, c clock.Source) *sandbox.Server {
		cfg.WhatsAppAddress = address
		box := sandbox.New(c)
		box.Add(sandbox.Business{ID: "1", Token: "token", AppSecret: "secret", Numbers: []wire.PhoneNumber{{ID: number, Display: display, VerifiedName: "Demo"}}})
		return box
	}, func(s *apptest.Shop[*sandbox.Server]) {
		s.Owner.Post(channels+"/connect/whatsapp", map[string]any{
			"phone_number_id": number, "business_account_id": "1", "access_token": "token", "app_secret": "secret",
		}).Want(201).Data(&s.Account)
		fn(s.T, &shop{s})
	})
}

// talk lets the customer write, and returns their conversation.
func (sh *shop) talk() string {
	sh.T.Helper()
	if _, err := sh.Box.Say(number, elif, "Merhaba"); err != nil {
		sh.T.Fatal(err)
	}
	sh.Settle()
	var list []conversation.Conversation
	sh.Owner.Get(conversations).Want(200).Data(&list)
	if len(list) != 1 {
		sh.T.Fatalf("%d conversations", len(list))
	}
	return conversations + "/" + list[0].ID.String()
}

func (sh *shop) button(at string) (b calling.Button) {
	sh.T.Helper()
	sh.Owner.Get(at).Want(200).Data(&b)
	return b
}

func reason(b calling.Button) string {
	if b.Reason == nil {
		return ""
	}
	return *b.Reason
}

// Without an exchange, enabling is rejected and the provider is not called; the rest comes
// from the provider.
func TestCallingWithoutExchange(t *testing.T) {
	run(t, "+90 212 123 45 67", func(t *testing.T, sh *shop) {
		at := channels + "/" + sh.Account.ID.String() + "/calling"
		var got calling.State
		sh.Owner.Get(at).Want(200).Data(&got)
		if got.Enabled || got.Provider.Status != channel.CallsOff || got.Exchange.Status != "not_available" || got.RegionSupported {
			t.Errorf("the calls are %+v", got)
		}
		var changed calling.Changed
		sh.Owner.Put(at, map[string]any{"enabled": true}).Want(200).Data(&changed)
		if changed.Result != calling.ResultRejected || changed.Exchange.Error == nil || *changed.Exchange.Error != "not_available" || changed.Provider.Status != channel.CallsOff {
			t.Errorf("enabling: %+v", changed)
		}
		hours := map[string]any{"timezone": "Europe/Istanbul", "spans": []any{map[string]any{"day": 1, "from": "09:00", "to": "18:30"}}}
		sh.Owner.Put(at, map[string]any{"enabled": false, "icon": "hidden", "callback": true, "hours": hours}).Want(200).Data(&changed)
		p := changed.Provider
		if changed.Result != calling.ResultOK || p.Icon != channel.IconHidden || !p.Callback || p.Hours.V == nil || p.Hours.V.Spans[0] != (channel.Span{Day: 1, From: "09:00", To: "18:30"}) {
			t.Errorf("what the provider keeps: %+v", changed)
		}
		hours["timezone"] = "Nowhere"
		if e := sh.Owner.Put(at, map[string]any{"enabled": false, "hours": hours}).Refused(422, "validation_failed"); len(e.Fields["hours.timezone"]) != 1 {
			t.Errorf("hours in no time zone: %+v", e)
		}
		sh.Guest().Put(at, map[string]any{"enabled": false}).Refused(403, "forbidden")
		sh.Answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
		sh.Owner.Get(at).Want(200).Data(&got)
		if got.Provider.Status != channel.CallsUnknown || got.Provider.Error == nil {
			t.Errorf("a provider that is away: %+v", got)
		}
		sh.Owner.Put(at, map[string]any{"enabled": false}).Want(200).Data(&changed)
		if changed.Result != calling.ResultRejected || changed.Provider.Error == nil || *changed.Provider.Error != channel.ProviderUnreachable {
			t.Errorf("a change while the provider is away: %+v", changed)
		}
		var custom channel.Account
		sh.Owner.Post(channels+"/custom", map[string]any{"name": "Uygulama", "address": "https://example.com/in"}).Want(201).Data(&custom)
		if e := sh.Owner.Get(channels+"/"+custom.ID.String()+"/calling").Refused(409, "conflict"); e.Reason != "no_calls" {
			t.Errorf("a custom channel: %+v", e)
		}
		sh.Owner.Delete(channels + "/" + sh.Account.ID.String()).Want(200)
		sh.Owner.Get(at).Refused(409, "channel_unavailable")
	})
}

// The button shows the provider's answer about the customer, and asks within the provider's
// limits.
func TestCallPermission(t *testing.T) {
	run(t, "+49 30 1234567", func(t *testing.T, sh *shop) {
		at := sh.talk()
		chat, ask := at+"/chat-call", at+"/chat-call/permission"
		if b := sh.button(chat); b.Available || reason(b) != calling.ReasonNotAvailable || b.Permission != channel.CallNone || !b.CanRequest {
			t.Errorf("before: %+v", b)
		}
		if b := sh.button(at + "/social-call"); b.Available || reason(b) != calling.ReasonOtherChannel {
			t.Errorf("the other button: %+v", b)
		}
		sh.Owner.Post(at+"/social-call/permission", nil).Refused(409, "conflict")
		sh.Guest().Post(ask, nil).Refused(403, "forbidden")
		// A final refusal is reported in the provider's words.
		sh.Box.Fail(400, 138000, 0)
		if e := sh.Owner.Post(ask, nil).Refused(409, "conflict"); e.Reason != "question_refused" || !strings.Contains(e.Message, "(138000). Write to them") {
			t.Errorf("refused by the provider: %+v", e)
		}
		var b calling.Button
		sh.Owner.Post(ask, nil).Want(200).Data(&b)
		if b.Permission != channel.CallRequested || b.CanRequest || b.NextRequestAt == nil || !b.NextRequestAt.Equal(sh.Server.Clock.Now().Add(24*time.Hour).Truncate(time.Second)) {
			t.Errorf("asked: %+v", b)
		}
		sent := sh.Box.Sent()
		if len(sent) != 1 || sent[0].Interactive == nil || sent[0].Interactive.Body.Text == "" || sent[0].To != elif.ID {
			t.Errorf("the customer got %+v", sent)
		}
		if e := sh.Owner.Post(ask, nil).Refused(409, "conflict"); e.Reason != "request_limit" || len(sh.Box.Sent()) != 0 {
			t.Errorf("asked again: %+v", e)
		}
		if err := sh.Box.AnswerCallRequest(number, elif, true, false); err != nil {
			t.Fatal(err)
		}
		sh.Settle()
		if b := sh.button(chat); b.Permission != channel.CallGranted || b.Permanent || b.ExpiresAt == nil {
			t.Errorf("agreed: %+v", b)
		}
		var items []conversation.Item
		sh.Owner.Get(at + "/items").Want(200).Data(&items)
		if !strings.Contains(items[0].Body, "Allows calls") || items[0].Detail["calls"] != "allowed" || !items[0].Automatic {
			t.Errorf("the timeline says %+v", items[0])
		}
		if e := sh.Owner.Post(ask, nil).Refused(409, "conflict"); e.Reason != "already_granted" {
			t.Errorf("asked who agreed: %+v", e)
		}
		sh.Later(25 * time.Hour) // the provider would let us ask again
		if b := sh.button(chat); b.Permission != channel.CallGranted || b.CanRequest {
			t.Errorf("who agreed can be asked: %+v", b)
		}
		sh.Later(7 * 24 * time.Hour)
		if b := sh.button(chat); b.Permission != channel.CallNone || !b.CanRequest {
			t.Errorf("after the consent: %+v", b)
		}
		sh.Answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
		if b := sh.button(chat); b.Permission != channel.CallUnasked || b.Available {
			t.Errorf("a provider that is away: %+v", b)
		}
		sh.Owner.Post(ask, nil).Refused(502, "provider_rejected")
		sh.Answer(nil)
		sh.Owner.Do("PATCH", channels+"/"+sh.Account.ID.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		if b := sh.button(chat); reason(b) != calling.ReasonUnavailable {
			t.Errorf("a paused number: %+v", b)
		}
	})
}

// otherCalls is channel.Calls under a name that does not clash with the method.
type otherCalls = channel.Calls

// hasty is a kind that records how much time its provider has.
type hasty struct {
	channel.Kind
	otherCalls
	patience []time.Duration
}

func (h *hasty) Calls(ctx context.Context, _ channel.Account) (channel.ProviderCalls, error) {
	return channel.ProviderCalls{}, h.wait(ctx)
}

func (h *hasty) CallPermission(ctx context.Context, _ channel.Account, _ string) (channel.CallPermission, error) {
	return channel.CallPermission{}, h.wait(ctx)
}

func (h *hasty) wait(ctx context.Context) error {
	ends, _ := ctx.Deadline()
	h.patience = append(h.patience, time.Until(ends))
	return context.DeadlineExceeded
}

// A silent provider does not delay showing the conversation.
func TestSilentProviderDoesNotDelayCallButton(t *testing.T) {
	run(t, "+49 30 1234567", func(t *testing.T, sh *shop) {
		id := uuid.MustParse(strings.TrimPrefix(sh.talk(), conversations+"/"))
		own := sh.Server.Kinds["whatsapp"]
		calls, _ := own.(channel.Calls)
		kind := &hasty{Kind: own, otherCalls: calls}
		service := calling.New(calling.Config{
			DB: sh.Server.DB, Log: slog.New(slog.DiscardHandler), Channels: sh.Server.Channels, Kinds: channel.Kinds{"whatsapp": kind}, Contacts: contact.NewBook(sh.Server.Identity),
		})
		b, err := service.Button(sh.Context(), id, calling.Chat)
		if err != nil || b.Available || b.Permission != channel.CallUnasked {
			t.Errorf("the button is %+v, %v", b, err)
		}
		for _, d := range kind.patience {
			if d <= 0 || d > 10*time.Second {
				t.Errorf("the provider may take %v", d)
			}
		}
		if len(kind.patience) != 2 {
			t.Errorf("the provider was asked %d times", len(kind.patience))
		}
	})
}

// For a number of a country whose businesses may not call, the button says so.
func TestRegionUnsupported(t *testing.T) {
	run(t, "+90 212 123 45 67", func(t *testing.T, sh *shop) {
		at := sh.talk() + "/chat-call"
		if b := sh.button(at); reason(b) != calling.ReasonRegion || b.CanRequest {
			t.Errorf("the button is %+v", b)
		}
		if e := sh.Owner.Post(at+"/permission", nil).Refused(409, "conflict"); e.Reason != calling.ReasonRegion {
			t.Errorf("asked: %+v", e)
		}
	})
}

// exchange is a fake exchange that remembers which accounts it is ready for.
type exchange struct {
	err   error
	ready map[uuid.UUID]string
}

func (e *exchange) CheckCalls() error { return nil }

func (e *exchange) PlacesCalls() bool { return true }

func (e *exchange) TakesCalls(_ context.Context, account uuid.UUID) (bool, error) {
	return e.ready[account] != "", nil
}

func (e *exchange) ConnectCalls(_ context.Context, account uuid.UUID, _, number string) (string, error) {
	if e.err != nil {
		return "", e.err
	}
	e.ready[account] = number
	return "sip:sip.demo.example:5061;konak=key", nil
}

func (e *exchange) ConfirmCalls(context.Context, uuid.UUID) error { return nil }

func (e *exchange) DisconnectCalls(_ context.Context, account uuid.UUID) error {
	delete(e.ready, account)
	return nil
}

// With an exchange, enabling goes through both, and a refusal by either leaves calls off on
// both sides.
func TestCallingWithExchange(t *testing.T) {
	run(t, "+49 30 1234567", func(t *testing.T, sh *shop) {
		e := &exchange{ready: map[uuid.UUID]string{}}
		service := calling.New(calling.Config{
			DB: sh.Server.DB, Log: slog.New(slog.DiscardHandler), Channels: sh.Server.Channels, Kinds: sh.Server.Kinds, Contacts: contact.NewBook(sh.Server.Identity), Exchange: e,
		})
		set := func(on bool) calling.Changed {
			t.Helper()
			out, err := service.Set(sh.Context(), sh.Account.ID, channel.CallChange{Enabled: on})
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		e.err = errors.New("no trunk")
		if got := set(true); got.Result != calling.ResultRejected || got.Enabled || *got.Exchange.Error != "no trunk" {
			t.Errorf("an exchange that refuses: %+v", got)
		}
		e.err = nil
		sh.Box.RefuseCalls(number, "Calling cannot be enabled")
		if got := set(true); got.Result != calling.ResultRejected || got.Enabled || !strings.Contains(*got.Provider.Error, "cannot be enabled") || len(e.ready) != 0 {
			t.Errorf("a provider that refuses: %+v, the exchange is ready for %v", got, e.ready)
		}
		sh.Box.RefuseCalls(number, "")
		if got := set(true); got.Result != calling.ResultOK || !got.Enabled || e.ready[sh.Account.ID] != "+49301234567" {
			t.Errorf("enabled: %+v, the exchange is ready for %v", got, e.ready)
		}
		at := sh.talk()
		id := uuid.MustParse(strings.TrimPrefix(at, conversations+"/"))
		if b, err := service.Button(sh.Context(), id, calling.Chat); err != nil || b.Available || b.Reason != nil || !b.CanRequest {
			t.Errorf("before the customer agreed the button is %+v, %v", b, err)
		}
		if err := sh.Box.AnswerCallRequest(number, elif, true, true); err != nil {
			t.Fatal(err)
		}
		sh.Settle()
		if b, err := service.Button(sh.Context(), id, calling.Chat); err != nil || !b.Available || !b.Permanent || !b.Enabled {
			t.Errorf("the button is %+v, %v", b, err)
		}
		if got := set(false); got.Enabled || len(e.ready) != 0 {
			t.Errorf("disabled: %+v", got)
		}
		if b, err := service.Button(sh.Context(), id, calling.Chat); err != nil || b.Available || reason(b) != calling.ReasonNotEnabled {
			t.Errorf("the button is %+v, %v", b, err)
		}
	})
}
