package mailer_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"io"
	"log"
	"log/slog"
	"mime"
	"mime/multipart"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/jobs"
	"konak/internal/kit/mailer"
	"konak/internal/kit/secret"
)

// post is a real mail server in the test's process.
type post struct {
	mu       sync.Mutex
	got      []delivered
	refuse   *smtp.SMTPError
	password string
	onMail   func() // called before a mail is accepted
}

type delivered struct {
	from, to string
	body     []byte
	safe     bool // whether it came over TLS
}

type conversation struct {
	p    *post
	mail delivered
}

func (p *post) NewSession(c *smtp.Conn) (smtp.Session, error) {
	_, safe := c.TLSConnectionState()
	return &conversation{p: p, mail: delivered{safe: safe}}, nil
}

func (c *conversation) AuthMechanisms() []string { return []string{sasl.Plain} }

func (c *conversation) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "konak" || password != c.p.password {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

func (c *conversation) Mail(from string, _ *smtp.MailOptions) error { c.mail.from = from; return nil }

func (c *conversation) Rcpt(to string, _ *smtp.RcptOptions) error {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	if c.p.refuse != nil {
		return c.p.refuse
	}
	c.mail.to = to
	return nil
}

func (c *conversation) Data(r io.Reader) (err error) {
	c.mail.body, err = io.ReadAll(r)
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	c.p.got = append(c.p.got, c.mail)
	if c.p.onMail != nil {
		c.p.onMail()
	}
	return err
}

func (c *conversation) Reset()        {}
func (c *conversation) Logout() error { return nil }

func (p *post) listen(t *testing.T) string { t.Helper(); return p.listenWith(t, nil, false) }

// listenWith offers STARTTLS with a certificate, or speaks TLS from the first
// byte.
func (p *post) listenWith(t *testing.T, safe *tls.Config, implicit bool) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := smtp.NewServer(p)
	s.ErrorLog = log.New(io.Discard, "", 0)
	if s.AllowInsecureAuth = safe == nil; implicit {
		ln = tls.NewListener(ln, safe)
	} else {
		s.TLSConfig = safe
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(ln) }()
	t.Cleanup(func() {
		_ = s.Close()
		if err := <-done; err != nil && !errors.Is(err, smtp.ErrServerClosed) {
			t.Error(err)
		}
	})
	return ln.Addr().String()
}

