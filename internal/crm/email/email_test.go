package email_test

import (
	"fmt"
	"io"
	"net"
	"net/smtp"
	"net/textproto"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	gosmtp "github.com/emersion/go-smtp"
	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/crm/email"
	"konak/internal/crm/email/message"
)

const (
	base   = "/api/crm/v1/channels/email"
	domain = "in.konak.example"
)

// run runs fn with a server that receives mail, on both databases.
func run(t *testing.T, fn func(t *testing.T, s *apptest.Server)) {
	t.Helper()
	apptest.RunWith(t, func(c *app.Config) { c.MailDomain = domain }, fn)
}

// post is a workspace with a mailbox, its SMTP server, and the server through which it
// sends.
type post struct {
	*apptest.Workspace
	t        *testing.T
	s        *apptest.Server
	smtpAddr string
	sink     *sink
	box      email.Mailbox
}

func open(t *testing.T, s *apptest.Server) *post {
	t.Helper()
	p := &post{Workspace: s.Workspace("demo"), t: t, s: s, smtpAddr: s.ListenSMTP(nil), sink: newSink(t)}
	p.box = p.connect(p.Workspace, "destek@firma.example", map[string]any{})
	return p
}

func (p *post) connect(w *apptest.Workspace, addr string, more map[string]any) (m email.Mailbox) {
	p.t.Helper()
	body := map[string]any{
		"name": "Destek", "address": addr, "sender_name": "Firma Destek",
		"smtp": map[string]any{"host": "127.0.0.1", "port": p.sink.port, "security": "none", "user": "destek", "password": "geheim-1"},
	}
	for k, v := range more {
		body[k] = v
	}
	w.Owner.Post(base, body).Want(201).Data(&m)
	return m
}

// send delivers a mail over real SMTP.
func (p *post) send(from, to, raw string) error {
	return smtp.SendMail(p.smtpAddr, nil, from, []string{to}, []byte(raw))
}

func (p *post) mail(from, to, raw string) {
	p.t.Helper()
	if err := p.send(from, to, raw); err != nil {
		p.t.Fatal(err)
	}
	p.s.Settle()
}

func mailText(from, id, subject, body string, more ...string) string {
	head := []string{"From: " + from, "To: destek@firma.example", "Subject: " + subject, "Message-ID: <" + id + ">", "Date: Sun, 15 Nov 2026 12:30:00 +0300"}
	return strings.Join(append(head, more...), "\r\n") + "\r\n\r\n" + body + "\r\n"
}

type talk struct {
	ID        string `json:"id"`
	State     string `json:"state"`
	Subject   string `json:"subject"`
	ContactID string `json:"contact_id"`
}

type line struct {
	ID            string  `json:"id"`
	Kind          string  `json:"kind"`
	AuthorKind    string  `json:"author_kind"`
	Body          string  `json:"body"`
	Event         *string `json:"event"`
	Delivery      *string `json:"delivery"`
	DeliveryError *string `json:"delivery_error"`
	Detail        struct {
		Refused  []conversation.RefusedRecipient `json:"refused_recipients"`
		Format   string                          `json:"format"`
		Redacted bool                            `json:"redacted"`
	} `json:"detail"`
	Attachments []struct {
		ID        string  `json:"id"`
		Name      string  `json:"name"`
		ContentID *string `json:"content_id"`
	} `json:"attachments"`
}

func (p *post) talks() (list []talk) {
	p.t.Helper()
	p.Owner.Get("/api/crm/v1/conversations?limit=100").Want(200).Data(&list)
	return list
}

func (p *post) lines(id string) (list []line) {
	p.t.Helper()
	p.Owner.Get("/api/crm/v1/conversations/" + id + "/items?limit=100").Want(200).Data(&list)
	return list
}

func (p *post) reply(id, body string, more map[string]any) {
	p.t.Helper()
	in := map[string]any{"body": body}
	for k, v := range more {
		in[k] = v
	}
	p.Owner.Post("/api/crm/v1/conversations/"+id+"/reply-as-agent", in).Want(200)
	p.s.Settle()
}

