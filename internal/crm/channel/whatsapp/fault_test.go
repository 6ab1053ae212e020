package whatsapp_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/provider/graph"
	wire "konak/internal/provider/whatsapp"
	sandbox "konak/internal/sandbox/whatsapp"
)

func (sh *shop) faults() apptest.Faults {
	return apptest.Faults{
		Say:   func(text string) { sh.says(text) },
		Sends: func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/messages") },
		Sent: func() (out []string) {
			for _, m := range sh.Box.Sent() {
				out = append(out, m.Text.Body)
			}
			return out
		},
		Busy:         apptest.BusyGraph,
		SilentReason: channel.ProviderUnreachable,
		SendPicture: func(content []byte) {
			sh.writes(wire.Incoming{Type: "image", Image: &wire.Media{ID: sh.Box.File(businessID, "image/png", content), MimeType: "image/png"}})
		},
		Fetches: func(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/sandbox/media/") },
		Post: func(m apptest.PostedMessage, proved bool) int {
			body := fmt.Sprintf(`{"object":"whatsapp_business_account","entry":[{"id":%q,"changes":[{"field":"messages","value":{
				"messaging_product":"whatsapp","metadata":{"display_phone_number":"902121234567","phone_number_id":%q},
				"messages":[{"from":%q,"id":"wamid.%d","timestamp":"%d","type":"text","text":{"body":%q}}]}}]}]}`, businessID, numberID, elif.ID, m.Number, m.At.Unix(), m.Text)
			return sh.post(body, proved)
		},
		Unproved: http.StatusNotFound,
	}
}

// post posts a webhook, signed by the provider or by somebody else.
func (sh *shop) post(body string, proved bool) int {
	sh.T.Helper()
	key := "guessed"
	if proved {
		key = appSecret
	}
	return sh.Server.Client("").Header(graph.SignatureHeader, graph.Sign(key, []byte(body))).Post(channels+"/whatsapp/webhook", body).Status
}

// writes lets the customer write a message of any kind.
func (sh *shop) writes(m wire.Incoming) {
	sh.T.Helper()
	if _, err := sh.Box.Write(numberID, elif, m); err != nil {
		sh.T.Fatal(err)
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

// The limit of messages to one customer delays only messages to that customer, which stay
// in order.
func TestLimitOfOneCustomerDelaysOnlyThem(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		in := sh.Only().ID
		const pairLimit = 131056
		sh.Box.Fail(http.StatusBadRequest, pairLimit, 90)
		first := sh.Reply(in, "bir")
		sh.Settle()
		if _, err := sh.Box.Say(numberID, sandbox.Customer{ID: "905551112233", Name: "Can"}, "Merhaba"); err != nil {
			t.Fatal(err)
		}
		sh.Settle()
		other := slices.IndexFunc(sh.Inbox(), func(c conversation.Conversation) bool { return c.ID != in })
		sh.Reply(in, "iki")
		sh.Reply(sh.Inbox()[other].ID, "üç")
		sh.Settle()
		if out := sh.Box.Sent(); len(out) != 1 || out[0].Text.Body != "üç" || apptest.DeliveryOf(sh.Item(in, first.ID)) != conversation.Queued {
			t.Errorf("meanwhile %+v was sent", out)
		}
		sh.Server.Clock.Advance(91 * time.Second)
		sh.Settle()
		sh.Server.Clock.Advance(46 * time.Second)
		sh.Settle()
		if out := sh.Box.Sent(); len(out) != 2 || out[0].Text.Body != "bir" || out[1].Text.Body != "iki" {
			t.Errorf("later %+v was sent", out)
		}
	})
}

// If a number is disconnected before a file was fetched, the file is shown as lost at once,
// because it can no longer be opened.
func TestFileOfADisconnectedNumberIsLost(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.faults().SendPicture(picture(t))
		sh.Box.Settle() // it is acknowledged, and no job has run yet
		sh.Owner.Delete(channels + "/" + sh.Account.ID.String()).Want(200)
		sh.Settle()
		if a := sh.Items(sh.Only().ID)[0].Attachments[0]; a.Pending || a.Blocked == nil || *a.Blocked != file.BlockedGone {
			t.Errorf("the file is %+v", a)
		}
	})
}
