package smtpd

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"konak/internal/kit/clock"
)

// maxLine is the maximum length of a command, maxFaults the number of refused commands per
// session, and maxIdleCommands the number of commands without a mail, not counting those
// that name recipients.
const (
	maxLine         = 2 << 10
	maxFaults       = 50
	maxIdleCommands = 20
	maxBadSignIns   = 3
)

// conn is one connection.
type conn struct {
	server  *Server
	ctx     context.Context
	raw     net.Conn // the connection below TLS
	address netip.Prefix
	network netip.Prefix
	session Session
	now     *timedReader
	in      *bufio.Reader
	out     net.Conn
	secure  bool
	stop    atomic.Bool // no further command is read
	taking  atomic.Bool // a mail is being received
	// since is when the last command or mail began, in nanoseconds.
	since atomic.Int64

	// lastEnd is when the session ends at the latest.
	lastEnd     time.Time
	hello, mail bool
	// foreign reports that the sender asked for SMTPUTF8 for the mail.
	foreign    bool
	signedIn   bool
	recipients int
	faults     int
	badSignIns int
	// idleCommands is the number of commands since the last mail.
	idleCommands int
}

func newConn(ctx context.Context, s *Server, raw net.Conn, address netip.Prefix, peer Peer) *conn {
	c := &conn{server: s, ctx: ctx, raw: raw, address: address, network: peer.Network, session: s.NewSession(ctx, peer)}
	c.lastEnd = clock.Deadline(sessionTime)
	c.switchTo(raw)
	c.now.end = c.deadline(s.MaxIdle)
	c.touch()
	return c
}

// deadline returns the time in d, or the end of the session if that is sooner.
func (c *conn) deadline(d time.Duration) time.Time {
	if at := clock.Deadline(d); at.Before(c.lastEnd) {
		return at
	}
	return c.lastEnd
}

// touch records the time of the sender's latest activity.
func (c *conn) touch() { c.since.Store(clock.Deadline(0).UnixNano()) }

// switchTo switches the session to a connection.
func (c *conn) switchTo(over net.Conn) {
	now := &timedReader{conn: over, patience: c.server.Patience, stop: &c.stop}
	if c.now != nil {
		now.end = c.now.end
	}
	c.now, c.out, c.in = now, over, bufio.NewReaderSize(now, 4<<10)
}

// wake ends a session that waits for a command; one that is receiving a mail ends after it.
func (c *conn) wake() {
	if !c.taking.Load() {
		c.stop.Store(true)
		_ = c.raw.SetReadDeadline(clock.Deadline(0))
	}
}

// end closes the session, even while a mail is being received. The sender is notified, and
// has two seconds to read it.
func (c *conn) end() {
	c.stop.Store(true)
	_ = c.raw.SetReadDeadline(clock.Deadline(0))
	time.AfterFunc(closingTime, func() { _ = c.raw.Close() })
}

// drain reads some of what the sender is still sending, so that the last answer reaches a
// sender in the middle of it.
func (c *conn) drain() {
	if end, ok := c.raw.(interface{ CloseWrite() error }); ok && end.CloseWrite() == nil {
		_ = c.raw.SetReadDeadline(clock.Deadline(lingerTime))
		_, _ = io.CopyN(io.Discard, c.raw, 256<<10)
	}
}

func (c *conn) serve() {
	defer c.drain()
	if !c.say(220, "", c.server.Domain+" ESMTP") {
		return
	}
	for {
		var line string
		err := c.ctx.Err()
		if err == nil {
			line, err = c.line()
		}
		switch {
		case c.ctx.Err() != nil:
			c.say(421, "4.3.2", "The server is shutting down, try again later")
			return
		case errors.Is(err, bufio.ErrBufferFull):
			c.say(500, "5.5.2", "The line is too long")
			return
		case errors.Is(err, errCrowded):
			c.say(errCrowded.Code, errCrowded.Enhanced, errCrowded.Message)
			return
		case err != nil:
			if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
				c.say(421, "4.4.2", "Timeout waiting for a command")
			}
			return
		}
		verb, arg, _ := strings.Cut(line, " ")
		if !c.runCommand(strings.ToUpper(verb), strings.TrimSpace(arg)) {
			return
		}
	}
}

// errBareLine reports that a command did not end in CR LF.
var errBareLine = errors.New("smtpd: a command without CR LF")

