// Package twilio stands in for Twilio: a server that offers phone numbers of a few
// countries, rents out each once, and takes it back.
package twilio

import (
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	wire "konak/internal/provider/twilio"

	"konak/internal/kit/secret"
)

// Taken is a number that the service offers but cannot rent out.
const Taken = "+902125550113"

// country is a country in which the service has numbers.
type country struct{ prefix, locality string }

var countries = map[string]map[string]country{
	"TR": {"Local": {"+9021255501", "İstanbul"}, "TollFree": {"+9080055501", ""}},
	"GB": {"Local": {"+4420794600", "London"}, "Mobile": {"+4477009000", ""}},
	"US": {"Local": {"+121255501", "New York"}},
}

// Server is the stand-in.
type Server struct {
	account string
	token   secret.Text

	mu     sync.Mutex
	rented map[string]wire.IncomingNumber // by sid
	made   int
	drop   bool
	broken bool
}

// New returns a service with one account.
func New(account string, token secret.Text) *Server {
	return &Server{account: account, token: token, rented: map[string]wire.IncomingNumber{}}
}

// DropNextPurchase rents the next number and closes the connection without an answer.
func (s *Server) DropNextPurchase() { s.mu.Lock(); s.drop = true; s.mu.Unlock() }

// Break makes the service answer with failures, or restores it.
func (s *Server) Break(broken bool) { s.mu.Lock(); s.broken = broken; s.mu.Unlock() }

// Rename gives a number of the account another name.
func (s *Server) Rename(e164, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sid, n := range s.rented {
		if n.PhoneNumber == e164 {
			n.FriendlyName = name
			s.rented[sid] = n
		}
	}
}

// Rented returns the numbers that the account has, and the number it ever rented.
func (s *Server) Rented() (numbers []string, ever int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.rented {
		numbers = append(numbers, n.PhoneNumber)
	}
	slices.Sort(numbers)
	return numbers, s.made
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	user, password, _ := r.BasicAuth()
	path, ours := strings.CutPrefix(r.URL.Path, "/"+wire.Version+"/Accounts/"+s.account+"/")
	switch {
	case s.broken:
		http.Error(w, "internal error", http.StatusInternalServerError)
	case user != s.account || subtle.ConstantTimeCompare([]byte(password), []byte(s.token.Reveal())) != 1:
		refuse(w, http.StatusUnauthorized, 20003, "Authenticate")
	case !ours || r.ParseForm() != nil:
		refuse(w, http.StatusNotFound, wire.CodeNotFound, "The requested resource was not found")
	case r.Method == http.MethodGet && strings.HasPrefix(path, "AvailablePhoneNumbers/"):
		s.offer(w, strings.Split(strings.TrimSuffix(path, ".json"), "/"), r.Form)
	case r.Method == http.MethodGet && path == "IncomingPhoneNumbers.json":
		s.find(w, r.Form.Get("PhoneNumber"))
	case r.Method == http.MethodPost && path == "IncomingPhoneNumbers.json":
		s.rent(w, r.Form.Get("PhoneNumber"), r.Form.Get("FriendlyName"))
	case r.Method == http.MethodDelete && strings.HasPrefix(path, "IncomingPhoneNumbers/"):
		s.release(w, strings.TrimSuffix(strings.TrimPrefix(path, "IncomingPhoneNumbers/"), ".json"))
	default:
		refuse(w, http.StatusNotFound, wire.CodeNotFound, "The requested resource was not found")
	}
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func refuse(w http.ResponseWriter, status, code int, text string) {
	answer(w, status, wire.Error{Code: code, Message: text, Status: status})
}

// offer lists numbers that are not rented.
func (s *Server) offer(w http.ResponseWriter, path []string, query url.Values) {
	if len(path) != 3 || countries[path[1]][path[2]].prefix == "" {
		refuse(w, http.StatusNotFound, wire.CodeNotFound, "The requested resource was not found")
		return
	}
	at, page := countries[path[1]][path[2]], wire.AvailableNumbers{Numbers: []wire.AvailableNumber{}}
	for i := range 20 {
		n := fmt.Sprintf("%s%02d", at.prefix, i)
		if strings.Contains(n, query.Get("Contains")) && !s.has(n) {
			page.Numbers = append(page.Numbers, wire.AvailableNumber{
				PhoneNumber: n, Locality: at.locality, Country: path[1], Capabilities: wire.Capabilities{Voice: true},
			})
		}
	}
	answer(w, http.StatusOK, page)
}

func (s *Server) has(e164 string) bool {
	for _, n := range s.rented {
		if n.PhoneNumber == e164 {
			return true
		}
	}
	return false
}

func (s *Server) find(w http.ResponseWriter, part string) {
	page := wire.IncomingNumbers{Numbers: []wire.IncomingNumber{}}
	for _, n := range s.rented {
		if strings.Contains(n.PhoneNumber, part) {
			page.Numbers = append(page.Numbers, n)
		}
	}
	answer(w, http.StatusOK, page)
}

func (s *Server) rent(w http.ResponseWriter, e164, name string) {
	if e164 == Taken || s.has(e164) {
		refuse(w, http.StatusBadRequest, wire.CodeNotAvailable, e164+" is not available")
		return
	}
	s.made++
	n := wire.IncomingNumber{SID: fmt.Sprintf("PN%032d", s.made), PhoneNumber: e164, FriendlyName: name, Capabilities: wire.Capabilities{Voice: true}}
	s.rented[n.SID] = n
	if s.drop {
		s.drop = false
		panic(http.ErrAbortHandler)
	}
	answer(w, http.StatusCreated, n)
}

func (s *Server) release(w http.ResponseWriter, sid string) {
	if _, ok := s.rented[sid]; !ok {
		refuse(w, http.StatusNotFound, wire.CodeNotFound, "The requested resource was not found")
		return
	}
	delete(s.rented, sid)
	w.WriteHeader(http.StatusNoContent)
}
