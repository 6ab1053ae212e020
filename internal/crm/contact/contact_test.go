package contact_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/ledger"
)

const contacts = "/api/crm/v1/contacts"

func TestContacts(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		var c contact.Contact
		w.Owner.Post(contacts, map[string]any{
			"first_name": "İnci", "last_name": "Şahin", "emails": []string{"Inci@Example.com", "inci@work.example"},
			"phones": []string{"0532 123 45 67"}, "tags": []string{"vip", " vip ", "bayi"}, "owner_id": w.Member,
			"custom_attributes": map[string]any{"plan": "pro", "seats": 3},
		}).Want(201).Data(&c)
		if c.Name != "İnci Şahin" || c.Phones[0].E164 != "+905321234567" || !c.Emails[0].Primary || c.Emails[1].Primary || c.Kind != contact.Lead {
			t.Errorf("got %+v", c)
		}
		if diff := cmp.Diff([]string{"bayi", "vip"}, c.Tags); diff != "" {
			t.Error(diff)
		}
		path := contacts + "/" + c.ID.String()
		var got contact.Contact
		w.Owner.Get(path).Want(200).Data(&got)
		if diff := cmp.Diff(c, got); diff != "" {
			t.Error(diff)
		}
		for _, tc := range []struct {
			body   map[string]any
			status int
			field  string
		}{
			{map[string]any{"name": "x", "emails": []string{"INCI@example.com"}}, 409, "emails"},
			{map[string]any{"name": "x", "phones": []string{"+90 532 123 4567"}}, 409, "phones"},
			{map[string]any{}, 422, "name"},
			{map[string]any{"name": "x", "emails": []string{"nobody"}}, 422, "emails"},
			{map[string]any{"name": "x", "phones": []string{"123"}}, 422, "phones"},
			{map[string]any{"name": "x", "owner_id": uuid.New()}, 422, "owner_id"},
			{map[string]any{"name": "x", "kind": "friend"}, 422, "kind"},
			{map[string]any{"name": "x", "tags": []string{strings.Repeat("x", 61)}}, 422, "tags"},
			{map[string]any{"name": "x", "custom_attributes": map[string]any{"a": []int{1}}}, 422, "custom_attributes.a"},
			{map[string]any{"name": "x", "colour": "red"}, 422, "colour"},
		} {
			code := map[int]string{409: "conflict", 422: "validation_failed"}[tc.status]
			if e := w.Owner.Post(contacts, tc.body).Refused(tc.status, code); e.Fields[tc.field] == nil {
				t.Errorf("%v: %+v", tc.body, e.Fields)
			}
		}
		// A change announces what changed; a repeat announces nothing.
		got = contact.Contact{}
		w.Owner.Do("PUT", path, map[string]any{"company": "Şahin Gıda", "custom_attributes": map[string]any{"seats": nil}}).Want(200).Data(&got)
		if got.Company != "Şahin Gıda" || len(got.CustomAttributes) != 1 || got.Name != c.Name {
			t.Errorf("got %+v", got)
		}
		w.Owner.Do("PUT", path, map[string]any{"company": "Şahin Gıda"}).Want(200)
		w.Owner.Post(path+"/tags", map[string]any{"add": []string{"yeni"}, "remove": []string{"bayi"}}).Want(200).Data(&got)
		if diff := cmp.Diff([]string{"vip", "yeni"}, got.Tags); diff != "" {
			t.Error(diff)
		}
		w.Owner.Post(path+"/block", nil).Want(200)
		w.Owner.Post(path+"/block", nil).Want(200)
		w.Owner.Post(path+"/unblock", nil).Want(200)
		w.Owner.Post(path+"/consents", map[string]any{"channel": "whatsapp", "purpose": "marketing", "status": "granted"}).Want(200).Data(&got)
		if len(got.Consents) != 1 || got.Consents[0].Status != "granted" {
			t.Errorf("got %+v", got.Consents)
		}
		said := got.Consents[0].At
		s.Clock.Advance(time.Second)
		w.Owner.Post(path+"/consents", map[string]any{"channel": "whatsapp", "purpose": "marketing", "status": "granted"}).Want(200).Data(&got)
		if len(got.Consents) != 1 || !got.Consents[0].At.Equal(said.Time) { // and it is announced once, below
			t.Errorf("the same consent again: %+v", got.Consents)
		}
		var note contact.Note
		w.Owner.Post(path+"/notes", map[string]any{"body": "17:00'den sonra arayın"}).Want(201).Data(&note)
		w.Owner.Post(path+"/notes", map[string]any{"body": "   "}).Refused(422, "validation_failed")
		w.Owner.Delete(path + "/notes/" + note.ID.String()).Want(200)
		w.Owner.Delete(path+"/notes/"+note.ID.String()).Refused(404, "not_found")
		w.Owner.Delete(path).Want(200)
		w.Owner.Get(path).Refused(404, "not_found")
		w.Owner.Delete(path).Refused(404, "not_found")
		// The addresses of the deleted contact are free again.
		w.Owner.Post(contacts, map[string]any{"emails": []string{"inci@example.com"}, "phones": []string{"+905321234567"}}).Want(201)
		want := []string{
			contact.Created, contact.Updated, contact.Updated, contact.Updated, contact.Updated,
			contact.ConsentChanged, contact.Deleted, contact.Created,
		}
		if diff := cmp.Diff(want, w.Events()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestContactSearch(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for i, name := range []string{"Işıl Çağlar", "Ömer İnanç", "Isil Brown"} {
			w.Owner.Post(contacts, map[string]any{
				"name": name, "emails": []string{fmt.Sprintf("kisi%d@firma.example", i)}, "phones": []string{fmt.Sprintf("+90532000000%d", i)},
				"tags": []string{fmt.Sprintf("t%d", i%2)}, "kind": []string{"lead", "customer", "lead"}[i],
			}).Want(201)
			s.Clock.Advance(1e9)
		}
		for query, want := range map[string][]string{
			"q=isil":                  {"Isil Brown", "Işıl Çağlar"},
			"q=IŞIL":                  {"Isil Brown", "Işıl Çağlar"},
			"q=omer+inan":             {"Ömer İnanç"},
			"q=kisi1@firma.example":   {"Ömer İnanç"},
			"q=0532+000+00+02":        {"Isil Brown"},
			"q=yok":                   {},
			"kind=customer":           {"Ömer İnanç"},
			"tag=t0":                  {"Isil Brown", "Işıl Çağlar"},
			"tag=t0&kind=lead&q=cagl": {"Işıl Çağlar"},
			"blocked=true":            {},
			"limit=1":                 {"Isil Brown"},
		} {
			var rows []contact.Contact
			w.Owner.Get(contacts + "?" + query).Want(200).Data(&rows)
			got := []string{}
			for _, c := range rows {
				got = append(got, c.Name)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", query, diff)
			}
		}
	})
}

