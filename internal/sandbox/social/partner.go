package social

import (
	_ "embed"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	wire "konak/internal/provider/partner"
	"konak/internal/provider/social"
	"konak/internal/sandbox/meta"
)

// Business is an account on WhatsApp that a person can share.
type Business struct {
	ID, Name string
	// Grant gives a token access to the account at its own stand-in.
	Grant func(token string)
}

// shared is what a person gave an app access to.
type shared struct {
	app               string
	pages, businesses []string
}

//go:embed consent.html
var consentHTML string

var consentPage = template.Must(template.New("consent").Parse(consentHTML))

// AddBusiness adds an account on WhatsApp that people can share.
func (s *Server) AddBusiness(b Business) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.businesses = append(s.businesses, b)
}

// Agree lets a person share pages and accounts with an app, and returns the code that they
// go back with.
func (s *Server) Agree(appID string, pages, businesses []string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	code := "code-" + s.number()
	s.codes[code] = shared{appID, pages, businesses}
	return code
}

// dialog is the page where a person agrees. Its form is posted to the same address, and the
// person goes back to the app with a code.
func (s *Server) dialog(w http.ResponseWriter, r *http.Request) (any, *meta.Refusal) {
	q := r.URL.Query()
	s.mu.Lock()
	known := s.apps[q.Get("client_id")] != nil
	view := map[string]any{"Query": q, "Pages": s.pageList(), "Businesses": slices.Clone(s.businesses)}
	s.mu.Unlock()
	back, err := url.Parse(q.Get("redirect_uri"))
	if !known || err != nil || back.Host == "" {
		return nil, no(400, 101, 0, "Error validating application. Cannot get application info due to a system error.")
	}
	answer := url.Values{"state": {q.Get("state")}}
	switch q.Get("answer") {
	case "":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if err := consentPage.Execute(w, view); err != nil {
			return nil, no(500, 2, 0, err.Error())
		}
		return nil, nil
	case "agree":
		answer.Set("code", s.Agree(q.Get("client_id"), q["page"], q["business"]))
	default:
		for name, value := range map[string]string{"error": "access_denied", "error_code": "200", "error_description": "Permissions error", "error_reason": "user_denied"} {
			answer.Set(name, value)
		}
	}
	back.RawQuery = answer.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
	return nil, nil
}

// pageList returns the pages in order; the caller holds the lock.
func (s *Server) pageList() (out []Page) {
	for _, p := range s.pages {
		out = append(out, p.Page)
	}
	slices.SortFunc(out, func(a, b Page) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// exchange returns a token for a code, which can be used once.
func (s *Server) exchange(r *http.Request) (any, *meta.Refusal) {
	q := r.URL.Query()
	s.mu.Lock()
	defer s.mu.Unlock()
	a, got := s.apps[q.Get("client_id")], s.codes[q.Get("code")]
	if a == nil || q.Get("client_secret") != a.Secret {
		return nil, no(400, 1, 0, "Error validating client secret.")
	}
	if got.app != a.ID {
		return nil, no(400, 100, 36007, "This authorization code has expired.")
	}
	delete(s.codes, q.Get("code"))
	token := "user-" + s.number()
	s.tokens[token] = got
	for _, b := range s.businesses {
		if slices.Contains(got.businesses, b.ID) {
			b.Grant(token)
		}
	}
	return wire.Token{AccessToken: token, Type: "bearer"}, nil
}

// debugToken tells the app that owns a token what it opens.
func (s *Server) debugToken(r *http.Request, token string) (any, *meta.Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	got, known := s.tokens[r.URL.Query().Get("input_token")]
	a := s.apps[got.app]
	if !known || a == nil || token != a.ID+"|"+a.Secret {
		return nil, errToken
	}
	var out wire.Debug
	out.Data.AppID, out.Data.Valid = got.app, true
	out.Data.Scopes = []wire.Scope{{Name: "pages_messaging", Targets: got.pages}, {Name: wire.ScopeWhatsApp, Targets: got.businesses}}
	return out, nil
}

// sharedPages lists the pages shared with the holder of a token.
func (s *Server) sharedPages(token string) (any, *meta.Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	got, known := s.tokens[token]
	if !known {
		return nil, errToken
	}
	out := map[string][]social.Page{"data": {}}
	for _, id := range got.pages {
		if p := s.pages[id]; p != nil {
			page := p.shown()
			page.Token = p.Token
			out["data"] = append(out["data"], page)
		}
	}
	return out, nil
}
