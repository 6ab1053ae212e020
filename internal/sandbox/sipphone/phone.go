// Package sipphone is a peer of the exchange for stand-ins: a carrier in a demo, and the
// servers of WhatsApp that pass calls to an exchange. It answers calls as its owner
// decides and makes calls, over UDP or over TLS with encrypted sound.
//
// What always holds:
//   - It is for demos and tests: it serves on loopback and calls loopback only.
//   - Calls are limited in number and in time; calls beyond the limit are refused.
//   - An answering phone plays a short melody and then echoes what it hears; a calling
//     phone plays the melody for its whole talk.
package sipphone

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/emiago/sipgo/sip"

	"konak/internal/exchange/rtp"
	"konak/internal/kit/clock"
)

const (
	defaultCalls = 20
	defaultTalk  = time.Minute
	maxMessage   = 64 << 10
	// firstPort and lastPort are the range of ports for sound.
	firstPort, lastPort = 30000, 31998
	// byeTime is how long to wait for the answer to a BYE.
	byeTime = 4 * time.Second
)

// Manner is how an incoming call is handled.
type Manner struct {
	// Ring is how long the call rings before it is answered or refused.
	Ring time.Duration
	// Refuse is the status with which the call is refused; zero answers it.
	Refuse int
}

// Config sets how a phone behaves.
type Config struct {
	Clock clock.Source
	// Listen is the address to serve on; empty means a free port of loopback.
	Listen string
	// Takes decides how a call to a number is handled; nil refuses all.
	Takes func(number string) Manner
	// Calls is the maximum number of concurrent calls, and Talk the maximum length of one.
	Calls int
	Talk  time.Duration
}

// ErrBusy means that there are too many calls.
var ErrBusy = errors.New("there are too many calls at once")

// errLoopback means that an address is not on this machine.
var errLoopback = errors.New("sipphone: only this machine can call and be called")

// Phone is a running phone.
type Phone struct {
	cfg     Config
	conn    *net.UDPConn
	addr    netip.AddrPort
	ports   *rtp.Ports
	network *sip.TransportLayer
	tx      *sip.TransactionLayer
	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup

	mu    sync.Mutex
	calls map[string]*talk // by Call-ID; nil after Close
}

// quiet keeps the SIP library from logging each message that it cannot read.
var quiet = sync.OnceFunc(func() { sip.SetDefaultLogger(slog.New(slog.DiscardHandler)) })

// Start opens the phone's port. Close ends it.
func Start(cfg Config) (*Phone, error) {
	cfg.Calls, cfg.Talk = cmp.Or(cfg.Calls, defaultCalls), cmp.Or(cfg.Talk, defaultTalk)
	at, err := netip.ParseAddrPort(cmp.Or(cfg.Listen, "127.0.0.1:0"))
	if err != nil {
		return nil, err
	}
	if !at.Addr().IsLoopback() {
		return nil, errLoopback
	}
	conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(at))
	if err != nil {
		return nil, err
	}
	p := &Phone{cfg: cfg, conn: conn, addr: conn.LocalAddr().(*net.UDPAddr).AddrPort(), calls: map[string]*talk{}}
	p.ctx, p.stop = context.WithCancel(context.Background())
	if p.ports, err = rtp.NewPorts(at.Addr(), firstPort, lastPort); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	p.serve()
	return p, nil
}

// Addr returns the address on which the phone is called.
func (p *Phone) Addr() netip.AddrPort { return p.addr }

// firstRead calls ready before its first read: from then on the library can send through
// it.
type firstRead struct {
	net.PacketConn
	ready func()
}

// ReadFrom implements net.PacketConn.
func (c *firstRead) ReadFrom(b []byte) (int, net.Addr, error) {
	c.ready()
	return c.PacketConn.ReadFrom(b)
}

func (p *Phone) serve() {
	quiet()
	parser := sip.NewParser()
	parser.MaxMessageLength = maxMessage
	// The certificate of an exchange in a demo is self-signed.
	secure := &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12} //nolint:gosec // loopback only
	p.network = sip.NewTransportLayer(net.DefaultResolver, parser, secure)
	p.tx = sip.NewTransactionLayer(p.network, sip.WithTransactionLayerUnhandledResponseHandler(func(*sip.Response) {}))
	p.tx.OnRequest(p.handle)
	reads := make(chan struct{})
	conn := &firstRead{PacketConn: p.conn, ready: sync.OnceFunc(func() { close(reads) })}
	p.running.Go(func() { _ = p.network.ServeUDP(conn) })
	<-reads
}

