package conversation_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/draft"
	"konak/internal/crm/reply"
	"konak/internal/kit/perm"
)

// draftOf returns the caller's draft of a type, nil if there is none.
func draftOf(who *apptest.Client, path, messageType string) *draft.Draft {
	var d reply.Detail
	who.Get(path).Want(200).Data(&d)
	if n := slices.IndexFunc(d.Drafts, func(d draft.Draft) bool { return d.MessageType == messageType }); n >= 0 {
		return &d.Drafts[n]
	}
	return nil
}

// putDraft writes a draft and returns the stored one, nil for none.
func putDraft(who *apptest.Client, path string, body map[string]any) *draft.Draft {
	var d reply.Drafted
	who.Put(path+"/draft", body).Want(200).Data(&d)
	return d.Draft.V
}

func TestDraft(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		path := base + "/" + id.String()
		other, _ := in.member("can")
		kept := func(who *apptest.Client, path string) *draft.Draft { return draftOf(who, path, "comment") }
		put := func(who *apptest.Client, body map[string]any) *draft.Draft { return putDraft(who, path, body) }
		if kept(in.Owner, path) != nil {
			t.Error("a draft from nowhere")
		}
		if d := put(in.Owner, map[string]any{"body": "Siparişiniz "}); d == nil || d.Body != "Siparişiniz " || d.MessageType != "comment" {
			t.Errorf("got %+v", d)
		}
		put(in.Owner, map[string]any{"body": "Siparişiniz yarın"})
		put(other, map[string]any{"body": "Benimki"})
		if d := kept(in.Owner, path); d == nil || d.Body != "Siparişiniz yarın" {
			t.Errorf("got %+v", d)
		}
		if put(in.Owner, map[string]any{"body": " "}) != nil || kept(in.Owner, path) != nil || kept(other, path) == nil {
			t.Error("the empty text does not clear the draft, or clears another's")
		}
		// Sending clears it; a refused reply does not.
		in.events()
		put(in.Owner, map[string]any{"body": "Yarın"})
		if got := in.events(); len(got) != 0 {
			t.Errorf("announced %v", got)
		}
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": " "}).Refused(422, "validation_failed")
		if kept(in.Owner, path) == nil {
			t.Error("a refused reply took the draft")
		}
		// What a program writes in the agent's name does not clear the agent's draft.
		in.FullKey().Post(public+"/"+id.String()+"/reply", map[string]any{"type": "admin", "admin_id": in.Member, "body": "Otomatik"}).Want(200)
		if kept(in.Owner, path) == nil {
			t.Error("a program took the draft")
		}
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "Yarın"}).Want(200)
		if kept(in.Owner, path) != nil || kept(other, path) == nil {
			t.Error("sending does not clear the sender's draft alone")
		}
		in.Owner.Put(base+"/"+uuid.NewString()+"/draft", map[string]any{"body": "x"}).Refused(404, "not_found")
		in.Owner.Put(path+"/draft", map[string]any{"body": "x", "message_type": "shout"}).Refused(422, "validation_failed")
		if e := in.Guest().Put(path+"/draft", map[string]any{"body": "x"}).Refused(403, "forbidden"); e.Permission != string(perm.ConversationsReply) {
			t.Errorf("got %+v", e)
		}
	})
}

// A note and a reply are two drafts: neither replaces the other, and sending one keeps the
// other.
func TestDraftOfEachType(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		path := base + "/" + id.String()
		both := func() [2]string {
			t.Helper()
			var out [2]string
			for n, kind := range []string{"comment", "note"} {
				if d := draftOf(in.Owner, path, kind); d != nil {
					out[n] = d.Body
				}
			}
			return out
		}
		want := func(reply, note string) {
			t.Helper()
			if diff := cmp.Diff([2]string{reply, note}, both()); diff != "" {
				t.Error(diff)
			}
		}
		putDraft(in.Owner, path, map[string]any{"body": "İade etmeyelim", "message_type": "note"})
		want("", "İade etmeyelim")
		s.Clock.Advance(time.Minute)
		putDraft(in.Owner, path, map[string]any{"body": "Merhaba"})
		want("Merhaba", "İade etmeyelim")
		var d reply.Detail
		in.Owner.Get(path).Want(200).Data(&d)
		if len(d.Drafts) != 2 || d.Drafts[0].MessageType != "comment" {
			t.Errorf("not the newest first: %+v", d.Drafts)
		}
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "Merhaba"}).Want(200)
		want("", "İade etmeyelim")
		putDraft(in.Owner, path, map[string]any{"body": "Bir de"})
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "İade etmeyelim", "message_type": "note"}).Want(200)
		want("Bir de", "")
		putDraft(in.Owner, path, map[string]any{"body": "Kalsın", "message_type": "note"})
		in.later(id, 5, map[string]any{"body": "Bir de"})
		want("", "Kalsın")
		putDraft(in.Owner, path, map[string]any{"body": "", "message_type": "note"})
		want("", "")
	})
}

