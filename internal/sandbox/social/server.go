package social

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"konak/internal/kit/clock"
	wire "konak/internal/provider/social"
	"konak/internal/sandbox/callback"
	"konak/internal/sandbox/meta"
)

// App is an app with its secret.
type App struct{ ID, Secret string }

// Page is a page with its Instagram account, if it has one.
type Page struct {
	ID, Name, Token       string
	InstagramID, Username string
	AppID                 string
}

// Person is a customer.
type Person struct{ ID, Name, Username string }

// Sent is an accepted call.
type Sent struct {
	MessageID string
	Platform  string // wire.ObjectPage or wire.ObjectInstagram
	wire.Outgoing
	File *File
}

// File is an uploaded file.
type File struct {
	Name, Kind, Type string
	Content          []byte
}

// app is the server's record of an app.
type app struct {
	App
	webhooks map[string]string // address by object
}

// page is the server's record of a page.
type page struct {
	Page
	subscribed bool
	wrote      map[string]time.Time // when each customer wrote last
	calls      wire.CallSettings
	granted    map[string]bool
	asked      map[string][]time.Time // when each customer was asked to be called
	sent       []Sent
	seen       []string
	typing     []string
}

// Server is the stand-in.
type Server struct {
	clock clock.Source
	post  *callback.Poster
	// Next answers requests that this server does not know; nil if there is none.
	Next http.Handler
	// KnowsEverybody lets pages write to customers at any time, because those of a demo
	// wrote before it started.
	KnowsEverybody bool
	// OnSent is called with each accepted message and reaction; it may be nil. It must not
	// call the server.
	OnSent func(pageID string, m Sent)

	mu       sync.Mutex
	apps     map[string]*app
	pages    map[string]*page
	people   map[string]Person
	files    map[string]*File
	failures map[string][]*meta.Refusal // by edge
	codes    map[string]shared          // by code
	tokens   map[string]shared          // by the token that a code was exchanged for
	last     int64
	// businesses are accounts that people can share in addition to pages.
	businesses []Business
}

// New returns a service.
func New(c clock.Source) *Server {
	return &Server{
		clock: c, post: callback.NewPoster(), apps: map[string]*app{}, pages: map[string]*page{}, people: map[string]Person{}, files: map[string]*File{},
		failures: map[string][]*meta.Refusal{}, codes: map[string]shared{}, tokens: map[string]shared{}, last: c.Now().Unix(),
	}
}

// Close stops posting webhooks.
func (s *Server) Close() { s.post.Close() }

// Settle waits until every due webhook was posted.
func (s *Server) Settle() { s.post.Settle() }

// AddApp adds an app.
func (s *Server) AddApp(a App) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.apps[a.ID] = &app{App: a, webhooks: map[string]string{}}
}

// Add adds a page; an existing one with the same id gets the new token.
func (s *Server) Add(p Page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.pages[p.ID]; known != nil {
		known.Page = p
		return
	}
	s.pages[p.ID] = &page{Page: p, wrote: map[string]time.Time{}, granted: map[string]bool{}, asked: map[string][]time.Time{}}
}

// Fail answers the next call of an edge, such as "messages", with a failure.
func (s *Server) Fail(edge string, status, code, subcode, retryAfter int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := no(status, code, subcode, "asked for")
	err.RetryAfter = retryAfter
	s.failures[edge] = append(s.failures[edge], err)
}

// Sent returns what was sent in a page's name since the last call.
func (s *Server) Sent(pageID string) []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.pages[pageID].sent
	s.pages[pageID].sent = nil
	return out
}

// Seen lists the customers of a page who were told that their messages were read.
func (s *Server) Seen(pageID string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.pages[pageID].seen)
}

// Typing lists the customers who were shown a typing indicator of a page.
func (s *Server) Typing(pageID string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.pages[pageID].typing)
}

// Subscribed reports whether a page sends its events to its app.
func (s *Server) Subscribed(pageID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pages[pageID].subscribed
}

// Subscribe makes a page send its events to its app.
func (s *Server) Subscribe(pageID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[pageID].subscribed = true
}

// SetWebhook sends an app's events of an object to an address.
func (s *Server) SetWebhook(appID, object, address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.apps[appID].webhooks[object] = address
}

// number returns a new number; the caller holds the lock.
func (s *Server) number() string {
	s.last++
	return strconv.FormatInt(s.last, 10)
}

func no(status, code, subcode int, message string) *meta.Refusal {
	return meta.Refuse(status, code, subcode, "OAuthException", message)
}

func missing(id string) *meta.Refusal { return meta.Missing("OAuthException", id) }

var errToken = no(401, 190, 463, "Error validating access token: Session has expired")

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out, err := s.answer(w, r)
	meta.Answer(w, out, err)
}

