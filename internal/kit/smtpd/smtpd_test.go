package smtpd

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"konak/internal/kit/clock"
)

// box is a session that stores the mails it receives.
type box struct {
	from  string
	to    []string
	mails chan string
}

func (b *box) Mail(from string) error { b.from = from; return nil }
func (b *box) Rcpt(to string) error   { b.to = append(b.to, to); return nil }
func (b *box) Reset()                 { b.from, b.to = "", nil }
func (b *box) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	b.mails <- fmt.Sprintf("%s %v %s", b.from, b.to, text)
	return nil
}

// start runs a server and returns its address, the mails it receives, and a function to
// stop it.
func start(t *testing.T, change func(*Server)) (address string, mails chan string, stop func() error) {
	t.Helper()
	return startOn(t, nil, change)
}

// startOn is start with a listener for TLS.
func startOn(t *testing.T, secure net.Listener, change func(*Server)) (address string, mails chan string, stop func() error) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mails = make(chan string, 100)
	s := &Server{
		Domain: "mx.example", MaxSize: 100, MaxRecipients: 2, MaxSessions: 10, MaxPerAddress: 5, MaxPerNetwork: 8, Patience: time.Minute, MaxIdle: time.Minute,
		Log: slog.New(slog.DiscardHandler), NewSession: func(context.Context, Peer) Session { return &box{mails: mails} },
	}
	if change != nil {
		change(s)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln, secure) }()
	stop = func() error {
		cancel()
		err := <-done
		done <- err
		return err
	}
	t.Cleanup(func() { _ = stop() })
	return ln.Addr().String(), mails, stop
}

func codes(said string) string {
	var out []string
	for line := range strings.Lines(said) {
		if len(line) > 3 && line[3] == ' ' {
			out = append(out, line[:3])
		}
	}
	return strings.Join(out, " ")
}

