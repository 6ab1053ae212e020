// Package turnstile stands in for Cloudflare Turnstile: a server that speaks its
// siteverify, issues tokens and accepts each one once. Its script shows a widget in a
// browser.
package turnstile

import (
	"net/http"

	"konak/internal/sandbox/widget"
)

// Duplicate is the error code of a token that was used before.
const Duplicate = "timeout-or-duplicate"

// Server is the stand-in.
type Server struct{ widget.Service }

// New returns a service for one site.
func New(secret string) *Server {
	return &Server{widget.Service{Widget: widget.Widget{Global: "turnstile", Script: "/turnstile/v0/api.js"}, Secret: secret, UsedCode: Duplicate}}
}

type answer struct {
	Success     bool     `json:"success"`
	ChallengeTS string   `json:"challenge_ts,omitempty"`
	Hostname    string   `json:"hostname,omitempty"`
	ErrorCodes  []string `json:"error-codes"`
	Action      string   `json:"action"`
	CData       string   `json:"cdata"`
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Answer(w, r, func() any {
		code := widget.BadRequest
		if r.Method != http.MethodPost || r.URL.Path != "/turnstile/v0/siteverify" || r.ParseForm() != nil {
			w.WriteHeader(http.StatusBadRequest)
		} else if code = s.CheckSecret(r.PostForm.Get("secret")); code == "" {
			code = s.Redeem(r.PostForm.Get("response"))
		}
		if code != "" {
			return answer{ErrorCodes: []string{code}}
		}
		return answer{Success: true, ChallengeTS: "2026-11-15T09:00:00.000Z", Hostname: "localhost", ErrorCodes: []string{}}
	})
}