func (p *post) mails(state string) (list []email.Incoming) {
	p.t.Helper()
	p.Owner.Get(base + "/mails?limit=100&state=" + state).Want(200).Data(&list)
	return list
}

// sink is a mail server that stores the mails it receives.
type sink struct {
	mu     sync.Mutex
	port   int
	server *gosmtp.Server
	mails  []sent
	refuse error
	// refuses holds the error answers for single recipients.
	refuses map[string]error
	forward func(m sent)
}

type sent struct {
	from string
	to   []string
	raw  string
	utf8 bool // SMTPUTF8 was asked for
}

func (m sent) parse(t *testing.T) *message.Mail {
	t.Helper()
	out, err := message.ParseBytes([]byte(m.raw), m.from)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func newSink(t *testing.T) *sink {
	t.Helper()
	k := &sink{}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	k.port = ln.Addr().(*net.TCPAddr).Port
	server := gosmtp.NewServer(gosmtp.BackendFunc(func(*gosmtp.Conn) (gosmtp.Session, error) { return &sinkSession{k: k}, nil }))
	k.server = server
	server.AllowInsecureAuth, server.EnableSMTPUTF8, server.Domain = true, true, "sink.example"
	done := make(chan error, 1)
	go func() { done <- server.Serve(ln) }()
	t.Cleanup(func() { _ = server.Close(); <-done })
	return k
}

func (k *sink) got() []sent {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]sent{}, k.mails...)
}

func (k *sink) set(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refuse = err
}

// answer sets the answer for a recipient; nil accepts the recipient.
func (k *sink) answer(to string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.refuses == nil {
		k.refuses = map[string]error{}
	}
	k.refuses[to] = err
}

// onMail calls fn once, when the next mail has arrived but is not yet accepted.
func (k *sink) onMail(fn func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.forward = func(sent) {
		k.mu.Lock()
		k.forward = nil
		k.mu.Unlock()
		fn()
	}
}

type sinkSession struct {
	k *sink
	m sent
}

func (s *sinkSession) AuthMechanisms() []string { return []string{sasl.Plain} }
func (s *sinkSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "destek" || password != "geheim-1" {
			return gosmtp.ErrAuthFailed
		}
		return nil
	}), nil
}

func (s *sinkSession) Mail(from string, options *gosmtp.MailOptions) error {
	s.m = sent{from: from, utf8: options.UTF8}
	return nil
}

func (s *sinkSession) Rcpt(to string, _ *gosmtp.RcptOptions) error {
	s.k.mu.Lock()
	defer s.k.mu.Unlock()
	if err := s.k.refuses[to]; err != nil {
		return err
	}
	s.m.to = append(s.m.to, to)
	return s.k.refuse
}

func (s *sinkSession) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.m.raw = string(b)
	s.k.mu.Lock()
	s.k.mails = append(s.k.mails, s.m)
	forward := s.k.forward
	s.k.mu.Unlock()
	if forward != nil {
		forward(s.m)
	}
	return nil
}

func (s *sinkSession) Reset()        {}
func (s *sinkSession) Logout() error { return nil }

