// Package turnstile stands in for Cloudflare Turnstile: a server that speaks its
// siteverify, issues tokens and accepts each one once. Its script shows a widget in a
// browser.
package turnstile

import (
	"encoding/json"
	"net/http"
	"sync"

	"konak/internal/sandbox/widget"
)

// Error codes, as the service names them.
const (
	MissingSecret   = "missing-input-secret"
	InvalidSecret   = "invalid-input-secret"
	MissingResponse = "missing-input-response"
	InvalidResponse = "invalid-input-response"
	Duplicate       = "timeout-or-duplicate"
	BadRequest      = "bad-request"
)

// Server is the stand-in.
type Server struct {
	secret string

	mu     sync.Mutex
	tokens map[string]*visit
	broken bool
}

type visit struct {
	hostname string
	used     bool
}

// New returns a service for one site.
func New(secret string) *Server { return &Server{secret: secret, tokens: map[string]*visit{}} }

// Visit records the token of a visitor who solved the puzzle.
func (s *Server) Visit(token, hostname string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[token] = &visit{hostname: hostname}
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
	ErrorCodes  []string `json:"error-codes"`
	Action      string   `json:"action"`
	CData       string   `json:"cdata"`
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	shown := widget.Widget{Global: "turnstile", Script: "/turnstile/v0/api.js", Solved: func(token string) { s.Visit(token, "localhost") }}
	if shown.Serve(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	out := answer{ErrorCodes: []string{}}
	if r.Method != http.MethodPost || r.URL.Path != "/turnstile/v0/siteverify" || r.ParseForm() != nil {
		w.WriteHeader(http.StatusBadRequest)
		out.ErrorCodes = []string{BadRequest}
	} else if code := s.redeem(r.PostForm.Get("secret"), r.PostForm.Get("response"), &out); code != "" {
		out.ErrorCodes = []string{code}
	} else {
		out.Success = true
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out)
}

// redeem uses a token up and fills the answer; it returns the error code of a refused token
// or secret.
func (s *Server) redeem(secret, token string, out *answer) string {
	switch {
	case secret == "":
		return MissingSecret
	case secret != s.secret:
		return InvalidSecret
	case token == "":
		return MissingResponse
	}
	v, ok := s.tokens[token]
	switch {
	case !ok:
		return InvalidResponse
	case v.used:
		return Duplicate
	}
	v.used = true
	out.Hostname, out.ChallengeTS = v.hostname, "2026-11-15T09:00:00.000Z"
	return ""
}
