package conversation_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/inbound"
)

const (
	files       = "/api/crm/v1/attachments"
	publicFiles = "/api/crm/public/v1/attachments"
	png         = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
)

// upload sends a file and returns its record.
func upload(t *testing.T, c *apptest.Client, to, name, content string) file.Attachment {
	t.Helper()
	var a file.Attachment
	c.Header("Content-Type", "application/octet-stream").Do("POST", to+"?filename="+url.QueryEscape(name), content).Want(201).Data(&a)
	return a
}

func TestAttachments(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		router := &fakeRouter{account: uuid.New(), outcome: conversation.Delivery{Status: conversation.Queued}}
		s.UseRouter(router)
		id := in.begin()
		path := base + "/" + id.String()
		first := upload(t, in.Owner, files, "../fatura ğ.png", png)
		second := upload(t, in.Owner, files, "not.txt", "Merhaba")
		if first.Name != "fatura ğ.png" || first.Type != "image/png" || first.Size != int64(len(png)) || !first.Shown || first.Blocked != nil {
			t.Errorf("got %+v", first)
		}
		// Text may be empty when there are files, and lists show their names.
		var out conversation.Written
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "", "attachments": []uuid.UUID{second.ID, first.ID, first.ID}}).Want(200).Data(&out)
		if diff := cmp.Diff([]uuid.UUID{first.ID, second.ID}, ids(out.Item.Attachments)); diff != "" {
			t.Error(diff)
		}
		if out.Conversation.Preview != "📎 fatura ğ.png, not.txt" {
			t.Errorf("preview %q", out.Conversation.Preview)
		}
		if got := in.items(id)[0].Attachments; len(got) != 2 || got[0].ID != first.ID {
			t.Errorf("got %+v", got)
		}
		if got := in.items(id)[1].Attachments; got == nil || len(got) != 0 {
			t.Errorf("got %+v", got)
		}
		// A file can be attached once, by its uploader.
		again := map[string]any{"body": "x", "attachments": []uuid.UUID{first.ID}}
		if e := in.Owner.Post(path+"/reply-as-agent", again).Refused(422, "validation_failed"); e.Fields["attachments"][0] != "unknown_attachment" {
			t.Errorf("got %+v", e)
		}
		colleague, _ := in.member("can")
		third := upload(t, colleague, files, "c.txt", "c")
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "x", "attachments": []uuid.UUID{third.ID}}).Refused(422, "validation_failed")
		in.Owner.Get(files+"/"+third.ID.String()).Refused(404, "not_found")
		in.Owner.Delete(files+"/"+third.ID.String()).Refused(404, "not_found")
		colleague.Get(files + "/" + third.ID.String()).Want(200)
		// Notes, messages in the customer's name and new conversations take files, too.
		colleague.Post(path+"/reply-as-agent", map[string]any{"body": "not", "message_type": "note", "attachments": []uuid.UUID{third.ID}}).Want(200)
		in.Owner.Get(files + "/" + third.ID.String()).Want(200)
		fourth, fifth := upload(t, in.Owner, files, "d.txt", "d"), upload(t, in.Owner, files, "e.txt", "e")
		in.Owner.Post(path+"/reply-as-customer", map[string]any{"body": "", "attachments": []uuid.UUID{fourth.ID}}).Want(200)
		in.Owner.Post(base+"/new-as-agent", map[string]any{"contact_id": in.customer.ID, "channel": "whatsapp", "body": "Ekte", "attachments": []uuid.UUID{fifth.ID}}).Want(201)
		if len(router.taken) != 1 || len(router.taken[0].Attachments) != 1 || router.taken[0].Attachments[0].Name != "e.txt" {
			t.Fatalf("taken %+v", router.taken)
		}
		f, err := s.Files.ReadFile(in.Context(), router.taken[0].Attachments[0])
		if err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
		// An upload that was not attached can be discarded; an attached one cannot.
		sixth := upload(t, in.Owner, files, "f.txt", "f")
		in.Owner.Delete(files + "/" + sixth.ID.String()).Want(200)
		in.Owner.Get(files+"/"+sixth.ID.String()).Refused(404, "not_found")
		if e := in.Owner.Delete(files+"/"+first.ID.String()).Refused(409, "conflict"); e.Reason != "attached" {
			t.Errorf("got %+v", e)
		}
		// The files of a deleted conversation cannot be found either.
		in.Owner.Delete(path).Want(200)
		in.Owner.Get(files+"/"+first.ID.String()).Refused(404, "not_found")
		in.Owner.Post(path+"/restore", nil).Want(200)
		in.Owner.Get(files + "/" + first.ID.String()).Want(200)
	})
}

