package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"konak/internal/kit/db"
)

// BenchmarkCore is a request without the network, for profiles and allocations:
//
//	go test -run '^$' -bench Core -benchmem ./internal/tools/bench
func BenchmarkCore(b *testing.B) {
	e := newEnv()
	b.Cleanup(func() {
		if err := e.close(); err != nil {
			b.Error(err)
		}
	})
	h, err := e.node(b.Context(), db.SQLite)
	if err != nil {
		b.Fatal(err)
	}
	for _, bm := range []struct {
		name, method, path, body string
	}{
		{"echo", "POST", echoPath, sampleBody},
		{"me", "GET", "/api/v1/auth/me", ""},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(bm.method, bm.path, strings.NewReader(bm.body))
				r.Header.Set("Authorization", "Bearer "+h.token)
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				h.app.API.Handler().ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}
