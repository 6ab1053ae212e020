package app_test

import (
	"encoding/xml"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"konak/internal/app"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// Every page of the demo's help center is small and has no script, and there are a dozen
// articles in each language.
func TestDemoHelpCenter(t *testing.T) {
	t.Parallel()
	a, err := app.Open(t.Context(), app.Config{
		DB: dbtest.URL(t, db.SQLite), Data: t.TempDir(), Listen: "127.0.0.1:0", PrivateListen: "off", Domain: "localhost", SQLiteSync: "normal", Demo: true,
	}, slog.New(slog.DiscardHandler), clock.NewFake(dbtest.Start))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	get := func(url string) []byte {
		t.Helper()
		w := httptest.NewRecorder()
		a.API.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", url, nil))
		if w.Code != 200 {
			t.Fatalf("%s: %d", url, w.Code)
		}
		return w.Body.Bytes()
	}
	var m struct {
		URL []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal(get("http://demo.help.localhost/sitemap.xml"), &m); err != nil {
		t.Fatal(err)
	}
	articles := map[bool]int{}
	for _, u := range m.URL {
		body := get(u.Loc)
		if len(body) > 30_000 || strings.Contains(string(body), "<script") {
			t.Errorf("%s has %d bytes, or a script", u.Loc, len(body))
		}
		if strings.Contains(u.Loc, "/a/") {
			articles[strings.Contains(u.Loc, "/tr/")]++
		}
	}
	if articles[true] < 12 || articles[true] != articles[false] {
		t.Errorf("%d articles in Turkish, %d in English", articles[true], articles[false])
	}
}