func ids(list []file.Attachment) (out []uuid.UUID) {
	for _, a := range list {
		out = append(out, a.ID)
	}
	return out
}

func TestUploadRefusals(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		c := in.Owner.Header("Content-Type", "image/png")
		for name, content := range map[string]string{
			"foto.png": "MZ\x90\x00\x03\x00\x00\x00\x04\x00", "kur.exe": "metin", "betik.txt": "#!/bin/sh\nls\n",
		} {
			if e := c.Do("POST", files+"?filename="+name, content).Refused(422, "validation_failed"); e.Fields["file"][0] != "type_not_allowed" || e.Reason == "" {
				t.Errorf("%s: %+v", name, e)
			}
		}
		if e := c.Do("POST", files+"?filename=a.txt", "").Refused(422, "validation_failed"); e.Fields["file"][0] != "required" {
			t.Errorf("got %+v", e)
		}
		c.Do("POST", files, "x").Refused(422, "validation_failed")
		c.Do("POST", files+"?filename=a.txt", strings.Repeat("x", file.MaxSize+1)).Refused(413, "body_too_large")
		id := in.begin()
		many := make([]uuid.UUID, file.MaxPerItem+1)
		for n := range many {
			many[n] = uuid.New()
		}
		in.Owner.Post(base+"/"+id.String()+"/reply-as-agent", map[string]any{"body": "x", "attachments": many}).Refused(422, "validation_failed")
		in.Owner.Post(base+"/"+id.String()+"/reply-as-agent", map[string]any{"body": "x", "attachments": many[:1]}).Refused(422, "validation_failed")
		in.Owner.Post(base+"/"+id.String()+"/reply-as-agent", map[string]any{"body": " ", "attachments": []uuid.UUID{}}).Refused(422, "validation_failed")
		if got := in.items(id); len(got) != 1 {
			t.Errorf("a refused reply left %d items", len(got))
		}
	})
}

func TestDownloadIsSafe(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		get := func(a file.Attachment, query string) *apptest.Response {
			return in.Owner.Get(files + "/" + a.ID.String() + query).Want(200)
		}
		for _, f := range []struct{ name, content, asked, kind, disposition string }{
			{"foto.png", png, "", "image/png", `attachment; filename=foto.png`},
			{"foto.png", png, "?disposition=inline", "image/png", `inline; filename=foto.png`},
			{"ş.txt", "Merhaba", "?disposition=inline", "text/plain; charset=utf-8", `inline; filename*=utf-8''%C5%9F.txt`},
			{"logo.svg", `<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>`, "?disposition=inline", "application/octet-stream", `attachment; filename=logo.svg`},
			{"a.png", "<!doctype html><script>alert(1)</script>", "?disposition=inline", "application/octet-stream", `attachment; filename=a.png`},
			{"f.pdf", "%PDF-1.7\n", "?disposition=inline", "application/pdf", `attachment; filename=f.pdf`},
		} {
			r := get(upload(t, in.Owner, files, f.name, f.content), f.asked)
			if string(r.Body) != f.content {
				t.Errorf("%s: %q", f.name, r.Body)
			}
			for header, want := range map[string]string{
				"Content-Type": f.kind, "Content-Disposition": f.disposition, "X-Content-Type-Options": "nosniff",
				"Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'", "Cache-Control": "private, no-cache",
				"Vary": "Authorization, Cookie", "Cross-Origin-Resource-Policy": "same-origin",
			} {
				if got := r.Header.Get(header); got != want {
					t.Errorf("%s %s: %s is %q, want %q", f.name, f.asked, header, got, want)
				}
			}
		}
		a := upload(t, in.Owner, files, "a.txt", "0123456789")
		whole := get(a, "")
		if part := in.Owner.Header("Range", "bytes=2-4").Get(files + "/" + a.ID.String()); part.Status != 206 || string(part.Body) != "234" {
			t.Errorf("%d %q", part.Status, part.Body)
		}
		in.Owner.Header("Range", "bytes=50-60").Get(files+"/"+a.ID.String()).Refused(416, "range_not_satisfiable")
		if r := in.Owner.Header("If-None-Match", whole.Header.Get("Etag")).Get(files + "/" + a.ID.String()); r.Status != 304 || len(r.Body) != 0 {
			t.Errorf("%d", r.Status)
		}
	})
}

