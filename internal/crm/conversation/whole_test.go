package conversation_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/export"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/crm/reply"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		path := base + "/" + id.String()
		in.Owner.Post(path+"/join", nil).Want(200)
		in.Owner.Put(path+"/tags", map[string]any{"tags": []string{"iade"}}).Want(200)
		file := upload(t, in.Owner, files, "adres.txt", "adres")
		answer, note := in.say(id, map[string]any{"body": "Yarın gelir"}), in.say(id, map[string]any{"body": "İkinci konu", "message_type": "note"})
		var asked conversation.Written
		in.Owner.Post(path+"/reply-as-customer", map[string]any{"body": "Fatura adresim değişti", "attachments": []uuid.UUID{file.ID}}).Want(200).Data(&asked)
		before := in.get(id)
		if before.WaitingSince == nil {
			t.Fatalf("got %+v", before)
		}
		in.events()
		var c conversation.Conversation
		in.Owner.Post(path+"/split", map[string]any{"item_ids": []uuid.UUID{asked.Item.ID, note.ID}, "subject": " Fatura adresi "}).Want(201).Data(&c)
		if diff := cmp.Diff([]string{conversation.Created, conversation.Updated}, in.events()); diff != "" {
			t.Error(diff)
		}
		if c = in.get(c.ID); c.Subject != "Fatura adresi" || c.ContactID != in.customer.ID || *c.OwnerID != in.Member || c.Preview != "Fatura adresim değişti" ||
			*c.PreviousConversationID != id || len(c.Tags) != 1 || c.WaitingSince == nil || c.State != conversation.Open {
			t.Errorf("got %+v", c)
		}
		if left := in.get(id); left.Preview != "Yarın gelir" || left.WaitingSince != nil {
			t.Errorf("left %+v", left)
		}
		var kinds []string
		for _, i := range in.items(c.ID) {
			kinds = append(kinds, i.Kind)
		}
		if diff := cmp.Diff([]string{"event", "message", "note"}, kinds); diff != "" {
			t.Error(diff)
		}
		if moved := in.items(c.ID)[1]; len(moved.Attachments) != 1 || moved.Body != "Fatura adresim değişti" {
			t.Errorf("got %+v", moved)
		}
		if mark := in.items(id)[0]; *mark.Event != "split" || mark.Detail["into_id"] != c.ID.String() {
			t.Errorf("got %+v", mark)
		}
		var counts conversation.Counts
		if in.Owner.Get(base + "/counts").Want(200).Data(&counts); counts.All.Open != 2 {
			t.Errorf("counts %+v", counts)
		}

		refuse := func(code string, ids ...uuid.UUID) {
			t.Helper()
			if e := in.Owner.Post(path+"/split", map[string]any{"item_ids": ids}).Refused(422, "validation_failed"); e.Fields["item_ids"][0] != code {
				t.Errorf("got %+v, want %s", e, code)
			}
		}
		list := in.items(id)
		question := list[len(list)-1]
		refuse("unknown_item", asked.Item.ID)
		refuse("unknown_item", list[0].ID) // an event
		refuse("all_items", answer.ID, question.ID)
		stays := in.say(id, map[string]any{"body": "not", "message_type": "note"})
		refuse("no_message", stays.ID)
		in.Owner.Post(path+"/split", map[string]any{"item_ids": []uuid.UUID{}}).Refused(422, "validation_failed")

		thread := in.inbound(uuid.New(), "wamid.1")
		if e := in.Owner.Post(base+"/"+thread.Conversation.ID.String()+"/split", map[string]any{"item_ids": []uuid.UUID{thread.Item.ID}}).Refused(409, "conflict"); e.Reason != "single_thread" {
			t.Errorf("got %+v", e)
		}
		in.Owner.Post(path+"/merge", map[string]any{"into_id": c.ID}).Want(200)
		in.Owner.Post(path+"/split", map[string]any{"item_ids": []uuid.UUID{answer.ID}}).Refused(409, "conflict")
	})
}

