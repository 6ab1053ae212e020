package app_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/smtp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"konak/internal/kit/db"
	"konak/internal/kit/smtpd"
)

// A mail from a mailbox that was answered with 250 is delivered and in the journal after
// kill -9 at any moment, and nothing is delivered that is not in the journal. An
// unreachable recipient is reported once.
func TestKillSubmission(t *testing.T) {
	t.Parallel()
	onBoth(t, sharedPostgres, func(k *trial) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		k.must(err)
		addr := ln.Addr().String()
		k.must(ln.Close())
		out := startCountingServer(k)
		cert, key := writeCertificate(k)
		k.args = append(k.args, "--mail-listen="+addr, "--mail-domain=in.konak.example", "--mail-tls-cert="+cert, "--mail-tls-key="+key, "--mail-route=*="+out.address)
		(&submissionTrial{trial: k, smtpAddr: addr, out: out}).run()
	})
}

// submissionTrial is a trial of a mailbox that sends.
type submissionTrial struct {
	*trial
	smtpAddr string
	out      *countingServer
}

// refusedPrefix begins the addresses that the outside server refuses; reportSubject is the
// subject of reports on them.
const (
	refusedPrefix = "yok-"
	reportSubject = "Undelivered mail / Teslim edilemeyen posta"
)

// mostMails is the maximum number of mails that a round waits for before the kill. A storm
// sends enough to measure one repetition in a hundred.
var mostMails = stormOr(mostWrites/2, 160)

const submissionPassword = "yeşil-kapı-üç-anahtar"

func (k *submissionTrial) run() {
	p := k.start()
	d := k.open()
	k.prepare(p, d)
	for range mailKills {
		ctx, cancel := context.WithCancel(k.ctx)
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() { k.send(ctx, i) })
		}
		k.writeUntil(mostMails/2 + k.rand.IntN(mostMails/2))
		k.must(p.kill())
		cancel()
		wg.Wait()
		p = k.start()
	}
	p = k.killBeforeAnswer(p, d)
	left := func() int { return k.number(d, `SELECT count(*) FROM mail_queue WHERE state <> 'done'`) }
	for n := left(); n > 0; n = left() {
		k.until("the queue to become shorter", func() bool { return left() < n })
	}
	k.must(p.stop())
	k.verifyMails(d)
}

// killBeforeAnswer kills the server when a mail is in the journal and its sender has not
// been answered, and restarts it. The sender sends the mail once more.
func (k *submissionTrial) killBeforeAnswer(p *process, d *db.DB) *process {
	k.t.Helper()
	c, err := k.signInBySMTP(0)
	k.must(err)
	defer func() { _ = c.Close() }()
	name := k.next(0)
	w, err := k.begin(c, 0, name)
	k.must(err)
	answered := make(chan struct{})
	go func() { defer close(answered); _ = w.Close() }()
	k.until("the mail to be in the journal", func() bool {
		return k.number(d, `SELECT count(*) FROM mail_journal WHERE subject = '`+name+`'`) > 0
	})
	k.must(p.kill())
	<-answered
	p = k.start()
	c, err = k.signInBySMTP(0)
	k.must(err)
	defer func() { _ = c.Close() }()
	w, err = k.begin(c, 0, name)
	k.must(err)
	k.must(w.Close())
	k.acknowledge(0, name)
	return p
}

// sendingBox returns the mailbox of a writer: each may send to 2,000 recipients a day.
func sendingBox(i int) string { return fmt.Sprintf("kutu%d@firma.example", i) }

