package whatsapp_test

import (
	"testing"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/reply"
)

// A conversation that an agent opens while the window is closed still belongs to the
// number: templates can be sent in it, and the customer's message comes into it.
func TestConversationOpenedOutsideWindow(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		news := sh.approved("kargo_bilgisi")
		who := sh.customer("+" + elif.ID)
		var begun struct {
			Data     conversation.Conversation `json:"data"`
			Delivery string                    `json:"delivery"`
			Error    *string                   `json:"delivery_error"`
		}
		sh.Owner.Post(conversations+"/new-as-agent", map[string]any{"contact_id": who.ID, "channel": "whatsapp", "body": "Merhaba"}).Want(201).Whole(&begun)
		c := begun.Data
		if begun.Delivery != "failed" || *begun.Error != "window_closed" || c.ChannelAccountID == nil || *c.ChannelAccountID != sh.Account.ID || c.FirstReplyAt != nil {
			t.Fatalf("got %+v", begun)
		}
		path := conversations + "/" + c.ID.String()
		var choice reply.ChatTemplates
		sh.Owner.Get(path + "/chat-templates").Want(200).Data(&choice)
		if choice.WindowOpen || len(choice.Templates) != 1 {
			t.Errorf("the choice is %+v", choice)
		}
		if sent := sh.send(c.ID, map[string]any{"template_id": news.ID, "body": []string{"Elif", "4711"}}); sent.Delivery != conversation.Sent {
			t.Errorf("got %+v", sent)
		}
		sh.says("Merhaba")
		if only := sh.Only(); only.ID != c.ID || only.FirstReplyAt == nil {
			t.Errorf("got %+v", only)
		}
	})
}

// A reply or a new conversation over a paused number is told that it is paused.
func TestPausedNumberIsReported(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.Only()
		sh.Owner.Do("PATCH", channels+"/"+sh.Account.ID.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		if e := sh.Owner.Post(conversations+"/"+c.ID.String()+"/reply-as-agent", map[string]any{"body": "x"}).Refused(409, "channel_unavailable"); e.Reason != "paused" {
			t.Errorf("got %+v", e)
		}
		var begun struct {
			Delivery string     `json:"delivery"`
			Error    *string    `json:"delivery_error"`
			Channel  *string    `json:"delivery_channel"`
			Account  *uuid.UUID `json:"channel_account_id"`
			Reused   bool       `json:"reused"`
		}
		sh.Owner.Post(conversations+"/new-as-agent", map[string]any{"contact_id": c.ContactID, "channel": "whatsapp", "body": "x"}).Want(201).Whole(&begun)
		if begun.Delivery != "failed" || begun.Error == nil || *begun.Error != "channel_unavailable" || !begun.Reused ||
			begun.Channel == nil || *begun.Channel != "whatsapp" || begun.Account == nil || *begun.Account != sh.Account.ID {
			t.Errorf("got %+v", begun)
		}
		var ways []reply.ReplyChannel
		sh.Owner.Get(conversations + "/" + c.ID.String() + "/reply-channels").Want(200).Data(&ways)
		if ways[0].Available || *ways[0].Reason != "channel_unavailable" {
			t.Errorf("got %+v", ways[0])
		}
	})
}
