package finder_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/crm/finder"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

type object = map[string]any

const (
	talksPath  = "/api/crm/v1/conversations"
	peoplePath = "/api/crm/v1/contacts"
)

func talks(c *apptest.Client, q string, more ...string) []finder.ConversationHit {
	var out []finder.ConversationHit
	c.Get(talksPath + "/search?q=" + url.QueryEscape(q) + strings.Join(more, "")).Want(200).Data(&out)
	return out
}

func people(c *apptest.Client, q string, more ...string) []finder.ContactHit {
	var out []finder.ContactHit
	c.Get(peoplePath + "/search?q=" + url.QueryEscape(q) + strings.Join(more, "")).Want(200).Data(&out)
	return out
}

func subjects(hits []finder.ConversationHit) []string {
	out := []string{}
	for _, h := range hits {
		out = append(out, h.Conversation.Subject)
	}
	return out
}

func names(hits []finder.ContactHit) []string {
	out := []string{}
	for _, h := range hits {
		out = append(out, h.Contact.Name)
	}
	return out
}

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: found %q, want %q", what, got, want)
	}
}

func TestSearchConversations(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("other")
		elif := w.Owner.Post(peoplePath, object{"name": "Elif Kaya", "emails": []string{"elif@kayamobilya.example"}, "phones": []string{"+905321234567"}}).Want(201).ID()
		can := w.Owner.Post(peoplePath, object{"name": "Can Işık"}).Want(201).ID()
		talk := func(who, subject, body string) string {
			t.Helper()
			return w.Owner.Post(talksPath, object{"contact_id": who, "subject": subject, "body": body, "tags": []string{"kargo"}}).Want(201).ID()
		}
		first := talk(elif, "Teslimat tarihi", "Siparişlerimin teslimatı ne zaman yapılacak? <b>Acil</b>")
		talk(can, "Fatura", "Kırmızı koltuğun faturasını istiyorum.")
		theirs := other.Owner.Post(peoplePath, object{"name": "Elif Yabancı"}).Want(201).ID()
		other.Owner.Post(talksPath, object{"contact_id": theirs, "subject": "Teslimat sırrı", "body": "koltuk"}).Want(201)
		s.Settle()

		hits := talks(w.Owner, "siparişim teslimat")
		want(t, "stems", subjects(hits), "Teslimat tarihi")
		if h := hits[0]; h.Subject != "<em>Teslimat</em> tarihi" || h.ItemID == nil ||
			!strings.Contains(h.Snippet, "<em>teslimatı</em>") || strings.Contains(h.Snippet, "<b>") || h.Conversation.ID.String() != first {
			t.Errorf("got %+v", h)
		}
		want(t, "without Turkish letters", subjects(talks(w.Owner, "kirmizi koltuk")), "Fatura")
		want(t, "in capitals", subjects(talks(w.Owner, "KIRMIZI KOLTUK")), "Fatura")
		want(t, "unfinished", subjects(talks(w.Owner, "teslim")), "Teslimat tarihi")
		want(t, "the customer's name", subjects(talks(w.Owner, "isik")), "Fatura")
		want(t, "the customer's address", subjects(talks(w.Owner, "elif@kayamobilya.example")), "Teslimat tarihi")
		want(t, "the customer's number", subjects(talks(w.Owner, "0532 123 45 67")), "Teslimat tarihi")
		want(t, "nothing", subjects(talks(w.Owner, "zürafa")))
		want(t, "another workspace's", subjects(talks(w.Owner, "sırrı")))
		want(t, "their own", subjects(talks(other.Owner, "sırrı")), "Teslimat sırrı")

		// A change is found as soon as its event was dispatched.
		w.Owner.Post(talksPath+"/"+first+"/reply-as-customer", object{"body": "Kuryemiz yarın zürafa sokağına gelecek."}).Want(200)
		s.Settle()
		if hits = talks(w.Owner, "zürafa"); len(hits) != 1 || !strings.Contains(hits[0].Snippet, "<em>zürafa</em>") {
			t.Errorf("got %+v", hits)
		}
		// An edited note is found by its new words, a deleted one is not found.
		w.Owner.Post(talksPath+"/"+first+"/reply-as-agent", object{"body": "Müşteri gergedan istiyor", "message_type": "note"}).Want(200)
		s.Settle()
		note := talksPath + "/" + first + "/items/" + talks(w.Owner, "gergedan")[0].ItemID.String()
		w.Owner.Put(note, object{"body": "Müşteri timsah istiyor"}).Want(200)
		s.Settle()
		want(t, "old words", subjects(talks(w.Owner, "gergedan")))
		want(t, "new words", subjects(talks(w.Owner, "timsah")), "Teslimat tarihi")
		w.Owner.Delete(note).Want(200)
		s.Settle()
		want(t, "deleted words", subjects(talks(w.Owner, "timsah")))

		w.Owner.Put(talksPath+"/"+first, object{"subject": "Kurye"}).Want(200)
		w.Owner.Put(peoplePath+"/"+can, object{"name": "Cansu Güneş"}).Want(200)
		s.Settle()
		want(t, "the new name", subjects(talks(w.Owner, "güneş")), "Fatura")
		want(t, "the old name", subjects(talks(w.Owner, "ışık")))
		want(t, "the new subject", subjects(talks(w.Owner, "kurye")), "Kurye")
		want(t, "a tag", subjects(talks(w.Owner, "kargo", "&state=open&channel=panel")), "Kurye", "Fatura")
		w.Owner.Post(talksPath+"/"+first+"/close", nil).Want(200)
		s.Settle()
		want(t, "open ones", subjects(talks(w.Owner, "kargo", "&state=open")), "Fatura")
		want(t, "closed ones", subjects(talks(w.Owner, "kargo", "&state=closed")), "Kurye")
		want(t, "another channel", subjects(talks(w.Owner, "kargo", "&channel=whatsapp")))
		w.Owner.Delete(talksPath + "/" + first).Want(200)
		s.Settle()
		want(t, "deleted", subjects(talks(w.Owner, "kurye")))

		for _, bad := range []string{"", "?q=", "?q=" + strings.Repeat("x", 201), "?q=x&state=lost", "?q=x&cursor=forged", "?q=x&what=1", "?q=%00"} {
			w.Owner.Get(talksPath+"/search"+bad).Refused(422, "validation_failed")
		}
		guest := w.Guest()
		if got := guest.Get(talksPath+"/search?q=x").Refused(403, "forbidden"); got.Permission != string(perm.ConversationsView) {
			t.Errorf("got %+v", got)
		}
		guest.Get(peoplePath+"/search?q=x").Refused(403, "forbidden")
	})
}