func newRunner(t *testing.T, d *db.DB, m *mailer.Mailer, log *slog.Logger) *jobs.Runner {
	t.Helper()
	r, err := jobs.New(jobs.Config{DB: d, Log: log, Kinds: m.Jobs(), Random: func() float64 { return 0 }})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func open(t *testing.T, d *db.DB, url string) (*mailer.Mailer, *jobs.Runner) {
	t.Helper()
	return openWithFiles(t, d, url, fakeFiles{})
}

func openWithFiles(t *testing.T, d *db.DB, url string, files fakeFiles) (*mailer.Mailer, *jobs.Runner) {
	t.Helper()
	box, err := secret.NewBox(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	m, err := mailer.New(mailer.Config{
		DB: d, Box: box, Log: slog.New(slog.DiscardHandler), Files: files, URL: url, From: "Konak <no-reply@konak.example>",
	})
	if err != nil {
		t.Fatal(err)
	}
	return m, newRunner(t, d, m, slog.New(slog.DiscardHandler))
}

var example = mailer.Mail{
	To: "ayse@example.com", Language: "tr", Subject: "E-posta adresinizi doğrulayın", Greeting: "Merhaba Ayşe,",
	Body: []string{"Hesabınızı açmak için <adresinizi> doğrulayın."}, PNG: []byte("\x89PNG picture"),
	Link: "https://konak.example/verify#token=emv_secret", LinkText: "Adresi doğrula", After: []string{"Siz istemediyseniz bir şey yapmayın."},
}

func send(t *testing.T, d *db.DB, tenant uuid.UUID, m *mailer.Mailer) {
	t.Helper()
	h := d.System("test")
	if tenant != uuid.Nil {
		h = d.Tenant(tenant)
	}
	if err := h.InTx(t.Context(), func(tx *db.Tx) error { return m.Send(tx, example) }); err != nil {
		t.Fatal(err)
	}
}

func step(t *testing.T, r *jobs.Runner) int {
	t.Helper()
	n, err := r.Step(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A mail reaches a real mail server as text, page and picture.
func TestSMTP(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		p := &post{password: "s3cret"}
		m, runner := open(t, d, "smtp://konak:s3cret@"+p.listen(t))
		send(t, d, uuid.Nil, m)
		p.refuse = &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "come back later"}
		step(t, runner)
		if len(p.got) != 0 {
			t.Fatal("a refused mail was delivered")
		}
		p.refuse = nil
		if step(t, runner) != 0 {
			t.Fatal("tried again at once")
		}
		c.Advance(time.Minute)
		step(t, runner)
		if len(p.got) != 1 {
			t.Fatalf("%d mails, want 1", len(p.got))
		}
		got := p.got[0]
		if got.from != "no-reply@konak.example" || got.to != example.To {
			t.Errorf("envelope %s to %s", got.from, got.to)
		}
		msg, err := mail.ReadMessage(bytes.NewReader(got.body))
		if err != nil {
			t.Fatal(err)
		}
		subject, err := new(mime.WordDecoder).DecodeHeader(msg.Header.Get("Subject"))
		if err != nil || subject != example.Subject {
			t.Errorf("subject %q, %v", subject, err)
		}
		parts := split(t, msg.Header.Get("Content-Type"), msg.Body)
		if text := parts["text/plain"]; !strings.Contains(text, "Merhaba Ayşe,") || !strings.Contains(text, example.Link) {
			t.Errorf("text %q", text)
		}
		if html := parts["text/html"]; !strings.Contains(html, "&lt;adresinizi&gt;") || !strings.Contains(html, `href="`+example.Link+`"`) || !strings.Contains(html, "cid:") {
			t.Errorf("html %q", html)
		}
		for _, id := range []string{"picture@konak", "tiles@konak"} {
			if !strings.Contains(parts["text/html"], "cid:"+id) || parts["<"+id+">"] == "" {
				t.Errorf("no picture %s", id)
			}
		}
	})
}

func split(t *testing.T, contentType string, body io.Reader) map[string]string {
	t.Helper()
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(kind, "multipart/") {
		b, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		return map[string]string{kind: string(b)}
	}
	out := map[string]string{}
	for r := multipart.NewReader(body, params["boundary"]); ; {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range split(t, part.Header.Get("Content-Type"), part) {
			out[cmp.Or(part.Header.Get("Content-ID"), k)] = v
		}
	}
}

// A mail that the server refuses permanently is not tried again.
func TestRefusedForGood(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		p := &post{refuse: &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such person"}}
		m, runner := open(t, d, "smtp://"+p.listen(t))
		send(t, d, uuid.Nil, m)
		step(t, runner)
		c.Advance(time.Minute)
		if step(t, runner) != 0 {
			t.Error("a dead mail was tried again")
		}
	})
}

// A mail to a non-ASCII address is not tried again if the server does not support such
// addresses.
func TestForeignAddressForASCIIServer(t *testing.T) {
	t.Parallel()
	p := &post{}
	m, _ := open(t, dbtest.Open(t, db.SQLite, clock.NewFake(dbtest.Start)), "smtp://"+p.listen(t))
	_, err := m.Relay(t.Context(), uuid.New(), mailer.FinishedMail{ID: uuid.New(), Envelope: mailer.Envelope{To: []string{"ışık@örnek.example"}}, Raw: []byte("\r\n")})
	if !errors.Is(err, mailer.ErrForeign) || !errors.Is(err, jobs.ErrDrop) || len(p.got) != 0 {
		t.Errorf("got %v, %d mails", err, len(p.got))
	}
}

// Without a mail server mails wait in the outbox, each with its owner, and the database
// never contains their text in the clear.
func TestOutbox(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		m, runner := open(t, d, "")
		tenant, other := dbtest.Tenant(t, d, "demo"), dbtest.Tenant(t, d, "acme")
		send(t, d, uuid.Nil, m)
		send(t, d, tenant, m)
		for step(t, runner) > 0 {
		}
		if strings.Contains(dbtest.Dump(t, d, tenant), "emv_secret") {
			t.Error("the outbox shows the mail's secret")
		}
		for owner, want := range map[uuid.UUID]int{uuid.Nil: 1, tenant: 1, other: 0} {
			list, err := m.Outbox(t.Context(), owner, db.Page{Limit: 10, After: db.First})
			if err != nil {
				t.Fatal(err)
			}
			if len(list.Rows) != want || want == 1 && !strings.Contains(list.Rows[0].Text, example.Link) {
				t.Errorf("outbox of %s: %+v", owner, list.Rows)
			}
		}
	})
}