// answer resolves a path: its first part below the version is an object, the second what is
// requested of it.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) (any, *meta.Refusal) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) == 3 && parts[0] == "sandbox" && parts[1] == "social" {
		return nil, s.serveFile(w, parts[2])
	}
	if len(parts) < 2 || !strings.HasPrefix(parts[0], "v") {
		return s.next(w, r)
	}
	object, edge := parts[1], ""
	if len(parts) > 2 {
		edge = parts[2]
	}
	if err := s.nextFailure(edge); err != nil {
		return nil, err
	}
	token := bearer(r)
	s.mu.Lock()
	a, p := s.apps[object], s.pages[object]
	owner := s.byToken(token)
	if object == "me" && p == nil {
		p = owner // the page that the token opens
	}
	person, known := s.people[object]
	s.mu.Unlock()
	switch {
	case object == "dialog" && edge == "oauth":
		return s.dialog(w, r)
	case object == "oauth" && edge == "access_token":
		return s.exchange(r)
	case object == "debug_token":
		return s.debugToken(r, token)
	case object == "me" && edge == "accounts":
		return s.sharedPages(token)
	case a != nil:
		return s.ofApp(r, a, edge, token)
	case p != nil && (owner == nil || owner.ID != p.ID):
		return nil, errToken
	case p != nil:
		return s.ofPage(r, p, edge)
	case object == "app" && edge == "" && owner != nil:
		return wire.App{ID: owner.AppID}, nil
	case known && owner != nil:
		return wire.Profile{ID: person.ID, Name: person.Name, Username: person.Username}, nil
	}
	return s.next(w, r)
}

// next hands a call to the next stand-in.
func (s *Server) next(w http.ResponseWriter, r *http.Request) (any, *meta.Refusal) {
	if s.Next != nil {
		s.Next.ServeHTTP(w, r)
		return nil, nil
	}
	if bearer(r) != "" {
		s.mu.Lock()
		owner := s.byToken(bearer(r))
		s.mu.Unlock()
		if owner == nil {
			return nil, errToken
		}
	}
	return nil, missing(r.URL.Path)
}

// nextFailure returns the prepared failure of a call; nil if there is none.
func (s *Server) nextFailure(edge string) *meta.Refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.failures[edge]
	if len(list) == 0 {
		return nil
	}
	s.failures[edge] = list[1:]
	return list[0]
}

// bearer returns the token of a call, from its header or its query.
func bearer(r *http.Request) string {
	if token := r.URL.Query().Get("access_token"); token != "" {
		return token
	}
	return meta.Bearer(r)
}

// byToken finds the page that a token opens; the caller holds the lock.
func (s *Server) byToken(token string) *page {
	for _, p := range s.pages {
		if token != "" && p.Token == token {
			return p
		}
	}
	return nil
}

// ofApp answers requests to an app, which its own token opens.
func (s *Server) ofApp(r *http.Request, a *app, edge, token string) (any, *meta.Refusal) {
	if token != a.ID+"|"+a.Secret {
		return nil, no(400, 190, 0, "Error validating client secret.")
	}
	if edge != "subscriptions" {
		return nil, missing(a.ID)
	}
	if r.Method == http.MethodGet {
		s.mu.Lock()
		defer s.mu.Unlock()
		out := wire.Subscriptions{Data: []wire.Subscription{}}
		for object, address := range a.webhooks {
			out.Data = append(out.Data, wire.Subscription{Object: object, Callback: address, Active: true})
		}
		return out, nil
	}
	if err := r.ParseForm(); err != nil {
		return nil, no(400, 100, 0, "(#100) "+err.Error())
	}
	q := url.Values{"hub.mode": {"subscribe"}, "hub.verify_token": {r.Form.Get("verify_token")}}
	if err := callback.Challenge(r.Context(), r.Form.Get("callback_url"), q); err != nil {
		return nil, no(400, 2200, 0, "(#2200) Callback verification failed with the following errors: "+err.Error())
	}
	s.SetWebhook(a.ID, r.Form.Get("object"), r.Form.Get("callback_url"))
	return wire.Success{Success: true}, nil
}

// ofPage answers requests to a page, which its token opens.
func (s *Server) ofPage(r *http.Request, p *page, edge string) (any, *meta.Refusal) {
	switch r.Method + " " + edge {
	case "GET ":
		return p.shown(), nil
	case "POST subscribed_apps", "DELETE subscribed_apps":
		s.mu.Lock()
		defer s.mu.Unlock()
		p.subscribed = r.Method == http.MethodPost
		return wire.Success{Success: true}, nil
	case "POST messages":
		return s.send(r, p)
	case "POST message_attachments":
		return s.storeFile(r)
	case "GET messenger_call_settings", "POST messenger_call_settings":
		return s.callSettings(r, p)
	case "GET messenger_call_permissions":
		return s.callPermissions(r, p)
	}
	return nil, missing(p.ID)
}

// shown returns the fields of a page that the caller may see.
func (p *page) shown() wire.Page {
	out := wire.Page{ID: p.ID, Name: p.Name}
	if p.InstagramID != "" {
		out.Instagram = &wire.InstagramAccount{ID: p.InstagramID, Username: p.Username}
	}
	return out
}

func body(r *http.Request, into any) *meta.Refusal {
	err := meta.ReadJSON(r, into)
	if err != nil {
		return no(400, 100, 0, "(#100) "+err.Error())
	}
	return nil
}
