package finder_test

import (
	"fmt"
	"testing"

	"konak/internal/app/apptest"
	"konak/internal/kit/db"
)

// After a search, new texts of a conversation are added to the cached ones: only the first
// event, and changes of existing texts, read it whole. An old note that is changed behind
// the finder's back shows when that happens.
func TestRefreshReadsOnlyNewTexts(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		who := w.Owner.Post(peoplePath, object{"name": "Elif Kaya"}).Want(201).ID()
		id := w.Owner.Post(talksPath, object{"contact_id": who, "subject": "Koltuk", "body": "İlk satır"}).Want(201).ID()
		path := talksPath + "/" + id
		note := func(body string) (item string) {
			t.Helper()
			var out struct {
				Item struct {
					ID string `json:"id"`
				} `json:"item"`
			}
			w.Owner.Post(path+"/reply-as-agent", object{"body": body, "message_type": "note"}).Want(200).Data(&out)
			s.Settle()
			return out.Item.ID
		}
		rewrite := func(from, to string) {
			t.Helper()
			err := s.DB.Tenant(w.ID).InTx(t.Context(), func(tx *db.Tx) error {
				n, err := tx.ExecCount(`UPDATE conversation_item SET body = $3 WHERE tenant_id = $1 AND body = $2`, tx.Tenant(), from, to)
				if err == nil && n != 1 {
					err = fmt.Errorf("%d notes say %s", n, from)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		giraffe := note("zürafa")
		for i := range 40 {
			note(fmt.Sprintf("eski%d", i))
		}
		want(t, "at first", subjects(talks(w.Owner, "zürafa eski7")), "Koltuk")
		for i := range 30 {
			note(fmt.Sprintf("yeni%d", i))
			want(t, "at once", subjects(talks(w.Owner, fmt.Sprintf("yeni%d", i))), "Koltuk")
			if i == 0 {
				rewrite("eski7", "timsah")
			}
		}
		w.Owner.Put(path, object{"subject": "Masa"}).Want(200)
		s.Settle()
		want(t, "with what came before", subjects(talks(w.Owner, "masa eski7 yeni3")), "Masa")
		want(t, "read only once", subjects(talks(w.Owner, "timsah")))
		// More new texts at once than newestTexts: those in between are read, too.
		for i := range 25 {
			w.Owner.Post(path+"/reply-as-agent", object{"body": fmt.Sprintf("toplu%d", i), "message_type": "note"}).Want(200)
		}
		s.Settle()
		want(t, "a burst", subjects(talks(w.Owner, "toplu0 toplu24")), "Masa")
		want(t, "read again after it", subjects(talks(w.Owner, "timsah")), "Masa")
		rewrite("timsah", "gergedan")
		// Deleted texts are no longer found.
		w.Owner.Delete(path + "/items/" + giraffe).Want(200)
		s.Settle()
		want(t, "deleted", subjects(talks(w.Owner, "zürafa")))
		want(t, "the others", subjects(talks(w.Owner, "eski8 toplu24")), "Masa")
		want(t, "read again after that", subjects(talks(w.Owner, "gergedan")), "Masa")
	})
}
