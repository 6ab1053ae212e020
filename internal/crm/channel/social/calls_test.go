package social_test

import (
	"testing"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/calling"
	"konak/internal/crm/channel/social"
)

// Without an exchange calls cannot be turned on; the provider still decides whether a
// customer may be called.
func TestCalls(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		sh.says(elif, "Merhaba")
		at := conversations + "/" + sh.Only().ID.String() + "/social-call"
		var b calling.Button
		sh.Owner.Get(at).Want(200).Data(&b)
		if b.Available || *b.Reason != calling.ReasonNotAvailable || b.Permission != channel.CallNone || !b.CanRequest {
			t.Errorf("at first the button is %+v", b)
		}
		// A customer who already agreed is not asked.
		sh.Box.AnswerCallRequest(pageID, elif, true)
		if sh.Owner.Get(at).Want(200).Data(&b); b.Permission != channel.CallGranted || b.CanRequest {
			t.Errorf("of who agreed the button is %+v", b)
		}
		sh.Box.AnswerCallRequest(pageID, elif, false)
		sh.Owner.Post(at+"/permission", nil).Want(200)
		sh.Owner.Post(at+"/permission", nil).Want(200)
		if e := sh.Owner.Post(at+"/permission", nil).Refused(409, "conflict"); e.Reason != "request_limit" {
			t.Errorf("a third question: %+v", e)
		}
		if sh.Owner.Get(at).Want(200).Data(&b); b.CanRequest || b.Permission != channel.CallRequested || b.NextRequestAt == nil {
			t.Errorf("after two questions it is %+v", b)
		}
		if sent := sh.Box.Sent(pageID); len(sent) != 2 || sent[0].Message.Attachment.Payload.TemplateType != "calling_optin" {
			t.Errorf("the questions are %s", asText(sent))
		}
		sh.Box.AnswerCallRequest(pageID, elif, true)
		sh.Owner.Get(at).Want(200).Data(&b)
		if b.Permission != channel.CallGranted || b.ExpiresAt == nil {
			t.Errorf("after the customer agreed it is %+v", b)
		}
		sh.Box.Fail("messenger_call_permissions", 500, 2, 0, 0)
		if sh.Owner.Get(at).Want(200).Data(&b); b.Permission != channel.CallUnasked {
			t.Errorf("while the provider is down it is %+v", b)
		}

		var state calling.Changed
		sh.Owner.Put(channels+"/"+sh.Account.ID.String()+"/calling", map[string]any{"enabled": false, "icon": "hidden"}).Want(200).Data(&state)
		if state.Result != calling.ResultOK || state.Provider.Icon != channel.IconHidden || state.Provider.Status != channel.CallsOff {
			t.Errorf("the calls are %+v", state)
		}
		hours := map[string]any{"timezone": "Europe/Istanbul", "spans": []any{map[string]any{"day": 1, "from": "09:00", "to": "18:30"}}}
		sh.Owner.Put(channels+"/"+sh.Account.ID.String()+"/calling", map[string]any{"enabled": false, "hours": hours}).Want(200).Data(&state)
		if h := state.Provider.Hours.V; h == nil || h.Timezone != "Europe/Istanbul" || len(h.Spans) != 1 || h.Spans[0].To != "18:30" {
			t.Errorf("the hours are %+v", h)
		}
		// Messenger sends calls to no exchange.
		sh.Owner.Put(channels+"/"+sh.Account.ID.String()+"/calling", map[string]any{"enabled": true}).Want(200).Data(&state)
		if state.Result != calling.ResultRejected || *state.Exchange.Error != calling.ReasonNotAvailable || state.Provider.Status != channel.CallsOff {
			t.Errorf("enabling: %+v", state)
		}
	})
}

func TestNoCallsOnInstagram(t *testing.T) {
	connected(t, social.Instagram, func(t *testing.T, sh *shop) {
		sh.says(ayse, "Merhaba")
		sh.Owner.Get(channels+"/"+sh.Account.ID.String()+"/calling").Refused(409, "conflict")
		var b calling.Button
		sh.Owner.Get(conversations + "/" + sh.Only().ID.String() + "/social-call").Want(200).Data(&b)
		if b.Available || *b.Reason != calling.ReasonOtherChannel {
			t.Errorf("the button is %+v", b)
		}
	})
}
