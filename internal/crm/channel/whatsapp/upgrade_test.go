package whatsapp_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/migrations"
)

// A number's inbound test from earlier versions moves to the table of all accounts' tests,
// and one that was begun since stays as it is.
func TestOldInboundTestsAreMigrated(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		text, err := fs.ReadFile(migrations.Files, "03217_whatsapp_inbound_test.sql")
		if err != nil {
			t.Fatal(err)
		}
		_, move, _ := strings.Cut(string(text), "-- +goose Up\n")
		began := clock.At(sh.Server.Clock.Now().Add(-time.Minute))
		migrate := func(code string) {
			t.Helper()
			if err := sh.Server.DB.System("test").InTx(t.Context(), func(tx *db.Tx) error {
				n, err := tx.ExecCount(`UPDATE whatsapp_number SET test_code = $2, test_started_at = $3 WHERE account_id = $1`, sh.Account.ID, code, began)
				if err == nil && n != 1 {
					err = fmt.Errorf("%d numbers", n)
				}
				if err == nil {
					err = tx.Exec(move)
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		at := channels + "/" + sh.Account.ID.String() + "/gelen-testi"
		var now struct{ State, Code string }
		if sh.Owner.Get(at).Want(200).Data(&now); now.State != "none" {
			t.Fatalf("before, the test is %+v", now)
		}
		migrate("KONAK-000111")
		if sh.Owner.Get(at).Want(200).Data(&now); now.State != "waiting" || now.Code != "KONAK-000111" {
			t.Errorf("after the upgrade the test is %+v", now)
		}
		sh.says("KONAK-000111")
		if sh.Owner.Get(at).Want(200).Data(&now); now.State != "verified" {
			t.Errorf("its code verified nothing: %+v", now)
		}
		migrate("KONAK-000222")
		if sh.Owner.Get(at).Want(200).Data(&now); now.State != "verified" {
			t.Errorf("an old test took the place of a newer one: %+v", now)
		}
	})
}

// A sender's name is cut to the length that the API accepts for a name.
func TestLongNames(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		who := elif
		who.Name = strings.Repeat("ğ", 5000)
		if _, err := sh.Box.Say(numberID, who, "Merhaba"); err != nil {
			t.Fatal(err)
		}
		sh.Settle()
		if got := sh.Only().ContactName; got != strings.Repeat("ğ", 200) {
			t.Errorf("the name has %d letters", len([]rune(got)))
		}
	})
}
