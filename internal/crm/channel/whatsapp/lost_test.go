package whatsapp_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
)

// A message whose file is lost fails at once and says why; after the same file is uploaded
// again it can be sent.
func TestLostFileFailsAtOnce(t *testing.T) {
	for reason, lose := range map[string]func(path string) error{
		"file_missing": os.Remove,
		"file_damaged": func(path string) error { return os.WriteFile(path, []byte("%PDF-1.4 FATURA"), 0o600) },
	} {
		t.Run(reason, func(t *testing.T) {
			connected(t, func(t *testing.T, sh *shop) {
				sh.says("Fatura?")
				c := sh.Only().ID
				upload := func() uuid.UUID {
					t.Helper()
					var a file.Attachment
					sh.Owner.Header("Content-Type", "application/octet-stream").Post("/api/crm/v1/attachments?filename=fatura.pdf", "%PDF-1.4 fatura").Want(201).Data(&a)
					return a.ID
				}
				var out conversation.Written
				sh.Owner.Post(conversations+"/"+c.String()+"/reply-as-agent", map[string]any{"body": "Ekte", "attachments": []uuid.UUID{upload()}}).Want(200).Data(&out)
				found, err := filepath.Glob(filepath.Join(sh.files, "*", "*", "*"))
				if err != nil || len(found) != 1 {
					t.Fatal(found, err)
				}
				if err := lose(found[0]); err != nil {
					t.Fatal(err)
				}
				sh.Settle()
				if got := sh.Item(c, out.Item.ID); apptest.DeliveryOf(got) != conversation.Failed || got.DeliveryError == nil || *got.DeliveryError != reason || len(sh.Box.Sent()) != 0 {
					t.Errorf("the message is %+v, sent %+v", got, sh.Box.Sent())
				}
				upload()
				sh.Owner.Post(conversations+"/"+c.String()+"/items/"+out.Item.ID.String()+"/retry", nil).Want(200)
				sh.Settle()
				if got := sh.Item(c, out.Item.ID); apptest.DeliveryOf(got) != conversation.Sent || len(sh.Box.Sent()) != 1 {
					t.Errorf("afterwards the message is %+v", got)
				}
			})
		})
	}
}