func TestConversation(t *testing.T) {
	t.Parallel()
	address, mails, _ := start(t, nil)
	const envelope = "EHLO a\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\r\nDATA\r\n"
	for _, c := range []struct{ name, text, codes, mail string }{
		{"a mail", envelope + "Hi\r\n\r\n..dot\r\n.\r\nQUIT\r\n", "220 250 250 250 354 250 221", "a@b.example [c@d.example] Hi\r\n\r\n.dot\r\n"},
		{"just a dot in a line", envelope + "a.\r\n.b\r\n.\r\nQUIT\r\n", "220 250 250 250 354 250 221", "a@b.example [c@d.example] a.\r\nb\r\n"},
		{"an empty mail", envelope + ".\r\nQUIT\r\n", "220 250 250 250 354 250 221", "a@b.example [c@d.example] "},
		{"as long as may be", envelope + strings.Repeat("x", 98) + "\r\n.\r\nQUIT\r\n", "220 250 250 250 354 250 221", "a@b.example [c@d.example] " + strings.Repeat("x", 98) + "\r\n"},
		{"too long", envelope + strings.Repeat("x", 99) + "\r\n.\r\nQUIT\r\n", "220 250 250 250 354 552 221", ""},
		{"much too long", envelope + strings.Repeat("x", 1000) + "\r\n.\r\nQUIT\r\n", "220 250 250 250 354 552", ""},
		{"announced too long", "EHLO a\r\nMAIL FROM:<a@b.example> SIZE=101\r\nQUIT\r\n", "220 250 552 221", ""},
		{"sizes that are none", "EHLO a\r\nMAIL FROM:<a@b.example> SIZE=-1\r\nMAIL FROM:<a@b.example> SIZE=x\r\nQUIT\r\n", "220 250 501 501 221", ""},
		{"bodies that are not offered", "EHLO a\r\nMAIL FROM:<a@b.example> BODY=BINARYMIME\r\nMAIL FROM:<a@b.example> BODY=7bit\r\nQUIT\r\n", "220 250 501 250 221", ""},
		{"a bare line feed", envelope + "a\nb\r\n.\r\nQUIT\r\n", "220 250 250 250 354 554 221", ""},
		{"an end that is none", envelope + "a\n.\nMAIL FROM:<evil@b.example>\r\n.\n.\r\nx\r\n.\r\nQUIT\r\n", "220 250 250 250 354 554 221", ""},
		{"another end that is none", envelope + "a\r\n.\nNOOP\n.\r\nNOOP\r\n.\r\nQUIT\r\n", "220 250 250 250 354 554 221", ""},
		{"a command with a bare line feed", "EHLO a\r\nNOOP\nMAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\r\nDATA\r\n.\r\n", "220 250 500", ""},
		{"recipients with bare line feeds", "EHLO a\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\nDATA\n.\r\n", "220 250 250 500", ""},
		{"a greeting with a bare line feed", "EHLO a\n", "220 500", ""},
		{"a bare carriage return in a command", "EHLO a\r\nNOOP\rMAIL FROM:<a@b.example>\r\nQUIT\r\n", "220 250 500", ""},
		{"cut off", envelope + "half a mail\r\n", "220 250 250 250 354 451", ""},
		{"out of order", "MAIL FROM:<a@b.example>\r\nEHLO a\r\nRCPT TO:<a@b.example>\r\nDATA\r\nQUIT\r\n", "220 503 250 503 503 221", ""},
		{"two mails at once", "EHLO a\r\nMAIL FROM:<>\r\nMAIL FROM:<>\r\nQUIT\r\n", "220 250 250 503 221", ""},
		{"addresses beyond ASCII", "EHLO a\r\nMAIL FROM:<çağ@kaya.example> SMTPUTF8 BODY=8BITMIME\r\nRCPT TO:<ş@d.example>\r\nDATA\r\n.\r\nQUIT\r\n", "220 250 250 250 354 250 221", "çağ@kaya.example [ş@d.example] "},
		{"addresses beyond ASCII without SMTPUTF8", "EHLO a\r\nMAIL FROM:<çağ@kaya.example>\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<ş@d.example>\r\nRCPT TO:<\xfc@d.example>\r\nRCPT TO:<c@d.example>\r\nDATA\r\n.\r\nQUIT\r\n", "220 250 553 250 553 553 250 354 250 221", "a@b.example [c@d.example] "},
		{"SMTPUTF8 for one mail", "EHLO a\r\nMAIL FROM:<> SMTPUTF8\r\nRSET\r\nMAIL FROM:<>\r\nRCPT TO:<ş@d.example>\r\nQUIT\r\n", "220 250 250 250 250 553 221", ""},
		{"too many recipients", "HELO a\r\nMAIL FROM:<>\r\n" + strings.Repeat("RCPT TO:<a@b.example>\r\n", 3) + "QUIT\r\n", "220 250 250 250 250 452 221", ""},
		{"unknown things", "FOO\r\nEHLO\r\nEHLO a\r\nMAIL TO:<a@b>\r\nMAIL FROM:<a@b> X=1\r\nSTARTTLS\r\nVRFY a\r\nRSET\r\nNOOP\r\nQUIT\r\n", "220 500 501 250 501 555 502 252 250 250 221", ""},
		{"a quoted name and a route", "EHLO a\r\nMAIL FROM:<@x,@y:\"a > b\"@c.example> BODY=8BITMIME\r\nRCPT TO: <c@d.example>\r\nDATA\r\n.\r\n", "220 250 250 250 354 250", "\"a > b\"@c.example [c@d.example] "},
		{"a browser", "POST / HTTP/1.1\r\nHost: mx.example\r\n\r\n" + envelope + ".\r\nQUIT\r\n", "220 500", ""},
		{"NUL in a mail that stays", envelope + "a\x00b\r\n.\x00\r\n.\r\nQUIT\r\n", "220 250 250 250 354 250 221", "a@b.example [c@d.example] a\x00b\r\n\x00\r\n"},
		{"a long command", "NOOP " + strings.Repeat("x", 3000) + "\r\nNOOP\r\n", "220 500", ""},
		{"a command without an end", strings.Repeat("x", 100_000), "220 500", ""},
		{"faults without end", "EHLO a\r\nMAIL FROM:<>\r\n" + strings.Repeat("RCPT TO:<>\r\n", 60), "220 250 250 " + strings.Repeat("501 ", 50) + "421", ""},
		{"unknown commands without end", strings.Repeat("FOO\r\n", 60), "220 " + strings.Repeat("500 ", 20) + "421", ""},
		{"commands without a mail", strings.Repeat("NOOP\r\n", 60), "220 " + strings.Repeat("250 ", 20) + "421", ""},
		{"mails that are begun and never sent", "EHLO a\r\n" + strings.Repeat("MAIL FROM:<>\r\nRSET\r\n", 60), "220 " + strings.Repeat("250 ", 20) + "421", ""},
		{"commands between mails", strings.Repeat("NOOP\r\n", 18) + envelope + ".\r\n" + strings.Repeat("NOOP\r\n", 20) + "QUIT\r\n", "220 " + strings.Repeat("250 ", 18) + "250 250 250 354 250 " + strings.Repeat("250 ", 20) + "221", "a@b.example [c@d.example] "},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := codes(speak(t, address, c.text)); got != c.codes {
				t.Errorf("said %s, want %s", got, c.codes)
			}
			select {
			case got := <-mails:
				if got != c.mail {
					t.Errorf("took %q, want %q", got, c.mail)
				}
			default:
				if c.mail != "" {
					t.Error("took nothing")
				}
			}
		})
	}
}

