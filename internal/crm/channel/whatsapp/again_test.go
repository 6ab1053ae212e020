package whatsapp_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
)

// A disconnected number comes back when it is connected again.
func TestReconnectedNumberContinues(t *testing.T) {
	run(t, func(_ *testing.T, sh *shop) {
		sh.ConnectAgain(apptest.Reconnection{
			Connect: func(w *apptest.Workspace) (a channel.Account) {
				sh.T.Helper()
				body := map[string]any{"phone_number_id": numberID, "business_account_id": businessID, "access_token": token, "app_secret": appSecret}
				w.Owner.Post(channels+"/connect/whatsapp", body).Want(201).Data(&a)
				return a
			},
			Says: func(text string) { sh.says(text) },
			Sent: func() (out []string) {
				for _, m := range sh.Box.Sent() {
					if m.Text != nil {
						out = append(out, m.Text.Body)
					}
				}
				return out
			},
		})
	})
}

// The job that ends a subscription does not end it for a number that is connected again,
// even if that happens while the provider is called.
func TestLateUnsubscribeSparesReconnectedNumber(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("ilk")
		c := sh.Only()
		again := func() { sh.connect(nil).Want(201) }
		for _, meanwhile := range []bool{false, true} {
			sh.Owner.Delete(channels + "/" + sh.Account.ID.String()).Want(200)
			var once sync.Once
			before := func(r *http.Request) {
				if meanwhile && r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "/subscribed_apps") {
					once.Do(again)
				}
			}
			sh.Before.Store(&before)
			if !meanwhile {
				again()
			}
			sh.Settle()
			sh.Before.Store(nil)
			sh.Later(time.Hour)
			sh.Settle()
			was := len(sh.Items(c.ID))
			if sh.says("geldi"); len(sh.Items(c.ID)) != was+1 {
				t.Errorf("connected again (meanwhile: %v), the provider calls nobody", meanwhile)
			}
		}
	})
}

// A number whose account cannot be stored is unsubscribed, unless another account uses its
// business account.
func TestUnstoredNumberIsUnsubscribed(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		unsubscribed := 0
		before := func(r *http.Request) {
			if r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "/"+businessID+"/subscribed_apps") {
				unsubscribed++
			}
		}
		sh.Before.Store(&before)
		unknown := map[string]any{"group_id": uuid.New()}
		sh.connect(unknown).Refused(422, "validation_failed")
		if unsubscribed != 1 {
			t.Errorf("%d times the provider was told to call us no more", unsubscribed)
		}
		sh.connect(nil).Want(201).Data(&sh.Account)
		sh.connect(unknown).Refused(422, "validation_failed")
		if unsubscribed != 1 {
			t.Error("a failure ended what an account uses")
		}
		sh.says("Merhaba")
		if sh.Only().Preview != "Merhaba" {
			t.Error("the number is heard no more")
		}
	})
}