// A merge moves everything and can be undone; two threads on one messaging account become
// one, and are separated again.
func TestMerge(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		account := uuid.New()
		write := func(external, name, body string) conversation.Conversation {
			got, err := s.Inbound.Ingest(w.Context(), inbound.Inbound{
				Channel: "whatsapp", Body: body,
				From: contact.Sender{Channel: "whatsapp", AccountID: account, ExternalID: external, Name: name},
			})
			if err != nil {
				t.Fatal(err)
			}
			return got.Conversation
		}
		first, second := write("1", "Ayşe", "Merhaba"), write("2", "Ayşe Yılmaz", "Selam")
		win, lose := contacts+"/"+first.ContactID.String(), contacts+"/"+second.ContactID.String()
		w.Owner.Do("PUT", lose, map[string]any{"emails": []string{"ayse@example.com"}, "tags": []string{"vip"}, "company": "Yılmaz Ltd."}).Want(200)
		w.Owner.Post(lose+"/notes", map[string]any{"body": "not"}).Want(201)
		w.Events()

		w.Owner.Post(win+"/merge", map[string]any{"contact_id": first.ContactID}).Refused(422, "validation_failed")
		w.Owner.Post(win+"/merge", map[string]any{"contact_id": uuid.New()}).Refused(422, "validation_failed")
		var out contact.MergeResult
		w.Owner.Post(win+"/merge", map[string]any{"contact_id": second.ContactID}).Want(200).Data(&out)
		if c := out.Contact; c.Company != "Yılmaz Ltd." || len(c.Emails) != 1 || len(c.Identities) != 2 || !slices.Contains(c.Tags, "vip") {
			t.Errorf("got %+v", c)
		}
		var became contact.Contact
		w.Owner.Get(lose).Want(200).Data(&became)
		if became.ID != first.ContactID {
			t.Errorf("a merged contact is read as %s", became.ID)
		}
		w.Owner.Do("PUT", lose, map[string]any{"company": "X"}).Refused(404, "not_found")
		var c conversation.Conversation
		w.Owner.Get("/api/crm/v1/conversations/" + second.ID.String()).Want(200).Data(&c)
		if c.State != conversation.Closed || c.MergedIntoID == nil || *c.MergedIntoID != first.ID {
			t.Errorf("got %+v", c)
		}
		if next := write("2", "", "Yine ben"); next.ID != first.ID {
			t.Error("a later message did not go to the conversation that stayed")
		}
		events := w.Events()
		for _, name := range []string{contact.Merged, conversation.Merged, conversation.ClosedEvent} {
			if !slices.Contains(events, name) {
				t.Errorf("%s was not announced: %v", name, events)
			}
		}

		undo := contacts + "/merges/" + out.Merge.ID.String() + "/undo"
		w.Owner.Post(undo, nil).Want(200).Data(&out)
		if c := out.Contact; c.Company != "" || len(c.Emails) != 0 || len(c.Identities) != 1 || len(c.Tags) != 0 || out.Merge.UndoneAt == nil {
			t.Errorf("got %+v", out)
		}
		var back contact.Contact
		w.Owner.Get(lose).Want(200).Data(&back)
		if back.Company != "Yılmaz Ltd." || len(back.Emails) != 1 || len(back.Identities) != 1 || back.Name != "Ayşe Yılmaz" {
			t.Errorf("got %+v", back)
		}
		w.Owner.Get("/api/crm/v1/conversations/" + second.ID.String()).Want(200).Data(&c)
		if c.State != conversation.Open || c.MergedIntoID != nil || c.ContactID != second.ContactID {
			t.Errorf("got %+v", c)
		}
		if next := write("2", "", "Bir daha"); next.ID != second.ID {
			t.Error("after the undo a message went to the wrong conversation")
		}
		w.Owner.Post(undo, nil).Refused(409, "conflict")
	})
}

