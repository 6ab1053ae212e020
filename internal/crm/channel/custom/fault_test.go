package custom_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/channel/custom"
	"konak/internal/kit/clock"
)

// Settle implements apptest.StandIn: the software posts nothing on its own.
func (s *software) Settle() {}

// Close implements apptest.StandIn.
func (s *software) Close() {}

// texts returns the bodies of the deliveries since the last call, in the order of their
// sequence: several are under way at a time, and the first may arrive last.
func (s *software) texts(t *testing.T) (out []string) {
	t.Helper()
	type message struct {
		Sequence int64
		Data     struct{ Object custom.Outgoing }
	}
	var list []message
	for _, d := range s.take() {
		var m message
		if err := json.Unmarshal(d.body, &m); err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	slices.SortStableFunc(list, func(a, b message) int { return cmp.Compare(a.Sequence, b.Sequence) })
	for _, m := range list {
		out = append(out, m.Data.Object.Body)
	}
	return out
}

// runShop runs a test with a custom channel whose software can be made to fail.
func runShop(t *testing.T, fn func(sh *apptest.Shop[*software], f apptest.Faults)) {
	t.Helper()
	apptest.RunShop(t, func(string, *app.Config, clock.Source) *software {
		soft := &software{}
		soft.came = sync.NewCond(&soft.mu)
		return soft
	}, func(sh *apptest.Shop[*software]) {
		sh.Owner.Post(channels+"/custom", map[string]any{"name": "Mobil uygulama", "address": sh.Provider + "/in"}).Want(201).Data(&sh.Account)
		key, number := sh.FullKey(), 0
		post := func(c *apptest.Client, id int, text string) int {
			return c.Post(public+sh.Account.ID.String()+"/messages", map[string]any{
				"contact": map[string]any{"external_id": "user-1", "name": "Elif Kaya"}, "body": text, "message_id": fmt.Sprint("m", id),
			}).Status
		}
		fn(sh, apptest.Faults{
			Say: func(text string) {
				number++
				if got := post(key, number, text); got != http.StatusOK {
					sh.T.Fatalf("a message was answered with %d", got)
				}
			},
			Sends: func(*http.Request) bool { return true },
			Sent:  func() []string { return sh.Box.texts(sh.T) },
			Busy: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "90")
				w.WriteHeader(http.StatusTooManyRequests)
			},
			StatusCounts: true,
			Post: func(m apptest.PostedMessage, proved bool) int {
				if proved {
					return post(key, m.Number, m.Text)
				}
				return post(sh.Server.Client("kk_guessed"), m.Number, m.Text)
			},
			Unproved: http.StatusUnauthorized,
			Untimed:  true,
		})
	})
}

func TestFaults(t *testing.T) {
	runShop(t, func(sh *apptest.Shop[*software], f apptest.Faults) {
		sh.MeetSendFaults(f)
		sh.MeetPause(f)
	})
}

func TestPostFaults(t *testing.T) {
	runShop(t, func(sh *apptest.Shop[*software], f apptest.Faults) { sh.MeetPostFaults(f) })
}

// A file larger than the inbox accepts is refused, and nothing of it is kept.
func TestHugeFile(t *testing.T) {
	runShop(t, func(sh *apptest.Shop[*software], _ apptest.Faults) {
		huge := strings.Repeat("0123456789abcdef", 26<<16) // 26 MiB
		sh.FullKey().Header("Content-Type", "text/plain").Post(public+sh.Account.ID.String()+"/files?filename=a.txt", huge).Refused(413, "body_too_large")
	})
}