func TestMailConversationRoundTrip(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		to := *p.box.ForwardingAddress
		p.mail("elif@kaya.example", to, mailText("Elif Kaya <elif@kaya.example>", "c1@kaya.example", "Teslimat", "Siparişim nerede?", "Cc: ali@kaya.example"))
		talks := p.talks()
		if len(talks) != 1 || talks[0].Subject != "Teslimat" || talks[0].State != "open" {
			t.Fatalf("got %+v", talks)
		}
		id := talks[0].ID
		p.reply(id, "Yolda, bugün gelir.", nil)
		if len(p.sink.got()) != 1 {
			t.Fatalf("%d mails went out", len(p.sink.got()))
		}
		out := p.sink.got()[0]
		m := out.parse(t)
		if out.from != "destek@firma.example" || strings.Join(out.to, " ") != "elif@kaya.example ali@kaya.example" {
			t.Errorf("envelope %q %q", out.from, out.to)
		}
		if m.Subject != "Re: Teslimat" || m.InReplyTo[0] != "c1@kaya.example" || m.From.Name != "Firma Destek" || m.Auto != "" ||
			m.Cc[0].Email != "ali@kaya.example" || m.Text != "Yolda, bugün gelir." || m.HTML == "" {
			t.Errorf("got %+v", m)
		}
		if l := p.lines(id)[0]; l.Delivery == nil || *l.Delivery != "sent" {
			t.Errorf("got %+v", l)
		}

		// The answer comes back to the reply address, from another address and without any
		// reference: only the address names the conversation.
		p.mail("elif@gmail.example", m.ReplyTo[0].Email, mailText("elif@gmail.example", "c2@gmail.example", "bambaşka", "Teşekkürler\r\n\r\nOn 15/11/2026 12:30, Firma wrote:\r\n> Yolda"))
		// Another answer has a reference, but a different subject.
		p.mail("ali@kaya.example", to, mailText("ali@kaya.example", "c3@kaya.example", "Başka konu", "Ben de teşekkür ederim", "In-Reply-To: <"+m.MessageID+">"))
		if list := p.talks(); len(list) != 1 {
			t.Fatalf("got %+v", list)
		}
		lines := p.lines(id)
		if len(lines) != 4 || lines[1].Body != "Teşekkürler" || lines[0].Body != "Ben de teşekkür ederim" {
			t.Fatalf("got %+v", lines)
		}
		// The next answer has the latest subject and the whole thread.
		p.reply(id, "Rica ederiz.", nil)
		second := p.sink.got()[1].parse(t)
		if second.Subject != "Re: Başka konu" || second.InReplyTo[0] != "c3@kaya.example" || !strings.Contains(strings.Join(second.References, " "), m.MessageID) {
			t.Errorf("got %q, %q, %q", second.Subject, second.InReplyTo, second.References)
		}

		// A stranger names an id that they could have guessed.
		p.mail("x@stranger.example", to, mailText("x@stranger.example", "s1@stranger.example", "Re: Teslimat", "Ben kimim?", "In-Reply-To: <c1@kaya.example>"))
		if list := p.talks(); len(list) != 2 {
			t.Errorf("got %+v", list)
		}
		rules := map[string]int{}
		for _, m := range p.mails("done") {
			rules[*m.Rule]++
		}
		if fmt.Sprint(rules) != "map[new:2 reference:1 reply_address:1]" {
			t.Errorf("got %v", rules)
		}
	})
}

func TestSMTPRefusals(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		to := *p.box.ForwardingAddress
		local, _, _ := strings.Cut(to, "@")
		good := mailText("elif@kaya.example", "c1@kaya.example", "Selam", "Merhaba")
		for _, c := range []struct{ name, to, raw, want string }{
			{"another domain", local + "@elsewhere.example", good, "550"},
			{"another mailbox", "mabcdefghijkl@" + domain, good, "550"},
			{"the address of the mailbox itself", "destek@firma.example", good, "550"},
		} {
			if err := p.send("elif@kaya.example", c.to, c.raw); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s: got %v, want %s", c.name, err, c.want)
			}
		}
		if got := p.speak("MAIL FROM:<a@b.example>", "RCPT TO:<"+to+">", "DATA", "Subject: x\r\n\r\nbare\nline\r\n."); !strings.HasPrefix(got, "554") {
			t.Errorf("bare LF: got %q", got)
		}
		if got := p.speak("MAIL FROM:<a@b.example> SIZE=999999999"); !strings.HasPrefix(got, "552") {
			t.Errorf("announced size: got %q", got)
		}
		if got := p.speak("MAIL FROM:<a@b.example>", "DATA"); !strings.HasPrefix(got, "502") && !strings.HasPrefix(got, "503") {
			t.Errorf("no recipient: got %q", got)
		}
		if got := p.speak("MAIL FROM:<not an address>"); !strings.HasPrefix(got, "50") {
			t.Errorf("no address: got %q", got)
		}
		channelPath := "/api/crm/v1/channels/" + p.box.ID.String()
		p.Owner.Do("PATCH", channelPath+"/status", map[string]any{"status": "paused"}).Want(200)
		if err := p.send("elif@kaya.example", to, good); err == nil || !strings.HasPrefix(err.Error(), "450") {
			t.Errorf("paused: got %v", err)
		}
		p.Owner.Delete(channelPath).Want(200)
		if err := p.send("elif@kaya.example", to, good); err == nil || !strings.HasPrefix(err.Error(), "550") {
			t.Errorf("disconnected: got %v", err)
		}
		if n := len(p.talks()); n != 0 {
			t.Errorf("%d conversations", n)
		}
	})
}

