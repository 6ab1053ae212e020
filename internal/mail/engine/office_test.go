package engine_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/smtp"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/kit/dns/dnstest"
	"konak/internal/kit/smtpd"
	"konak/internal/mail/domain"
	"konak/internal/mail/engine"
)

const (
	base     = "/api/mail/v1"
	host     = "mx.konak.example"
	password = "kırmızı-bisiklet-kapıda"
)

// office is a workspace with its own domain, together with the name server of that domain
// and an external mail server.
type office struct {
	*apptest.Workspace
	t      *testing.T
	s      *apptest.Server
	names  *dnstest.Server
	of     domain.Details
	server string // its address
	out    *sink
}

// run runs a test on both databases. change may change the configuration of the
// installation.
func run(t *testing.T, change func(*app.Config), fn func(t *testing.T, o *office)) {
	t.Helper()
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			fn(t, newOffice(t, dialect, change))
		})
	}
}

// newOffice creates an office on one database.
func newOffice(t *testing.T, dialect db.Dialect, change func(*app.Config)) *office {
	t.Helper()
	names, out := dnstest.Start(t), newSink(t)
	s := apptest.NewOn(t, dialect, func(c *app.Config) {
		c.NameServers, c.MailHost, c.MailMaxSize, c.MailRoutes = names.Find, host, 1<<20, []string{"*=" + out.address}
		if change != nil {
			change(c)
		}
	})
	cert := newCertificate(t)
	o := &office{Workspace: s.Workspace("demo"), t: t, s: s, names: names, server: s.ListenSMTP(&cert), out: out}
	o.of = o.addDomain("firma.example")
	o.addInbox("info@firma.example")
	o.allowForwarding("other.example", "third.example")
	return o
}

// addDomain adds a domain that the workspace owns.
func (o *office) addDomain(name string) (d domain.Details) {
	o.t.Helper()
	o.Owner.Post(base+"/provision/domain/quickstart", map[string]any{"domain": name}).Want(200).Data(&d)
	for _, r := range d.Records {
		switch r.Type {
		case "TXT":
			o.names.SetTXT(r.FQDN, r.Chunks)
		case "MX":
			o.names.SetMX(r.FQDN, fmt.Sprintf("%d %s", *r.Priority, r.Value))
		}
	}
	o.s.Clock.Advance(10 * time.Second)
	o.Owner.Get(base + "/domains/" + d.Domain.ID.String() + "/dns").Want(200)
	return d
}

// allowForwarding lets mailboxes forward to external domains and addresses.
func (o *office) allowForwarding(list ...string) {
	o.t.Helper()
	o.Owner.Put(base+"/settings/forwarding", map[string]any{"allowed": append([]string{}, list...)}).Want(200)
}

// addInbox adds an inbox that can send.
func (o *office) addInbox(addr string) (m domain.Mailbox) {
	o.t.Helper()
	account := o.Owner.Post("/api/crm/v1/channels/email", map[string]any{"name": addr, "address": addr}).Want(201).ID()
	return o.addMailbox(map[string]any{"address": addr, "kind": "inbox", "account_id": account, "password": password})
}

func (o *office) addMailbox(body map[string]any) (m domain.Mailbox) {
	o.t.Helper()
	o.Owner.Post(base+"/provision/mailbox", body).Want(200).Data(&m)
	return m
}

// mailbox returns the mailbox of an address.
func (o *office) mailbox(addr string) domain.Mailbox {
	o.t.Helper()
	var list []domain.Mailbox
	o.Owner.Get(base + "/mailboxes").Want(200).Data(&list)
	i := slices.IndexFunc(list, func(m domain.Mailbox) bool { return m.Address == addr })
	if i < 0 {
		o.t.Fatalf("there is no mailbox %s", addr)
	}
	return list[i]
}

// subjects returns the subjects of the workspace's conversations, sorted.
func (o *office) subjects() (out []string) {
	o.t.Helper()
	o.s.Settle()
	var list []struct {
		Subject string `json:"subject"`
	}
	o.Owner.Get("/api/crm/v1/conversations").Want(200).Data(&list)
	for _, c := range list {
		out = append(out, c.Subject)
	}
	slices.Sort(out)
	return out
}

// mailEvents returns the workspace's mail events in order.
func (o *office) mailEvents() []string {
	return slices.DeleteFunc(o.Events(), func(name string) bool { return !strings.HasPrefix(name, "mail.") })
}

func (o *office) queue() (list []engine.QueueItem) {
	o.t.Helper()
	o.Owner.Get(base + "/queue?limit=100").Want(200).Data(&list)
	return list
}

