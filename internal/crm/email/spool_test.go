package email_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"konak/internal/app/apptest"
)

// dialFrom opens a session from an address of this machine and reads the first line.
func dialFrom(t *testing.T, from, addr string) (net.Conn, string) {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := d.DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return conn, line
}

// Idle sessions from one address do not block others.
func TestIdleSessions(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		refused := 0
		for range 200 {
			if _, line := dialFrom(t, "127.0.0.1", p.smtpAddr); strings.HasPrefix(line, "421 4.7.0") {
				refused++
			}
		}
		if refused != 150 {
			t.Errorf("%d of 200 sessions were refused", refused)
		}
		conn, line := dialFrom(t, "127.0.0.2", p.smtpAddr)
		if !strings.HasPrefix(line, "220 ") {
			t.Fatalf("another address: %s", line)
		}
		deliver(t, conn, *p.box.ForwardingAddress, mailText("Elif <elif@kaya.example>", "a@kaya.example", "Teslimat", "merhaba"))
		s.Settle()
		if len(p.talks()) != 1 {
			t.Error("the mail of another address did not arrive")
		}
	})
}

// deliver hands over a mail in an open session.
func deliver(t *testing.T, conn net.Conn, to, raw string) {
	t.Helper()
	in := bufio.NewReader(conn)
	for _, say := range []string{"HELO a", "MAIL FROM:<elif@kaya.example>", "RCPT TO:<" + to + ">", "DATA", raw + "."} {
		if _, err := fmt.Fprint(conn, say+"\r\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := in.ReadString('\n'); err != nil || line[0] != '2' && line[0] != '3' {
			t.Fatalf("%s: %s %v", say[:min(len(say), 40)], line, err)
		}
	}
}

// Unfinished mails are on the disk and not in memory.
func TestUnfinishedMails(t *testing.T) {
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		const mails, size = 20, 8 << 20
		before := heap()
		block := strings.Repeat(strings.Repeat("x", 998)+"\r\n", 1000)
		for range mails {
			conn, _ := beginMail(t, p, "")
			for sent := 0; sent < size; sent += len(block) {
				if _, err := io.WriteString(conn, block); err != nil {
					t.Fatal(err)
				}
			}
		}
		// More was written than the system's buffers can hold, so most of it has been read
		// by now.
		if grown := heap() - before; grown > 32<<20 {
			t.Errorf("%d MiB of unfinished mails are held in %d MiB of memory", mails*size>>20, grown>>20)
		}
	})
}

// Unfinished mails together may use only a limited part of the disk: another one is asked
// to come later, and is accepted once one of them has finished.
func TestSpoolIsBounded(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		s.Email.MaxSpooled = 1 << 20
		p := open(t, s)
		large := mailText("Elif <elif@kaya.example>", "large@kaya.example", "Büyük", strings.Repeat(strings.Repeat("x", 998)+"\r\n", 800))
		first, in := beginMail(t, p, large[:700_000])
		waitForSpool(t, s, 700_000)
		second, answers := beginMail(t, p, large+".\r\n")
		if line, err := answers.ReadString('\n'); err != nil || !strings.HasPrefix(line, "452 4.3.1") {
			t.Fatalf("the second mail: %s %v", line, err)
		}
		_ = second.Close()
		if _, err := io.WriteString(first, large[700_000:]+".\r\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := in.ReadString('\n'); err != nil || !strings.HasPrefix(line, "250") {
			t.Fatalf("the first mail: %s %v", line, err)
		}
		conn, _ := dialFrom(t, "127.0.0.4", p.smtpAddr)
		deliver(t, conn, *p.box.ForwardingAddress, strings.Replace(large, "large@", "later@", 1))
		s.Settle()
		if n := len(p.mails("done")); n != 2 {
			t.Errorf("%d mails were taken", n)
		}
	})
}

// Unfinished mails of one network leave space for those of others.
func TestSpoolOfNetworkIsBounded(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		s.Email.MaxSize, s.Email.MaxSpooled = 1<<20, 4<<20
		p := open(t, s)
		large := mailText("Elif <elif@kaya.example>", "large@kaya.example", "Büyük", strings.Repeat(strings.Repeat("x", 998)+"\r\n", 800))
		first, in := beginMail(t, p, large[:700_000])
		waitForSpool(t, s, 700_000)
		second, answers := beginMail(t, p, large+".\r\n")
		if line, err := answers.ReadString('\n'); err != nil || !strings.HasPrefix(line, "452 4.3.1") {
			t.Fatalf("another mail of the network: %s %v", line, err)
		}
		_ = second.Close()
		conn, _ := dialFrom(t, "127.0.1.4", p.smtpAddr)
		deliver(t, conn, *p.box.ForwardingAddress, strings.Replace(large, "large@", "other@", 1))
		if _, err := io.WriteString(first, large[700_000:]+".\r\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := in.ReadString('\n'); err != nil || !strings.HasPrefix(line, "250") {
			t.Fatalf("the first mail: %s %v", line, err)
		}
		conn, _ = dialFrom(t, "127.0.0.4", p.smtpAddr)
		deliver(t, conn, *p.box.ForwardingAddress, strings.Replace(large, "large@", "later@", 1))
		if n := s.Email.Spooled(); n != 0 {
			t.Errorf("%d bytes are still counted", n)
		}
	})
}

// waitForSpool waits until the given number of bytes of unfinished mails is on the disk.
func waitForSpool(t *testing.T, s *apptest.Server, want int64) {
	t.Helper()
	for tick := time.NewTicker(time.Millisecond); s.Email.Spooled() < want; {
		select {
		case <-t.Context().Done():
			t.Fatal("the mail was not read")
		case <-tick.C:
		}
	}
}

// beginMail sends the beginning of a mail in a separate session.
func beginMail(t *testing.T, p *post, text string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, _ := dialFrom(t, "127.0.0.3", p.smtpAddr)
	in := bufio.NewReader(conn)
	for _, say := range []string{"HELO a", "MAIL FROM:<elif@kaya.example>", "RCPT TO:<" + *p.box.ForwardingAddress + ">", "DATA"} {
		if _, err := fmt.Fprint(conn, say+"\r\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := in.ReadString('\n'); err != nil || line[0] > '3' {
			t.Fatalf("%s: %s %v", say, line, err)
		}
	}
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn, in
}

// heap returns the amount of memory in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A line of a mail may have any length, but a command may not.
func TestLongLines(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		to := *p.box.ForwardingAddress
		long := strings.Repeat("uzun ", 100_000)
		p.mail("elif@kaya.example", to, mailText("Elif <elif@kaya.example>", "long@kaya.example", "Uzun", long))
		talks := p.talks()
		if len(talks) != 1 {
			t.Fatalf("got %+v", talks)
		}
		if got := p.speak("NOOP " + strings.Repeat("x", 2000)); !strings.HasPrefix(got, "250") {
			t.Errorf("a command of 2,005 bytes: %s", got)
		}
		if got := p.speak("NOOP " + strings.Repeat("x", 2100)); !strings.HasPrefix(got, "500") {
			t.Errorf("a command of 2,105 bytes: %s", got)
		}
	})
}
