package partner_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"konak/internal/crm/channel/partner"
	"konak/internal/kit/dbtest"
	pages "konak/internal/sandbox/social"
)

// Without a person's consent the provider is not called: neither with a code in addition to
// the refusal nor without a code.
func TestProviderIsNotCalledWithoutConsent(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		code := sh.Box.Agree("4711", []string{pageID}, nil)
		for _, query := range []url.Values{{"code": {code}, "error": {"access_denied"}}, {}} {
			query.Set("state", sh.begins())
			if e := sh.comesBack(query).Refused(409, "conflict"); e.Reason != partner.StepConsent {
				t.Errorf("%v: %+v", query, e)
			}
		}
		sh.comesBack(url.Values{"state": {sh.begins()}, "code": {code}}).Want(200) // it was not used
	})
}

// A claim of a page connects the page, and none of the numbers that were shared with it.
func TestPageClaimConnectsOnlyThePage(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		sh.comesBack(url.Values{"state": {sh.begins()}, "page_id": {pageID}, "code": {sh.Box.Agree("4711", []string{pageID, otherID}, []string{business})}}).Want(200)
		if list := sh.accounts(); !slices.Equal(list, everything[:2]) {
			t.Errorf("connected are %v", list)
		}
	})
}

// One sign-up connects at most fifty accounts; if there are more, none is connected, and no
// page is subscribed.
func TestTooManyAccounts(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		list := []string{}
		for n := range 26 {
			id := strconv.Itoa(30000 + n)
			sh.Box.Add(pages.Page{ID: id, Name: id, Token: "token of " + id, InstagramID: "ig of " + id, Username: id, AppID: "4711"})
			list = append(list, id)
		}
		e := sh.comesBack(url.Values{"state": {sh.begins()}, "code": {sh.Box.Agree("4711", list, nil)}}).Refused(422, "limit_reached")
		if e.Reason != partner.StepAssets || len(sh.accounts()) != 0 || sh.Box.Subscribed(list[0]) {
			t.Errorf("%+v, connected are %v", e, sh.accounts())
		}
		var got partner.Connected
		sh.comesBack(url.Values{"state": {sh.begins()}, "code": {sh.Box.Agree("4711", list[:25], nil)}}).Want(200).Data(&got)
		if n := len(got.Accounts); n != 50 {
			t.Errorf("%d accounts are connected", n)
		}
	})
}

// Long words of the provider are cut, without splitting a character.
func TestLongProviderMessagesAreCut(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		sh.Answer(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/oauth/access_token") {
				sh.Box.ServeHTTP(w, r)
				return
			}
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":{"message":"x` + strings.Repeat("ş", 5000) + `","code":100}}`))
		})
		e := sh.comesBack(url.Values{"state": {sh.begins()}, "code": {"the-code"}}).Refused(502, "provider_rejected")
		if n := strings.Count(e.Message, "ş"); n < 100 || n > 150 || !strings.Contains(e.Message, "ş…") {
			t.Errorf("%d letters are told: %s", n, e.Message)
		}
	})
}

// Sign-ups that nobody returned from are deleted.
func TestAbandonedSignUpsAreDeleted(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		kept := func() int {
			_, rows, _ := strings.Cut(dbtest.Dump(t, sh.Server.DB, sh.ID), "\npartner_signup\n")
			rows, _, _ = strings.Cut(rows, "\npartner_signup_failure\n")
			return len(strings.Fields(strings.ReplaceAll(rows, " ", "")))
		}
		sh.begins()
		sh.begins()
		if n := kept(); n != 2 {
			t.Fatalf("%d sign-ups are kept", n)
		}
		sh.Later(16 * time.Minute)
		sh.begins()
		if n := kept(); n != 1 {
			t.Errorf("%d sign-ups are kept", n)
		}
	})
}
