package app_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"konak/internal/app"
	"konak/internal/crm/email/mailtest"
	"konak/internal/kit/db"
	"konak/internal/kit/hostile"
	"konak/internal/mail"
)

const (
	// mostMemory is the maximum growth of a server's memory while its peers misbehave.
	mostMemory = 64 << 20
	// grace is the maximum time a server takes to end.
	grace = 20 * time.Second
	// largestMail is the default of --mail-max-size.
	largestMail = 36 << 20
)

// One workspace's mail servers, webhook receivers and providers, the captcha service, the
// file store and strangers who send mail misbehave in every manner at each phase of their
// protocols. The server's memory does not grow, another workspace works on, and the server
// ends within its grace period.
func TestHostilePeers(t *testing.T) {
	onBothInTurn(t, func(k *trial) { newSiege(k).run() })
}

// onBothInTurn is onBoth for tests that measure: one database after the other.
func onBothInTurn(t *testing.T, run func(k *trial)) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc, which Linux has")
	}
	t.Run("sqlite", func(t *testing.T) {
		dir := t.TempDir()
		run(newTrial(t, "sqlite:"+dir+"/konak.db", dir))
	})
	t.Run("postgres", func(t *testing.T) { run(sharedPostgres(t)) })
}

// siege is a server among hostile peers.
type siege struct {
	*trial
	mailAddress, mailTo      string
	whatsapp, captcha, files *crossing
	server                   *process
	attacker, other          *client
	// The other workspace has a conversation over a mailbox with a healthy server, and a
	// healthy receiver.
	talk    string
	hooks   chan struct{}
	mailbox *hostile.Peer
	turns   int
	under   sync.WaitGroup // requests of the attacker
}