// prepare creates mailboxes at a domain of the workspace, with a journal.
func (k *submissionTrial) prepare(p *process, d *db.DB) {
	k.t.Helper()
	k.signIn(p)
	c := newClient(p.url, k.token)
	_, err := c.post(k.ctx, "/api/mail/v1/provision/domain/quickstart", "", map[string]any{"domain": "firma.example"})
	k.must(err)
	// Nobody queries the DNS here.
	k.must(d.System("test").InTx(k.ctx, func(tx *db.Tx) error {
		if err := tx.Exec(`UPDATE mail_domain SET state = 'active' WHERE domain = 'firma.example'`); err != nil {
			return err
		}
		return tx.Exec(`INSERT INTO mail_domain_owner (domain, tenant_id, domain_id, since) SELECT domain, tenant_id, id, 0 FROM mail_domain WHERE domain = 'firma.example'`)
	}))
	k.putSetting(p, "forwarding", `{"allowed":["example.com"]}`)
	for i := range writers {
		box, err := c.post(k.ctx, "/api/mail/v1/provision/mailbox", "", map[string]any{
			"address": sendingBox(i), "kind": "forward", "targets": []string{"elif@example.com"}, "password": submissionPassword,
		})
		k.must(err)
		if box.Data.ID == "" {
			k.t.Fatalf("no mailbox: %+v", box)
		}
	}
	k.putSetting(p, "journaling", `{"enabled":true,"retention_days":10}`)
}

// putSetting changes a setting of the workspace's mail.
func (k *submissionTrial) putSetting(p *process, name, body string) {
	k.t.Helper()
	req, err := http.NewRequestWithContext(k.ctx, http.MethodPut, p.url+"/api/mail/v1/settings/"+name, strings.NewReader(body))
	k.must(err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+k.token)
	answer, err := http.DefaultClient.Do(req)
	k.must(err)
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		k.t.Fatalf("%s: %s", name, answer.Status)
	}
}

