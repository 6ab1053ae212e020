package smtpd

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"konak/internal/kit/clock"
)

// client is a sender with an open session.
type client struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

// connect opens a session from a local address and returns the code of the
// server's greeting.
func connect(t *testing.T, server, from string) (*client, string) {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := d.DialContext(t.Context(), "tcp", server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(clock.Deadline(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	c := &client{t, conn, bufio.NewReader(conn)}
	return c, c.hear()
}

// connectAll opens n sessions, each of which must be admitted.
func connectAll(t *testing.T, server, from string, n int) (out []*client) {
	t.Helper()
	for range n {
		c, code := connect(t, server, from)
		if code != "220" {
			t.Fatalf("a session from %s: %s", from, code)
		}
		out = append(out, c)
	}
	return out
}

// hear returns the code of the next answer, "" if the server has closed the connection.
func (c *client) hear() string {
	c.t.Helper()
	line, err := c.in.ReadString('\n')
	if err != nil {
		return ""
	}
	return line[:3]
}

// say sends a line and returns the code of the answer.
func (c *client) say(line string) string {
	c.t.Helper()
	if _, err := io.WriteString(c.conn, line+"\r\n"); err != nil {
		return ""
	}
	return c.hear()
}

// beginMail sends everything up to the text of a mail.
func (c *client) beginMail() {
	c.t.Helper()
	for _, line := range []string{"HELO a", "MAIL FROM:<>", "RCPT TO:<a@b.example>", "DATA"} {
		if code := c.say(line); code != "250" && code != "354" {
			c.t.Fatalf("%s: %s", line, code)
		}
	}
}

func (c *client) wantOpen(name string) {
	c.t.Helper()
	if code := c.say("NOOP"); code != "250" {
		c.t.Errorf("%s: the session was closed: %q", name, code)
	}
}

func (c *client) wantMailTaken(name string) {
	c.t.Helper()
	if code := c.say("."); code != "250" {
		c.t.Errorf("%s: the mail was not taken: %q", name, code)
	}
}

func (c *client) wantClosed(name string) {
	c.t.Helper()
	if code := c.hear(); code != "421" {
		c.t.Errorf("%s: heard %q, want 421", name, code)
	}
	if code := c.hear(); code != "" {
		c.t.Errorf("%s: then heard %q", name, code)
	}
}

// An address and a network have a limited number of sessions, even if there are no others.
func TestSessionsPerAddressAndNetworkAreLimited(t *testing.T) {
	t.Parallel()
	server, _, _ := start(t, nil)
	connectAll(t, server, "127.0.0.1", 5)
	if _, code := connect(t, server, "127.0.0.1"); code != "421" {
		t.Errorf("a sixth of an address: %s", code)
	}
	connectAll(t, server, "127.0.0.2", 3)
	if _, code := connect(t, server, "127.0.0.3"); code != "421" {
		t.Errorf("a ninth of a network: %s", code)
	}
	connectAll(t, server, "127.0.1.1", 2)
}

// A network that holds all sessions and sends nothing does not keep others out: the longest
// idle session of the network with the most sessions is closed.
func TestLongestIdleSessionMakesRoom(t *testing.T) {
	t.Parallel()
	server, _, _ := start(t, nil)
	honest := connectAll(t, server, "127.0.9.1", 1)[0]
	few := connectAll(t, server, "127.0.1.1", 4)
	many := connectAll(t, server, "127.0.0.1", 5)
	many[0].wantOpen("said something since")
	connectAll(t, server, "127.0.2.1", 1)
	many[1].wantClosed("the longest idle of the most")
	connectAll(t, server, "127.0.3.1", 1)
	few[0].wantClosed("the longest idle where two networks have the most")
	honest.wantOpen("the only one of its network")

	// A newcomer from the network with the most sessions only closes one of its own
	// network.
	connectAll(t, server, "127.0.0.1", 1)
	many[2].wantClosed("of the same network")
	honest.wantOpen("the only one of its network, again")
}

// A mail that is being received is not cut off while another session is idle.
func TestMailIsNotCutOffWhileOthersAreIdle(t *testing.T) {
	t.Parallel()
	server, _, _ := start(t, nil)
	busy := connectAll(t, server, "127.0.0.1", 5)
	for _, c := range busy {
		c.beginMail()
	}
	idle := connectAll(t, server, "127.0.1.1", 5)
	for i, c := range idle[:3] {
		connectAll(t, server, fmt.Sprintf("127.0.%d.1", i+2), 1)
		c.wantClosed("idle")
	}
	for _, c := range busy {
		c.wantMailTaken("coming in")
	}
}

// Endless mails do not keep others out either, if they come from one network; if each comes
// from another, the newcomer has to wait.
func TestEndlessMailsMakeRoom(t *testing.T) {
	t.Parallel()
	server, mails, _ := start(t, nil)
	few := connectAll(t, server, "127.0.1.1", 3)
	many := append(connectAll(t, server, "127.0.0.1", 4), connectAll(t, server, "127.0.0.2", 3)...)
	for _, c := range append(few[:len(few):len(few)], many...) {
		c.beginMail()
	}
	newcomer := connectAll(t, server, "127.0.2.1", 1)[0]
	many[0].wantClosed("the oldest mail of the most")
	newcomer.beginMail()
	newcomer.wantMailTaken("newcomer")
	for _, c := range append(few, many[1:]...) {
		c.wantMailTaken("coming in")
	}
	if n := len(mails); n != 10 {
		t.Errorf("%d mails were taken", n)
	}

	server, _, _ = start(t, nil)
	for i := range 10 {
		connectAll(t, server, fmt.Sprintf("127.0.%d.1", i), 1)[0].beginMail()
	}
	if _, code := connect(t, server, "127.0.10.1"); code != "421" {
		t.Errorf("where all bring a mail: %s", code)
	}
}

// If all sessions are in use, the server closes the one that has been receiving a mail
// longest, for minutes, so that another sender gets its place. It does so only for a
// network that has no more sessions than that one's.
func TestSlowMailsAreClosedForOthers(t *testing.T) {
	t.Parallel()
	networks := func(n int) (out []netip.Prefix) {
		for i := range n {
			out = append(out, netip.MustParsePrefix(fmt.Sprintf("192.0.%d.0/24", i)))
		}
		return out
	}
	const few, others = 1, 3
	s := &Server{MaxSessions: 100, counts: map[netip.Prefix]int{}}
	list := networks(3)
	for i, n := range []int{few, others, others} {
		s.counts[list[i]] = n
	}
	mail := func(network netip.Prefix, age time.Duration) *conn {
		c := &conn{network: network}
		c.taking.Store(true)
		c.since.Store(clock.Deadline(-age).UnixNano())
		return c
	}
	fresh, slow, slower, only := mail(list[1], slowTime/2), mail(list[1], 2*slowTime), mail(list[2], 3*slowTime), mail(list[0], 9*slowTime)
	for name, c := range map[string]struct {
		conn *conn
		want int
	}{"fresh": {fresh, 0}, "slow": {slow, 1}, "slower": {slower, 1}, "of a network that has fewer": {only, 0}} {
		if got := s.rank(c.conn, others); got.class != c.want {
			t.Errorf("%s: %+v, want %d", name, got, c.want)
		}
	}
	if !s.rank(slower, others).before(s.rank(slow, others)) {
		t.Error("the slower one is not closed first")
	}
	idle := &conn{network: list[1]}
	if idle.touch(); !s.rank(idle, others).before(s.rank(slower, others)) {
		t.Error("who brings nothing is not closed first")
	}
}

func TestPeer(t *testing.T) {
	t.Parallel()
	for from, want := range map[string][2]string{
		"192.0.2.77:25":             {"192.0.2.77/32", "192.0.2.0/24"},
		"[::ffff:192.0.2.77]:25":    {"192.0.2.77/32", "192.0.2.0/24"},
		"[2001:db8:1:2:3:4:5:6]:25": {"2001:db8:1:2::/64", "2001:db8:1::/48"},
		"[fe80::1%eth0]:25":         {"fe80::/64", "fe80::/48"},
		"no address":                {"invalid Prefix", "invalid Prefix"},
	} {
		peer, address := peerOf(named(from))
		if address.String() != want[0] || peer.Network.String() != want[1] {
			t.Errorf("%s: %s and %s, want %s", from, address, peer.Network, want)
		}
	}
}

// named is an address given as text.
type named string

func (named) Network() string  { return "tcp" }
func (n named) String() string { return string(n) }