func newSiege(k *trial) *siege {
	s := &siege{trial: k, hooks: make(chan struct{}, 1024)}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	k.must(err)
	s.mailAddress = ln.Addr().String()
	k.must(ln.Close())
	var peers []string
	for _, phase := range hostile.HTTPPhases() {
		for _, manner := range hostile.Manners() {
			peers = append(peers, hostile.HTTP(k.t, phase, manner).Address())
		}
	}
	bucket := s3mem.New()
	k.must(bucket.CreateBucket("files"))
	yes := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"success":true}`) })
	s.whatsapp = newCrossing(k.t, yes, peers)
	s.captcha = newCrossing(k.t, yes, peers)
	s.files = newCrossing(k.t, gofakes3.New(bucket).Server(), peers)
	k.args = append(k.args, "--mail-listen="+s.mailAddress, "--mail-domain=in.konak.example",
		"--whatsapp-address=http://"+s.whatsapp.address, "--s3-url=http://key:secret@"+s.files.address+"/files",
		"--captcha=always", "--captcha-provider=turnstile", "--captcha-site-key=k", "--captcha-secret=s", "--captcha-address=http://"+s.captcha.address)
	return s
}

func (s *siege) run() {
	s.server = s.start()
	s.attacker, s.other = s.signInAs("demo"), s.signInAs("acme")
	s.prepareOther()
	s.mailTo = s.forwardingAddress()
	d := s.open()
	calm := s.work(20)
	s.sendLarge(1, base64Mail) // what reading a large mail loads is there from now on
	s.awaitIngested(d)
	idle := s.memory("VmRSS")
	s.resetPeak()

	var worst time.Duration
	for _, step := range []struct {
		who    string
		attack func()
	}{
		{"mail servers", func() { s.attackMail(d) }},
		{"webhook receivers", s.attackWebhooks},
		{"WhatsApp and the captcha service", s.attackProviders},
		{"senders of mail", s.attackIncoming},
		{"the file store", s.attackFiles},
	} {
		step.attack()
		worst = max(worst, s.work(15))
		s.t.Logf("%s: %d MiB more than idle", step.who, (s.memory("VmHWM")-idle)>>20)
	}
	peak := s.memory("VmHWM")
	s.t.Logf("memory: %d MiB idle, %d MiB at most; the other workspace: %v at most before, %v while its neighbours misbehave", idle>>20, peak>>20, calm, worst)
	if peak-idle > mostMemory {
		s.t.Errorf("the memory grew by %d MiB", (peak-idle)>>20)
	}
	asked := time.Now()
	s.must(s.server.stop())
	took := time.Since(asked)
	s.t.Logf("the server ended after %v", took)
	if took > grace {
		s.t.Errorf("the server needed %v to end", took)
	}
	s.under.Wait()
}

func (s *siege) signInAs(slug string) *client {
	s.t.Helper()
	in, err := newClient(s.server.url, "").post(s.ctx, "/api/v1/auth/sign-in", "",
		map[string]any{"email": "owner@" + slug + ".localhost", "password": app.DemoPassword, "captcha_token": "token"})
	s.must(err)
	if in.Data.Token == "" {
		s.t.Fatalf("sign-in: %+v", in)
	}
	return newClient(s.server.url, in.Data.Token)
}

// forwardingAddress creates a mailbox of the attacker that accepts mail and returns its
// address.
func (s *siege) forwardingAddress() string {
	s.t.Helper()
	r, err := s.attacker.post(s.ctx, "/api/crm/v1/channels/email", "", map[string]any{"name": "Kutu", "address": "kutu@firma.example"})
	s.must(err)
	if r.Data.Forwarding == "" {
		s.t.Fatalf("no mailbox: %+v", r)
	}
	return r.Data.Forwarding
}

// call makes a call that must succeed and returns the id of the created record.
func (s *siege) call(c *client, path string, body any) string {
	s.t.Helper()
	r, err := c.post(s.ctx, path, "", body)
	s.must(err)
	if r.Status > 299 {
		s.t.Fatalf("%s: %+v", path, r)
	}
	return r.Data.ID
}

// openTalk connects a mailbox with a mail server and begins a conversation over it, whose
// first message goes to that server.
func (s *siege) openTalk(c *client, name string, port int) string {
	s.t.Helper()
	box := s.call(c, "/api/crm/v1/channels/email", map[string]any{
		"name": name, "address": name + "@firma.example",
		"smtp": map[string]any{"host": "127.0.0.1", "port": port, "security": "none", "user": "u", "password": "geheim-1"},
	})
	who := s.call(c, "/api/crm/v1/contacts", map[string]any{"name": name, "emails": []string{name + "@musteri.example"}})
	return s.call(c, "/api/crm/v1/conversations/new-as-agent", map[string]any{
		"contact_id": who, "channel": "email", "channel_account_id": box, "subject": name, "body": "Merhaba",
	})
}

// prepareOther creates what the other workspace works with.
func (s *siege) prepareOther() {
	s.t.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
		s.hooks <- struct{}{}
	}))
	s.t.Cleanup(receiver.Close)
	s.call(s.other, "/api/erp/v1/webhooks", map[string]any{"address": receiver.URL, "events": []string{mail.ExceptionCreated}})
	s.mailbox = hostile.SMTP(s.t, "never", hostile.Silent) // a phase that it never comes to: it is well
	s.talk = s.openTalk(s.other, "saglam", s.mailbox.Port)
	s.await("the first mail", s.mailbox.Ended())
}

// work does the usual work of the other workspace: it lists conversations, adds a record
// whose webhook arrives, and writes an answer that is sent as a mail. It returns the
// longest time of a round.
func (s *siege) work(turns int) (slowest time.Duration) {
	s.t.Helper()
	for range turns {
		s.turns++
		began := time.Now()
		s.list()
		s.call(s.other, exceptions, map[string]any{"email": fmt.Sprintf("k%d@firma.example", s.turns)})
		s.await("a webhook of the other workspace", s.hooks)
		s.call(s.other, "/api/crm/v1/conversations/"+s.talk+"/reply-as-agent", map[string]any{"body": fmt.Sprint("Yanıt ", s.turns)})
		s.await("a mail of the other workspace", s.mailbox.Ended())
		slowest = max(slowest, time.Since(began))
	}
	return slowest
}

// awaitIngested waits until no mail is left to be processed.
func (s *siege) awaitIngested(d *db.DB) {
	s.t.Helper()
	s.until("the mails to be processed", func() bool {
		left, err := db.Read(s.ctx, d.System("test"), func(r *db.Reader) (int, error) {
			return db.One(r, db.Scalar[int], `SELECT count(*) FROM job WHERE kind = 'email.ingest'`)
		})
		s.must(err)
		return left == 0
	})
}

func (s *siege) list() {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.ctx, http.MethodGet, s.server.url+"/api/crm/v1/conversations", nil)
	s.must(err)
	req.Header.Set("Authorization", "Bearer "+s.other.token)
	resp, err := s.other.http.Do(req)
	s.must(err)
	defer func() { _ = resp.Body.Close() }()
	var list struct{ Data []json.RawMessage }
	s.must(json.NewDecoder(resp.Body).Decode(&list))
	if resp.StatusCode != http.StatusOK || len(list.Data) == 0 {
		s.t.Fatalf("the list of the other workspace: %d", resp.StatusCode)
	}
}

func (s *siege) await(what string, came <-chan struct{}) {
	s.t.Helper()
	select {
	case <-came:
	case <-time.After(patience):
		s.t.Fatalf("waited too long for %s", what)
	}
}

// post makes a call of the attacker whose answer does not matter.
func (s *siege) post(path string, body any) {
	s.under.Go(func() { _, _ = s.attacker.post(s.ctx, path, "", body) })
}

// eachPeer starts a peer for each phase and manner of a protocol.
func (s *siege) eachPeer(phases []string, start func(testing.TB, string, hostile.Manner) *hostile.Peer, do func(name string, port int)) {
	for i, phase := range phases {
		for j, manner := range hostile.Manners() {
			do(fmt.Sprintf("k%d-%d", i, j), start(s.t, phase, manner).Port)
		}
	}
}

// attackMail connects mailboxes whose servers misbehave, and tests, polls and uses them.
func (s *siege) attackMail(d *db.DB) {
	s.t.Helper()
	login := func(port int) map[string]any {
		return map[string]any{"host": "127.0.0.1", "port": port, "security": "none", "user": "u", "password": "geheim-1"}
	}
	s.eachPeer(hostile.SMTPPhases(), hostile.SMTP, func(name string, port int) {
		s.post("/api/crm/v1/channels/email/test", map[string]any{"smtp": login(port)})
		s.openTalk(s.attacker, "s"+name, port)
	})
	s.eachPeer(hostile.IMAPPhases(), hostile.IMAP, func(name string, port int) {
		s.post("/api/crm/v1/channels/email/test", map[string]any{"imap": login(port)})
		s.call(s.attacker, "/api/crm/v1/channels/email", map[string]any{"name": name, "address": "i" + name + "@firma.example", "imap": login(port)})
	})
	// They were polled before, so there is something to fetch.
	s.must(d.System("test").InTx(s.ctx, func(tx *db.Tx) error {
		if err := tx.Exec(`UPDATE email_mailbox SET uid_validity = 7, last_uid = 4000 WHERE polls`); err != nil {
			return err
		}
		return tx.Exec(`UPDATE job SET next_at = 0 WHERE kind = 'email.poll' AND claim_id IS NULL`)
	}))
}

// attackWebhooks subscribes receivers that misbehave and sends them events.
func (s *siege) attackWebhooks() {
	s.t.Helper()
	n := 0
	s.eachPeer(hostile.HTTPPhases(), hostile.HTTP, func(_ string, port int) {
		module := []string{"erp", "mail"}[n%2]
		n++
		s.call(s.attacker, "/api/"+module+"/v1/webhooks", map[string]any{
			"address": fmt.Sprintf("http://127.0.0.1:%d/", port), "events": []string{mail.ExceptionCreated},
		})
	})
	for i := range 20 {
		s.post(exceptions, map[string]any{"email": fmt.Sprintf("k%d@firma.example", i)})
	}
}

// attackProviders makes calls that need WhatsApp and the captcha service.
func (s *siege) attackProviders() {
	s.whatsapp.turn()
	s.captcha.turn()
	stranger := newClient(s.server.url, "")
	for i := range len(s.captcha.hostile) {
		s.post("/api/crm/v1/channels/connect/whatsapp", map[string]any{
			"phone_number_id": fmt.Sprint(i), "business_account_id": "1", "access_token": "x", "app_secret": "y",
		})
		s.under.Go(func() {
			_, _ = stranger.post(s.ctx, "/api/v1/auth/sign-in", "", map[string]any{"email": "a@b.example", "password": "wrong", "captcha_token": "x"})
		})
	}
}

// attackIncoming sends mails of the largest size, and opens sessions that begin
// a mail and never end it.
func (s *siege) attackIncoming() {
	s.t.Helper()
	s.under.Go(func() { s.sendLarge(8, base64Mail) })
	s.under.Go(func() { s.sendLarge(2, junkMail) })
	for range 20 {
		conn := s.dialMail()
		s.t.Cleanup(func() { _ = conn.Close() })
		_, err := io.WriteString(conn, strings.Repeat("x: y\r\n", 100_000))
		s.must(err)
	}
}

// attackFiles uploads to a file store that misbehaves.
func (s *siege) attackFiles() {
	s.files.turn()
	for range len(s.files.hostile) {
		s.under.Go(func() {
			req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.server.url+"/api/crm/v1/attachments?filename=a.txt", strings.NewReader(strings.Repeat("metin ", 100_000)))
			if err != nil {
				return
			}
			req.Header.Set("Authorization", "Bearer "+s.attacker.token)
			req.Header.Set("Content-Type", "application/octet-stream")
			if resp, err := s.attacker.http.Do(req); err == nil {
				_ = resp.Body.Close()
			}
		})
	}
}

// Mails of the largest size: one is a proper file, the other only claims to be one.
const (
	base64Mail = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5\r\n"
	junkMail   = "!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!\r\n"
)

// sendLarge sends mails at once, each as large as allowed, and returns when they were
// accepted.
func (s *siege) sendLarge(n int, line string) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			conn := s.dialMail()
			defer func() { _ = conn.Close() }()
			out := bufio.NewWriterSize(conn, 64<<10)
			_, _ = out.WriteString(mailtest.Head(fmt.Sprint(len(line), line[0], i), "Content-Type: application/pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\nContent-Transfer-Encoding: base64\r\n"))
			for sent := 0; sent < largestMail-4096; sent += len(line) {
				if _, err := out.WriteString(line); err != nil {
					return
				}
			}
			_, _ = out.WriteString(".\r\n")
			_ = out.Flush()
			_, _ = bufio.NewReader(conn).ReadString('\n')
		})
	}
	all.Wait()
}

// dialMail opens a session for a mail to the attacker's workspace up to its text.
func (s *siege) dialMail() net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.mailAddress)
	if err != nil {
		s.t.Error(err)
		return nil
	}
	in := bufio.NewReader(conn)
	for _, say := range []string{"", "HELO a", "MAIL FROM:<elif@kaya.example>", "RCPT TO:<" + s.mailTo + ">", "DATA"} {
		if say != "" {
			_, err = io.WriteString(conn, say+"\r\n")
		}
		line := ""
		if err == nil {
			line, err = in.ReadString('\n')
		}
		if err != nil || line[0] > '3' {
			s.t.Errorf("%s: %s %v", say, line, err)
			return conn
		}
	}
	return conn
}

var memoryLine = regexp.MustCompile(`(\w+):\s+(\d+) kB`)

// memory reads a line of the system's report on the server's memory.
func (s *siege) memory(name string) int64 {
	s.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.server.cmd.Process.Pid))
	s.must(err)
	for _, m := range memoryLine.FindAllStringSubmatch(string(text), -1) {
		if m[1] == name {
			n, err := strconv.ParseInt(m[2], 10, 64)
			s.must(err)
			return n << 10
		}
	}
	s.t.Fatalf("/proc has no %s", name)
	return 0
}

// resetPeak resets VmHWM to what is in use now.
func (s *siege) resetPeak() {
	s.t.Helper()
	s.must(os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.server.cmd.Process.Pid), []byte("5"), 0o600))
}

// crossing is a service that is healthy until it turns: then each connection goes to the
// next of its hostile peers.
type crossing struct {
	address, well string
	hostile       []string
	turned        atomic.Bool
	next          atomic.Int64
}

func newCrossing(t *testing.T, well http.Handler, peers []string) *crossing {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(well)
	server.Config.SetKeepAlivesEnabled(false)
	server.Start()
	c := &crossing{address: ln.Addr().String(), well: strings.TrimPrefix(server.URL, "http://"), hostile: slices.Clone(peers)}
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			all.Go(func() { c.forward(ctx, conn) })
		}
	})
	t.Cleanup(func() {
		stop()
		_ = ln.Close()
		all.Wait()
		server.Close()
	})
	return c
}

// turn makes the service hostile.
func (c *crossing) turn() { c.turned.Store(true) }

// forward joins a connection with the service.
func (c *crossing) forward(ctx context.Context, near net.Conn) {
	defer func() { _ = near.Close() }()
	to := c.well
	if c.turned.Load() {
		to = c.hostile[int(c.next.Add(1))%len(c.hostile)]
	}
	far, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	release := context.AfterFunc(ctx, func() { _ = near.Close(); _ = far.Close() })
	defer release()
	go func() { _, _ = io.Copy(far, near); _ = far.Close() }()
	_, _ = io.Copy(near, far)
	_ = far.Close()
}