func TestImportAndExport(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		w.Owner.Post(contacts, map[string]any{"name": "Eski", "emails": []string{"eski@example.com"}}).Want(201)
		var b strings.Builder
		b.WriteString("name;emails;phones;kind;attr:plan;tags\n")
		b.WriteString("Eski Yeni;ESKI@example.com;+905320000001;customer;pro;vip,a\n")
		b.WriteString("Bozuk;kimse;;;;\n")
		b.WriteString("Türü yanlış;t@example.com;;arkadaş;;\n")
		for i := range 300 {
			fmt.Fprintf(&b, "Kişi %d;kisi%d@example.com;;;;\n", i, i)
		}
		csv := w.Owner.Header("Content-Type", "text/csv")
		var imp contact.Import
		csv.Post(contacts+"/imports?filename=liste.csv", b.String()).Want(202).Data(&imp)
		path := contacts + "/imports/" + imp.ID.String()
		if imp.Status != "queued" || imp.Total != 303 {
			t.Errorf("got %+v", imp)
		}
		s.Settle()
		w.Owner.Get(path).Want(200).Data(&imp)
		if imp.Status != "done" || imp.Created != 300 || imp.Updated != 1 || imp.Failed != 2 || imp.Processed != 303 {
			t.Errorf("got %+v", imp)
		}
		var errs []contact.ImportError
		w.Owner.Get(path + "/errors").Want(200).Data(&errs)
		if len(errs) != 2 || errs[0].Line != 3 || errs[0].Field != "emails" || errs[1].Line != 4 || errs[1].Field != "kind" {
			t.Errorf("got %+v", errs)
		}
		for body, code := range map[string]string{
			"name\n":                                 "empty",
			"name,colour\nx,y":                       "unknown_column",
			"name\n\"a\nb":                           "invalid_csv",
			"name\n" + strings.Repeat("x\n", 50_001): "too_many_rows",
		} {
			if e := csv.Post(contacts+"/imports", body).Refused(422, "validation_failed"); e.Fields["file"][0] != code {
				t.Errorf("%.20q: got %+v", body, e.Fields)
			}
		}
		w.Owner.Post(contacts, map[string]any{"name": "=HYPERLINK(1)"}).Want(201)
		file := string(w.Owner.Get(contacts + "/export").Want(200).Body)
		lines := strings.Split(strings.TrimSpace(file), "\n")
		if len(lines) != 303 || !strings.Contains(file, "'=HYPERLINK") || !strings.Contains(file, "eski@example.com") {
			t.Errorf("%d lines\n%.400s", len(lines), file)
		}
		if n := strings.Count(file, "+905320000001"); n != 1 {
			t.Errorf("the number is in the file %d times", n)
		}
	})
}

