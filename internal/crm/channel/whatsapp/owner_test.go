package whatsapp_test

import (
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/conversation"
	wire "konak/internal/provider/whatsapp"
)

// ownerSays lets the number's owner write to the customer in the app on the phone.
func (sh *shop) ownerSays(m wire.Incoming) {
	sh.T.Helper()
	if _, err := sh.Box.OwnerSays(numberID, elif.ID, m); err != nil {
		sh.T.Fatal(err)
	}
	sh.Settle()
}

// A message that a number's owner writes in the app is a reply that was sent.
func TestOwnerRepliesInTheApp(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		theirs := sh.says("Açık mısınız?")
		echo := wire.Incoming{ID: "wamid.echo", Text: &wire.Text{Body: "Evet, buyurun"}}
		sh.ownerSays(echo)
		sh.ownerSays(echo) // a repeat is the same message
		c := sh.Only()
		items := sh.Items(c.ID)
		if len(items) != 2 || items[0].Body != "Evet, buyurun" || items[0].AuthorKind != conversation.ByAgent || items[0].AuthorID != nil || apptest.DeliveryOf(items[0]) != conversation.Sent {
			t.Fatalf("the timeline is %+v", items)
		}
		if c.WaitingSince != nil || c.FirstReplyAt == nil {
			t.Errorf("the customer still waits: %+v", c)
		}
		sh.ownerSays(wire.Incoming{Type: "image", Image: &wire.Media{ID: sh.Box.File(businessID, "image/png", picture(t)), MimeType: "image/png", Caption: "Vitrin"}})
		if items = sh.Items(c.ID); len(items) != 3 || len(items[0].Attachments) != 1 || items[0].Attachments[0].Pending || items[0].Body != "Vitrin" {
			t.Errorf("the owner's picture is %+v", items[0])
		}
		sh.ownerSays(wire.Incoming{Type: "reaction", Reaction: &wire.Reaction{MessageID: theirs, Emoji: "👍"}})
		if items = sh.Items(c.ID); len(items) != 3 || len(items[2].Reactions) != 0 {
			t.Errorf("the owner's sign made %+v", items)
		}
		// The window starts with the customer's last message, not with the owner's.
		sh.Server.Clock.Advance(23 * time.Hour)
		sh.ownerSays(wire.Incoming{Text: &wire.Text{Body: "Hâlâ buradayız"}})
		sh.Later(time.Hour + time.Second)
		sh.Owner.Post(conversations+"/"+c.ID.String()+"/reply-as-agent", map[string]any{"body": "Geç"}).Refused(422, "window_closed")
	})
}

// A conversation that the owner begins waits for nobody, and the owner's messages prove
// nothing in the inbound test.
func TestConversationBegunByOwnerInApp(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.Owner.Do("PATCH", channels+"/"+sh.Account.ID.String()+"/ai", map[string]any{"enabled": true}).Want(200)
		at := channels + "/" + sh.Account.ID.String() + "/gelen-testi"
		var trial channel.Trial
		sh.Owner.Post(at, nil).Want(200).Data(&trial)
		sh.ownerSays(wire.Incoming{Text: &wire.Text{Body: *trial.Code}})
		trial = channel.Trial{}
		if sh.Owner.Get(at).Want(200).Data(&trial); trial.State != channel.TrialWaiting {
			t.Errorf("the owner's own words passed the test: %+v", trial)
		}
		if c := sh.Only(); c.WaitingSince != nil || c.AIState != conversation.AIOff || *c.ChannelAccountID != sh.Account.ID {
			t.Errorf("the conversation is %+v", c)
		}
	})
}
