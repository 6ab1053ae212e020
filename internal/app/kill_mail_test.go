package app_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/smtp"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/kit/db"
	"konak/internal/kit/pgtest"
)

const mailKills = 8

// A mail that was answered with 250 is in the inbox after kill -9 at any
// moment, once, however often its sender tried.
func TestKillMail(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the server many times")
	}
	binary := buildBinary(t)
	t.Run("sqlite", func(t *testing.T) {
		dir := t.TempDir()
		newMailTrial(t, binary, "sqlite:"+filepath.Join(dir, "konak.db"), "--data="+dir).mails()
	})
	t.Run("postgres", func(t *testing.T) {
		server, err := pgtest.Start(pgtest.Options{Durable: true})
		if errors.Is(err, pgtest.ErrNoServer) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := server.Stop(); err != nil {
				t.Error(err)
			}
		})
		d, err := server.CreateDatabase(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		newMailTrial(t, binary, d.Owner, "--data="+t.TempDir(), "--db="+d.Owner).mails()
	})
}

// mailTrial is a trial whose writers send mail.
type mailTrial struct {
	*trial
	door, to string
}

func newMailTrial(t *testing.T, binary, url string, args ...string) *mailTrial {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	door := ln.Addr().String()
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	args = append(args, "--mail-listen="+door, "--mail-domain=in.konak.example")
	return &mailTrial{trial: newTrial(t, binary, url, args...), door: door}
}

func (k *mailTrial) mails() {
	p := k.start()
	in, err := newClient(p.url, "").post(k.ctx, "/api/v1/auth/sign-in", "",
		map[string]any{"email": "owner@demo.localhost", "password": app.DemoPassword})
	k.must(err)
	box, err := newClient(p.url, in.Data.Token).post(k.ctx, "/api/crm/v1/channels/email", "",
		map[string]any{"name": "Kutu", "address": "kutu@firma.example"})
	k.must(err)
	d := k.open()
	k.must(d.System("test").Read(k.ctx, func(r *db.Reader) error {
		local, err := db.One(r, db.Scalar[string], `SELECT local_part FROM email_mailbox WHERE account_id = $1`, uuid.MustParse(box.Data.ID))
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
	k.until("mails to be read", func() bool {
		open := -1
		k.must(d.System("test").Read(k.ctx, func(r *db.Reader) (err error) {
			open, err = db.One(r, db.Scalar[int], `SELECT count(*) FROM email_inbound WHERE state = 'received'`)
			return err
		}))
		return open == 0
	})
	k.must(p.stop())
	k.count(d)
}

// send hands mails over until ctx ends; one that was not taken comes again.
func (k *mailTrial) send(ctx context.Context, i int) {
	for ctx.Err() == nil {
		name := k.next(i)
		raw := fmt.Sprintf("From: %s\r\nTo: kutu@firma.example\r\nSubject: %s\r\nMessage-ID: <%s>\r\n\r\nNerede %s?\r\n", name, name, name, name)
		if err := smtp.SendMail(k.door, nil, name, []string{k.to}, []byte(raw)); err != nil {
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

// count holds what was taken against what is there.
func (k *mailTrial) count(d *db.DB) {
	times := map[string]int{}
	letters := 0
	k.must(d.System("test").Read(k.ctx, func(r *db.Reader) error {
		list, err := db.All(r, db.Scalar[string], `SELECT body FROM conversation_item WHERE kind = 'message' AND body LIKE 'Nerede a%'`)
		if err != nil {
			return err
		}
		for _, body := range list {
			times[body]++
		}
		letters, err = db.One(r, db.Scalar[int], `SELECT count(*) FROM email_message WHERE NOT ours AND subject LIKE 'a%@example.com'`)
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
	if letters != len(times) {
		k.t.Errorf("%d mails are known and %d messages are there", letters, len(times))
	}
	k.t.Logf("%d taken, %d there", len(k.acknowledged), len(times))
}