// An erased contact leaves a line in the privacy ledger for each address, without the
// contact's name, and the chain stays valid.
func TestErasureIsRecorded(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		const audit = "/api/mail/v1/gdpr/audit"
		ids := []string{}
		for _, body := range []map[string]any{
			{"name": "Elif Kaya", "emails": []string{"Elif@Kaya.example", "elif@ev.example"}},
			{"name": "Can", "phones": []string{"+905321234567"}},
		} {
			id := w.Owner.Post(contacts, body).Want(201).ID()
			w.Owner.Delete(contacts + "/" + id).Want(200)
			w.Owner.Delete(contacts+"/"+id).Refused(404, "not_found")
			ids = append(ids, id)
		}
		var lines []ledger.Line
		resp := w.Owner.Get(audit).Want(200)
		if resp.Data(&lines); len(lines) != 3 || lines[0].Details["contact_id"] != ids[1] || strings.Contains(strings.ToLower(string(resp.Body)), "elif") {
			t.Errorf("got %s", resp.Body)
		}
		for _, address := range []string{"elif@kaya.example", "ELIF@ev.example"} {
			w.Owner.Get(audit + "?mailbox=" + address).Want(200).Data(&lines)
			if len(lines) != 1 || lines[0].Action != "contact.erased" || lines[0].Details["contact_id"] != ids[0] || *lines[0].Actor.ID != w.Member {
				t.Errorf("about %s: %+v", address, lines)
			}
		}
		var v ledger.Verification
		if w.Owner.Get(audit + "/verify").Want(200).Data(&v); !v.OK || v.Lines != 3 {
			t.Errorf("got %+v", v)
		}
	})
}

// Contacts with the same full name are suggested to each other, within a workspace.
func TestDuplicatesByName(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("other")
		add := func(w *apptest.Workspace, name string) string {
			t.Helper()
			return w.Owner.Post(contacts, map[string]any{"name": name}).Want(201).ID()
		}
		one, same := add(w, "Elif  Işık"), add(w, "elif isik")
		add(w, "Elif Işıklar")
		add(other, "Elif Işık")
		alone := add(w, "Elif")
		add(w, "Elif")
		for id, want := range map[string]string{one: same, same: one, alone: ""} {
			var got []contact.Duplicate
			w.Owner.Get(contacts + "/" + id + "/duplicates").Want(200).Data(&got)
			switch {
			case want == "" && len(got) > 0:
				t.Errorf("a first name alone: %+v", got)
			case want != "" && (len(got) != 1 || got[0].Contact.ID.String() != want || !slices.Equal(got[0].Reasons, []string{contact.SameName})):
				t.Errorf("duplicates of %s: %+v, want %s", id, got, want)
			}
		}
		other.Owner.Get(contacts+"/"+one+"/duplicates").Refused(404, "not_found")
		w.Guest().Get(contacts+"/"+one+"/duplicates").Refused(403, "forbidden")
	})
}