func TestSearchContacts(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		add := func(in object) string { t.Helper(); return w.Owner.Post(peoplePath, in).Want(201).ID() }
		elif := add(object{"name": "Elif Kaya", "emails": []string{"elif@kayamobilya.example"}, "phones": []string{"+905321234567"}, "company": "Kaya Mobilya", "kind": "customer"})
		isil := add(object{"name": "Işıl Şahin", "emails": []string{"isil@sahin.example"}, "tags": []string{"bayi"}, "kind": "lead"})
		s.Settle()
		hits := people(w.Owner, "eli")
		want(t, "unfinished", names(hits), "Elif Kaya")
		if hits[0].Name != "<em>Elif</em> Kaya" || hits[0].Detail != "<em>elif</em>@kayamobilya.example" {
			t.Errorf("got %+v", hits[0])
		}
		for _, q := range []string{"isil", "IŞIL", "ışıl şahin", "bayi", "isil@sahin"} {
			want(t, q, names(people(w.Owner, q)), "Işıl Şahin")
		}
		for _, q := range []string{"+90 532 123 45 67", "5321234567", "1234567", "4567", "mobilya"} {
			want(t, q, names(people(w.Owner, q)), "Elif Kaya")
		}
		want(t, "leads", names(people(w.Owner, "isil", "&kind=lead")), "Işıl Şahin")
		want(t, "customers", names(people(w.Owner, "isil", "&kind=customer")))

		// A merge and its undo.
		var merged contact.MergeResult
		w.Owner.Post(peoplePath+"/"+elif+"/merge", object{"contact_id": isil}).Want(200).Data(&merged)
		s.Settle()
		want(t, "merged away", names(people(w.Owner, "ışıl", "&kind=lead")))
		want(t, "what came with it", names(people(w.Owner, "isil@sahin.example")), "Elif Kaya")
		w.Owner.Delete(peoplePath + "/" + elif).Want(200)
		s.Settle()
		want(t, "deleted", names(people(w.Owner, "elif")))
		w.Owner.Get(peoplePath+"/search").Refused(422, "validation_failed")
	})
}

// Pages return every hit once.
func TestSearchPages(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for i := range 23 {
			w.Owner.Post(peoplePath, object{"name": fmt.Sprintf("Deniz %d", i%4)}).Want(201)
		}
		s.Settle()
		seen := map[string]bool{}
		for cursor := ""; ; {
			resp := w.Owner.Get(peoplePath + "/search?q=deniz&limit=5" + cursor).Want(200)
			var page []finder.ContactHit
			resp.Data(&page)
			for _, h := range page {
				if seen[h.Contact.ID.String()] {
					t.Errorf("%s twice", h.Contact.ID)
				}
				seen[h.Contact.ID.String()] = true
			}
			if cursor = resp.NextCursor(); cursor == "" {
				break
			}
			cursor = "&cursor=" + cursor
		}
		if len(seen) != 23 {
			t.Errorf("found %d", len(seen))
		}
	})
}

// node returns another node's finder on the same database.
func node(t *testing.T, s *apptest.Server, dir string, budget int) *finder.Service {
	t.Helper()
	f := finder.New(finder.Config{DB: s.DB, Log: apptest.Logger(s.Logs), Dir: dir, Budget: budget})
	t.Cleanup(f.Close)
	return f
}