// A key uploads and attaches through the public API; files of a test key stay marked as
// test.
func TestPublicAttachments(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		for _, key := range []*apptest.Client{in.FullKey(), in.Key(true, "crm.conversations.view", "crm.conversations.reply")} {
			var c conversation.Conversation
			key.Post(public, map[string]any{"contact": map[string]any{"email": "a@b.example"}, "body": "x"}).Want(201).Data(&c)
			id := c.ID
			a, b := upload(t, key, publicFiles, "a.txt", "a"), upload(t, key, publicFiles, "b.txt", "b")
			key.Post(public+"/"+id.String()+"/reply", map[string]any{"type": "admin", "admin_id": in.Member, "body": "", "attachments": []uuid.UUID{a.ID}}).Want(200)
			key.Post(public+"/"+id.String()+"/reply", map[string]any{"type": "user", "body": "", "attachments": []uuid.UUID{b.ID}}).Want(200)
			if r := key.Get(publicFiles + "/" + a.ID.String()).Want(200); string(r.Body) != "a" {
				t.Errorf("%q", r.Body)
			}
			key.Delete(publicFiles+"/"+a.ID.String()).Refused(409, "conflict")
		}
	})
}

// Files that a channel brings are kept; of a blocked file only the record is kept.
func TestInboundAttachments(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		ctx := in.Context()
		prepare := func(name, content string) file.Prepared {
			p, err := s.Files.Prepare(ctx, name, "image/png", strings.NewReader(content))
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		picture, program, huge := prepare("a.png", png), prepare("b.exe", "MZ"), prepare("c.txt", strings.Repeat("x", file.MaxSize+1))
		picture.ContentID = "part1@example.com"
		message := inbound.Inbound{
			Channel: "whatsapp", From: contact.Sender{Channel: "whatsapp", AccountID: uuid.New(), ExternalID: "905321112233", Name: "Elif"},
			ProviderMessageID: "m1", Attachments: []file.Prepared{picture, program, huge},
		}
		got, err := s.Inbound.Ingest(ctx, message)
		if err != nil {
			t.Fatal(err)
		}
		list := got.Item.Attachments
		if len(list) != 3 || list[0].Blocked != nil || *list[0].ContentID != "part1@example.com" || *list[1].Blocked != "type_not_allowed" || *list[2].Blocked != "too_large" {
			t.Errorf("got %+v", list)
		}
		in.Owner.Get(files + "/" + list[0].ID.String()).Want(200)
		if e := in.Owner.Get(files+"/"+list[1].ID.String()).Refused(409, "conflict"); e.Reason != "type_not_allowed" {
			t.Errorf("got %+v", e)
		}
		again, err := s.Inbound.Ingest(ctx, message)
		if err != nil || !again.Duplicate || len(again.Item.Attachments) != 3 {
			t.Errorf("got %+v, %v", again, err)
		}
	})
}

// Unattached uploads are removed after a day, and their bytes with the last record that
// uses them.
func TestUnattachedUploadsAreDeleted(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		kept, lost := upload(t, in.Owner, files, "kept.txt", "kept"), upload(t, in.Owner, files, "lost.txt", "lost")
		twin := upload(t, in.Owner, files, "twin.txt", "kept")
		in.Owner.Post(base+"/"+id.String()+"/reply-as-agent", map[string]any{"body": "", "attachments": []uuid.UUID{kept.ID}}).Want(200)
		clean := func() (uploads, blobs int) {
			uploads, err := s.Files.CleanUploads(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			blobs, err = s.Blobs.Sweep(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return uploads, blobs
		}
		if u, b := clean(); u != 0 || b != 0 {
			t.Errorf("%d uploads and %d blobs at once", u, b)
		}
		s.Clock.Advance(24*time.Hour + time.Second)
		if u, b := clean(); u != 2 || b != 0 {
			t.Errorf("%d uploads and %d blobs after a day", u, b)
		}
		s.Clock.Advance(24*time.Hour + time.Second)
		if u, b := clean(); u != 0 || b != 1 {
			t.Errorf("%d uploads and %d blobs after two days", u, b)
		}
		owner := in.SignIn("owner@demo.example")
		owner.Get(files + "/" + kept.ID.String()).Want(200)
		for _, a := range []file.Attachment{lost, twin} {
			owner.Get(files+"/"+a.ID.String()).Refused(404, "not_found")
		}
	})
}
