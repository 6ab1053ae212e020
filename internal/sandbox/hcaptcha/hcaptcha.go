// Package hcaptcha stands in for hCaptcha: a server that speaks its siteverify, issues
// tokens and accepts each one once, for its own site. Its script shows a widget in a
// browser.
package hcaptcha

import (
	"net/http"
	"strings"

	"konak/internal/sandbox/widget"
)

// Error codes that only this service has.
const (
	AlreadySeen = "already-seen-response"
	Mismatch    = "sitekey-secret-mismatch"
)

// Server is the stand-in.
type Server struct {
	widget.Service
	siteKey string
}

// New returns a service for one site.
func New(secret, siteKey string) *Server {
	return &Server{
		Service: widget.Service{Widget: widget.Widget{Global: "hcaptcha", Script: "/1/api.js"}, Secret: secret, UsedCode: AlreadySeen}, siteKey: siteKey,
	}
}

type answer struct {
	Success     bool     `json:"success"`
	ChallengeTS string   `json:"challenge_ts,omitempty"`
	Hostname    string   `json:"hostname,omitempty"`
	ErrorCodes  []string `json:"error-codes,omitempty"`
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Answer(w, r, func() any {
		if code := s.check(r); code != "" {
			return answer{ErrorCodes: []string{code}}
		}
		return answer{Success: true, ChallengeTS: "2026-11-15T09:00:00.000000Z", Hostname: "localhost"}
	})
}

// check returns the error code of a refused request, or "". The service accepts forms only.
func (s *Server) check(r *http.Request) string {
	form := strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded")
	if r.Method != http.MethodPost || r.URL.Path != "/siteverify" || !form || r.ParseForm() != nil {
		return widget.BadRequest
	}
	if code := s.CheckSecret(r.PostForm.Get("secret")); code != "" {
		return code
	}
	if siteKey := r.PostForm.Get("sitekey"); siteKey != "" && siteKey != s.siteKey {
		return Mismatch
	}
	return s.Redeem(r.PostForm.Get("response"))
}
