package identity_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/kit/api"
)

const (
	keys    = "/api/v1/auth/api-keys"
	catalog = "/api/erp/v1/webhooks/catalog"
)

func addKey(w *apptest.Workspace, body map[string]any) identity.ShownKey {
	var k identity.ShownKey
	for name, v := range map[string]any{"name": "Order sync", "environment": "live", "scopes": []string{"webhooks.read"}} {
		if _, ok := body[name]; !ok {
			body[name] = v
		}
	}
	w.Owner.Post(keys, body).Want(201).Data(&k)
	return k
}

func TestKeys(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		k := addKey(w, map[string]any{})
		if !strings.HasPrefix(k.Key, "key_live_") || !strings.HasSuffix(k.Key, k.Last4) || *k.CreatedBy != w.Member || k.LastUsedAt != nil {
			t.Errorf("got %+v", k)
		}
		if test := addKey(w, map[string]any{"environment": "test"}); !strings.HasPrefix(test.Key, "key_test_") {
			t.Errorf("got %+v", test)
		}
		c := s.Client(k.Key)
		c.Get(catalog).Want(200)
		c.Host("demo.erp.localhost").Get(catalog).Want(200)
		c.Host("acme.erp.localhost").Get(catalog).Refused(401, "unauthenticated")

		list := w.Owner.Get(keys).Want(200)
		var rows []identity.APIKey
		list.Data(&rows)
		if len(rows) != 2 || rows[1].ID != k.ID || rows[1].LastUsedAt == nil {
			t.Errorf("got %+v", rows)
		}
		if strings.Contains(string(list.Body), k.Key) {
			t.Error("the list shows a key")
		}
		one := keys + "/" + k.ID.String()

		// Narrower scopes take effect at once.
		var changed identity.APIKey
		w.Owner.Do("PATCH", one, map[string]any{"name": "Depo", "scopes": []string{"contacts.read", "contacts.read"}}).Want(200).Data(&changed)
		if changed.Name != "Depo" || !cmp.Equal(changed.Scopes, []string{"contacts.read"}) {
			t.Errorf("got %+v", changed)
		}
		if f := c.Get(catalog).Refused(403, "forbidden"); f.Permission != "erp.settings.view" {
			t.Errorf("got %+v", f)
		}
		w.Owner.Do("PATCH", one, map[string]any{"scopes": []string{"erp.settings.view"}}).Want(200)
		c.Get(catalog).Want(200)

		// A new secret ends the old one at once.
		var rotated identity.ShownKey
		w.Owner.Post(one+"/rotate", nil).Want(200).Data(&rotated)
		c.Get(catalog).Refused(401, "unauthenticated")
		c = s.Client(rotated.Key)
		c.Get(catalog).Want(200)

		w.Owner.Delete(one).Want(200)
		c.Get(catalog).Refused(401, "unauthenticated")
		w.Owner.Delete(one).Refused(404, "not_found")
		w.Owner.Post(one+"/rotate", nil).Refused(404, "not_found")
		w.Owner.Do("PATCH", one, map[string]any{"name": "x"}).Refused(404, "not_found")
		for _, secret := range []string{k.Key, rotated.Key} {
			if strings.Contains(s.Logs.String(), secret) {
				t.Error("a key is in the log")
			}
		}
	})
}

func TestKeyExpires(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		k := addKey(w, map[string]any{"expires_at": s.Clock.Now().Add(time.Minute)})
		s.Client(k.Key).Get(catalog).Want(200)
		s.Clock.Advance(time.Minute)
		s.Client(k.Key).Get(catalog).Refused(401, "unauthenticated")
		// A later end brings it back.
		w.Owner.Do("PATCH", keys+"/"+k.ID.String(), map[string]any{"expires_at": s.Clock.Now().Add(time.Minute)}).Want(200)
		s.Client(k.Key).Get(catalog).Want(200)
		past := map[string]any{"name": "x", "environment": "live", "scopes": []string{"webhooks.read"}, "expires_at": s.Clock.Now()}
		if f := w.Owner.Post(keys, past).Refused(422, "validation_failed"); f.Fields["expires_at"][0] != "in_the_past" {
			t.Errorf("got %+v", f)
		}
	})
}

func TestKeyRefusals(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for field, body := range map[string]map[string]any{
			"scopes":      {"name": "x", "environment": "live", "scopes": []string{"everything"}},
			"environment": {"name": "x", "environment": "staging", "scopes": []string{"webhooks.read"}},
			"name":        {"name": "  ", "environment": "live", "scopes": []string{"webhooks.read"}},
		} {
			if f := w.Owner.Post(keys, body).Refused(422, "validation_failed"); len(f.Fields[field]) != 1 {
				t.Errorf("%s: got %+v", field, f)
			}
		}
		w.Owner.Post(keys, map[string]any{"name": "x", "environment": "live", "scopes": []string{}}).Refused(422, "validation_failed")

		// A key has no more rights than its maker; a secret of a stronger key is not shown
		// either.
		strong := addKey(w, map[string]any{"scopes": []string{"conversations.write"}})
		w.Owner.Do("PUT", roles, map[string]any{"name": "keeper", "title": "Keeper", "permissions": []string{"identity.api_keys.manage", "erp.settings.view"}}).Want(200)
		if err := s.Identity.AddMember(t.Context(), w.ID, "Keeper", "keeper@demo.example", apptest.Password, "keeper"); err != nil {
			t.Fatal(err)
		}
		keeper := w.SignIn("keeper@demo.example")
		ask := map[string]any{"name": "x", "environment": "live", "scopes": []string{"webhooks.read"}}
		keeper.Post(keys, ask).Want(201)
		ask["scopes"] = []string{"webhooks.manage"}
		if f := keeper.Post(keys, ask).Refused(403, "forbidden"); f.Permission != "erp.settings.manage" {
			t.Errorf("got %+v", f)
		}
		one := keys + "/" + strong.ID.String()
		keeper.Post(one+"/rotate", nil).Refused(403, "forbidden")
		keeper.Do("PATCH", one, map[string]any{"scopes": []string{"conversations.read"}}).Refused(403, "forbidden")
		keeper.Get(keys).Refused(403, "forbidden")
		keeper.Delete(one).Want(200) // but may end it

		// A repeated Idempotency-Key cannot show the secret again.
		again := w.Owner.Header("Idempotency-Key", "k1")
		again.Post(keys, map[string]any{"name": "x", "environment": "live", "scopes": []string{"webhooks.read"}}).Want(201)
		again.Post(keys, map[string]any{"name": "x", "environment": "live", "scopes": []string{"webhooks.read"}}).Refused(409, "idempotency_replay")

		s.Clock.Advance(api.StepUpAge + time.Second)
		w.Owner.Get(keys).Want(200)
		for _, call := range []func() *apptest.Response{
			func() *apptest.Response { return w.Owner.Post(keys, ask) },
			func() *apptest.Response { return w.Owner.Post(one+"/rotate", nil) },
			func() *apptest.Response { return w.Owner.Do("PATCH", one, map[string]any{"name": "x"}) },
			func() *apptest.Response { return w.Owner.Delete(one) },
		} {
			call().Refused(403, "step_up_required")
		}
	})
}
