package app_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/smtp"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/email/mailtest"
	"konak/internal/kit/db"
)

// mailKills is how often the tests of mail kill the server.
var mailKills = stormOr(2, 8)

// A mail that was answered with 250 is in the inbox once after kill -9 at any moment,
// however often its sender tried.
func TestKillMail(t *testing.T) {
	t.Parallel()
	onBoth(t, sharedPostgres, func(k *trial) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		k.must(err)
		smtpAddr := ln.Addr().String()
		k.must(ln.Close())
		k.args = append(k.args, "--mail-listen="+smtpAddr, "--mail-domain=in.konak.example")
		(&mailTrial{trial: k, smtpAddr: smtpAddr}).delivered()
	})
}

// Mail in a remote mailbox is in the inbox once, however often the fetching server is
// killed. Nobody waits for the leases of dead servers.
func TestKillPoller(t *testing.T) {
	t.Parallel()
	onBoth(t, sharedPostgres, func(k *trial) { (&mailTrial{trial: k}).fetched() })
}

// mailTrial is a trial of mail.
type mailTrial struct {
	*trial
	smtpAddr, to string
}

// connect creates a mailbox.
func (k *mailTrial) connect(p *process, more map[string]any) uuid.UUID {
	k.t.Helper()
	k.signIn(p)
	body := map[string]any{"name": "Kutu", "address": "kutu@firma.example"}
	maps.Copy(body, more)
	box, err := newClient(p.url, k.token).post(k.ctx, "/api/crm/v1/channels/email", "", body)
	k.must(err)
	if box.Data.ID == "" {
		k.t.Fatalf("no mailbox: %+v", box)
	}
	return uuid.MustParse(box.Data.ID)
}

func (k *mailTrial) delivered() {
	p := k.start()
	box := k.connect(p, nil)
	d := k.open()
	k.must(d.System("test").Read(k.ctx, func(r *db.Reader) error {
		local, err := db.One(r, db.Scalar[string], `SELECT local_part FROM email_mailbox WHERE account_id = $1`, box)
		k.to = local + "@in.konak.example"
		return err
	}))
	for range mailKills {
		ctx, cancel := context.WithCancel(k.ctx)
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() { k.send(ctx, i) })
		}
		k.writeUntil(1 + k.rand.IntN(mostWrites/2))
		k.must(p.kill())
		cancel()
		wg.Wait()
		p = k.start()
	}
	k.finish(p, d)
}

// fetched puts mails into a mailbox and kills the server somewhere on its way through them.
func (k *mailTrial) fetched() {
	elsewhere := mailtest.StartIMAP(k.t)
	p := k.start()
	box := k.connect(p, map[string]any{"imap": map[string]any{
		"host": "127.0.0.1", "port": elsewhere.Port, "security": "none", "user": mailtest.User, "password": mailtest.Password,
	}})
	d := k.open()
	k.until("the mailbox to be looked at", func() bool {
		return k.number(d, `SELECT count(*) FROM email_mailbox m JOIN job j ON j.tenant_id = m.tenant_id AND j.id = m.account_id
			WHERE m.account_id = $1 AND m.last_uid IS NOT NULL AND j.claim_id IS NULL`, box) == 1
	})
	taken := func() int { return k.number(d, `SELECT count(*) FROM email_inbound WHERE account_id = $1`, box) }
	for range mailKills {
		k.must(p.kill())
		for range mostWrites {
			name := k.next(0)
			elsewhere.Put(k.t, raw(name))
			k.acknowledged[name], k.pending[0] = name, ""
		}
		// The time for the next poll comes while no server runs.
		k.must(d.System("test").InTx(k.ctx, func(tx *db.Tx) error {
			return tx.Exec(`UPDATE job SET next_at = 0 WHERE id = $1 AND claim_id IS NULL`, box)
		}))
		p = k.start()
		goal := taken() + 1 + k.rand.IntN(mostWrites)
		k.until("mails to be fetched", func() bool { return taken() >= min(goal, len(k.acknowledged)) })
	}
	k.must(p.kill())
	p = k.start()
	k.until("the rest to be fetched", func() bool { return taken() == len(k.acknowledged) })
	k.finish(p, d)
}

func (k *mailTrial) number(d *db.DB, query string, args ...any) (n int) {
	k.must(d.System("test").Read(k.ctx, func(r *db.Reader) (err error) {
		n, err = db.One(r, db.Scalar[int], query, args...)
		return err
	}))
	return n
}

// finish waits until everything is read and compares it with what was accepted.
func (k *mailTrial) finish(p *process, d *db.DB) {
	k.until("mails to be read", func() bool {
		return k.number(d, `SELECT count(*) FROM email_inbound WHERE state = 'received'`) == 0
	})
	k.must(p.stop())
	k.count(d)
}

func raw(name string) string {
	return fmt.Sprintf("From: %s\r\nTo: kutu@firma.example\r\nSubject: %s\r\nMessage-ID: <%s>\r\n\r\nNerede %s?\r\n", name, name, name, name)
}

// send sends mails until ctx ends; a refused one is sent again.
func (k *mailTrial) send(ctx context.Context, i int) {
	for ctx.Err() == nil {
		name := k.next(i)
		if err := k.deliver(name); err != nil {
			select {
			case <-ctx.Done():
			case <-time.After(5 * time.Millisecond):
			}
			continue
		}
		k.mu.Lock()
		k.acknowledged[name], k.pending[i] = name, ""
		k.mu.Unlock()
	}
}

// deliver sends one mail without encryption, as servers do that do not know the demo's
// certificate.
func (k *mailTrial) deliver(name string) error { return k.hand(name, raw(name)) }

// hand sends a mail.
func (k *mailTrial) hand(from, mail string) error {
	c, err := smtp.Dial(k.smtpAddr)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if err := c.Mail(from); err != nil {
		return err
	}
	if err := c.Rcpt(k.to); err != nil {
		return err
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, mail)
	return errors.Join(err, w.Close())
}

// count compares what was accepted with what is stored.
func (k *mailTrial) count(d *db.DB) {
	times := map[string]int{}
	messages := 0
	k.must(d.System("test").Read(k.ctx, func(r *db.Reader) error {
		list, err := db.All(r, db.Scalar[string], `SELECT body FROM conversation_item WHERE kind = 'message' AND body LIKE 'Nerede a%'`)
		if err != nil {
			return err
		}
		for _, body := range list {
			times[body]++
		}
		messages, err = db.One(r, db.Scalar[int], `SELECT count(*) FROM email_message WHERE NOT ours AND subject LIKE 'a%@example.com'`)
		return err
	}))
	for name := range k.acknowledged {
		if n := times["Nerede "+name+"?"]; n != 1 {
			k.t.Errorf("%s was taken and is there %d times", name, n)
		}
	}
	for body, n := range times {
		if n != 1 {
			k.t.Errorf("%q is there %d times", body, n)
		}
	}
	if messages != len(times) {
		k.t.Errorf("%d mails are known and %d messages are there", messages, len(times))
	}
	k.t.Logf("%d taken, %d there", len(k.acknowledged), len(times))
}
