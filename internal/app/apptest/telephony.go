package apptest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"konak/internal/app"
	"konak/internal/crm/telephony/wallet"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/secret"
	bank "konak/internal/sandbox/iyzico"
	carrier "konak/internal/sandbox/twilio"
)

// Telephony is a server with a bank and a provider of phone numbers, and a workspace.
type Telephony struct {
	*Server
	Bank    *bank.Server
	Carrier *carrier.Server
	Owner   *Workspace
	// DBPath is the database's file on SQLite.
	DBPath string
}

// RunTelephony runs fn on both databases.
func RunTelephony(t *testing.T, fn func(t *testing.T, s *Telephony)) {
	t.Helper()
	onBoth(t, func(t *testing.T, d db.Dialect) { fn(t, NewTelephony(t, d, func(*app.Config) {})) })
}

// NewTelephony starts a server with other settings, its bank and its provider of numbers.
func NewTelephony(tb testing.TB, dialect db.Dialect, change func(*app.Config)) *Telephony {
	tb.Helper()
	s := &Telephony{Bank: bank.New("key", secret.Of("secret")), Carrier: carrier.New("AC1", secret.Of("token"))}
	payments, numbers := httptest.NewServer(s.Bank), httptest.NewServer(s.Carrier)
	tb.Cleanup(payments.Close)
	tb.Cleanup(numbers.Close)
	s.Bank.Address = payments.URL
	s.Server = NewCalledBack(tb, dialect, func(cfg *app.Config, _ clock.Source) {
		cfg.IyzicoKey, cfg.IyzicoSecret, cfg.IyzicoAddress = "key", "secret", payments.URL
		cfg.TwilioAccount, cfg.TwilioToken, cfg.TwilioAddress = "AC1", "token", numbers.URL
		s.DBPath = strings.TrimPrefix(cfg.DB, "sqlite:")
		change(cfg)
	})
	s.Owner = s.Workspace("demo")
	return s
}

const walletPath = "/api/crm/v1/telephony/wallet"

// TopUpBody returns the body of a card payment.
func TopUpBody(amount int64, card string) map[string]any {
	return map[string]any{
		"amount_micros": amount,
		"card":          map[string]any{"holder": "Elif Kaya", "number": card, "expiry_month": 12, "expiry_year": 2030, "cvc": "123"},
		"buyer": map[string]any{
			"name": "Elif", "surname": "Kaya", "email": "elif@kaya.example", "phone": "+905321234567", "identity_number": "11111111110",
			"address": "Bağdat Caddesi 12", "city": "İstanbul", "country": "Türkiye",
		},
	}
}

// StartTopUp begins a card payment.
func (s *Telephony) StartTopUp(amount int64, card string) (c wallet.Challenge) {
	s.tb.Helper()
	s.Owner.Owner.Post(walletPath+"/topup", TopUpBody(amount, card)).Want(201).Data(&c)
	return c
}

var (
	formAction = regexp.MustCompile(`action="([^"]+)"`)
	formField  = regexp.MustCompile(`name="([^"]+)" value="([^"]*)"`)
)

// readForm parses the form of a page.
func readForm(page string) (action string, fields url.Values) {
	fields = url.Values{}
	for _, m := range formField.FindAllStringSubmatch(page, -1) {
		fields.Set(m[1], m[2])
	}
	return formAction.FindStringSubmatch(page)[1], fields
}

// AnswerBank does what a browser does with the bank's page when the person types a code. It
// returns the address to which the bank sends the browser, with its form.
func (s *Telephony) AnswerBank(c wallet.Challenge, code string) (path string, form url.Values) {
	s.tb.Helper()
	action, fields := readForm(c.HTML)
	fields.Set("code", code)
	resp, err := http.PostForm(action, fields)
	s.must(err)
	defer func() { _ = resp.Body.Close() }()
	page, err := io.ReadAll(resp.Body)
	s.must(err)
	action, form = readForm(string(page))
	path, ours := strings.CutPrefix(action, s.URL)
	if !ours {
		s.tb.Fatalf("the bank was told to send the browser to %s", action)
	}
	return path, form
}

// SendBack brings the browser back from the bank.
func (s *Telephony) SendBack(path string, form url.Values) *Response {
	s.tb.Helper()
	return s.Client("").Header("Content-Type", "application/x-www-form-urlencoded").
		Header("Origin", "https://bank.example").Header("Sec-Fetch-Site", "cross-site").Post(path, form.Encode())
}

// Pay carries out a whole card payment.
func (s *Telephony) Pay(amount int64, card string) wallet.Challenge {
	s.tb.Helper()
	c := s.StartTopUp(amount, card)
	s.SendBack(s.AnswerBank(c, bank.Code)).Want(200)
	s.Settle()
	return c
}
