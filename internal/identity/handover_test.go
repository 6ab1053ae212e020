package identity_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/kit/perm"
)

// A session moves from the host of one workspace to that of another with a code that works
// once, there, for a minute and for the address that requested it.
func TestSessionHandoverToOtherHost(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, behindProxy, func(t *testing.T, s *apptest.Server) {
		w, foreign := s.Workspace("demo"), s.Workspace("acme")
		var there identity.OwnWorkspace
		w.Owner.Post(auth+"/workspaces", object{"name": "Şube", "slug": "sube"}).Want(201).Data(&there)
		const from = "192.0.2.1"
		here := w.Owner.Host("demo.crm.localhost").Header("X-Forwarded-For", from)
		browser := s.Client("").Host("sube.crm.localhost").Header("X-Forwarded-For", from)
		give := func() (h identity.Handover) {
			t.Helper()
			resp := here.Post(auth+"/handover", object{"workspace_id": there.Workspace.ID}).Want(201).Data(&h)
			if !strings.Contains(resp.Header.Get("Set-Cookie"), "Max-Age=0") {
				t.Error("the old host keeps its cookie")
			}
			return h
		}
		take := func(c *apptest.Client, code string) *apptest.Response {
			return c.Post(auth+"/handover/claim", object{"code": code})
		}
		here.Post(auth+"/handover", object{"workspace_id": foreign.ID}).Refused(404, "not_found")
		w.Key(false, perm.All()...).Post(auth+"/handover", object{"workspace_id": there.Workspace.ID}).Refused(401, "session_required")

		code := give()
		if code.Workspace != there.Workspace || !code.ExpiresAt.Equal(s.Clock.Now().Add(time.Minute)) {
			t.Errorf("got %+v", code)
		}
		here.Get(auth + "/me").Want(200) // nothing happened yet
		take(browser, "hov_nonsense").Refused(422, "link_expired")
		take(browser.Host("acme.crm.localhost"), code.Code).Refused(422, "link_expired")
		take(browser.Header("X-Forwarded-For", "192.0.2.2"), code.Code).Refused(422, "link_expired")
		take(browser.Header("Sec-Fetch-Site", "cross-site"), code.Code).Refused(403, "cross_origin")

		// Of many concurrent pages one succeeds.
		answers := make([]*apptest.Response, 8)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() { answers[i] = browser.Do("POST", auth+"/handover/claim", object{"code": code.Code}) })
		}
		wg.Wait()
		var in identity.SignedIn
		opened := 0
		for _, r := range answers {
			if r.Status == http.StatusOK {
				opened++
				r.Data(&in)
				if r.Header.Get("Set-Cookie") == "" {
					t.Error("no cookie for the host")
				}
			} else {
				r.Refused(422, "link_expired")
			}
		}
		if opened != 1 || in.Workspace != there.Workspace {
			t.Fatalf("%d sessions: %+v", opened, in)
		}
		s.Client(in.Token).Host("sube.crm.localhost").Get(auth + "/me").Want(200)
		s.Client(in.Token).Host("demo.crm.localhost").Get(auth+"/me").Refused(401, "unauthenticated")
		here.Get(auth+"/me").Refused(401, "unauthenticated")

		// The code expires after a minute, and its session must still be open.
		w.Owner = w.SignIn(email)
		here = w.Owner.Header("X-Forwarded-For", from)
		late := give()
		s.Clock.Advance(time.Minute)
		take(browser, late.Code).Refused(422, "link_expired")
		gone := give()
		here.Post(auth+"/sign-out", nil).Want(200)
		take(browser, gone.Code).Refused(422, "link_expired")
	})
}
