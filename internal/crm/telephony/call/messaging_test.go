package call_test

import (
	"testing"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/conversation"
	"konak/internal/crm/telephony/call"
	"konak/internal/exchange"
	"konak/internal/kit/db"
)

// account creates a messaging account whose calls the exchange takes.
func (o *office) account() uuid.UUID {
	o.t.Helper()
	var a channel.Account
	o.w.Owner.Post("/api/crm/v1/channels/custom", map[string]any{"name": "Uygulama", "address": "https://example.com/in"}).Want(201).Data(&a)
	err := o.DB.Tenant(o.w.ID).InTx(o.t.Context(), func(tx *db.Tx) error {
		return tx.Exec(`INSERT INTO phone_channel (tenant_id, account_id, channel, e164, key_hash, created_at) VALUES ($1, $2, 'custom', '+49301234567', $3, 0)`,
			o.w.ID, a.ID, []byte("hash"))
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return a.ID
}

// A customer's call over a messaging account rings the team like any other and appears in
// their conversation on that account. They become a contact, unless their number is
// blocked.
func TestCallOverAMessagingAccount(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		account := o.account()
		const stranger, blocked = "+905329990001", "+905329990002"
		in := o.x.Call(o.w.ID, "", account, stranger, "+49301234567")
		o.Settle()
		o.answer(o.legTo(o.username))
		first := o.want(call.Active, "")
		if first.Via != call.ViaChannel || first.To != "+49301234567" || first.From != stranger || first.ChannelID == nil || *first.ChannelID != account ||
			first.ContactID == nil || first.ConversationID == nil {
			o.t.Fatalf("the call is %+v", first)
		}
		o.end(in, exchange.CauseNormal)
		var c conversation.Conversation
		o.w.Owner.Get("/api/crm/v1/conversations/" + first.ConversationID.String()).Want(200).Data(&c)
		if c.Channel != "custom" || c.ChannelAccountID == nil || *c.ChannelAccountID != account || c.ContactID != *first.ContactID {
			o.t.Errorf("it stands in %+v", c)
		}
		in = o.x.Call(o.w.ID, "", account, stranger, "+49301234567")
		o.Settle()
		o.end(in, exchange.CauseCancelled)
		if again := o.want(call.Ended, call.Missed); again.ConversationID == nil || *again.ConversationID != c.ID || again.Cost != 0 {
			o.t.Errorf("the second call is %+v", again)
		}

		o.w.Owner.Post(path+"/blocked", map[string]any{"e164": blocked}).Want(201)
		o.x.Call(o.w.ID, "", account, blocked, "+49301234567")
		o.Settle()
		if got := o.want(call.Ended, call.Blocked); got.ContactID != nil || got.ConversationID != nil {
			o.t.Errorf("a blocked customer's call is %+v", got)
		}
		if _, err := o.SetSuspended(o.t.Context(), o.w.Slug, true); err != nil {
			o.t.Fatal(err)
		}
		o.x.Call(o.w.ID, "", account, stranger, "+49301234567")
		o.Settle()
		if log := o.x.Log(); log[len(log)-1] != "hang up unavailable" {
			o.t.Errorf("suspended: the exchange was asked %v", log)
		}
	})
}
