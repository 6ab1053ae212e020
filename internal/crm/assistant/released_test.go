package assistant_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/kit/db"
)

const cannedReplies = "/api/crm/v1/canned-replies"

// A canned reply is used for answers from the moment it is released for the assistant until
// it is withdrawn.
func TestReleasedCannedReply(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		const question = "Mağazanızın çalışma saatleri nedir?"
		answer := func() (string, []conversation.AISource) {
			t.Helper()
			id := sh.writes(uuid.NewString(), question).Conversation.ID
			sh.settle()
			item := sh.answers(id)[0]
			var sources []conversation.AISource
			sh.Owner.Get(conversations + "/" + id.String() + "/items/" + item.ID.String() + "/ai-sources").Want(200).Data(&sources)
			if handed := sh.state(id).State == conversation.AIHandedOver; handed != (len(sources) == 0) {
				t.Errorf("%d sources, and handed over is %t", len(sources), handed)
			}
			return item.Body, sources
		}
		reply := map[string]any{"shortcut": "saat", "title": "Çalışma saatleri", "body": "Mağazamız 09.00–19.00 arasında açıktır.", "shared": true}
		id := sh.Owner.Post(cannedReplies, reply).Want(201).ID()
		if _, sources := answer(); len(sources) > 0 {
			t.Errorf("what was not released is quoted: %+v", sources)
		}
		reply["assistant"] = true
		sh.Owner.Put(cannedReplies+"/"+id, reply).Want(200)
		text, sources := answer()
		if text != reply["body"] {
			t.Errorf("the customer reads %q", text)
		}
		if len(sources) != 1 || sources[0].Kind != "canned_reply" || sources[0].Title != "Çalışma saatleri" || sources[0].URL != "" {
			t.Errorf("the sources are %+v", sources)
		}
		s.Clock.Advance(1e6)
		reply["body"] = "Mağazamız 10.00–20.00 arasında açıktır."
		sh.Owner.Put(cannedReplies+"/"+id, reply).Want(200)
		if text, _ := answer(); text != reply["body"] {
			t.Errorf("after a change the customer reads %q", text)
		}
		delete(reply, "assistant")
		sh.Owner.Put(cannedReplies+"/"+id, reply).Want(200)
		if text, _ := answer(); strings.Contains(text, "20.00") {
			t.Errorf("what was taken back is quoted: %q", text)
		}
	})
}

func TestReleaseIsRefused(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		for name, c := range map[string]struct {
			body map[string]any
			want string
		}{
			"one's own":        {map[string]any{"body": "Açığız."}, "not_shared"},
			"with a hole":      {map[string]any{"body": "Merhaba {{contact.name}}", "shared": true}, "has_placeholder"},
			"with a fallback":  {map[string]any{"body": "Merhaba {{contact.name|dostum}}", "shared": true}, "has_placeholder"},
			"a hole of no use": {map[string]any{"body": "Merhaba {{ contact.company }}", "shared": true}, "has_placeholder"},
		} {
			c.body["shortcut"], c.body["assistant"] = "saat", true
			if e := sh.Owner.Post(cannedReplies, c.body).Refused(422, "validation_failed"); !slices.Equal(e.Fields["assistant"], []string{c.want}) {
				t.Errorf("%s: got %+v", name, e.Fields)
			}
		}

		err := s.DB.Tenant(sh.ID).InTx(context.Background(), func(tx *db.Tx) error {
			for i := range 500 {
				if err := tx.Exec(`INSERT INTO crm_canned_reply (tenant_id, id, scope_id, shortcut, shortcut_key, title, body, assistant, created_at, updated_at)
					VALUES ($1, $2, $3, $4, $4, '', 'Açığız.', true, 1, 1)`, sh.ID, tx.NewID(), uuid.Nil, "s"+strconv.Itoa(i)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		more := map[string]any{"shortcut": "saat", "body": "Açığız.", "shared": true, "assistant": true}
		sh.Owner.Post(cannedReplies, more).Refused(422, "limit_reached")
		delete(more, "assistant")
		sh.Owner.Post(cannedReplies, more).Want(201)
	})
}
