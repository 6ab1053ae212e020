package calling_test

import (
	"crypto/tls"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/calling"
	"konak/internal/crm/telephony/messaging"
	calls "konak/internal/exchange"
	"konak/internal/exchange/sipexchange"
	"konak/internal/kit/clock"
	wire "konak/internal/provider/whatsapp"
	sandbox "konak/internal/sandbox/whatsapp"
)

// runWithExchange runs a test with a German number and an exchange, over TLS if secure is
// set.
func runWithExchange(t *testing.T, host string, secure bool, fn func(t *testing.T, sh *shop)) {
	t.Helper()
	apptest.RunShop(t, func(address string, cfg *app.Config, c clock.Source) *sandbox.Server {
		cfg.WhatsAppAddress, cfg.SIPListen, cfg.SIPTLSHost = address, "127.0.0.1:0", host
		box := sandbox.New(c)
		box.Add(sandbox.Business{ID: "1", Token: "token", AppSecret: "secret", Numbers: []wire.PhoneNumber{{ID: number, Display: "+49 30 1234567", VerifiedName: "Demo"}}})
		return box
	}, func(s *apptest.Shop[*sandbox.Server]) {
		must := func(err error) {
			s.T.Helper()
			if err != nil {
				s.T.Fatal(err)
			}
		}
		sockets, err := sipexchange.Listen(s.T.Context(), "127.0.0.1:0")
		must(err)
		if secure {
			pair, err := sipexchange.SelfSigned(clock.System{}.Now())
			must(err)
			must(sockets.ListenTLS(s.T.Context(), "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}}))
		}
		must(s.Server.App.StartExchange(s.T.Context(), sockets))
		s.Owner.Post(channels+"/connect/whatsapp", map[string]any{
			"phone_number_id": number, "business_account_id": "1", "access_token": "token", "app_secret": "secret",
		}).Want(201).Data(&s.Account)
		fn(s.T, &shop{s})
	})
}

// An exchange that no provider can reach refuses in plain words, and the provider is not
// called.
func TestCallingWithoutPublicTLS(t *testing.T) {
	for name, secure := range map[string]bool{"no TLS": false, "no public name": true} {
		t.Run(name, func(t *testing.T) {
			runWithExchange(t, "", secure, func(t *testing.T, sh *shop) {
				at := channels + "/" + sh.Account.ID.String() + "/calling"
				var got calling.Changed
				sh.Owner.Put(at, map[string]any{"enabled": true}).Want(200).Data(&got)
				if got.Result != calling.ResultRejected || got.Enabled || got.Exchange.Status != "not_available" ||
					got.Exchange.Error == nil || !strings.Contains(*got.Exchange.Error, "--sip-tls-listen") || got.Provider.Status != channel.CallsOff {
					t.Errorf("enabling: %+v", got)
				}
			})
		})
	}
}

// The provider gets the address of the exchange, with a key that opens only this number and
// only while its calls are on.
func TestCallingThroughTheExchange(t *testing.T) {
	runWithExchange(t, "sip.example.com", true, func(t *testing.T, sh *shop) {
		at := channels + "/" + sh.Account.ID.String() + "/calling"
		var got calling.Changed
		enable := func() (key string) {
			t.Helper()
			sh.Owner.Put(at, map[string]any{"enabled": true}).Want(200).Data(&got)
			set := sh.Box.CallSettings(number)
			if got.Result != calling.ResultOK || !got.Enabled || got.Exchange.Status != "ready" || set.Status != "ENABLED" || set.SIP == nil || set.SIP.Status != "ENABLED" {
				t.Fatalf("enabled: %+v, the provider has %+v", got, set)
			}
			server := set.SIP.Servers[0]
			if server.Hostname != "sip.example.com" || server.Port == 0 || set.KeyExchange != "SDES" || set.Audio == nil || len(set.Audio.Codecs) != 2 {
				t.Errorf("the provider is told %+v", set)
			}
			return server.Params[calls.AccountKey]
		}
		accounts := sh.Server.Calling.Exchange.(*messaging.Service)
		refused := func(what, key, dialled string) {
			t.Helper()
			if _, _, err := accounts.FindByKey(t.Context(), key, dialled); !errors.Is(err, calls.ErrUnknown) {
				t.Errorf("%s: %v", what, err)
			}
		}
		key := enable()
		tenant, account, err := accounts.FindByKey(t.Context(), key, "+49301234567")
		if err != nil || tenant != sh.Workspace.ID || account != sh.Account.ID {
			t.Fatalf("the key opens %s of %s, %v", account, tenant, err)
		}
		refused("another number", key, "+49301234568")
		refused("one letter more", key+"a", "+49301234567")
		refused("another secret", key[:len(key)-26]+strings.Repeat("a", 26), "+49301234567")
		refused("another account", strings.ReplaceAll(uuid.NewString(), "-", "")+key[32:], "+49301234567")
		refused("no key", "", "+49301234567")
		again := enable()
		if again == key {
			t.Error("the key stays the same")
		}
		refused("the key before", key, "+49301234567")

		// Changes that the provider refuses leave calls as they are.
		sh.Box.RefuseCalls(number, "Not now")
		for range 2 {
			sh.Owner.Put(at, map[string]any{"enabled": true, "icon": "hidden"}).Want(200).Data(&got)
			if got.Result != calling.ResultRejected || !got.Enabled {
				t.Errorf("a change that is refused: %+v", got)
			}
			if _, _, err := accounts.FindByKey(t.Context(), again, "+49301234567"); err != nil {
				t.Errorf("after a change that was refused: %v", err)
			}
		}
		sh.Box.RefuseCalls(number, "")

		stranger := sh.Server.Workspace("other").Owner
		stranger.Put(at, map[string]any{"enabled": true}).Refused(404, "not_found")
		stranger.Get(at).Refused(404, "not_found")
		if _, _, err := accounts.FindByKey(t.Context(), again, "+49301234567"); err != nil {
			t.Errorf("after another workspace tried: %v", err)
		}
		// Customers cannot be called over the exchange yet, and the button says so.
		talk := sh.talk()
		if b := sh.button(talk + "/chat-call"); b.Available || !b.Enabled || reason(b) != calling.ReasonNotAvailable || !b.CanRequest {
			t.Errorf("the button is %+v", b)
		}

		sh.Owner.Put(at, map[string]any{"enabled": false}).Want(200).Data(&got)
		if set := sh.Box.CallSettings(number); got.Enabled || set.Status != "DISABLED" || set.SIP.Status != "DISABLED" {
			t.Errorf("disabled: %+v, the provider has %+v", got, set)
		}
		refused("calls that are off", again, "+49301234567")
		last := enable()
		sh.Owner.Delete(channels + "/" + sh.Account.ID.String()).Want(200)
		refused("an account that is disconnected", last, "+49301234567")
	})
}