// A draft keeps its uploads as long as it exists, and passes them on to the message that is
// sent.
func TestDraftHoldsUploads(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		path := base + "/" + id.String()
		other, _ := in.member("can")
		held := func(kind string) []uuid.UUID {
			t.Helper()
			d := draftOf(in.Owner, path, kind)
			if d == nil {
				return nil
			}
			return ids(d.Attachments)
		}
		// pass advances the clock by more than a day, with sessions that stay in use.
		pass := func() {
			t.Helper()
			for range 3 {
				s.Clock.Advance(10 * time.Hour)
				in.Owner.Get(path).Want(200)
				other.Get(path).Want(200)
			}
		}
		clean := func(want int) {
			t.Helper()
			if n, err := s.Files.CleanUploads(t.Context()); err != nil || n != want {
				t.Errorf("%d uploads cleaned, want %d: %v", n, want, err)
			}
		}
		a, b, c := upload(t, in.Owner, files, "a.txt", "a"), upload(t, in.Owner, files, "b.txt", "b"), upload(t, in.Owner, files, "c.txt", "c")
		// Without a text, too.
		if d := putDraft(in.Owner, path, map[string]any{"body": "", "attachments": []uuid.UUID{a.ID, b.ID}}); d == nil || len(d.Attachments) != 2 {
			t.Fatalf("got %+v", d)
		}
		putDraft(in.Owner, path, map[string]any{"body": "Ekte", "message_type": "note", "attachments": []uuid.UUID{c.ID}})
		if diff := cmp.Diff([][]uuid.UUID{{a.ID, b.ID}, {c.ID}}, [][]uuid.UUID{held("comment"), held("note")}); diff != "" {
			t.Error(diff)
		}
		// They outlast the day for which an unattached upload is kept; one removed from the
		// draft gets a new day.
		pass()
		clean(0)
		in.Owner.Get(files + "/" + a.ID.String()).Want(200)
		putDraft(in.Owner, path, map[string]any{"body": "Fatura", "attachments": []uuid.UUID{a.ID}})
		clean(0)
		pass()
		clean(1)
		in.Owner.Get(files+"/"+b.ID.String()).Refused(404, "not_found")
		// Somebody else's uploads, and sent ones, cannot be added to a draft.
		foreign := upload(t, other, files, "o.txt", "o")
		for _, no := range []uuid.UUID{foreign.ID, uuid.New()} {
			if e := in.Owner.Put(path+"/draft", map[string]any{"body": "x", "attachments": []uuid.UUID{no}}).Refused(422, "validation_failed"); e.Fields["attachments"][0] != "unknown_attachment" {
				t.Errorf("got %+v", e)
			}
		}
		var out conversation.Written
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "Fatura", "attachments": []uuid.UUID{a.ID}}).Want(200).Data(&out)
		if held("comment") != nil || len(out.Item.Attachments) != 1 {
			t.Errorf("sent %+v, the draft still holds %v", out.Item.Attachments, held("comment"))
		}
		in.Owner.Put(path+"/draft", map[string]any{"body": "x", "attachments": []uuid.UUID{a.ID}}).Refused(422, "validation_failed")
		// A note that is sent without its upload leaves the upload unattached.
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "Ekte", "message_type": "note"}).Want(200)
		pass()
		clean(2)
	})
}

// A merge moves drafts with their uploads; an existing draft of the same type stays.
func TestMergeMovesDrafts(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		from, into := base+"/"+in.begin().String(), in.begin()
		target := base + "/" + into.String()
		file := upload(t, in.Owner, files, "a.txt", "a")
		putDraft(in.Owner, from, map[string]any{"body": "Eski"})
		putDraft(in.Owner, from, map[string]any{"body": "Not", "message_type": "note", "attachments": []uuid.UUID{file.ID}})
		putDraft(in.Owner, target, map[string]any{"body": "Yeni"})
		in.Owner.Post(from+"/merge", map[string]any{"into_id": into}).Want(200)
		if d := draftOf(in.Owner, target, "comment"); d == nil || d.Body != "Yeni" {
			t.Errorf("got %+v", d)
		}
		if d := draftOf(in.Owner, target, "note"); d == nil || d.Body != "Not" || len(d.Attachments) != 1 {
			t.Errorf("got %+v", d)
		}
		in.Owner.Put(from+"/draft", map[string]any{"body": "x"}).Refused(409, "conflict")
	})
}