func find(t *testing.T, f *finder.Service, w *apptest.Workspace, q string) []string {
	t.Helper()
	list, err := f.Contacts(w.Context(), finder.Query{Text: q}, db.Page{Limit: 100, After: db.First})
	if err != nil {
		t.Fatal(err)
	}
	got := names(list.Rows)
	slices.Sort(got)
	return got
}

// Whatever happens in whatever order, an index that was kept up to date finds the same as a
// newly built one, and so does each node.
func TestIndexStaysEqualToRebuiltOne(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		one, two := node(t, s, t.TempDir(), 0), node(t, s, t.TempDir(), 0)
		words := []string{"elma", "armut", "kiraz", "ceviz"}
		var ids []string
		rapid.Check(t, func(rt *rapid.T) {
			for range rapid.IntRange(1, 6).Draw(rt, "acts") {
				word := rapid.SampledFrom(words).Draw(rt, "word")
				switch act := rapid.IntRange(0, 4).Draw(rt, "act"); {
				case act < 2 || len(ids) == 0:
					ids = append(ids, w.Owner.Post(peoplePath, object{"name": word}).Want(201).ID())
				case act == 2:
					w.Owner.Put(peoplePath+"/"+rapid.SampledFrom(ids).Draw(rt, "id"), object{"name": word}).Want(200)
				case act == 3:
					i := rapid.IntRange(0, len(ids)-1).Draw(rt, "i")
					w.Owner.Delete(peoplePath + "/" + ids[i]).Want(200)
					ids = slices.Delete(ids, i, i+1)
				default:
					s.Settle()
					find(t, one, w, word)
				}
			}
			s.Settle()
			fresh := node(t, s, t.TempDir(), 0)
			for _, word := range words {
				want := find(t, fresh, w, word)
				if got := find(t, one, w, word); !slices.Equal(got, want) {
					rt.Fatalf("%s: found %v, want %v", word, got, want)
				}
				if got := find(t, two, w, word); !slices.Equal(got, want) {
					rt.Fatalf("the other node, %s: found %v, want %v", word, got, want)
				}
			}
		})
	})
}

// many adds enough records to a workspace for its index to be saved.
func many(t *testing.T, w *apptest.Workspace, s *apptest.Server) {
	t.Helper()
	for i := range 1100 {
		name := fmt.Sprintf("Deniz %d", i)
		if _, err := s.Contacts.Create(w.Context(), contact.Input{Name: &name}); err != nil {
			t.Fatal(err)
		}
	}
	s.Settle()
}

// An index is saved, loaded again, and discarded if it is damaged or if the events after it
// are gone.
func TestIndexFiles(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		many(t, w, s)
		dir := t.TempDir()
		use := func(q string) []string {
			t.Helper()
			f := node(t, s, dir, 0)
			got := find(t, f, w, q)
			s.Clock.Advance(2 * time.Hour) // nobody searches for long: given up and saved
			if n, err := f.Step(t.Context()); err != nil || n != 1 {
				t.Fatalf("gave up %d, %v", n, err)
			}
			return got
		}
		want(t, "built", use("777"), "Deniz 777")
		file := filepath.Join(dir, w.ID.String()+".contacts")
		saved, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := "Zeynep"
		if _, err := s.Contacts.Create(w.Context(), contact.Input{Name: &name}); err != nil {
			t.Fatal(err)
		}
		s.Settle()
		want(t, "read, and brought up to date", use("zeynep"), "Zeynep")

		for what, damaged := range map[string][]byte{
			"cut": saved[:len(saved)/2], "empty": nil, "older than the other": saved,
			"changed": append(append(slices.Clone(saved[:len(saved)/2]), saved[len(saved)/2]^1), saved[len(saved)/2+1:]...),
		} {
			if err := os.WriteFile(file, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			want(t, what, use("zeynep"), "Zeynep")
		}

		// The history that the file needs is gone.
		if err := os.WriteFile(file, saved, 0o600); err != nil {
			t.Fatal(err)
		}
		err = s.DB.Tenant(w.ID).InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(`DELETE FROM outbox WHERE tenant_id = $1 AND sequence IS NOT NULL`, tx.Tenant())
		})
		if err != nil {
			t.Fatal(err)
		}
		want(t, "without history", use("zeynep"), "Zeynep")
	})
}

// A node holds no more indexes than fit; a dropped one is loaded again when needed.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.SQLite)
	f := node(t, s, t.TempDir(), 20<<10)
	var all []*apptest.Workspace
	for i := range 8 {
		w := s.Workspace(fmt.Sprint("w", i))
		w.Owner.Post(peoplePath, object{"name": fmt.Sprint("Deniz ", i)}).Want(201)
		all = append(all, w)
	}
	s.Settle()
	for range 2 {
		for i, w := range all {
			s.Clock.Advance(time.Second)
			want(t, w.Slug, find(t, f, w, "deniz"), fmt.Sprint("Deniz ", i))
			if held, bytes := f.Held(); held > 4 || bytes > 40<<10 {
				t.Errorf("holds %d indexes with %d bytes", held, bytes)
			}
		}
	}
}
