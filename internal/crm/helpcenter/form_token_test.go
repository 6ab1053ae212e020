package helpcenter_test

import (
	"net/url"
	"regexp"
	"testing"
	"time"

	"konak/internal/app/apptest"
)

var tokenField = regexp.MustCompile(`name="form" value="([^"]+)"`)

// formToken returns the token of a contact form on a page.
func formToken(t *testing.T, page *apptest.Response) string {
	t.Helper()
	found := tokenField.FindSubmatch(page.Body)
	if found == nil {
		t.Fatalf("no token in\n%s", page.Body)
	}
	return string(found[1])
}

// A message needs a form of this site that was shown a moment ago, and each form brings one
// message. The visitor's text is never lost.
func TestContactFormIsSentOnce(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := open(t, s, "ada")
		v := d.visitor()
		send := func(token, message string) *apptest.Response {
			return post(v, "/tr/contact", url.Values{"email": {"a@b.example"}, "message": {message}, "form": {token}})
		}
		shown := v.Get("/tr/contact").Want(200)
		if got := shown.Header.Get("Cache-Control"); got != "no-store" || shown.Header.Get("ETag") != "" {
			t.Errorf("a form is kept by caches: %q", got)
		}
		token := formToken(t, shown)
		if token == formToken(t, v.Get("/tr/contact")) {
			t.Error("two forms have one token")
		}

		// Too early: the same form can be sent a moment later.
		s.Clock.Advance(2 * time.Second)
		early := send(token, "Nerede?").Want(422)
		if wants(t, early, "Nerede?", "bir kez daha"); formToken(t, early) != token {
			t.Error("the visitor has to wait from the beginning")
		}
		s.Clock.Advance(time.Second)
		send(token, "Nerede?").Want(303)
		send(token, "Nerede?").Want(303) // a double click
		if n := len(d.conversations()); n != 1 {
			t.Fatalf("%d conversations", n)
		}

		// A different message needs another form, which comes with the response.
		used := send(token, "Başka").Want(409)
		wants(t, used, "Başka")
		s.Clock.Advance(4 * time.Second)
		send(formToken(t, used), "Başka").Want(303)

		// No token, a changed one, one of another workspace and an expired one.
		other := open(t, s, "baska")
		foreign := formToken(t, other.visitor().Get("/tr/contact").Want(200))
		fresh := formToken(t, v.Get("/tr/contact"))
		changed := "A" + fresh[1:]
		if changed == fresh {
			changed = "B" + fresh[1:]
		}
		s.Clock.Advance(4 * time.Second)
		for _, token := range []string{"", "x", changed, foreign} {
			if r := send(token, "spam").Want(422); formToken(t, r) == token {
				t.Errorf("%q is shown again", token)
			}
		}
		s.Clock.Advance(12 * time.Hour)
		old := send(fresh, "Uzun sürdü").Want(422)
		s.Clock.Advance(4 * time.Second)
		send(formToken(t, old), "Uzun sürdü").Want(303)
		d.Workspace.Owner = d.SignIn("owner@ada.example")
		if n := len(d.conversations()); n != 3 {
			t.Errorf("%d conversations", n)
		}
	})
}