// speak sends lines and returns the last answer.
func (p *post) speak(lines ...string) string {
	p.t.Helper()
	conn, err := textproto.Dial("tcp", p.smtpAddr)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	answer := ""
	read := func() {
		code, text, err := conn.ReadResponse(0)
		if code == 0 {
			p.t.Fatal(err)
		}
		answer = fmt.Sprint(code, " ", text)
	}
	read()
	for _, l := range append([]string{"EHLO client.example"}, lines...) {
		if err := conn.PrintfLine("%s", l); err != nil {
			p.t.Fatal(err)
		}
		read()
	}
	return answer
}

func TestWorkspacesDoNotShareThreads(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		other := s.Workspace("other")
		box := p.connect(other, "destek@firma.example", nil) // the same address in another workspace
		p.mail("elif@kaya.example", *p.box.ForwardingAddress, mailText("elif@kaya.example", "c1@kaya.example", "Teslimat", "Nerede?"))
		id := p.talks()[0].ID
		p.reply(id, "Yolda", nil)
		m := p.sink.got()[0].parse(t)
		// Our Message-ID and our token are meaningless in the other workspace.
		p.mail("elif@kaya.example", *box.ForwardingAddress, mailText("elif@kaya.example", "c2@kaya.example", "Re: Teslimat", "Peki", "In-Reply-To: <"+m.MessageID+">"))
		_, token, _ := strings.Cut(m.ReplyTo[0].Email, "+")
		local, _, _ := strings.Cut(*box.ForwardingAddress, "@")
		p.mail("elif@kaya.example", local+"+"+token, mailText("elif@kaya.example", "c3@kaya.example", "x", "Yine"))
		var list []talk
		other.Owner.Get("/api/crm/v1/conversations").Want(200).Data(&list)
		if len(list) != 2 || len(p.lines(id)) != 2 {
			t.Errorf("got %+v and %+v", list, p.lines(id))
		}
		other.Owner.Get(base+"/"+p.box.ID.String()).Refused(404, "not_found")
		other.Owner.Post(base+"/test", map[string]any{"id": p.box.ID, "smtp": map[string]any{"host": "127.0.0.1", "port": p.sink.port, "security": "none", "user": "destek"}}).Refused(404, "not_found")
	})
}

