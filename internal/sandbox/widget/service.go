package widget

import (
	"encoding/json"
	"net/http"
	"sync"
)

// Error codes that the services share.
const (
	missingSecret   = "missing-input-secret"
	invalidSecret   = "invalid-input-secret"
	missingResponse = "missing-input-response"
	invalidResponse = "invalid-input-response"
	BadRequest      = "bad-request"
)

// Service is what the stand-ins of the captcha services share: it shows the widget, issues
// tokens and accepts each one once.
type Service struct {
	Widget
	// Secret is the secret of the site.
	Secret string
	// UsedCode is the error code of a token that was used before.
	UsedCode string

	mu     sync.Mutex
	tokens map[string]bool // whether it was used
	broken bool
}

// Visit records the token of a visitor who solved the puzzle.
func (s *Service) Visit(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tokens == nil {
		s.tokens = map[string]bool{}
	}
	s.tokens[token] = false
}

// Break makes the service answer with failures, or restores it.
func (s *Service) Break(broken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = broken
}

// Answer serves the widget, and answers other requests as JSON with what verify returns.
func (s *Service) Answer(w http.ResponseWriter, r *http.Request, verify func() any) {
	if s.serveWidget(w, r, s.Visit) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		http.Error(w, "internal error", http.StatusBadGateway)
		return
	}
	out := verify()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out)
}

// CheckSecret returns the error code of a wrong secret, or "".
func (s *Service) CheckSecret(secret string) string {
	switch secret {
	case "":
		return missingSecret
	case s.Secret:
		return ""
	}
	return invalidSecret
}

// Redeem uses a token up. It returns the error code of a refused one, or "". It may be
// called only by verify.
func (s *Service) Redeem(token string) string {
	used, ok := s.tokens[token]
	switch {
	case token == "":
		return missingResponse
	case !ok:
		return invalidResponse
	case used:
		return s.UsedCode
	}
	s.tokens[token] = true
	return ""
}
