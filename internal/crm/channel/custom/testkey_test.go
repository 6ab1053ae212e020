package custom_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel/custom"
	"konak/internal/crm/conversation"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
)

// A key of the test environment writes records but triggers nothing.
func TestTestKey(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		var group struct{ ID uuid.UUID }
		sh.Owner.Post("/api/crm/v1/groups", map[string]any{"name": "Satış", "description": "", "agent_ids": []uuid.UUID{sh.Member}}).Want(201).Data(&group)
		sh.Owner.Do("PATCH", sh.session(""), map[string]any{"group_id": group.ID}).Want(200)
		sh.Owner.Do("PATCH", channels+"/"+sh.ch.ID.String()+"/ai", map[string]any{"enabled": true}).Want(200)
		var hook struct{ ID string }
		sh.Owner.Post("/api/erp/v1/webhooks", map[string]any{
			"address": sh.url, "events": []string{conversation.Created, conversation.Replied, custom.OpportunityUp, conversation.Rated},
		}).Want(201).Data(&hook)
		sh.csat(true)
		sh.key = sh.Key(true, "crm.channels.manage")
		got := sh.wrote("Deneme", "t1")
		if !got.Conversation.Test || got.Conversation.AIState != conversation.AIOff {
			t.Errorf("got %+v", got.Conversation)
		}
		if out := sh.reply(got.Conversation.ID, "Yanıt"); *out.Item.Delivery != conversation.NotGoing {
			t.Errorf("got %+v", out.Item)
		}
		var form custom.Submitted
		sh.key.Post(sh.path("/submissions"), map[string]any{"form": "f", "contact": map[string]any{"email": "a@b.example"}}).Want(200).Data(&form)
		sh.key.Post(sh.path("/conversations/"+got.Conversation.ID.String()+"/csat"), map[string]any{"rating": 3}).Want(200)
		sh.key.Post(sh.path("/conversations/"+got.Conversation.ID.String()+"/escalate"), nil).Want(200)
		sh.Owner.Post(conversations+"/"+got.Conversation.ID.String()+"/close", nil).Want(200)
		s.Clock.Advance(10 * time.Second)
		s.Settle()
		if list := sh.soft.take(); len(list) != 0 {
			t.Errorf("delivered %+v", list)
		}
		for _, id := range []uuid.UUID{form.ConversationID, got.Conversation.ID} {
			var c conversation.Conversation
			sh.Owner.Get(conversations + "/" + id.String()).Want(200).Data(&c)
			if c.Unread != 0 || !c.Test {
				t.Errorf("got %+v", c)
			}
		}
	})
}

// Records of a test key and of real customers do not match each other: the same person,
// message and form exist twice.
func TestTestRecordsDoNotMatchLiveOnes(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		sh.csat(true)
		live := sh.key
		form := map[string]any{"form": "f", "submission_id": "s1", "contact": map[string]any{"email": "elif@kaya.example"}, "message": "x"}
		sh.key = sh.Key(true, "crm.channels.manage")
		test := sh.wrote("Deneme", "m1")
		var testForm, liveForm custom.Submitted
		sh.key.Post(sh.path("/submissions"), form).Want(200).Data(&testForm)
		sh.key = live
		real := sh.wrote("Merhaba", "m1")
		if real.Duplicate || !real.Created || real.Conversation.Test || real.Conversation.ContactID == test.Conversation.ContactID {
			t.Errorf("got %+v", real)
		}
		sh.key.Post(sh.path("/submissions"), form).Want(200).Data(&liveForm)
		if liveForm.Duplicate || liveForm.ContactID != real.Conversation.ContactID || testForm.ContactID != test.Conversation.ContactID {
			t.Errorf("got %+v, %+v", testForm, liveForm)
		}
		if again := sh.wrote("Merhaba", "m1"); !again.Duplicate || again.Conversation.ID != real.Conversation.ID {
			t.Errorf("got %+v", again)
		}
		sh.key = sh.Key(true, "crm.channels.manage")
		if again := sh.wrote("Deneme", "m1"); !again.Duplicate || again.Conversation.ID != test.Conversation.ID {
			t.Errorf("got %+v", again)
		}
		if next := sh.wrote("Yine", "m2"); next.Created || next.Conversation.ID != test.Conversation.ID {
			t.Errorf("got %+v", next)
		}
		path := "/conversations/" + real.Conversation.ID.String()
		sh.key.Post(sh.path(path+"/csat"), map[string]any{"rating": 1}).Refused(404, "not_found")
		sh.key.Post(sh.path(path+"/escalate"), nil).Refused(404, "not_found")
		ctx := caller.With(t.Context(), &caller.Caller{Kind: caller.APIKey, TenantID: sh.ID, Slug: sh.Slug, ID: uuid.New(), Test: true})
		if list, err := s.Custom.Opportunities(ctx, nil, db.Page{Limit: 10, After: db.First}); err != nil || len(list.Rows) != 1 || list.Rows[0].ID != testForm.OpportunityID {
			t.Errorf("got %+v, %v", list.Rows, err)
		}
		// A file that a real customer sent is not found.
		file := live.Header("Content-Type", "text/plain").Post(sh.path("/files?filename=a.txt"), "x").Want(201).ID()
		live.Post(sh.path("/messages"), map[string]any{"contact": map[string]any{"external_id": "c1"}, "body": "x", "attachments": []string{file}}).Want(200)
		live.Get(sh.path("/files/" + file)).Want(200)
		sh.key.Get(sh.path("/files/"+file)).Refused(404, "not_found")
	})
}
