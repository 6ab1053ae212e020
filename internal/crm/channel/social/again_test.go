package social_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/social"
	sandbox "konak/internal/sandbox/social"
)

// A disconnected page or Instagram account comes back when it is connected again.
func TestReconnectedAccountContinues(t *testing.T) {
	for kind, who := range map[string]sandbox.Person{social.Messenger: elif, social.Instagram: ayse} {
		t.Run(kind, func(t *testing.T) {
			run(t, func(_ *testing.T, sh *shop) {
				sh.ConnectAgain(apptest.Reconnection{
					Connect: func(w *apptest.Workspace) (a channel.Account) {
						sh.T.Helper()
						body := map[string]any{"page_id": pageID, "access_token": token, "app_secret": appSecret}
						w.Owner.Post(channels+"/connect/"+kind, body).Want(201).Data(&a)
						return a
					},
					Says: func(text string) { sh.says(who, text) },
					Sent: func() (out []string) {
						for _, m := range sh.Box.Sent(pageID) {
							if m.Message != nil {
								out = append(out, m.Message.Text)
							}
						}
						return out
					},
				})
			})
		})
	}
}

// The job that unsubscribes a page does not unsubscribe one that is connected again, even
// if that happens while the provider is called.
func TestLateUnsubscribeSparesReconnectedPage(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		sh.Owner.Do("PATCH", channels+"/"+sh.Account.ID.String()+"/read-receipts", map[string]any{"enabled": true}).Want(200)
		leave := func() { sh.Owner.Delete(channels + "/" + sh.Account.ID.String()).Want(200) }
		again := func() { sh.connect(social.Messenger, nil).Want(201) }
		leave()
		again()
		sh.Settle()
		if !sh.Box.Subscribed(pageID) || !sh.settings().ReadReceipts {
			t.Errorf("connected again at once: %v, %+v", sh.Box.Subscribed(pageID), sh.settings())
		}
		leave()
		var once sync.Once
		before := func(r *http.Request) {
			if r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "/subscribed_apps") {
				once.Do(again)
			}
		}
		sh.Before.Store(&before)
		sh.Settle()
		sh.Before.Store(nil)
		sh.Later(time.Hour)
		sh.Settle()
		if !sh.Box.Subscribed(pageID) {
			t.Error("connected again while it was left, the page tells nobody")
		}
	})
}

// A page whose account cannot be stored is unsubscribed, unless another account uses it.
func TestUnstoredPageIsUnsubscribed(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		unknown := map[string]any{"group_id": uuid.New()}
		sh.connect(social.Messenger, unknown).Refused(422, "validation_failed")
		if sh.Box.Subscribed(pageID) {
			t.Error("a page that was not stored tells us what happens there")
		}
		sh.connect(social.Messenger, nil).Want(201).Data(&sh.Account)
		for _, kind := range []string{social.Messenger, social.Instagram} {
			sh.connect(kind, unknown).Refused(422, "validation_failed")
			if !sh.Box.Subscribed(pageID) {
				t.Errorf("%s: a failure ended what an account uses", kind)
			}
		}
	})
}