func refused(c mailer.Config) bool {
	_, err := mailer.New(c)
	return err != nil
}

func TestSettings(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	box, err := secret.NewBox(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	whole := mailer.Config{
		DB: dbtest.Open(t, db.SQLite, clock.NewFake(dbtest.Start)), Box: box, Log: slog.New(slog.DiscardHandler), Files: fakeFiles{},
		From: "a@b.example",
	}
	if _, err := mailer.New(whole); err != nil {
		t.Fatal(err)
	}
	for name, without := range map[string]func(*mailer.Config){
		"DB":    func(c *mailer.Config) { c.DB = nil },
		"Box":   func(c *mailer.Config) { c.Box = nil },
		"Log":   func(c *mailer.Config) { c.Log = nil },
		"Files": func(c *mailer.Config) { c.Files = nil },
	} {
		c := whole
		if without(&c); !refused(c) {
			t.Errorf("a config without %s is taken", name)
		}
	}
	for _, c := range []mailer.Config{
		{URL: "http://mail.example", From: "a@b.example"},
		{URL: "smtp://", From: "a@b.example"},
		{URL: "smtp://mail.example?tls=never", From: "a@b.example"},
		{URL: "smtp://mail.example", CA: filepath.Join(t.TempDir(), "none.pem"), From: "a@b.example"},
		{URL: "smtp://mail.example", CA: empty, From: "a@b.example"},
		{From: "nobody"},
	} {
		c.DB, c.Box, c.Log, c.Files = whole.DB, whole.Box, whole.Log, whole.Files
		if !refused(c) {
			t.Errorf("%s from %s is taken", c.URL, c.From)
		}
	}
}

// fakeFiles holds files by id.
type fakeFiles map[uuid.UUID]string

type opened struct{ *strings.Reader }

func (opened) Close() error { return nil }

func (s fakeFiles) Open(_ context.Context, _, id uuid.UUID) (io.ReadSeekCloser, error) {
	text, ok := s[id]
	if !ok {
		return nil, errors.New("missing")
	}
	return opened{strings.NewReader(text)}, nil
}

// A mail's files follow its text; if one cannot be read, the mail waits.
func TestFilesAreSentWithMail(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		p := &post{}
		id := uuid.New()
		files := fakeFiles{}
		m, r := openWithFiles(t, d, "smtp://"+p.listen(t), files)
		l := example
		l.Files = []mailer.File{{Name: "fatura ğ.txt", Type: "text/plain", Blob: id}}
		tenant := dbtest.Tenant(t, d, "a")
		if err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error { return m.Send(tx, l) }); err != nil {
			t.Fatal(err)
		}
		step(t, r)
		if len(p.got) != 0 {
			t.Fatal("sent without its file")
		}
		files[id] = strings.Repeat("fatura ", 40)
		c.Advance(time.Minute)
		step(t, r)
		if len(p.got) != 1 {
			t.Fatalf("%d mails", len(p.got))
		}
		msg, err := mail.ReadMessage(bytes.NewReader(p.got[0].body))
		if err != nil {
			t.Fatal(err)
		}
		kind, params, err := mime.ParseMediaType(msg.Header.Get("Content-Type"))
		if err != nil || kind != "multipart/mixed" {
			t.Fatal(kind, err)
		}
		parts := multipart.NewReader(msg.Body, params["boundary"])
		if text, err := parts.NextPart(); err != nil || !strings.HasPrefix(text.Header.Get("Content-Type"), "multipart/alternative") {
			t.Fatal(err)
		}
		file, err := parts.NextPart()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, file))
		if err != nil || string(got) != files[id] || file.FileName() != "fatura ğ.txt" {
			t.Errorf("%q %q %v", file.FileName(), got, err)
		}
	})
}
