package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/smtp"
	"strings"
	"time"

	"konak/internal/exchange/sipexchange"
	"konak/internal/kit/db"
	"konak/internal/kit/smtpd"
	"konak/internal/mail"
	"konak/internal/mail/dlp"
	"konak/internal/mail/domain"
)

// mailMarks returns the benchmarks of mail that mailboxes submit and of the DLP rules
// applied to it.
func mailMarks() []group {
	return []group{
		{"DLP scan of 1 MiB", []mark{
			{"one look at every byte", 0, lookOnce},
			{"1,000 keywords and all detectors", 0, scanOnce},
		}},
		{"Mail submission, 10 kB, SQLite", []mark{
			{"sender with an exception: not scanned", 0, submit(true)},
			{"1,000 keywords and all detectors", 0.7, submit(false)},
		}},
		{"Mail handed over, 10 kB, beside Postfix", []mark{
			{"Postfix", 0, handToPostfix},
			{"this server: session, policy, signatures, queue in one transaction", 0, submit(true)},
		}},
	}
}

// turkish returns text of at least size bytes.
func turkish(size int) string {
	const words = "müşteri sipariş teslimat fatura adres yarın için gelen ürün iade kargo bugün değişiklik toplantı İstanbul ısı çözüm görüşme öğle şube 12 2024 0,50 34000 ve bir ile\r\n"
	return strings.Repeat(words, size/len(words)+1)
}

// keywords returns a thousand words that no text here contains.
func keywords() string {
	var out strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&out, "gizliproje%dkod\n", i)
	}
	return out.String()
}

// detectors maps all types of rules to their patterns; no text here has a match.
var detectors = map[string]string{
	dlp.Keyword: keywords(), dlp.Regex: `\b[A-Z]{2,4}-\d{4,8}\b`, dlp.CreditCard: "", dlp.IBAN: "", dlp.TCKN: "", dlp.VKN: "",
	dlp.Phone: "", dlp.Email: "", dlp.AttachmentType: "exe",
}

func lookOnce(context.Context, *env, int) (func() error, func(), error) {
	text := []byte(turkish(1 << 20))
	return func() error {
		if bytes.IndexByte(text, 0) >= 0 {
			return errors.New("a zero byte in the text")
		}
		return nil
	}, nil, nil
}

func scanOnce(ctx context.Context, _ *env, _ int) (func() error, func(), error) {
	var rules []dlp.Rule
	for kind, pattern := range detectors {
		rules = append(rules, dlp.Rule{ID: kind, Type: kind, Pattern: pattern})
	}
	scanner, err := dlp.Compile(rules, []byte("bench"))
	if err != nil {
		return nil, nil, err
	}
	text := turkish(1 << 20)
	return func() error {
		if r := scanner.ScanMessage(ctx, dlp.Message{Text: text}, dlp.DefaultLimits()); len(r.Unscanned) > 0 {
			return errors.New("the text was not scanned")
		}
		return nil
	}, nil, nil
}

// maxBoxes is the number of mailboxes of each kind that send: each may send to 2,000
// recipients a day.
const maxBoxes = 32

func boxName(exempt bool, i int) string { return fmt.Sprintf("kutu-%v-%d@firma.example", exempt, i) }

// mailServer returns the address of a node's mail server, for which it creates mailboxes
// and rules and listens the first time.
func (e *env) mailServer(ctx context.Context) (string, error) {
	if e.mail != "" {
		return e.mail, nil
	}
	h, err := e.node(ctx, db.SQLite)
	if err != nil {
		return "", err
	}
	ctx = h.asOwner(ctx)
	d, err := h.app.Domains.Provision(ctx, domain.Input{Domain: "firma.example", Routing: domain.RoutingEmbedded})
	if err != nil {
		return "", err
	}
	if err := ownDomain(ctx, h.app.DB, h.tenant, d.Domain.ID); err != nil {
		return "", err
	}
	for i := range 2 * maxBoxes {
		exempt := i < maxBoxes
		name := boxName(exempt, i%maxBoxes)
		if _, err := h.app.Domains.ProvisionMailbox(ctx, domain.MailboxInput{Address: name, Kind: domain.KindForward, Targets: []string{"x@firma.example"}, Password: password}); err != nil {
			return "", err
		}
		if exempt {
			if _, err := h.app.Mail.AddException(ctx, name, ""); err != nil {
				return "", err
			}
		}
	}
	for kind, pattern := range detectors {
		if _, err := h.app.Mail.AddRule(ctx, mail.Rule{Name: kind, PatternType: kind, Pattern: pattern, Action: mail.ActionBlock, Severity: "low", Enabled: true}); err != nil {
			return "", err
		}
	}
	cert, err := sipexchange.SelfSigned(time.Now())
	if err != nil {
		return "", err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	e.runBehind(context.WithoutCancel(ctx), func(ctx context.Context) error { return h.app.Engine.Serve(ctx, ln, nil, &cert) })
	e.mail = ln.Addr().String()
	return e.mail, nil
}

// submit submits mails as mailboxes do, with one session per caller.
func submit(exempt bool) opener {
	return func(ctx context.Context, e *env, i int) (func() error, func(), error) {
		addr, err := e.mailServer(ctx)
		if err != nil {
			return nil, nil, err
		}
		c, err := smtp.Dial(addr)
		if err != nil {
			return nil, nil, err
		}
		closing := func() { _ = c.Close() }
		from := boxName(exempt, i%maxBoxes)
		err = c.StartTLS(&tls.Config{InsecureSkipVerify: true}) //nolint:gosec // our own certificate, on this machine
		if err == nil {
			err = c.Auth(smtp.PlainAuth("", from, password, "127.0.0.1"))
		}
		return func() error { return sendMail(c, from) }, closing, err
	}
}

// handToPostfix submits mails to a Postfix that runs on this machine.
func handToPostfix(_ context.Context, e *env, _ int) (func() error, func(), error) {
	if e.postfix == "" {
		return nil, nil, fmt.Errorf("%w: scripts/with-postfix starts a Postfix, -postfix names one", errSkip)
	}
	c, err := smtp.Dial(e.postfix)
	if err != nil {
		return nil, nil, err
	}
	return func() error { return sendMail(c, "kutu@firma.example") }, func() { _ = c.Close() }, nil
}

// body has the length of an ordinary mail.
var body = turkish(10 << 10)

// sendMail submits one mail.
func sendMail(c *smtp.Client, from string) error {
	if err := c.Mail(from); err != nil {
		return err
	}
	if err := c.Rcpt("elif@other.example"); err != nil {
		return err
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, "From: "+from+"\r\nTo: elif@other.example\r\nSubject: Teklif\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"+body); err != nil {
		return err
	}
	return w.Close()
}

// mailSink starts the server to which nodes send their mail; it accepts everything.
func (e *env) mailSink() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := smtpd.Server{
		Domain: "sink.example", MaxSize: 64 << 20, MaxRecipients: 100, MaxSessions: 1000, MaxPerAddress: 1000, MaxPerNetwork: 1000,
		Patience: time.Minute, MaxIdle: time.Minute, Log: slog.New(slog.DiscardHandler),
		NewSession: func(context.Context, smtpd.Peer) smtpd.Session { return discarding{} },
	}
	e.runBehind(context.Background(), func(ctx context.Context) error { return server.Serve(ctx, ln, nil) })
	return ln.Addr().String(), nil
}

// discarding is a session that accepts every mail and discards it.
type discarding struct{}

func (discarding) Mail(string) error { return nil }
func (discarding) Rcpt(string) error { return nil }
func (discarding) Reset()            {}

func (discarding) Data(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}
