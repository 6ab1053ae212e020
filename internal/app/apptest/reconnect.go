package apptest

import (
	"slices"

	"konak/internal/crm/channel"
	"konak/internal/identity"
)

// Reconnection is how an account is connected, and how a customer writes to it.
type Reconnection struct {
	// Connect connects the account to the workspace.
	Connect func(w *Workspace) channel.Account
	Says    func(text string)
	// Sent returns the texts that were sent since the last call.
	Sent func() []string
}

// ConnectAgain checks that an account that was disconnected works again when it is
// reconnected: the earlier conversation is answered and continues. Another workspace that
// connects it meanwhile gets its own conversation.
func (sh *Shop[S]) ConnectAgain(r Reconnection) {
	t := sh.T
	t.Helper()
	sh.Account = r.Connect(sh.Workspace)
	r.Says("ilk")
	c := sh.Only()
	leave := func() {
		t.Helper()
		sh.Owner.Delete(Channels + "/" + sh.Account.ID.String()).Want(200)
		sh.Settle()
		sh.TryReply(c.ID, "kesikken").Refused(422, "no_route")
	}
	goesOn := func(body string) {
		t.Helper()
		before := len(sh.Events())
		if a := r.Connect(sh.Workspace); a.ID != sh.Account.ID || a.Status != channel.Active || a.Reason != nil {
			t.Fatalf("connected again, %s is %+v", sh.Account.ID, a)
		}
		if events := sh.Events()[before:]; !slices.Equal(events, []string{channel.StatusChanged}) {
			t.Errorf("the events are %v", events)
		}
		sh.Settle()
		r.Sent()
		item := sh.Reply(c.ID, "yanıt: "+body)
		sh.Settle()
		if sent, got := r.Sent(), DeliveryOf(sh.Item(c.ID, item.ID)); !slices.Contains(sent, "yanıt: "+body) || got != "sent" {
			t.Errorf("the answer is %s, and the customer got %v", got, sent)
		}
		r.Says(body)
		now := sh.Only()
		if items := sh.Items(now.ID); now.ID != c.ID || now.ContactID != c.ContactID || items[0].Body != body {
			t.Errorf("the conversation is %+v, its newest item %+v", now, items[0])
		}
	}
	leave()
	goesOn("iki")
	leave()
	goesOn("üç")
	// What the other workspace left belongs to nobody.
	leave()
	other := sh.Another()
	theirs := r.Connect(other.Workspace)
	if theirs.ID == sh.Account.ID {
		t.Fatal("another workspace got the account")
	}
	if n := len(other.Inbox()); n != 0 {
		t.Errorf("another workspace sees %d conversations", n)
	}
	other.Owner.Get(Channels+"/"+sh.Account.ID.String()).Refused(404, "not_found")
	other.Owner.Delete(Channels + "/" + theirs.ID.String()).Want(200)
	sh.Settle()
	goesOn("dört")
	var connected []identity.AuditLine
	sh.Owner.Get("/api/v1/auth/audit?action=channel.connected").Want(200).Data(&connected)
	if len(connected) != 4 {
		t.Errorf("the audit trail has %d lines", len(connected))
	}
}
