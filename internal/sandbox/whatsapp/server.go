package whatsapp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"konak/internal/kit/clock"
	wire "konak/internal/provider/whatsapp"
	"konak/internal/sandbox/callback"
	"konak/internal/sandbox/meta"
	"konak/internal/sandbox/sipphone"
)

// Business is a WhatsApp Business Account with its numbers.
type Business struct {
	ID        string `json:"id"`
	Token     string `json:"token"`
	AppSecret string `json:"app_secret"`
	// Granted are further tokens that open it.
	Granted []string           `json:"granted,omitempty"`
	Numbers []wire.PhoneNumber `json:"numbers"`

	Callback  string                 `json:"callback"`
	Templates []*wire.TemplateRecord `json:"templates"`
	// ByHand reports that templates are decided only by Decide.
	ByHand bool `json:"by_hand,omitempty"`
	// Deleted are names that cannot be reused yet, with the time of their deletion.
	Deleted map[string]time.Time `json:"deleted"`
	// Wrote is when customers last wrote, by number and customer.
	Wrote map[string]time.Time `json:"wrote"`
}

// Message is an accepted message.
type Message struct {
	ID       string
	NumberID string
	wire.Outgoing
}

// Server is the stand-in.
type Server struct {
	clock clock.Source
	file  string
	// OnSent is called with each accepted message and its recipient; it may be nil. It must
	// not call the server.
	OnSent func(m Message, to string)
	post   *callback.Poster

	mu         sync.Mutex
	businesses map[string]*Business
	files      map[string]*file
	uploads    map[string]*upload
	calls      map[string]*calls // by number
	// Phone makes the calls of customers; nil if they make none.
	Phone    *sipphone.Phone
	read     []string // customers' messages that were marked as read
	sent     []Message
	failures []*meta.Refusal
	last     int
	// history is what the owners of numbers share from the app on the phone.
	history map[string][]wire.HistoryThread
	// phonebook is the address book of that app.
	phonebook map[string][]wire.AppContact
}

type file struct {
	token   string
	kind    string
	content []byte
}

type upload struct {
	token  string
	length int64
	kind   string
}

// New returns a service that forgets everything when it ends.
func New(c clock.Source) *Server {
	return &Server{
		clock: c, post: callback.NewPoster(), businesses: map[string]*Business{}, files: map[string]*file{}, uploads: map[string]*upload{}, calls: map[string]*calls{}, last: 1000,
		history: map[string][]wire.HistoryThread{}, phonebook: map[string][]wire.AppContact{},
	}
}

// Open returns a service that stores businesses and templates in a file.
func Open(c clock.Source, path string) (*Server, error) {
	s := New(c)
	s.file = path
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	var kept state
	if err := json.Unmarshal(text, &kept); err != nil {
		return nil, fmt.Errorf("sandbox: %s: %w", path, err)
	}
	s.last = kept.Last
	for _, b := range kept.Businesses {
		s.businesses[b.ID] = b
	}
	return s, nil
}

type state struct {
	Last       int         `json:"last"`
	Businesses []*Business `json:"businesses"`
}

// keep writes the file; the caller holds the lock.
func (s *Server) keep() {
	if s.file == "" {
		return
	}
	kept := state{Last: s.last}
	for _, b := range s.businesses {
		kept.Businesses = append(kept.Businesses, b)
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return
	}
	// The file is replaced as a whole: a demo must start again however it ended.
	if os.WriteFile(s.file+".new", text, 0o600) == nil {
		_ = os.Rename(s.file+".new", s.file)
	}
}

// Close waits until pending webhooks are posted.
func (s *Server) Close() { s.post.Close() }

// Settle waits until every due webhook was posted.
func (s *Server) Settle() { s.post.Settle() }

// Add adds a business. An existing one with the same id keeps its templates, the record of
// customers' messages, and the secret that accounts were connected with.
func (s *Server) Add(b Business) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.businesses[b.ID]; known != nil {
		known.Token, known.Numbers, known.Callback = b.Token, b.Numbers, b.Callback
		s.keep()
		return
	}
	b.Deleted, b.Wrote = map[string]time.Time{}, map[string]time.Time{}
	s.businesses[b.ID] = &b
	s.keep()
}

// Revoke makes a business's token invalid, or replaces it.
func (s *Server) Revoke(business, token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.businesses[business].Token = token
	s.keep()
}

// Fail answers the next call to send a message with a failure.
func (s *Server) Fail(status, code, retryAfter int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := refuse(status, code, 0, "OAuthException", "(#"+strconv.Itoa(code)+") Asked for", "")
	err.RetryAfter = retryAfter
	s.failures = append(s.failures, err)
}

// Sent returns the messages that were accepted since the last call.
func (s *Server) Sent() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.sent
	s.sent = nil
	return out
}

// Read returns the customers' messages that were marked as read.
func (s *Server) Read() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.read)
}

// Templates lists a business's templates.
func (s *Server) Templates(business string) (out []wire.TemplateRecord) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.businesses[business].Templates {
		out = append(out, *t)
	}
	return out
}

// id returns a new id; the caller holds the lock.
func (s *Server) id() string {
	s.last++
	return strconv.Itoa(100_000_000_000_000 + s.last)
}

func refuse(status, code, subcode int, kind, message, details string) *meta.Refusal {
	r := meta.Refuse(status, code, subcode, kind, message)
	if details != "" {
		r.Err.Data = &wire.ErrorData{MessagingProduct: "whatsapp", Details: details}
	}
	return r
}

func parameter(details string) *meta.Refusal {
	return refuse(400, 100, 0, "OAuthException", "(#100) Invalid parameter", details)
}

func missing(id string) *meta.Refusal { return meta.Missing("GraphMethodException", id) }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out, err := s.answer(w, r)
	meta.Answer(w, out, err)
}

