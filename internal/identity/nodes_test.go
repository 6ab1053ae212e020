package identity_test

import (
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

// A credential revoked on one node is refused there at once, and on the others after five
// seconds at most.
func TestRevokedCredentialOnOtherNodes(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.Postgres)
	there := s.Node()
	w := s.Workspace("demo")
	guest, key := w.Guest(), w.Key(false, perm.SettingsView)
	member := me(t, guest).Membership.ID
	far := func(c *apptest.Client) *apptest.Client { return there.Client(c.Token()) }

	for _, c := range []*apptest.Client{w.Owner, guest} {
		far(c).Get(auth + "/me").Want(200)
	}
	far(key).Get(catalog).Want(200)
	w.Owner.Do("PUT", roles, object{"name": "guest", "title": "Guest", "permissions": []string{"crm.contacts.view"}}).Want(200)
	if n := len(me(t, guest).Permissions); n != 1 {
		t.Errorf("%d permissions here", n)
	}
	s.Clock.Advance(5 * time.Second)
	if n := len(me(t, far(guest)).Permissions); n != 1 {
		t.Errorf("%d permissions there", n)
	}

	var keys []identity.APIKey
	w.Owner.Get(auth + "/api-keys").Want(200).Data(&keys)
	w.Owner.Post("/api/crm/v1/agents/"+member.String()+"/suspension", nil).Want(200)
	w.Owner.Delete(auth + "/api-keys/" + keys[0].ID.String()).Want(200)
	guest.Get(auth+"/me").Refused(401, "unauthenticated")
	key.Get(catalog).Refused(401, "unauthenticated")
	s.Clock.Advance(5*time.Second - time.Microsecond)
	far(key).Get(catalog) // the bound is not over, either answer is right
	s.Clock.Advance(time.Microsecond)
	far(guest).Get(auth+"/me").Refused(401, "unauthenticated")
	far(key).Get(catalog).Refused(401, "unauthenticated")
	far(w.Owner).Get(auth + "/me").Want(200)
	w.Owner.Post(auth+"/sign-out", nil).Want(200)
	s.Clock.Advance(5 * time.Second)
	far(w.Owner).Get(auth+"/me").Refused(401, "unauthenticated")
}