// line reads a command; bufio.ErrBufferFull if it is too long. Another server may have
// interpreted a bare line feed or carriage return differently, so the sender gets an error
// and nothing that follows is read.
func (c *conn) line() (string, error) {
	line, err := c.in.ReadSlice('\n')
	if err == nil && len(line) > maxLine {
		err = bufio.ErrBufferFull
	}
	text, ended := strings.CutSuffix(string(line), "\r\n")
	if err == nil && (!ended || strings.ContainsRune(text, '\r')) {
		c.say(500, "5.5.2", "Commands must end in CR LF")
		err = errBareLine
	}
	return text, err
}

// say sends an answer of one line.
func (c *conn) say(code int, enhanced, text string) bool {
	if enhanced != "" {
		text = enhanced + " " + text
	}
	return c.send(fmt.Sprintf("%d %s\r\n", code, text))
}

func (c *conn) send(text string) bool {
	if err := c.out.SetWriteDeadline(clock.Deadline(c.server.Patience)); err != nil {
		return false
	}
	_, err := io.WriteString(c.out, text)
	return err == nil
}

// refuse sends an error. A sender with too many errors is disconnected.
func (c *conn) refuse(err error) bool {
	said, ok := errors.AsType[*Error](err)
	if !ok {
		said = &Error{451, "4.3.0", "Something went wrong, try again later"}
	}
	if c.faults++; c.faults > maxFaults {
		c.say(421, "4.7.0", "Too many errors")
		return false
	}
	return c.say(said.Code, said.Enhanced, said.Message)
}

// runCommand carries out a command and reports whether the session continues.
func (c *conn) runCommand(verb, arg string) bool {
	c.touch()
	if verb != "RCPT" && verb != "DATA" && verb != "QUIT" {
		if c.idleCommands++; c.idleCommands > maxIdleCommands {
			c.say(421, "4.7.0", "Too many commands without a mail")
			return false
		}
	}
	switch verb {
	case "HELO", "EHLO":
		return c.greet(verb == "EHLO", arg)
	case "MAIL":
		return c.begin(arg)
	case "RCPT":
		return c.recipient(arg)
	case "DATA":
		return c.data()
	case "RSET":
		c.reset()
		return c.say(250, "2.0.0", "Reset")
	case "NOOP":
		return c.say(250, "2.0.0", "OK")
	case "VRFY":
		return c.say(252, "2.5.0", "Cannot verify, send a mail instead")
	case "STARTTLS":
		return c.encrypt()
	case "AUTH":
		return c.signIn(arg)
	case "QUIT":
		c.say(221, "2.0.0", "Bye")
		return false
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT":
		// A web page can make its visitor's browser send whatever the page wants.
		c.say(500, "5.5.2", "This is not a web server")
		return false
	}
	return c.refuse(&Error{500, "5.5.2", "Unknown command"})
}

func (c *conn) reset() {
	c.mail, c.recipients = false, 0
	c.session.Reset()
}

