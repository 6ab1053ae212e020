package identity_test

import (
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/kit/mailer"
)

// A workspace sees its own mails and never those that open other people's accounts.
func TestOutbox(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		w.Owner.Put(auth+"/password", object{"current_password": apptest.Password, "new_password": strong}).Want(200)
		s.Client("").Post(auth+"/password/forgot", object{"email": email}).Want(200)
		s.Settle()
		list := func(c *apptest.Client, query string) (out []mailer.OutboxMail) {
			c.Get(auth + "/outbox" + query).Want(200).Data(&out)
			return out
		}
		if l := list(w.Owner, ""); len(l) != 1 || l[0].To != email {
			t.Errorf("own outbox %+v", l)
		}
		if l := list(other.Owner, ""); len(l) != 0 {
			t.Errorf("another's outbox %+v", l)
		}
		if l := list(w.Owner, "?scope=service"); len(l) != 0 {
			t.Errorf("the service's outbox %+v", l)
		}
		s.Clock.Advance(16 * time.Minute)
		w.Owner.Get(auth+"/outbox").Refused(403, "step_up_required")
	})
}

// Anybody who opens the link of a mail acts as its recipient, so nobody reads mails to
// people who may do more than they.
func TestOutboxHidesMailsToMorePrivileged(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		w.Owner.Do("PUT", roles, object{"name": "postman", "title": "Postman", "permissions": []string{"identity.outbox.view", "crm.contacts.view"}}).Want(200)
		w.Owner.Do("PUT", roles, object{"name": "reader", "title": "Reader", "permissions": []string{"crm.contacts.view"}}).Want(200)
		invite := func(to, role string) string {
			w.Owner.Post(auth+"/invitations", object{"email": to, "role": role}).Want(201)
			return invitation(t, s, w, to)
		}
		var in struct {
			Token string `json:"session_token"`
		}
		s.Client("").Post(auth+"/invitations/accept", object{"token": invite("postman@example.com", "postman"), "name": "P", "password": strong}).Want(200).Data(&in)
		postman := s.Client(in.Token)
		invite("second-owner@example.com", "owner")
		invite("reader@example.com", "reader")
		w.Owner.Put(auth+"/password", object{"current_password": apptest.Password, "new_password": strong}).Want(200)
		s.Settle()
		for _, c := range []struct {
			who    *apptest.Client
			hidden map[string]bool
		}{
			{postman, map[string]bool{email: true, "second-owner@example.com": true, "reader@example.com": false, "postman@example.com": false}},
			{w.Owner, map[string]bool{email: false, "second-owner@example.com": false, "reader@example.com": false, "postman@example.com": false}},
		} {
			var list []mailer.OutboxMail
			c.who.Get(auth + "/outbox").Want(200).Data(&list)
			if len(list) != len(c.hidden) {
				t.Fatalf("the outbox has %d mails: %+v", len(list), list)
			}
			for _, k := range list {
				if k.Hidden != c.hidden[k.To] || k.Hidden != (k.Text == "") {
					t.Errorf("mail to %s: hidden %v, text %q", k.To, k.Hidden, k.Text)
				}
			}
		}
	})
}
