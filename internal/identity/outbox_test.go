package identity_test

import (
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/kit/mailer"
)

// A workspace sees its own letters and never those that open other people's
// accounts.
func TestOutbox(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		w.Owner.Put(auth+"/password", object{"current_password": apptest.Password, "new_password": strong}).Want(200)
		s.Client("").Post(auth+"/password/forgot", object{"email": email}).Want(200)
		s.Settle()
		list := func(c *apptest.Client, query string) (out []mailer.Kept) {
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
