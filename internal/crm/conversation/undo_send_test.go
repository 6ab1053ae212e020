package conversation_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/later"
	"konak/internal/identity"
	"konak/internal/kit/perm"
)

// sendIn answers a conversation with a delay of some seconds.
func (in *inbox) sendIn(id uuid.UUID, seconds int, then map[string]any) later.Scheduled {
	in.t.Helper()
	var m later.Scheduled
	body := map[string]any{"body": "Kargonuz yolda", "delay_s": seconds}
	if then != nil {
		body["then"] = then
	}
	in.Owner.Post(base+"/"+id.String()+"/scheduled", body).Want(201).Data(&m)
	return m
}

// An answer with a delay is sent when it has passed, by the server's clock, and can be
// cancelled until then.
func TestSendWithDelay(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		router, id := in.onWhatsApp()
		path := base + "/" + id.String() + "/scheduled"
		m := in.sendIn(id, 5, nil)
		if !m.SendAt.Equal(s.Clock.Now().Add(5*time.Second)) || m.FollowUp.V != nil {
			t.Errorf("got %+v", m)
		}
		in.Owner.Delete(path + "/" + m.ID.String()).Want(200)
		// Its author can keep the files of a cancelled message, and send them after all.
		kept := upload(t, in.Owner, files, "harita.txt", "harita")
		with := map[string]any{"body": "Harita ekte", "delay_s": 5, "attachments": []uuid.UUID{kept.ID}}
		in.Owner.Post(path, with).Want(201).Data(&m)
		in.Owner.Delete(path + "/" + m.ID.String() + "?keep_files=true").Want(200).Data(&m)
		if m.State != later.Cancelled || len(m.Attachments) != 1 || m.Attachments[0].ID != kept.ID {
			t.Errorf("got %+v", m)
		}
		in.Owner.Post(path, with).Want(201).Data(&m)
		// Nobody else can keep them, and without keep_files they are removed.
		other, _ := in.member("ece")
		other.Delete(path + "/" + m.ID.String() + "?keep_files=true").Want(200).Data(&m)
		in.Owner.Post(path, with).Refused(422, "validation_failed")
		in.sendIn(id, 5, nil)
		s.Clock.Advance(5 * time.Second)
		s.Settle()
		if len(router.taken) != 1 {
			t.Errorf("taken %+v", router.taken)
		}
		for _, bad := range []map[string]any{
			{"body": "x"},
			{"body": "x", "delay_s": 0},
			{"body": "x", "delay_s": 61},
			{"body": "x", "delay_s": 5, "send_at": s.Clock.Now().Add(time.Hour)},
			{"body": "x", "delay_s": 5, "then": map[string]any{"state": "open"}},
			{"body": "x", "delay_s": 5, "then": map[string]any{"state": "snoozed"}},
			{"body": "x", "delay_s": 5, "then": map[string]any{"state": "closed", "until_reply": true}},
			{"body": "x", "delay_s": 5, "then": map[string]any{"state": "snoozed", "until": s.Clock.Now()}},
			{"body": "x", "delay_s": 5, "then": map[string]any{"state": "snoozed", "until": s.Clock.Now().Add(time.Hour), "until_reply": true}},
		} {
			in.Owner.Post(path, bad).Refused(422, "validation_failed")
		}
	})
}

// The follow-up of an answer is its author's act, in the same transaction: the conversation
// is closed or snoozed when the answer is sent, and stays open if the customer wrote
// meanwhile or the answer was cancelled.
func TestSendAndClose(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		router, id := in.onWhatsApp()
		path := base + "/" + id.String()
		closing := map[string]any{"state": "closed"}
		run := func() {
			t.Helper()
			s.Clock.Advance(5 * time.Second)
			s.Settle()
		}
		in.Owner.Delete(path + "/scheduled/" + in.sendIn(id, 5, closing).ID.String()).Want(200)
		run()
		if c := in.get(id); c.State != conversation.Open {
			t.Errorf("got %+v", c)
		}
		if m := in.sendIn(id, 5, closing); m.FollowUp.V == nil || m.FollowUp.V.State != "closed" {
			t.Errorf("got %+v", m)
		}
		run()
		if c := in.get(id); c.State != conversation.Closed || len(router.taken) != 1 {
			t.Errorf("got %+v, taken %+v", c, router.taken)
		}
		if top := in.items(id)[0]; *top.Event != "closed" || top.AuthorKind != conversation.ByAgent || *top.AuthorID != in.Member {
			t.Errorf("got %+v", top)
		}
		until := s.Clock.Now().Add(time.Hour)
		in.sendIn(id, 5, map[string]any{"state": "snoozed", "until": until})
		run()
		if c := in.get(id); c.State != conversation.Snoozed || !c.SnoozedUntil.Equal(until) {
			t.Errorf("got %+v", c)
		}
		in.sendIn(id, 5, closing)
		s.Clock.Advance(time.Second)
		in.inbound(router.account, "wamid.2")
		run()
		if c := in.get(id); c.State != conversation.Open || len(router.taken) != 3 {
			t.Errorf("got %+v, taken %d", c, len(router.taken))
		}
		writes := identity.Role{Name: "writer", Title: "Yazan", Permissions: []perm.Permission{perm.ConversationsView, perm.ConversationsReply}}
		if _, err := s.Identity.SetRole(in.Context(), writes); err != nil {
			t.Fatal(err)
		}
		agent, _ := in.memberAs("can", writes.Name)
		e := agent.Post(path+"/scheduled", map[string]any{"body": "x", "delay_s": 5, "then": closing}).Refused(403, "forbidden")
		if e.Permission != "crm.conversations.manage" {
			t.Errorf("got %+v", e)
		}
	})
}

// If a conversation is closed while an answer is still waiting, the answer is sent and the
// conversation stays closed; if it was closed before the answer was written, the answer
// opens it.
func TestCloseBeforeItIsSent(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		router, id := in.onWhatsApp()
		send := func(closesMeanwhile bool) conversation.Conversation {
			t.Helper()
			in.sendIn(id, 5, nil)
			s.Clock.Advance(time.Second)
			if closesMeanwhile {
				in.Owner.Post(base+"/"+id.String()+"/close", nil).Want(200)
			}
			s.Clock.Advance(5 * time.Second)
			s.Settle()
			return in.get(id)
		}
		if c := send(true); c.State != conversation.Closed || len(router.taken) != 1 {
			t.Errorf("got %+v, taken %d", c, len(router.taken))
		}
		if c := send(false); c.State != conversation.Open || len(router.taken) != 2 {
			t.Errorf("got %+v, taken %d", c, len(router.taken))
		}
	})
}