// send sends mails in one session until ctx ends; a refused one is sent again.
func (k *submissionTrial) send(ctx context.Context, i int) {
	for ctx.Err() == nil {
		if err := k.sendInSession(ctx, i); err != nil {
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
}

func (k *submissionTrial) sendInSession(ctx context.Context, i int) error {
	c, err := k.signInBySMTP(i)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	for ctx.Err() == nil {
		name := k.next(i)
		w, err := k.begin(c, i, name)
		if err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		k.acknowledge(i, name)
	}
	return nil
}

// signInBySMTP connects with the mailbox of a writer.
func (k *submissionTrial) signInBySMTP(i int) (*smtp.Client, error) {
	c, err := smtp.Dial(k.smtpAddr)
	if err != nil {
		return nil, err
	}
	if err := c.StartTLS(&tls.Config{InsecureSkipVerify: true}); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if err := c.Auth(smtp.PlainAuth("", sendingBox(i), submissionPassword, "127.0.0.1")); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// begin sends a mail up to its end, to one recipient and to one whom the outside server
// refuses. The mail is accepted when the writer was closed without error.
func (k *submissionTrial) begin(c *smtp.Client, i int, name string) (io.WriteCloser, error) {
	if err := c.Mail(sendingBox(i)); err != nil {
		return nil, err
	}
	for _, to := range []string{name, refusedPrefix + name} {
		if err := c.Rcpt(to); err != nil {
			return nil, err
		}
	}
	w, err := c.Data()
	if err != nil {
		return nil, err
	}
	_, err = io.WriteString(w, "From: "+sendingBox(i)+"\r\nTo: "+name+"\r\nSubject: "+name+"\r\n\r\nNerede?\r\n")
	return w, err
}

// acknowledge records that a writer's mail was accepted.
func (k *submissionTrial) acknowledge(i int, name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.acknowledged[name], k.pending[i] = name, ""
}

// verifyMails compares what was accepted with what was delivered and what is in the
// journal. A mail whose 250 was lost is sent a second time, and may arrive twice.
func (k *submissionTrial) verifyMails(d *db.DB) {
	journal := map[string]int{}
	queue := map[string]int{}
	k.must(d.System("test").Read(k.ctx, func(r *db.Reader) error {
		for table, into := range map[string]map[string]int{"mail_journal": journal, "mail_queue": queue} {
			list, err := db.All(r, db.Scalar[string], `SELECT subject FROM `+table)
			if err != nil {
				return err
			}
			for _, subject := range list {
				into[subject]++
			}
		}
		return nil
	}))
	arrived := k.out.arrived()
	delete(arrived, reportSubject) // they are sent on by the mailbox
	failed := k.number(d, `SELECT count(*) FROM mail_queue_recipient WHERE state = 'failed'`)
	reports := k.number(d, `SELECT count(*) FROM mail_queue WHERE origin = 'report'`)
	mails := k.number(d, `SELECT count(*) FROM mail_queue WHERE origin = 'submission'`)
	if failed != mails || reports != mails {
		k.t.Errorf("%d mails were taken, %d recipients failed, %d reports were written", mails, failed, reports)
	}
	repeated := 0
	for name := range k.acknowledged {
		if arrived[name] == 0 || journal[name] == 0 {
			k.t.Errorf("%s was taken, arrived %d times and is in the journal %d times", name, arrived[name], journal[name])
		}
	}
	for name, n := range arrived {
		if n > queue[name] {
			repeated += n - queue[name]
		}
		if journal[name] != queue[name] || queue[name] == 0 {
			k.t.Errorf("%s arrived %d times, was taken %d times and is in the journal %d times", name, n, queue[name], journal[name])
		}
	}
	// What a server accepted at the moment of a kill is sent again.
	most := mailKills * writers
	if os.Getenv("KONAK_TEST_STORM") != "" {
		most = len(arrived) / 100
	}
	if repeated > most {
		k.t.Errorf("%d of %d mails were sent twice, and at most %d may be", repeated, len(arrived), most)
	}
	k.t.Logf("%d acknowledged, %d arrived, %d sent twice", len(k.acknowledged), len(arrived), repeated)
}

func (k *submissionTrial) number(d *db.DB, query string) (n int) {
	k.must(d.System("test").Read(k.ctx, func(r *db.Reader) (err error) {
		n, err = db.One(r, db.Scalar[int], query)
		return err
	}))
	return n
}

// countingServer is a mail server that counts the accepted mails by their subjects.
type countingServer struct {
	address string
	mu      sync.Mutex
	times   map[string]int
}

func startCountingServer(k *trial) *countingServer {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	k.must(err)
	o := &countingServer{address: ln.Addr().String(), times: map[string]int{}}
	server := smtpd.Server{
		Domain: "outside.example", MaxSize: 1 << 20, MaxRecipients: 10, MaxSessions: 100, MaxPerAddress: 100, MaxPerNetwork: 100,
		Patience: time.Minute, MaxIdle: time.Minute, Log: slog.New(slog.DiscardHandler),
		NewSession: func(context.Context, smtpd.Peer) smtpd.Session { return countingSession{o} },
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, ln, nil) }()
	k.t.Cleanup(func() { cancel(); <-done })
	return o
}

func (o *countingServer) arrived() map[string]int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.times
}

var subjectLine = regexp.MustCompile(`(?m)^Subject: (.*)\r$`)

type countingSession struct{ o *countingServer }

func (countingSession) Mail(string) error { return nil }

func (countingSession) Rcpt(to string) error {
	if strings.HasPrefix(to, refusedPrefix) {
		return &smtpd.Error{Code: 550, Enhanced: "5.7.1", Message: "Not you"}
	}
	return nil
}
func (countingSession) Reset() {}

func (s countingSession) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if m := subjectLine.FindSubmatch(text); m != nil {
		s.o.mu.Lock()
		defer s.o.mu.Unlock()
		s.o.times[string(m[1])]++
	}
	return nil
}

// writeCertificate writes a self-signed certificate and its key.
func writeCertificate(k *trial) (cert, key string) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	k.must(err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	k.must(err)
	sealed, err := x509.MarshalPKCS8PrivateKey(private)
	k.must(err)
	dir := k.t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	k.must(os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	k.must(os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: sealed}), 0o600))
	return cert, key
}