// Close ends all calls and closes the port.
func (p *Phone) Close() error {
	p.mu.Lock()
	ended := p.calls == nil
	open := p.calls
	p.calls = nil
	p.mu.Unlock()
	if ended {
		return nil
	}
	p.stop()
	for _, t := range open {
		<-t.over
	}
	p.tx.Close()
	err := errors.Join(p.network.Close(), p.conn.Close())
	p.running.Wait()
	if errors.Is(err, net.ErrClosed) {
		err = nil // the library closed it
	}
	return err
}

// begin counts a call. It returns ErrBusy if there are too many.
func (p *Phone) begin(callID string, t *talk) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls == nil || len(p.calls) >= p.cfg.Calls || p.calls[callID] != nil {
		return ErrBusy
	}
	socket, err := p.ports.Open()
	if err != nil {
		return err
	}
	t.p, t.ended, t.over = p, make(chan struct{}), make(chan struct{})
	t.end = sync.OnceFunc(func() { close(t.ended) })
	t.left = make(chan struct{})
	t.leave = sync.OnceFunc(func() { close(t.left) })
	t.media = rtp.NewSession(socket, p.cfg.Clock, t)
	p.calls[callID] = t
	p.running.Go(t.media.Run)
	return nil
}

// finish removes a call.
func (p *Phone) finish(callID string, t *talk) {
	t.end()
	t.media.Close()
	p.mu.Lock()
	delete(p.calls, callID)
	p.mu.Unlock()
	close(t.over)
}

// find returns the call that a request belongs to; nil if there is none.
func (p *Phone) find(req *sip.Request) *talk {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[string(*req.CallID())]
}

// HangUp ends the calls that were made from a number.
func (p *Phone) HangUp(from string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.calls {
		if t.from == from && from != "" {
			t.leave()
		}
	}
}

// Calls returns the current number of calls.
func (p *Phone) Calls() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls)
}

// handle is called for each new request, in its own goroutine.
func (p *Phone) handle(req *sip.Request, tx *sip.ServerTx) {
	defer tx.TerminateGracefully()
	if req.From() == nil || req.To() == nil || req.CallID() == nil || req.CSeq() == nil || req.Via() == nil {
		return
	}
	_, inside := req.To().Params.Get("tag")
	t := p.find(req)
	switch {
	case req.Method == sip.INVITE && !inside:
		p.answer(req, tx)
	case req.Method == sip.ACK:
		if t != nil {
			t.confirm()
		}
	case req.Method == sip.OPTIONS:
		respond(tx, req, 200, "OK", nil)
	case t == nil || !inside:
		respond(tx, req, 481, "Call/Transaction Does Not Exist", nil)
	case req.Method == sip.INVITE:
		t.renegotiate(req, tx)
	case req.Method == sip.BYE:
		respond(tx, req, 200, "OK", nil)
		t.end()
	default:
		respond(tx, req, 405, "Method Not Allowed", nil)
	}
}

// respond answers a request. An answer that cannot be sent is lost: the peer repeats its
// request.
func respond(tx *sip.ServerTx, req *sip.Request, code int, reason string, body []byte, headers ...sip.Header) {
	_ = tx.Respond(response(req, code, reason, body, headers...))
}

func response(req *sip.Request, code int, reason string, body []byte, headers ...sip.Header) *sip.Response {
	res := sip.NewResponseFromRequest(req, code, reason, nil)
	for _, h := range headers {
		res.AppendHeader(h)
	}
	if body != nil {
		res.AppendHeader(sip.NewHeader("Content-Type", "application/sdp"))
	}
	res.SetBody(body)
	return res
}

func newTag() string { return strings.ToLower(rand.Text()) }

// contact returns the address where requests of a call reach the phone.
func (p *Phone) contact(user, transport string) *sip.ContactHeader {
	h := &sip.ContactHeader{Address: sip.Uri{Scheme: "sip", User: user, Host: p.addr.Addr().String(), Port: int(p.addr.Port())}}
	if !strings.EqualFold(transport, "UDP") {
		h.Address.UriParams.Add("transport", strings.ToLower(transport))
	}
	return h
}
