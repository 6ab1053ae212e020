package custom_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel/custom"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/perm"
)

// Files come in with a customer's message and go out as links that the
// channel's software opens with its key.
func TestFiles(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		sh.key = sh.Key(false, perm.ChannelsView, perm.ChannelsManage) // the permissions of the scope channels.write
		upload := func(name, content string) (a file.Attachment) {
			t.Helper()
			sh.key.Header("Content-Type", "text/plain").Post(sh.path("/files?filename="+name), content).Want(201).Data(&a)
			return a
		}
		message := func(id string, more map[string]any) map[string]any {
			body := map[string]any{"contact": map[string]any{"external_id": "user-1"}, "message_id": id}
			for k, v := range more {
				body[k] = v
			}
			return body
		}
		first, second := upload("liste.txt", "bir iki üç"), upload("resim.txt", "dört")
		var in custom.Received
		with := message("m1", map[string]any{"attachments": []uuid.UUID{first.ID}}) // without a word
		sh.key.Post(sh.path("/messages"), with).Want(200).Data(&in)
		if in.Item.Body != "" || len(in.Item.Attachments) != 1 || in.Item.Attachments[0].Name != "liste.txt" || in.Conversation.Preview != "📎 liste.txt" {
			t.Fatalf("got %+v", in)
		}
		// A repeat returns the first message, although its file is used by now.
		var again custom.Received
		sh.key.Post(sh.path("/messages"), with).Want(200).Data(&again)
		if !again.Duplicate || again.Item.ID != in.Item.ID || len(again.Item.Attachments) != 1 {
			t.Errorf("got %+v", again)
		}
		sh.key.Post(sh.path("/messages"), message("m2", map[string]any{"body": "Bu da", "attachments": []uuid.UUID{second.ID}})).Want(200)
		for _, bad := range []map[string]any{
			{},
			{"body": "  "},
			{"body": "x", "attachments": []uuid.UUID{first.ID}},   // another message has it
			{"body": "x", "attachments": []uuid.UUID{uuid.New()}}, // unknown file
		} {
			sh.key.Post(sh.path("/messages"), message(uuid.NewString(), bad)).Refused(422, "validation_failed")
		}
		sh.key.Post(sh.path("/files?filename=x.exe"), "MZ\x90\x00").Refused(422, "validation_failed")

		// An agent's attachment goes out as a link.
		var up, secret file.Attachment
		sh.Owner.Header("Content-Type", "text/plain").Post("/api/crm/v1/attachments?filename=yan%C4%B1t.txt", "cevap").Want(201).Data(&up)
		sh.Owner.Header("Content-Type", "text/plain").Post("/api/crm/v1/attachments?filename=not.txt", "gizli").Want(201).Data(&secret)
		path := conversations + "/" + in.Conversation.ID.String() + "/reply-as-agent"
		sh.Owner.Post(path, map[string]any{"body": "Ekte", "attachments": []uuid.UUID{up.ID}}).Want(200)
		sh.Owner.Post(path, map[string]any{"body": "Aramızda", "message_type": "note", "attachments": []uuid.UUID{secret.ID}}).Want(200)
		s.Settle()
		got := sh.soft.take()
		if len(got) != 1 {
			t.Fatalf("%d deliveries", len(got))
		}
		var out struct {
			Data struct{ Object custom.Outgoing }
		}
		if err := json.Unmarshal(got[0].body, &out); err != nil {
			t.Fatal(err)
		}
		files := out.Data.Object.Files
		if len(files) != 1 || files[0].Name != "yanıt.txt" || files[0].Size != 5 || !strings.HasSuffix(files[0].URL, sh.path("/files/"+up.ID.String())) {
			t.Fatalf("got %+v", files)
		}
		if r := sh.key.Get(sh.path("/files/" + up.ID.String())).Want(200); string(r.Body) != "cevap" || !strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("got %q, %v", r.Body, r.Header)
		}
		if r := sh.key.Get(sh.path("/files/" + first.ID.String())).Want(200); string(r.Body) != "bir iki üç" {
			t.Errorf("got %q", r.Body)
		}
		sh.key.Get(sh.path("/files/"+secret.ID.String())).Refused(404, "not_found")
		var other custom.Opened
		sh.Owner.Post(channels+"/custom", map[string]any{"name": "İkinci", "address": sh.url + "/in2"}).Want(201).Data(&other)
		sh.key.Get(public+other.ID.String()+"/files/"+up.ID.String()).Refused(404, "not_found")
		sh.Key(false, perm.ConversationsView).Get(sh.path("/files/"+up.ID.String())).Refused(403, "forbidden")
		sh.Owner.Do("PATCH", channels+"/"+sh.ch.ID.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		sh.key.Header("Content-Type", "text/plain").Post(sh.path("/files?filename=x.txt"), "x").Refused(409, "channel_unavailable")
	})
}