// strictBox is a box whose mails go on to other servers. It records why it refused one.
type strictBox struct {
	box
	failed chan error
}

func (b *strictBox) SendsOn() bool { return true }

func (b *strictBox) Data(r io.Reader) error {
	_, err := io.ReadAll(r)
	b.failed <- err
	return err
}

// A faulty mail is refused with its own error, so that nobody takes it for a fault of this
// server; a mail that is sent on may contain neither a bare carriage return nor NUL.
func TestRefusalsOfData(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	address, _, _ := start(t, func(s *Server) {
		s.NewSession = func(context.Context, Peer) Session { return &strictBox{failed: failed} }
	})
	for name, c := range map[string]struct {
		text string
		want *Error
	}{
		"cut off":        {"half a mail\r\n", errCutOff},
		"cut off at dot": {"half a mail\r\n.", errCutOff},
		"bare CR":        {"a\r.\r\n.\r\n", errBareLF},
		"bare LF":        {"a\n.\r\n.\r\n", errBareLF},
		"NUL":            {"a\r\n\x00.\r\n.\r\n", errNUL},
		"NUL in the end": {"a\r\n.\x00\r\n.\r\n", errNUL},
		"too long":       {strings.Repeat("x", 101) + "\r\n.\r\n", ErrTooLarge},
	} {
		said := speak(t, address, "EHLO a\r\nMAIL FROM:<>\r\nRCPT TO:<a@b.example>\r\nDATA\r\n"+c.text)
		if got := <-failed; !errors.Is(got, c.want) || codes(said) != fmt.Sprintf("220 250 250 250 354 %d", c.want.Code) {
			t.Errorf("%s: said %s, failed with %v", name, codes(said), got)
		}
	}
}

// speak sends everything at once and returns the server's answers until it closes; it may
// close while text is still being sent.
func speak(t *testing.T, address, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, text)
	_ = conn.(*net.TCPConn).CloseWrite()
	said, _ := io.ReadAll(conn)
	return string(said)
}

// Text that was sent together with STARTTLS is not treated as encrypted.
func TestTextPipelinedAfterSTARTTLSIsRefused(t *testing.T) {
	t.Parallel()
	address, _, _ := start(t, func(s *Server) { s.TLS = &tls.Config{} })
	said := speak(t, address, "EHLO a\r\nSTARTTLS\r\nNOOP\r\n")
	if codes(said) != "220 250 501" || !strings.Contains(said, "250-STARTTLS\r\n") {
		t.Errorf("said %q", said)
	}
}

// At shutdown silent sessions end at once, and one that is receiving a mail ends after it.
func TestServerEnds(t *testing.T) {
	t.Parallel()
	address, mails, stop := start(t, nil)
	idle, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = idle.Close() }()
	busy, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = busy.Close() }()
	in := bufio.NewReader(busy)
	expect := func(code string) {
		t.Helper()
		if line, err := in.ReadString('\n'); err != nil || !strings.HasPrefix(line, code+" ") {
			t.Fatalf("%s %v, want %s", line, err, code)
		}
	}
	expect("220")
	for _, c := range [][2]string{{"HELO a", "250"}, {"MAIL FROM:<>", "250"}, {"RCPT TO:<a@b>", "250"}, {"DATA", "354"}} {
		if _, err := fmt.Fprint(busy, c[0]+"\r\n"); err != nil {
			t.Fatal(err)
		}
		expect(c[1])
	}
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	said, err := io.ReadAll(idle)
	if err != nil || codes(string(said)) != "220 421" {
		t.Errorf("who said nothing heard %q %v", said, err)
	}
	if _, err := fmt.Fprint(busy, "late\r\n.\r\n"); err != nil {
		t.Fatal(err)
	}
	expect("250")
	expect("421")
	if got := <-mails; !strings.Contains(got, "late") {
		t.Errorf("took %q", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A silent sender is disconnected, and so is one that sends commands but no mail.
func TestSilentSenderIsDisconnected(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change      func(*Server)
		says, codes string
	}{
		"nothing": {func(s *Server) { s.Patience = 50 * time.Millisecond }, "", "220 421"},
		"no mail": {func(s *Server) { s.MaxIdle = 50 * time.Millisecond }, "NOOP\r\n", "220 250 421"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _, _ := start(t, c.change)
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			if err := conn.SetDeadline(clock.Deadline(20 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(conn, c.says); err != nil {
				t.Fatal(err)
			}
			if said, err := io.ReadAll(conn); err != nil || codes(string(said)) != c.codes {
				t.Errorf("%q %v", said, err)
			}
		})
	}
}
