package conversation_test

import (
	"testing"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/kit/perm"
)

func TestDraft(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		path := base + "/" + id.String()
		other, _ := in.member("can")
		kept := func(who *apptest.Client, path string) *conversation.Draft {
			t.Helper()
			var d conversation.Detail
			who.Get(path).Want(200).Data(&d)
			return d.Draft.V
		}
		put := func(who *apptest.Client, body map[string]any) *conversation.Draft {
			t.Helper()
			var d conversation.Drafted
			who.Put(path+"/draft", body).Want(200).Data(&d)
			return d.Draft.V
		}
		if kept(in.Owner, path) != nil {
			t.Error("a draft from nowhere")
		}
		if d := put(in.Owner, map[string]any{"body": "Siparişiniz "}); d == nil || d.Body != "Siparişiniz " || d.MessageType != "comment" {
			t.Errorf("got %+v", d)
		}
		put(in.Owner, map[string]any{"body": "Siparişiniz yarın", "message_type": "note"})
		put(other, map[string]any{"body": "Benimki"})
		if d := kept(in.Owner, path); d == nil || d.Body != "Siparişiniz yarın" || d.MessageType != "note" {
			t.Errorf("got %+v", d)
		}
		if put(in.Owner, map[string]any{"body": " "}) != nil || kept(in.Owner, path) != nil || kept(other, path) == nil {
			t.Error("the empty text does not clear the draft, or clears another's")
		}
		// Sending clears it, also where a note is sent; a refused one does not.
		in.events()
		put(in.Owner, map[string]any{"body": "Yarın"})
		if got := in.events(); len(got) != 0 {
			t.Errorf("announced %v", got)
		}
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": " "}).Refused(422, "validation_failed")
		if kept(in.Owner, path) == nil {
			t.Error("a refused reply took the draft")
		}
		// What a program writes in the agent's name is not what they wrote.
		in.FullKey().Post(public+"/"+id.String()+"/reply", map[string]any{"type": "admin", "admin_id": in.Member, "body": "Otomatik"}).Want(200)
		if kept(in.Owner, path) == nil {
			t.Error("a program took the draft")
		}
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "Yarın"}).Want(200)
		if kept(in.Owner, path) != nil || kept(other, path) == nil {
			t.Error("sending does not clear the sender's draft alone")
		}
		// A merge takes drafts along; the one that is there stays.
		put(in.Owner, map[string]any{"body": "Eski"})
		into := in.begin()
		target := base + "/" + into.String()
		in.Owner.Put(target+"/draft", map[string]any{"body": "Yeni"}).Want(200)
		in.Owner.Post(path+"/merge", map[string]any{"into_id": into}).Want(200)
		if d := kept(in.Owner, target); d == nil || d.Body != "Yeni" {
			t.Errorf("got %+v", d)
		}
		if d := kept(other, target); d == nil || d.Body != "Benimki" {
			t.Errorf("got %+v", d)
		}
		in.Owner.Put(path+"/draft", map[string]any{"body": "x"}).Refused(409, "conflict")
		in.Owner.Put(base+"/"+uuid.NewString()+"/draft", map[string]any{"body": "x"}).Refused(404, "not_found")
		in.Owner.Put(target+"/draft", map[string]any{"body": "x", "message_type": "shout"}).Refused(422, "validation_failed")
		if e := in.Guest().Put(target+"/draft", map[string]any{"body": "x"}).Refused(403, "forbidden"); e.Permission != string(perm.ConversationsReply) {
			t.Errorf("got %+v", e)
		}
	})
}
