// Package hcaptcha stands in for hCaptcha: a server that speaks its siteverify, issues
// tokens and accepts each one once, for its own site. Its script shows a widget in a
// browser.
package hcaptcha

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"konak/internal/sandbox/widget"
)

// Error codes, as the service names them.
const (
	MissingSecret   = "missing-input-secret"
	InvalidSecret   = "invalid-input-secret"
	MissingResponse = "missing-input-response"
	InvalidResponse = "invalid-input-response"
	AlreadySeen     = "already-seen-response"
	Mismatch        = "sitekey-secret-mismatch"
	BadRequest      = "bad-request"
)

// Server is the stand-in.
type Server struct {
	secret, siteKey string

	mu     sync.Mutex
	tokens map[string]bool // whether it was used
	broken bool
}

// New returns a service for one site.
func New(secret, siteKey string) *Server {
	return &Server{secret: secret, siteKey: siteKey, tokens: map[string]bool{}}
}

// Visit records the token of a visitor who solved the puzzle.
func (s *Server) Visit(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[token] = false
}

// Break makes the service answer with failures, or restores it.
func (s *Server) Break(broken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = broken
}

type answer struct {
	Success     bool     `json:"success"`
	ChallengeTS string   `json:"challenge_ts,omitempty"`
	Hostname    string   `json:"hostname,omitempty"`
	ErrorCodes  []string `json:"error-codes,omitempty"`
}

// ServeHTTP implements http.Handler. The service accepts forms only.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	shown := widget.Widget{Global: "hcaptcha", Script: "/1/api.js", Solved: s.Visit}
	if shown.Serve(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		http.Error(w, "internal error", http.StatusBadGateway)
		return
	}
	var out answer
	form := strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded")
	if r.Method != http.MethodPost || r.URL.Path != "/siteverify" || !form || r.ParseForm() != nil {
		out.ErrorCodes = []string{BadRequest}
	} else if code := s.check(r.PostForm.Get("secret"), r.PostForm.Get("response"), r.PostForm.Get("sitekey")); code != "" {
		out.ErrorCodes = []string{code}
	} else {
		out = answer{Success: true, ChallengeTS: "2026-11-15T09:00:00.000000Z", Hostname: "localhost"}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out)
}

func (s *Server) check(secret, token, siteKey string) string {
	switch {
	case secret == "":
		return MissingSecret
	case secret != s.secret:
		return InvalidSecret
	case siteKey != "" && siteKey != s.siteKey:
		return Mismatch
	case token == "":
		return MissingResponse
	}
	used, ok := s.tokens[token]
	switch {
	case !ok:
		return InvalidResponse
	case used:
		return AlreadySeen
	}
	s.tokens[token] = true
	return ""
}