func TestExport(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		path := base + "/" + id.String()
		file := upload(t, in.Owner, files, "fatura ğ.txt", strings.Repeat("fatura ", 100))
		in.say(id, map[string]any{"body": "From here on <b>yarın</b>", "attachments": []uuid.UUID{file.ID}})
		in.say(id, map[string]any{"body": "gizli not", "message_type": "note"})
		get := func(query string) (string, *apptest.Response) {
			t.Helper()
			r := in.Owner.Header("Accept-Language", "tr").Get(path + "/export" + query).Want(200)
			return string(r.Body), r
		}
		text, r := get("")
		var out struct {
			Conversation conversation.Conversation
			Items        []export.Exported
		}
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			t.Fatal(err)
		}
		if out.Conversation.ID != id || len(out.Items) != 3 || out.Items[0].AuthorName != "Elif Kaya" || out.Items[1].AuthorName != "Owner of demo" || len(out.Items[1].Attachments) != 1 {
			t.Errorf("got %+v", out)
		}
		if !strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("got %v", r.Header)
		}
		page, r := get("?format=html&notes=false")
		if !strings.Contains(page, "From here on &lt;b&gt;yarın&lt;/b&gt;") || strings.Contains(page, "gizli not") || !strings.Contains(page, "fatura ğ.txt") ||
			!strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") || !strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%v\n%s", r.Header, page)
		}
		whole, _ := get("?format=eml")
		m := readMail(t, whole)
		if m.header.Get("Subject") != "Teslimat" || len(m.parts) != 2 || !strings.Contains(m.parts[0], "gizli not") || m.parts[1] != strings.Repeat("fatura ", 100) {
			t.Errorf("got %+v", m)
		}
		box, _ := get("?format=mbox")
		mails := strings.Split(box, "\r\n\r\nFrom konak ")
		if len(mails) != 3 {
			t.Fatalf("%d mails\n%s", len(mails), box)
		}
		var bodies []string
		for n, text := range mails {
			_, text, _ = strings.Cut(text, "\r\n")
			m := readMail(t, text)
			bodies = append(bodies, m.header.Get("From")+": "+m.parts[0])
			if n == 1 && (len(m.parts) != 2 || m.names[1] != "fatura ğ.txt" || m.header.Get("In-Reply-To") == "") {
				t.Errorf("got %+v", m)
			}
		}
		want := []string{
			`"Elif Kaya" <elif@example.com>: Siparişim ne zaman gelir?`,
			`"Owner of demo" <agent@konak.invalid>: >From here on <b>yarın</b>`,
			`"Owner of demo" <agent@konak.invalid>: gizli not`,
		}
		if diff := cmp.Diff(want, bodies); diff != "" {
			t.Error(diff)
		}
		in.Owner.Get(path+"/export?format=pdf").Refused(422, "validation_failed")
		var lines []struct{ Action string }
		in.Owner.Get("/api/v1/auth/audit?limit=5").Want(200).Data(&lines)
		if len(lines) == 0 || lines[0].Action != "conversation.exported" {
			t.Errorf("got %+v", lines)
		}
		in.agent("can").Get(path+"/export").Refused(403, "forbidden")
	})
}

// An export of e-mail contains the originals, and a long one is read in pages.
func TestExportOriginalsAndPages(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		raw, err := s.Blobs.Put(t.Context(), in.ID, strings.NewReader("From: elif@example.com\r\nSubject: x\r\n\r\n>From me\r\nFrom you"), 1000)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Inbound.Ingest(in.Context(), inbound.Inbound{
			Channel: "email", From: contact.Sender{Channel: "email", AccountID: uuid.New(), ExternalID: "elif@example.com", Email: "elif@example.com"},
			Body: "Merhaba", Subject: "x", ProviderMessageID: "m1", Email: &conversation.Email{RawBlobID: &raw.ID, RawSize: raw.Size},
		})
		if err != nil {
			t.Fatal(err)
		}
		path := base + "/" + got.Conversation.ID.String()
		if box := string(in.Owner.Get(path + "/export?format=mbox").Want(200).Body); !strings.Contains(box, "Subject: x\r\n\r\n>>From me\r\n>From you\r\n\r\n") {
			t.Errorf("got %q", box)
		}
		for range 405 {
			if _, err := s.Replies.Reply(in.Context(), got.Conversation.ID, reply.Answer{Author: conversation.AgentAuthor(in.Member), Body: "not", Note: true}); err != nil {
				t.Fatal(err)
			}
		}
		var out struct{ Items []export.Exported }
		if err := json.Unmarshal(in.Owner.Get(path+"/export").Want(200).Body, &out); err != nil || len(out.Items) != 406 {
			t.Errorf("%d items, %v", len(out.Items), err)
		}
	})
}

type readMessage struct {
	header mail.Header
	parts  []string
	names  []string
}

func readMail(t *testing.T, text string) (out readMessage) {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	out.header = m.Header
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	parts := multipart.NewReader(m.Body, params["boundary"])
	for {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		if p.Header.Get("Content-Transfer-Encoding") == "base64" {
			if b, err = base64.StdEncoding.DecodeString(string(bytes.ReplaceAll(b, []byte("\r\n"), nil))); err != nil {
				t.Fatal(err)
			}
		}
		out.parts, out.names = append(out.parts, string(b)), append(out.names, p.FileName())
	}
}