// dial connects and signs in over STARTTLS.
func (o *office) dial(user string) *smtp.Client {
	o.t.Helper()
	c, err := o.signIn(user, password)
	if err != nil {
		o.t.Fatal(err)
	}
	return c
}

func (o *office) signIn(user, password string) (*smtp.Client, error) {
	o.t.Helper()
	c, err := smtp.Dial(o.server)
	if err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(func() { _ = c.Close() })
	if err := c.StartTLS(&tls.Config{InsecureSkipVerify: true}); err != nil {
		o.t.Fatal(err)
	}
	return c, c.Auth(smtp.PlainAuth("", user, password, "127.0.0.1"))
}

// text returns a mail to hand over.
func text(from, subject, more string) string {
	return fmt.Sprintf("From: %s\r\nTo: elif@other.example\r\nSubject: %s\r\nMessage-ID: <%s@mua.example>\r\n%s\r\nMerhaba\r\n", from, subject, subject, more)
}

// submit sends a mail as info@firma.example and returns the code of the last answer.
func (o *office) submit(mail string, to ...string) int {
	o.t.Helper()
	return transfer(o.t, o.dial("info@firma.example"), "info@firma.example", mail, to...)
}

// transfer hands a mail over and returns the code of the server's last answer.
func transfer(t *testing.T, c *smtp.Client, from, mail string, to ...string) int {
	t.Helper()
	err := c.Mail(from)
	for _, addr := range to {
		if err == nil {
			err = c.Rcpt(addr)
		}
	}
	var w io.WriteCloser
	if err == nil {
		w, err = c.Data()
	}
	if err == nil {
		_, err = io.WriteString(w, mail)
	}
	if err == nil {
		err = w.Close()
	}
	return codeOf(t, err)
}

// codeOf returns the code of an answer; 250 if there is no error.
func codeOf(t *testing.T, err error) int {
	t.Helper()
	if said, ok := errors.AsType[*textproto.Error](err); ok {
		return said.Code
	}
	if err != nil {
		t.Fatal(err)
	}
	return 250
}

// bring hands over a mail as a stranger.
func (o *office) bring(from, mail string, to ...string) int {
	o.t.Helper()
	c, err := smtp.Dial(o.server)
	if err != nil {
		o.t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	return transfer(o.t, c, from, mail, to...)
}

// arrived is a mail that the external server accepted.
type arrived struct {
	from string
	to   []string
	text string
}

// sink is an external mail server.
type sink struct {
	address string
	mu      sync.Mutex
	mails   []arrived
	refuses map[string]*smtpd.Error // by recipient
}

func newSink(t *testing.T) *sink {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	k := &sink{address: ln.Addr().String(), refuses: map[string]*smtpd.Error{}}
	server := smtpd.Server{
		Domain: "outside.example", MaxSize: 4 << 20, MaxRecipients: 100, MaxSessions: 100, MaxPerAddress: 100, MaxPerNetwork: 100,
		Patience: time.Minute, MaxIdle: time.Minute, Log: slog.New(slog.DiscardHandler),
		NewSession: func(context.Context, smtpd.Peer) smtpd.Session { return &sinkSession{sink: k} },
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, ln, nil) }()
	t.Cleanup(func() { cancel(); <-done })
	return k
}

func (k *sink) got() []arrived {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.mails)
}

// answer sets the answer for a recipient; with nil its mail is accepted.
func (k *sink) answer(to string, with *smtpd.Error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.refuses[to] = with; with == nil {
		delete(k.refuses, to)
	}
}

type sinkSession struct {
	sink *sink
	mail arrived
}

func (c *sinkSession) Mail(from string) error { c.mail = arrived{from: from}; return nil }

func (c *sinkSession) Rcpt(to string) error {
	c.sink.mu.Lock()
	defer c.sink.mu.Unlock()
	if e, ok := c.sink.refuses[to]; ok {
		return e
	}
	c.mail.to = append(c.mail.to, to)
	return nil
}

func (c *sinkSession) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	c.sink.mu.Lock()
	defer c.sink.mu.Unlock()
	c.mail.text = string(text)
	c.sink.mails = append(c.sink.mails, c.mail)
	return nil
}

func (c *sinkSession) Reset() { c.mail = arrived{} }

func newCertificate(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// field returns a field of a mail's header in one line.
func field(mail, name string) string {
	head, _, _ := strings.Cut(mail, "\r\n\r\n")
	for _, line := range strings.Split(strings.ReplaceAll(head, "\r\n\t", " "), "\r\n") {
		if value, ok := strings.CutPrefix(line, name+": "); ok {
			return value
		}
	}
	return ""
}