func (c *conn) greet(extended bool, who string) bool {
	if who == "" {
		return c.refuse(&Error{501, "5.5.4", "The name of the client is missing"})
	}
	c.reset()
	c.hello = true
	if told, ok := c.session.(Greeted); ok {
		told.Hello(who)
	}
	if !extended {
		return c.say(250, "", c.server.Domain)
	}
	lines := []string{c.server.Domain, "PIPELINING", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES"}
	if c.server.TLS != nil && !c.secure {
		lines = append(lines, "STARTTLS")
	}
	if _, ok := c.session.(Authenticator); ok && c.secure {
		lines = append(lines, "AUTH PLAIN LOGIN")
	}
	lines = append(lines, "LIMITS RCPTMAX="+strconv.Itoa(c.server.MaxRecipients))
	return c.send("250-" + strings.Join(lines, "\r\n250-") + fmt.Sprintf("\r\n250 SIZE %d\r\n", c.server.MaxSize))
}

func (c *conn) begin(arg string) bool {
	from, params, ok := path(arg, "FROM:")
	switch {
	case !c.hello:
		return c.refuse(&Error{503, "5.5.1", "Send EHLO first"})
	case c.mail:
		return c.refuse(&Error{503, "5.5.1", "A mail is already in progress"})
	case !ok:
		return c.refuse(&Error{501, "5.5.4", "Write MAIL FROM:<address>"})
	}
	foreign := false
	for _, p := range params {
		name, value, _ := strings.Cut(p, "=")
		switch strings.ToUpper(name) {
		case "AUTH":
		case "SMTPUTF8":
			foreign = true
		case "BODY":
			if !strings.EqualFold(value, "7BIT") && !strings.EqualFold(value, "8BITMIME") {
				return c.refuse(&Error{501, "5.5.4", "The body may be 7BIT or 8BITMIME"})
			}
		case "SIZE":
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil || n < 0 {
				return c.refuse(&Error{501, "5.5.4", "The size cannot be read"})
			}
			if n > c.server.MaxSize {
				return c.refuse(ErrTooLarge)
			}
		default:
			return c.refuse(&Error{555, "5.5.4", "Unknown parameter"})
		}
	}
	if !foreign && !isASCII(from) {
		return c.refuse(errForeign)
	}
	if err := c.session.Mail(from); err != nil {
		return c.refuse(err)
	}
	c.mail, c.foreign = true, foreign
	return c.say(250, "2.1.0", "Sender ok")
}

func (c *conn) recipient(arg string) bool {
	to, params, ok := path(arg, "TO:")
	switch {
	case !c.mail:
		return c.refuse(&Error{503, "5.5.1", "Send MAIL first"})
	case !ok || to == "":
		return c.refuse(&Error{501, "5.5.4", "Write RCPT TO:<address>"})
	case !c.foreign && !isASCII(to):
		return c.refuse(errForeign)
	case len(params) > 0:
		return c.refuse(&Error{555, "5.5.4", "Unknown parameter"})
	case c.recipients >= c.server.MaxRecipients:
		return c.refuse(&Error{452, "4.5.3", "Too many recipients"})
	}
	if err := c.session.Rcpt(to); err != nil {
		return c.refuse(err)
	}
	c.recipients++
	return c.say(250, "2.1.5", "Recipient ok")
}

func (c *conn) data() bool {
	if c.recipients == 0 {
		return c.refuse(&Error{503, "5.5.1", "Send RCPT first"})
	}
	c.taking.Store(true)
	defer c.taking.Store(false)
	end := c.now.end
	c.now.end = c.deadline(mailTime)
	defer func() { c.now.end = end }()
	if !c.say(354, "", "Send the mail, then a line with a dot") {
		return false
	}
	relay, ok := c.session.(Relay)
	body := &dataReader{in: c.in, left: c.server.MaxSize, strict: c.signedIn || ok && relay.SendsOn()}
	err := c.session.Data(body)
	// The rest must be read before the sender can read an answer, but not without limit.
	body.left, body.lenient = c.server.MaxSize, true
	_, rest := io.Copy(io.Discard, body)
	c.reset()
	switch {
	case err != nil:
		return c.refuse(err) && rest == nil
	case rest != nil:
		return false
	}
	c.idleCommands, end = 0, c.deadline(c.server.MaxIdle)
	return c.say(250, "2.0.0", "Accepted")
}

func (c *conn) encrypt() bool {
	switch {
	case c.server.TLS == nil || c.secure:
		return c.refuse(&Error{502, "5.5.1", "Not offered"})
	case c.in.Buffered() > 0:
		c.say(501, "5.5.4", "No data may follow STARTTLS")
		return false
	case !c.say(220, "2.0.0", "Begin"):
		return false
	}
	if !c.handshake() {
		return false
	}
	c.hello = false
	c.reset()
	return true
}

// handshake switches to TLS and reports whether that succeeded.
func (c *conn) handshake() bool {
	over := tls.Server(c.raw, c.server.TLS)
	ctx, cancel := context.WithTimeout(c.ctx, c.server.Patience)
	defer cancel()
	if err := over.HandshakeContext(ctx); err != nil {
		c.server.Log.Debug("mail: no TLS", "error", err)
		return false
	}
	c.switchTo(over)
	c.secure = true
	return true
}

// errForeign reports a non-ASCII address in a mail without SMTPUTF8 (RFC 6531).
var errForeign = &Error{553, "5.6.7", "An address with non-ASCII characters needs SMTPUTF8"}

func isASCII(address string) bool {
	return !strings.ContainsFunc(address, func(r rune) bool { return r > unicode.MaxASCII })
}

// path parses "FROM:<address> PARAMETERS" and the like.
func path(arg, prefix string) (address string, params []string, ok bool) {
	if len(arg) < len(prefix) || !strings.EqualFold(arg[:len(prefix)], prefix) {
		return "", nil, false
	}
	arg = strings.TrimSpace(arg[len(prefix):])
	if !strings.HasPrefix(arg, "<") {
		address, rest, _ := strings.Cut(arg, " ")
		return address, strings.Fields(rest), address != ""
	}
	quoted := false
	for i := 1; i < len(arg); i++ {
		switch {
		case quoted && arg[i] == '\\':
			i++
		case arg[i] == '"':
			quoted = !quoted
		case arg[i] == '>' && !quoted:
			address = arg[1:i]
			if route, rest, found := strings.Cut(address, ":"); found && strings.HasPrefix(route, "@") {
				address = rest // a route is no longer followed
			}
			return address, strings.Fields(arg[i+1:]), true
		}
	}
	return "", nil, false
}
