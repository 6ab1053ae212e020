package whatsapp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/dbtest"
)

// refuseMarks makes the database refuse to mark messages from the next message at the
// service on, until allow is called.
func (sh *shop) refuseMarks() (allow func()) {
	sh.T.Helper()
	var mend func()
	fn := func() { mend = dbtest.RefuseUpdates(sh.T, sh.Server.DB, "conversation_item") }
	sh.whenAsked(fn)
	return func() { mend() }
}

// Every part that the provider accepted is sent once, even if the message cannot be marked
// for hours.
func TestAcceptedPartsAreSentOnce(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Fatura?")
		c := sh.Only().ID
		var ids []uuid.UUID
		for name, content := range map[string]string{"a.png": string(picture(t)), "fatura.pdf": "%PDF-1.4 fatura"} {
			var a file.Attachment
			sh.Owner.Header("Content-Type", "application/octet-stream").Post("/api/crm/v1/attachments?filename="+name, content).Want(201).Data(&a)
			ids = append(ids, a.ID)
		}
		allow := sh.refuseMarks()
		var out conversation.Written
		sh.Owner.Post(conversations+"/"+c.String()+"/reply-as-agent", map[string]any{"body": "Ekte", "attachments": ids}).Want(200).Data(&out)
		for range 5 {
			sh.Server.Settle()
			sh.Later(time.Hour)
		}
		if sent := sh.Box.Sent(); len(sent) != 2 || apptest.DeliveryOf(sh.Item(c, out.Item.ID)) != conversation.Queued {
			t.Errorf("sent %+v", sent)
		}
		allow()
		sh.Later(time.Hour)
		sh.Server.Settle()
		if more := sh.Box.Sent(); len(more) != 0 || apptest.DeliveryOf(sh.Item(c, out.Item.ID)) != conversation.Sent {
			t.Errorf("sent again %+v, the item is %+v", more, sh.Item(c, out.Item.ID))
		}
	})
}

// A message whose sender waits for the outcome is sent once too: recording the outcome is
// tried again, and the job finds nothing left to do.
func TestSentOnceIfOutcomeIsNotRecorded(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		news := sh.approved("kargo")
		allow, mended := sh.refuseMarks(), make(chan struct{})
		go func() {
			defer close(mended)
			end, tick := time.NewTimer(40*time.Second), time.NewTicker(20*time.Millisecond)
			defer end.Stop()
			defer tick.Stop()
			for !strings.Contains(sh.Server.Logs.String(), "could not be recorded") {
				select {
				case <-tick.C:
				case <-end.C:
					t.Error("the outcome was not tried again")
					return
				}
			}
			allow()
		}()
		var sent struct {
			Delivery string `json:"delivery"`
		}
		sh.Owner.Post(channels+"/send-template", map[string]any{
			"template_id": news.ID, "phone": "+90 532 123 45 67", "name": "Elif Kaya", "body": []string{"Elif", "4711"},
		}).Want(200).Data(&sent)
		<-mended
		sh.Later(3 * time.Minute)
		sh.Server.Settle()
		if out := sh.Box.Sent(); len(out) != 1 || sent.Delivery != conversation.Sent {
			t.Errorf("sent %d times: %+v", len(out), sent)
		}
	})
}
