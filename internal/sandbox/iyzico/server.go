// Package iyzico stands in for iyzico and the bank behind it: a server that begins card
// payments, shows the bank's page in a browser, and takes the money of a payment once.
package iyzico

import (
	"crypto/hmac"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"strconv"
	"sync"

	wire "konak/internal/provider/iyzico"

	"konak/internal/kit/secret"
)

// Cards that the bank treats specially; it accepts any other.
const (
	CardGood    = "5528790000000008"
	CardNoFunds = "4111111111111129" // refused when the money is taken
	CardStolen  = "4126111111111114" // refused at once
)

// Code is what a person types into the bank's page.
const Code = "283126"

// Server is the stand-in.
type Server struct {
	key    string
	secret secret.Text
	// Address is the address of the server, for the form on its page.
	Address string

	mu       sync.Mutex
	payments map[string]*payment
	drop     bool
	broken   bool
	fraud    int
	alter    func(*wire.Answer)
}

type payment struct {
	wire.Initialize
	id     string
	passed bool
	status string
	taken  int
}

// New returns a service with one merchant.
func New(key string, secretKey secret.Text) *Server {
	return &Server{key: key, secret: secretKey, payments: map[string]*payment{}, fraud: 1}
}

// DropNextAuth takes the money of the next payment and closes the connection without an
// answer.
func (s *Server) DropNextAuth() { s.mu.Lock(); s.drop = true; s.mu.Unlock() }

// Break makes the service answer with failures, or restores it.
func (s *Server) Break(broken bool) { s.mu.Lock(); s.broken = broken; s.mu.Unlock() }

// SetFraudStatus sets the fraud status that the service reports for payments from now on: 1
// good, 0 under review, -1 refused.
func (s *Server) SetFraudStatus(v int) { s.mu.Lock(); s.fraud = v; s.mu.Unlock() }

// AlterPayments changes what the service reports about earlier payments; nil reports them
// unchanged.
func (s *Server) AlterPayments(fn func(*wire.Answer)) { s.mu.Lock(); s.alter = fn; s.mu.Unlock() }

// Taken returns how often money was taken, over all payments.
func (s *Server) Taken() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.payments {
		n += p.taken
	}
	return n
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/bank" {
		s.showBank(w, r)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	switch {
	case err != nil || r.Method != http.MethodPost:
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	case s.broken:
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	case !hmac.Equal([]byte(r.Header.Get("Authorization")), []byte(wire.Sign(s.key, s.secret, r.Header.Get(wire.RandomHeader), r.URL.Path, body))):
		answer(w, refusal("1001", "api bilgileri bulunamadı"))
		return
	}
	switch r.URL.Path {
	case wire.PathInitialize:
		answer(w, s.initialize(body))
	case wire.PathAuth:
		out := s.auth(body)
		if s.drop && out.Status == wire.Success {
			s.drop = false
			panic(http.ErrAbortHandler)
		}
		answer(w, out)
	case wire.PathDetail:
		answer(w, s.detail(body))
	default:
		http.NotFound(w, r)
	}
}

func answer(w http.ResponseWriter, a wire.Answer) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(a)
}

func refusal(code, text string) wire.Answer {
	return wire.Answer{Status: wire.Failure, ErrorCode: code, ErrorMessage: text}
}

func (s *Server) initialize(body []byte) wire.Answer {
	var in wire.Initialize
	if json.Unmarshal(body, &in) != nil || in.ConversationID == "" || in.CallbackURL == "" || in.Price != in.PaidPrice || len(in.Items) == 0 {
		return refusal("11", "Geçersiz istek")
	}
	for _, v := range []string{in.Buyer.Name, in.Buyer.IdentityNumber, in.Buyer.Email, in.Buyer.IP, in.Billing.Address, in.Card.CVC} {
		if v == "" {
			return refusal("12", "Zorunlu alan eksik")
		}
	}
	if in.Card.Number == CardStolen {
		return refusal("10043", "Çalıntı kart "+in.Card.Number) // a careless bank repeats what it was sent
	}
	p := &payment{Initialize: in, id: strconv.Itoa(24678312 + len(s.payments)), status: "INIT_THREEDS"}
	s.payments[p.id] = p
	page := `<!doctype html><body><form id="f" method="post" action="` + s.Address + `/bank"><input type="hidden" name="payment" value="` + p.id +
		`"></form><script>document.getElementById("f").submit()</script>`
	return wire.Answer{
		Status: wire.Success, ConversationID: in.ConversationID, PaymentID: p.id, HTML: base64.StdEncoding.EncodeToString([]byte(page)),
	}
}

// showBank is the bank's page: it asks for the code, and then sends the browser
// back to the shop.
func (s *Server) showBank(w http.ResponseWriter, r *http.Request) {
	p := s.payments[r.FormValue("payment")]
	if p == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	code, sent := r.Form["code"]
	if !sent {
		_, _ = fmt.Fprintf(w, `<!doctype html><meta charset="utf-8"><title>Demo Bank</title><body><h1>Demo Bank</h1><p>%s %s</p>
<form method="post" action="/bank"><input type="hidden" name="payment" value="%s"><label>SMS code (%s) <input name="code" autocomplete="off"></label>
<button>OK</button></form>`, html.EscapeString(p.PaidPrice), html.EscapeString(p.Currency), p.id, Code)
		return
	}
	status, mdStatus := wire.Failure, "0"
	if p.passed = code[0] == Code; p.passed {
		status, mdStatus = wire.Success, "1"
	}
	_, _ = fmt.Fprintf(w, `<!doctype html><body><form id="f" method="post" action="%s"><input type="hidden" name="status" value="%s"><input
type="hidden" name="paymentId" value="%s"><input type="hidden" name="conversationId" value="%s"><input type="hidden" name="mdStatus" value="%s"></form>
<script>document.getElementById("f").submit()</script>`, html.EscapeString(p.CallbackURL), status, p.id, html.EscapeString(p.ConversationID), mdStatus)
}

func (s *Server) auth(body []byte) wire.Answer {
	var in wire.Auth
	if json.Unmarshal(body, &in) != nil {
		return refusal("11", "Geçersiz istek")
	}
	p := s.payments[in.PaymentID]
	switch {
	case p == nil:
		return refusal(wire.CodeNotFound, "Ödeme kaydı bulunamadı")
	case !p.passed || p.status != "INIT_THREEDS":
		return refusal("5093", "Ödeme 3D Secure ile doğrulanmamış")
	case p.Card.Number == CardNoFunds:
		p.status = wire.PaymentFailure
		return refusal("10051", "Kart limiti yetersiz, yetersiz bakiye")
	}
	p.status = wire.PaymentSuccess
	p.taken++
	return s.answerTo(p)
}

func (s *Server) answerTo(p *payment) wire.Answer {
	a := wire.Answer{
		Status: wire.Success, ConversationID: p.ConversationID, PaymentID: p.id, BasketID: p.BasketID,
		PaidPrice: json.Number(p.PaidPrice), Currency: p.Currency, FraudStatus: s.fraud, PaymentStatus: p.status,
	}
	if s.alter != nil {
		s.alter(&a)
	}
	return a
}

func (s *Server) detail(body []byte) wire.Answer {
	var in wire.Detail
	if json.Unmarshal(body, &in) != nil {
		return refusal("11", "Geçersiz istek")
	}
	p := s.payments[in.PaymentID]
	if p == nil {
		return refusal(wire.CodeNotFound, "Ödeme kaydı bulunamadı")
	}
	return s.answerTo(p)
}