// answer resolves a path: its first part below the version is an object, the second what is
// requested of it.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) (any, *meta.Refusal) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if parts[0] == "sandbox" {
		return s.control(w, r, parts[1:])
	}
	if len(parts) < 2 || !strings.HasPrefix(parts[0], "v") {
		return nil, refuse(404, 2500, 0, "OAuthException", "Unknown path components: "+r.URL.Path, "")
	}
	token := s.tokenFor(parts[1], meta.Bearer(r))
	if !s.opens(token) {
		return nil, refuse(401, 190, 463, "OAuthException", "Error validating access token: Session has expired", "")
	}
	object, edge := parts[1], ""
	if len(parts) > 2 {
		edge = parts[2]
	}
	switch {
	case object == "app" && edge == "uploads":
		return s.beginUpload(r, token)
	case strings.HasPrefix(object, "upload:"):
		return s.finishUpload(r, object, token)
	}
	if b := s.business(object, token); b != nil {
		return s.ofBusiness(r, b, edge)
	}
	if b, n := s.number(object, token); b != nil {
		return s.ofNumber(r, b, n, edge)
	}
	if edge == "" && r.Method == http.MethodGet {
		return s.mediaInfo(r, object, token)
	}
	if edge == "" && r.Method == http.MethodPost {
		return s.editTemplate(r, object, token)
	}
	return nil, missing(object)
}

// Grant gives a token access to a business in addition to its own.
func (s *Server) Grant(business, token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.businesses[business].Granted = append(s.businesses[business].Granted, token)
	s.keep()
}

// tokenFor returns the own token of the business that a token was granted for; of several,
// that of the one that has the object. A token that was not granted is returned as it is.
func (s *Server) tokenFor(object, token string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := token
	for _, b := range s.businesses {
		if !slices.Contains(b.Granted, token) {
			continue
		}
		out = b.Token
		if b.ID == object || slices.ContainsFunc(b.Numbers, func(n wire.PhoneNumber) bool { return n.ID == object }) {
			return out
		}
	}
	return out
}

func (s *Server) opens(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.businesses {
		if token != "" && b.Token == token {
			return true
		}
	}
	return false
}

func (s *Server) business(id, token string) *Business {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.businesses[id]; b != nil && b.Token == token {
		return b
	}
	return nil
}

// number returns a number with its business; nil if the token does not open it. The empty
// token opens every number.
func (s *Server) number(id, token string) (*Business, *wire.PhoneNumber) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.findNumber(id, token)
}

// withNumber calls fn with a number and its business, and holds the lock meanwhile.
func (s *Server) withNumber(id string, fn func(b *Business, n *wire.PhoneNumber)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, n := s.findNumber(id, "")
	if b == nil {
		return errors.New("sandbox: there is no number " + id)
	}
	fn(b, n)
	return nil
}

// findNumber is number for callers who hold the lock.
func (s *Server) findNumber(id, token string) (*Business, *wire.PhoneNumber) {
	for _, b := range s.businesses {
		for i := range b.Numbers {
			if b.Numbers[i].ID == id && (b.Token == token || token == "") {
				return b, &b.Numbers[i]
			}
		}
	}
	return nil, nil
}

func (s *Server) ofBusiness(r *http.Request, b *Business, edge string) (any, *meta.Refusal) {
	switch r.Method + " " + edge {
	case "GET phone_numbers":
		return map[string]any{"data": b.Numbers}, nil
	case "POST subscribed_apps":
		return s.subscribe(r, b)
	case "DELETE subscribed_apps":
		s.mu.Lock()
		defer s.mu.Unlock()
		b.Callback = ""
		s.keep()
		return wire.Success{Success: true}, nil
	case "GET message_templates":
		return s.listTemplates(r, b)
	case "POST message_templates":
		return s.createTemplate(r, b)
	case "DELETE message_templates":
		return s.deleteTemplate(r, b)
	}
	return nil, missing(b.ID)
}

func (s *Server) ofNumber(r *http.Request, b *Business, n *wire.PhoneNumber, edge string) (any, *meta.Refusal) {
	switch r.Method + " " + edge {
	case "GET ":
		return n, nil
	case "POST messages":
		return s.send(r, b, n)
	case "POST register", "POST deregister":
		return s.register(r, n, edge == "register")
	case "POST smb_app_data":
		return s.syncApp(r, b, n)
	case "POST media":
		return s.storeFile(r, b)
	case "GET settings", "POST settings":
		return s.callSettings(r, n)
	case "GET call_permissions":
		return s.callPermissions(r, n)
	}
	return nil, missing(n.ID)
}

// What a number is registered for.
const (
	registered   = "CLOUD_API"
	unregistered = "NOT_APPLICABLE"
)

var sixDigits = regexp.MustCompile(`^[0-9]{6}$`)

// register enables a number to send, or disables it.
func (s *Server) register(r *http.Request, n *wire.PhoneNumber, on bool) (any, *meta.Refusal) {
	var in wire.Registration
	if err := body(r, &in); err != nil {
		return nil, err
	}
	if in.Product != "whatsapp" || on && !sixDigits.MatchString(in.PIN) {
		return nil, parameter("messaging_product and a pin of six digits are required")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n.Platform = unregistered; on {
		n.Platform = registered
	}
	s.keep()
	return wire.Success{Success: true}, nil
}

// Platform returns what a number is registered for.
func (s *Server) Platform(number string) string {
	_, n := s.number(number, "")
	if n == nil {
		return ""
	}
	return n.Platform
}

func body(r *http.Request, into any) *meta.Refusal {
	if err := meta.ReadJSON(r, into); err != nil {
		return parameter(err.Error())
	}
	return nil
}