func TestBouncesAndAutomaticMail(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		to := *p.box.ForwardingAddress
		p.mail("elif@kaya.example", to, mailText("elif@kaya.example", "c1@kaya.example", "Teslimat", "Nerede?"))
		id := p.talks()[0].ID
		p.reply(id, "Yolda", nil)
		m := p.sink.got()[0].parse(t)
		report := func(action, about string) string {
			return "From: MAILER-DAEMON@mx.example\r\nSubject: Undelivered\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n" +
				"--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\nFinal-Recipient: rfc822; elif@kaya.example\r\nAction: " + action +
				"\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 no such user\r\n\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: <" + about + ">\r\n\r\n--b--\r\n"
		}
		p.mail("", to, report("delayed", m.MessageID))
		if l := p.lines(id)[0]; l.Delivery == nil || *l.Delivery != "sent" {
			t.Errorf("a late mail counts as lost: %+v", l)
		}
		p.mail("", to, report("failed", "guess@firma.example"))
		p.mail("", to, report("failed", m.MessageID))
		p.mail("", to, report("failed", m.MessageID))
		lines := p.lines(id)
		if len(lines) != 3 || lines[0].Event == nil || *lines[0].Event != "channel_delivery_failed" || *lines[1].Delivery != "failed" ||
			!strings.Contains(*lines[1].DeliveryError, "550 no such user") {
			t.Errorf("got %+v", lines)
		}
		if len(p.talks()) != 1 || len(p.mails("bounce")) != 4 {
			t.Errorf("%d conversations, %d bounces", len(p.talks()), len(p.mails("bounce")))
		}
		// Our own mail that comes back, and a mail that claims to be from us.
		p.mail("destek@firma.example", to, p.sink.got()[0].raw)
		p.mail("destek@firma.example", to, mailText("destek@firma.example", "x@firma.example", "Selam", "Merhaba"))
		if n := len(p.mails("ignored")); n != 2 || len(p.talks()) != 1 {
			t.Errorf("%d ignored, %d conversations", n, len(p.talks()))
		}
		// A form that writes on a customer's behalf.
		p.mail("noreply@form.example", to, mailText("noreply@form.example", "f1@form.example", "Form", "Soru", "Reply-To: veli@home.example"))
		var who struct {
			Emails []struct {
				Address string `json:"address"`
			} `json:"emails"`
		}
		p.Owner.Get("/api/crm/v1/contacts/" + p.talks()[0].ContactID).Want(200).Data(&who)
		if len(who.Emails) != 1 || who.Emails[0].Address != "veli@home.example" {
			t.Errorf("got %+v", who)
		}
		// The same mail twice, and another mail with the same id.
		again := mailText("ayse@home.example", "dup@home.example", "Selam", "Bir")
		p.mail("ayse@home.example", to, again)
		p.mail("ayse@home.example", to, again)
		p.mail("ayse@home.example", to, mailText("ayse@home.example", "dup@home.example", "Selam", "İki"))
		if n := len(p.talks()); n != 4 {
			t.Errorf("%d conversations", n)
		}
	})
}

func TestDelivery(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		p.mail("elif@kaya.example", *p.box.ForwardingAddress, mailText("elif@kaya.example", "c1@kaya.example", "Teslimat", "Nerede?"))
		id := p.talks()[0].ID
		// A temporary refusal: the mail waits, and is sent with the same id.
		p.sink.set(&gosmtp.SMTPError{Code: 451, Message: "later"})
		p.reply(id, "Yolda", nil)
		if l := p.lines(id)[0]; *l.Delivery != "queued" {
			t.Errorf("got %+v", l)
		}
		p.sink.set(nil)
		s.Clock.Advance(2 * 3600e9)
		s.Settle()
		if l := p.lines(id)[0]; *l.Delivery != "sent" || len(p.sink.got()) != 1 {
			t.Errorf("got %+v", l)
		}
		// A permanent refusal: the message shows why.
		p.sink.set(&gosmtp.SMTPError{Code: 550, EnhancedCode: gosmtp.EnhancedCode{5, 1, 1}, Message: "unknown user"})
		p.reply(id, "Bir daha", nil)
		lines := p.lines(id)
		if *lines[0].Event != "channel_delivery_failed" || *lines[1].Delivery != "failed" || !strings.Contains(*lines[1].DeliveryError, "unknown user") {
			t.Errorf("got %+v", lines)
		}
		// A mail with a file, and its text in the customer's mailbox.
		p.sink.set(nil)
		var up struct {
			ID uuid.UUID `json:"id"`
		}
		p.Owner.Header("Content-Type", "application/octet-stream").Post("/api/crm/v1/attachments?filename=not.txt", "merhaba dünya").Want(201).Data(&up)
		p.reply(id, "Ekte", map[string]any{"attachments": []uuid.UUID{up.ID}})
		all := p.sink.got()
		m := all[len(all)-1].parse(t)
		if len(m.Files) != 1 || m.Files[0].Name != "not.txt" {
			t.Fatalf("got %+v", m.Files)
		}
		if content, err := io.ReadAll(m.Files[0].Reader()); err != nil || string(content) != "merhaba dünya" {
			t.Errorf("the file is %q %v", content, err)
		}
		// Nothing is sent through a paused mailbox.
		p.Owner.Do("PATCH", "/api/crm/v1/channels/"+p.box.ID.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		p.Owner.Post("/api/crm/v1/conversations/"+id+"/reply-as-agent", map[string]any{"body": "x"}).Refused(409, "channel_unavailable")
	})
}

