package telegram_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	wire "konak/internal/provider/telegram"
)

func (sh *shop) faults() apptest.Faults {
	return apptest.Faults{
		Say:   func(text string) { sh.says(text) },
		Sends: func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/sendMessage") },
		Sent: func() (out []string) {
			for _, m := range sh.Box.Sent(botID) {
				out = append(out, m.Text)
			}
			return out
		},
		Busy: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 90","parameters":{"retry_after":90}}`)
		},
		SilentReason: channel.ProviderUnreachable,
		SendPicture: func(content []byte) {
			sh.Box.Write(botID, elif, wire.Message{Photo: []wire.File{{FileID: sh.Box.File(content)}}})
		},
		Fetches: func(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/file/") },
		Post: func(m apptest.PostedMessage, proved bool) int {
			key := "guessed"
			if proved {
				_, key = sh.Box.Webhook(botID)
			}
			return sh.hook(fmt.Sprint(botID), key, fmt.Sprintf(`{"update_id":%d,"message":{"message_id":%d,"date":%d,"from":{"id":555,"first_name":"Elif"},"chat":{"id":555,"type":"private"},"text":%q}}`,
				m.Number, m.Number, m.At.Unix(), m.Text))
		},
		Unproved: http.StatusNotFound,
	}
}

func TestFaults(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.MeetFaults(sh.faults(), picture(t))
	})
}

func TestPostFaults(t *testing.T) {
	connected(t, func(_ *testing.T, sh *shop) { sh.MeetPostFaults(sh.faults()) })
}
