package customer_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/provider/graph"
	wire "konak/internal/provider/whatsapp"
	"konak/internal/sandbox/customer"
	"konak/internal/sandbox/whatsapp"
)

// If the visitor decides by hand, templates wait; otherwise they are approved at once.
func TestReview(t *testing.T) {
	t.Parallel()
	box := whatsapp.New(clock.NewFake(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)))
	t.Cleanup(box.Close)
	box.Add(whatsapp.Business{ID: "1", Token: "token", AppSecret: "secret", Numbers: []wire.PhoneNumber{{ID: "11", Display: "+90 212 555 01 01"}}})
	page := customer.NewPage()
	page.Add(customer.Workspace{
		Slug: "demo", Name: "Demo", Channels: []customer.Channel{customer.OnWhatsApp(box, "1", "11")}, Review: customer.ReviewOf(box, "1"),
	})
	submit := func(name string) {
		t.Helper()
		r := httptest.NewRequest(http.MethodPost, "/"+graph.Version+"/1/message_templates",
			strings.NewReader(`{"name":"`+name+`","language":"tr","category":"UTILITY","components":[{"type":"BODY","text":"Yolda"}]}`))
		r.Header.Set("Authorization", "Bearer token")
		w := httptest.NewRecorder()
		if box.ServeHTTP(w, r); w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	check := func(want ...string) {
		t.Helper()
		text := show(t, page)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%q is not on the page: %s", w, text)
			}
		}
	}
	submit("bir")
	check("<code>bir</code> tr: APPROVED", "Let me decide")
	send(t, page, url.Values{"act": {"by-hand"}, "by_hand": {"on"}}, nil)
	submit("iki")
	submit("uc")
	check("<code>iki</code> tr: <strong>PENDING</strong>", "Approve at once")
	if text := show(t, page); strings.Index(text, "<code>bir") < strings.Index(text, "<code>uc") {
		t.Error("what waits does not stand first")
	}
	for name, answer := range map[string]string{"iki": "approve", "uc": "reject"} {
		send(t, page, url.Values{"act": {"template"}, "name": {name}, "language": {"tr"}, "answer": {answer}}, nil)
	}
	check("<code>iki</code> tr: APPROVED", "<code>uc</code> tr: REJECTED")
	send(t, page, url.Values{"act": {"by-hand"}, "by_hand": {"off"}}, nil)
	submit("dort")
	check("<code>dort</code> tr: APPROVED")
}

// A workspace without templates has nothing to review.
func TestNothingToReview(t *testing.T) {
	t.Parallel()
	page, _ := openPage(t)
	for _, act := range []string{"template", "by-hand"} {
		if w := send(t, page, url.Values{"act": {act}}, nil); !strings.Contains(w.Header().Get("Location"), "failed=cannot") {
			t.Errorf("%s: sent to %s", act, w.Header().Get("Location"))
		}
	}
}