// The original can be read, its pictures are its attachments, and all recipients of the
// mail get the answer unless an agent removes them.
func TestOriginals(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		png := "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
		raw := "From: Elif Kaya <elif@kaya.example>\r\nTo: destek@firma.example, ali@kaya.example\r\nCc: ayse@kaya.example\r\nSubject: Resim\r\n" +
			"Message-ID: <c1@kaya.example>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n" +
			"--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p onclick=x>Bakın <img src=\"cid:logo@x\"><img src=\"http://izler.example/p.gif\"></p>\r\n" +
			"--b\r\nContent-Type: image/png; name=logo.png\r\nContent-ID: <logo@x>\r\nContent-Disposition: inline; filename=logo.png\r\nContent-Transfer-Encoding: base64\r\n\r\n" + png + "\r\n" +
			"--b\r\nContent-Type: application/octet-stream; name=oyun.exe\r\nContent-Disposition: attachment; filename=oyun.exe\r\nContent-Transfer-Encoding: base64\r\n\r\nTVqQAAMAAAAEAAAA\r\n--b--\r\n"
		p.mail("elif@kaya.example", *p.box.ForwardingAddress, raw)
		id := p.talks()[0].ID
		l := p.lines(id)[0]
		if l.Body != "Bakın" || len(l.Attachments) != 2 || l.Attachments[0].Name != "logo.png" || l.Attachments[0].ContentID == nil || *l.Attachments[0].ContentID != "logo@x" {
			t.Fatalf("got %+v", l)
		}
		var mail struct {
			From    string   `json:"from"`
			Cc      []string `json:"cc"`
			HTML    string   `json:"html"`
			RawSize int      `json:"raw_size"`
			Headers []struct {
				Name string `json:"name"`
			} `json:"headers"`
		}
		path := "/api/crm/v1/conversations/" + id
		p.Owner.Get(path + "/items/" + l.ID + "/email").Want(200).Data(&mail)
		want := `<p>Bakın <img src="cid:logo@x"><img data-remote-src="http://izler.example/p.gif"></p>`
		if strings.TrimSpace(mail.HTML) != want || mail.RawSize != len(raw) || mail.From != "Elif Kaya <elif@kaya.example>" || len(mail.Headers) < 7 || mail.Headers[0].Name != "Received" && mail.Headers[0].Name != "From" {
			t.Errorf("got %+v", mail)
		}
		// Both recipients of the mail get the answer; an agent removes one.
		p.Owner.Put(path+"/email-cc", map[string]any{"email_cc": []string{"ayse@kaya.example"}}).Want(200)
		p.reply(id, "Gördük.", nil)
		out := p.sink.got()[0]
		if strings.Join(out.to, " ") != "elif@kaya.example ayse@kaya.example" {
			t.Errorf("went to %q", out.to)
		}
		p.Owner.Get(path + "/items/" + p.lines(id)[0].ID + "/email").Want(200).Data(&mail)
		if mail.From != "Firma Destek <destek@firma.example>" || mail.Cc[0] != "ayse@kaya.example" || mail.RawSize != len(out.raw) {
			t.Errorf("got %+v", mail)
		}
	})
}
