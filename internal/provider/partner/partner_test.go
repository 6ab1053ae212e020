package partner_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	channel "konak/internal/crm/channel/partner"
	"konak/internal/kit/secret"
	wire "konak/internal/provider/partner"
)

var app = channel.App{ID: "4711", Secret: secret.Of("secret")}

// answers is a provider that answers by the end of the path, and counts.
type answers map[string]string

func (a answers) open(t *testing.T) (*wire.Client, map[string]int) {
	t.Helper()
	asked := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for end, text := range a {
			if strings.HasSuffix(r.URL.Path, end) {
				asked[end]++
				_, _ = w.Write([]byte(text))
				return
			}
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	return wire.New(server.URL, http.DefaultTransport), asked
}

// opens returns the provider's description of a token.
func opens(t *testing.T, appID string, valid bool, businesses ...string) string {
	t.Helper()
	var d wire.Debug
	d.Data.AppID, d.Data.Valid = appID, valid
	d.Data.Scopes = []wire.Scope{{Name: wire.ScopeWhatsApp, Targets: businesses}, {Name: "another", Targets: []string{"99"}}}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A token that is invalid, or belongs to another program, grants nothing, whatever the
// provider would list for it.
func TestTokenOfOtherAppGrantsNothing(t *testing.T) {
	const pages = `{"data":[{"id":"1","name":"Demo","access_token":"page-token"}]}`
	for name, c := range map[string]struct {
		debug string
		want  int
	}{
		"ours":               {opens(t, "4711", true), 1},
		"another program's":  {opens(t, "4712", true), 0},
		"one that is over":   {opens(t, "4711", false), 0},
		"nothing is said of": {`{}`, 0},
	} {
		client, asked := answers{"/debug_token": c.debug, "/me/accounts": pages}.open(t)
		got, err := client.Assets(t.Context(), app, secret.Of("token"))
		if len(got.Pages) != c.want || (err == nil) != (c.want > 0) || asked["/me/accounts"] != c.want {
			t.Errorf("%s: %d pages, asked %d times, %v", name, len(got.Pages), asked["/me/accounts"], err)
		}
	}
}

// An answer without a token is an error.
func TestExchangeWithoutToken(t *testing.T) {
	for text, good := range map[string]bool{`{}`: false, `{"access_token":""}`: false, `{"access_token":"t"}`: true} {
		client, _ := answers{"/oauth/access_token": text}.open(t)
		if token, err := client.Exchange(t.Context(), app, "code", "https://konak.example"); (err == nil) != good || good != (token.Reveal() == "t") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// An account named by two permissions is read once, and a list that never ends is read up
// to its fifth page.
func TestListsAreBounded(t *testing.T) {
	client, asked := answers{
		"/debug_token": opens(t, "4711", true, "20001", "20001"), "/20001/phone_numbers": `{"data":[{"id":"20011"}]}`,
		"/me/accounts": `{"data":[{"id":"1"}],"paging":{"cursors":{"after":"x"},"next":"https://graph.example/next"}}`,
	}.open(t)
	got, err := client.Assets(t.Context(), app, secret.Of("token"))
	if err != nil || len(got.Numbers) != 1 || asked["/20001/phone_numbers"] != 1 || len(got.Pages) != 5 || asked["/me/accounts"] != 5 {
		t.Errorf("%+v, asked %v, %v", got, asked, err)
	}
}
