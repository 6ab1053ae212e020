package whatsapp_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	wire "konak/internal/provider/whatsapp"
)

// impossible are times that the provider cannot mean.
var impossible = []string{"-1", "1", "4070908800", "99999999999999999"}

// A message with an impossible time counts as sent now: it can be answered, and has the
// right place in the timeline.
func TestImpossibleTimeOfAMessage(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		for _, at := range impossible {
			if _, err := sh.Box.Write(numberID, elif, wire.Incoming{Timestamp: at, Text: &wire.Text{Body: at}}); err != nil {
				t.Fatal(err)
			}
			sh.Settle()
			c := sh.Only()
			item := sh.Items(c.ID)[0]
			if now := sh.Server.Clock.Now(); item.Body != at || item.SentAt == nil || now.Sub(item.SentAt.Time).Abs() > time.Minute {
				t.Errorf("the message of %s is %q, sent at %v", at, item.Body, item.SentAt)
			}
			sh.Reply(c.ID, "Cevap")
			sh.Settle()
			sh.Later(25 * time.Hour) // the window is as long as any other
			sh.TryReply(c.ID, "Geç").Refused(422, "window_closed")
		}
	})
}

// A provider's clock that is ahead opens no longer window.
func TestFutureMessageTimeDoesNotExtendWindow(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		ahead := strconv.FormatInt(sh.Server.Clock.Now().Add(20*time.Hour).Unix(), 10)
		if _, err := sh.Box.Write(numberID, elif, wire.Incoming{Timestamp: ahead, Text: &wire.Text{Body: "Merhaba"}}); err != nil {
			t.Fatal(err)
		}
		sh.Settle()
		c := sh.Only()
		sh.Later(23 * time.Hour)
		sh.Reply(c.ID, "Cevap")
		sh.Settle()
		sh.Later(2 * time.Hour)
		sh.TryReply(c.ID, "Geç").Refused(422, "window_closed")
	})
}

// A report with an impossible time counts as sent now.
func TestImpossibleTimeOfAReport(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.Only()
		for _, at := range impossible {
			sh.Reply(c.ID, at)
			sh.Settle()
			item, sent := sh.Items(c.ID)[0], sh.Box.Sent()
			sh.reports(wire.Report{ID: sent[len(sent)-1].ID, Status: "read", Timestamp: at, Recipient: elif.ID})
			got := sh.Item(c.ID, item.ID)
			if got.ReadAt == nil || sh.Server.Clock.Now().Sub(got.ReadAt.Time).Abs() > time.Minute {
				t.Errorf("the message that was read at %s was read at %v", at, got.ReadAt)
			}
		}
	})
}

// reports makes the provider report on a message.
func (sh *shop) reports(r wire.Report) {
	sh.T.Helper()
	value, err := json.Marshal(wire.Messages{Product: "whatsapp", Metadata: wire.Metadata{NumberID: numberID}, Statuses: []wire.Report{r}})
	if err != nil {
		sh.T.Fatal(err)
	}
	text, err := json.Marshal(wire.Webhook{Object: "whatsapp_business_account", Entry: []wire.Entry{{ID: businessID, Changes: []wire.Change{{Field: "messages", Value: value}}}}})
	if err != nil {
		sh.T.Fatal(err)
	}
	if status := sh.signed(string(text)); status != http.StatusOK {
		sh.T.Fatalf("the report is answered with %d", status)
	}
	sh.Settle()
}
