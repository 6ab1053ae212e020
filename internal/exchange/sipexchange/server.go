// Package sipexchange is the embedded exchange: a SIP registrar, a back-to-back user
// agent and an RTP bridge in one process.
//
// Telephones and lines speak SIP with it over UDP and TCP on one port and over TLS on
// another; it opens the TLS connections to the servers of lines itself. Each leg has an
// RTP port from a range. The state is kept in the exchange's own database file.
//
// What always holds:
//   - A telephone's REGISTER and INVITE are authenticated by digest; messages within a
//     call are recognized by a tag of 128 random bits that we gave it.
//   - A leg is joined only with legs of its tenant.
//   - Messages, connections, legs, registrations, ports and remembered failures are
//     limited, in total and per source (Limits).
//   - A leg that cannot continue is ended on both sides and reported by leg.ended.
package sipexchange

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emiago/sipgo/sip"
	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/exchange/flood"
	"konak/internal/exchange/recording"
	"konak/internal/exchange/rtp"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/secret"
)

// Realm is the realm in the HA1 of every device.
const Realm = "konak"

// Config is the configuration of an Exchange.
type Config struct {
	// Dir is the folder of exchange.db and of the recordings.
	Dir   string
	Box   *secret.Box
	Clock clock.Source
	Log   *slog.Logger
	// PublicAddress is the address given to peers; if empty, the local one that reaches the
	// peer.
	PublicAddress string
	// FirstPort and LastPort are the range of ports for RTP.
	FirstPort, LastPort int
	// CheckAddress refuses servers of lines by their address; nil allows all.
	CheckAddress func(netip.Addr) error
	// Roots are the certificate authorities for the servers of lines over TLS; nil for the
	// system's.
	Roots *x509.CertPool
	// Carrier is the operator's line, over which calls to bought numbers come in; nil if
	// there is none.
	Carrier *Carrier
	// FindAccount finds the account that a call of a messaging provider is for; if nil,
	// such calls are refused.
	FindAccount FindAccount
	// RefusedPhones returns the telephones of a tenant that may not be signed in, by
	// username, and why, for people to read; nil refuses none.
	RefusedPhones func(ctx context.Context, tenant uuid.UUID, usernames []string) (map[string]string, error)
	Limits        Limits
}

// Limits are the limits on what peers can use. Zero values mean DefaultLimits.
type Limits struct {
	Messages             int // per second, from all addresses
	MessagesPerAddress   int // per second, from one address
	Connections          int
	ConnectionsOfAddress int
	LegsOfTenant         int
	BindingsOfDevice     int
	// NoMedia is the time after which an answered leg that sends no sound is ended.
	NoMedia time.Duration
	// NoDecision is the time after which an incoming leg that nobody answers is ended.
	NoDecision time.Duration
}

// DefaultLimits are the limits of an installation.
var DefaultLimits = Limits{
	Messages: 5000, MessagesPerAddress: 500, Connections: 2000, ConnectionsOfAddress: 100,
	LegsOfTenant: 100, BindingsOfDevice: 5, NoMedia: time.Minute, NoDecision: 3 * time.Minute,
}

// Exchange implements exchange.Exchange.
type Exchange struct {
	cfg      Config
	id       uuid.UUID
	store    *store
	events   *eventLog
	folder   recording.Folder
	guard    *flood.Guard
	attempts *flood.Attempts
	nonces   nonces
	ports    *rtp.Ports
	sockets  *Sockets
	listen   netip.AddrPort
	public   netip.Addr
	network  *sip.TransportLayer
	secure   *secureLines
	tx       *sip.TransactionLayer
	stop     context.CancelFunc
	running  sync.WaitGroup
	spawning sync.Mutex // protects closed, after which nothing is started
	closed   bool
	goodbyes sync.WaitGroup // BYEs and CANCELs waiting for their answer

	mu       sync.Mutex
	devices  map[string]exchange.Device
	bindings map[string][]*binding // by username
	trunks   map[uuid.UUID]*trunk
	legs     map[uuid.UUID]*leg
	dialogs  map[string]*leg // by Call-ID and our tag
	invites  map[string]bool // INVITEs under way, by inviteKey
	bridges  map[uuid.UUID]*bridge
	received int64 // packets of legs that have ended
	lost     int64
	ended    bool // Close was called
	closing  bool // no new legs: not started yet, or closing
}

var _ exchange.Exchange = (*Exchange)(nil)

// New returns an exchange that is not running: until Start, every request is refused with
// exchange.ErrUnavailable or not found.
func New(cfg Config) (*Exchange, error) {
	if cfg.Limits == (Limits{}) {
		cfg.Limits = DefaultLimits
	}
	x := &Exchange{
		cfg: cfg, folder: recording.NewFolder(filepath.Join(cfg.Dir, "recordings"), cfg.Clock), guard: flood.New(cfg.Clock, cfg.Limits.Messages, cfg.Limits.MessagesPerAddress),
		attempts: flood.NewAttempts(cfg.Clock, cfg.Log), nonces: nonces{key: make([]byte, 32)}, events: newEventLog(cfg.Clock),
		devices: map[string]exchange.Device{}, bindings: map[string][]*binding{}, trunks: map[uuid.UUID]*trunk{},
		legs: map[uuid.UUID]*leg{}, dialogs: map[string]*leg{}, invites: map[string]bool{}, bridges: map[uuid.UUID]*bridge{},
		closing: true,
	}
	_, _ = rand.Read(x.nonces.key) // never fails
	if cfg.PublicAddress != "" {
		var err error
		if x.public, err = netip.ParseAddr(cfg.PublicAddress); err != nil {
			return nil, fmt.Errorf("the public address of SIP must be an IP address: %w", err)
		}
	}
	return x, nil
}

// Open opens the exchange's store and returns its id, which stays the same after a restart.
// Start opens the store if Open was not called.
func (x *Exchange) Open(ctx context.Context) (uuid.UUID, error) {
	if x.store != nil {
		return x.id, nil
	}
	s, err := openStore(ctx, x.cfg)
	if err != nil {
		return uuid.Nil, err
	}
	if x.id, err = s.self(ctx, x.cfg.Clock.NewID()); err != nil {
		return uuid.Nil, errors.Join(err, s.db.Close())
	}
	x.store, x.events.store = s, s
	return x.id, nil
}

// ID returns the id of the exchange's store, once it is open.
func (x *Exchange) ID() uuid.UUID { return x.id }

// Start ends what a crash left behind, and begins to serve on the ports. Close ends it
// and closes the ports.
func (x *Exchange) Start(ctx context.Context, s *Sockets) (err error) {
	x.sockets, x.listen = s, s.Addr()
	x.secure = newSecureLines(x.cfg.Roots, x.listen.Addr())
	if x.ports, err = rtp.NewPorts(x.listen.Addr(), x.cfg.FirstPort, x.cfg.LastPort); err != nil {
		return err
	}
	// Even if there are few ports, one workspace gets no more than half of them.
	x.cfg.Limits.LegsOfTenant = min(x.cfg.Limits.LegsOfTenant, max(x.ports.Size()/2, 1))
	if _, err := x.Open(ctx); err != nil {
		return err
	}
	if err := errors.Join(x.recover(ctx), x.load(ctx)); err != nil {
		return err
	}
	x.serve()
	return nil
}

// recover ends what a crash left behind: recordings first, then their legs.
func (x *Exchange) recover(ctx context.Context) error {
	legs, err := x.store.legs(ctx)
	if err != nil {
		return err
	}
	at, err := x.store.alive(ctx, x.cfg.Clock.Now())
	if err != nil {
		return err
	}
	n := map[uuid.UUID]int{}
	for _, l := range legs {
		n[l.id] = l.n
	}
	next := func(e exchange.Event) error {
		n[e.Leg]++
		e.N, e.At = n[e.Leg], at
		return x.store.inTx(ctx, func(tx *db.Tx) error { return addEvent(tx, e) })
	}
	err = x.folder.Recover(func(r recording.Result) error {
		if _, alive := n[r.Leg]; !alive {
			return nil
		}
		return next(recordEnded(r))
	})
	if err != nil {
		return err
	}
	for _, l := range legs {
		if err := next(exchange.Event{
			Tenant: l.tenant, Leg: l.id, Type: exchange.LegEndedEvent, Cause: exchange.CauseLost, EndedBy: exchange.EndedByExchange,
		}); err != nil {
			return err
		}
	}
	return nil
}

// load reads devices, registrations and trunks.
func (x *Exchange) load(ctx context.Context) error {
	devices, err := x.store.devices(ctx)
	if err != nil {
		return err
	}
	for _, d := range devices {
		x.devices[d.Username] = d
	}
	bindings, err := x.store.registrations(ctx)
	if err != nil {
		return err
	}
	for _, b := range bindings {
		x.bindings[b.username] = append(x.bindings[b.username], b)
	}
	trunks, err := x.store.trunks(ctx)
	if err != nil {
		return err
	}
	for _, t := range trunks {
		x.trunks[t.ID] = t
	}
	return nil
}

// silenceLibrary keeps the SIP library from logging each message that it cannot read, with
// all its content.
var silenceLibrary = sync.OnceFunc(func() { sip.SetDefaultLogger(slog.New(slog.DiscardHandler)) })

// serve starts the goroutines that run until Close.
func (x *Exchange) serve() {
	silenceLibrary()
	parser := sip.NewParser()
	parser.MaxMessageLength = flood.MaxMessage
	x.network = sip.NewTransportLayer(net.DefaultResolver, parser, nil,
		sip.WithTransportLayerReadFilter(x.guard.Filter),
		sip.WithTransportLayerTransports(sip.TransportsConfig{TCP: boundedTCP(), TLS: secureTransport()}))
	x.tx = sip.NewTransactionLayer(x.network, sip.WithTransactionLayerTerminateOnConnClose(),
		sip.WithTransactionLayerUnhandledResponseHandler(func(*sip.Response) {}))
	x.tx.OnRequest(x.handle)

	ctx, stop := context.WithCancel(context.Background())
	x.stop = stop
	x.running.Go(func() { x.events.run(ctx) })
	x.running.Go(func() { x.watch(ctx) })
	reads := make(chan struct{})
	datagrams := &readyConn{PacketConn: x.sockets.udp, ready: sync.OnceFunc(func() { close(reads) })}
	x.running.Go(func() {
		for ctx.Err() == nil {
			x.readDatagrams(datagrams)
		}
	})
	connections := flood.NewConnections(x.cfg.Limits.Connections, x.cfg.Limits.ConnectionsOfAddress)
	x.running.Go(func() { _ = x.network.ServeTCP(&flood.Listener{Listener: x.sockets.tcp, Connections: connections}) })
	x.running.Go(func() { _ = x.network.ServeTLS(x.secure) })
	if x.sockets.tls != nil {
		x.running.Go(func() {
			_ = x.network.ServeTLS(tls.NewListener(&flood.Listener{Listener: x.sockets.tls, Connections: connections}, x.sockets.tlsConfig))
		})
	}
	if x.cfg.Carrier != nil {
		x.running.Go(func() { x.cfg.Carrier.keepAddresses(ctx) })
	}
	<-reads // earlier, the library would try to open the port a second time
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closing = false
	for _, t := range x.trunks {
		x.startTrunk(t)
	}
}

// boundedTCP returns a TCP transport with time limits for opening connections and for
// silence.
func boundedTCP() *sip.TransportTCP {
	return &sip.TransportTCP{
		ReadTimeout: 2 * longestRegistration, WriteTimeout: 10 * time.Second,
		DialerCreate: func(net.Addr) net.Dialer { return net.Dialer{Timeout: 5 * time.Second} },
	}
}

// readDatagrams reads UDP until the socket is closed, or until the library remembers
// too many senders.
func (x *Exchange) readDatagrams(conn net.PacketConn) {
	defer x.logPanic("reading SIP")
	_ = x.network.ServeUDP(conn)
}

// logPanic recovers from a panic, so that one message cannot end the process.
func (x *Exchange) logPanic(doing string) {
	if r := recover(); r != nil {
		x.cfg.Log.Error("the exchange recovered from a panic", "doing", doing, "fault", r)
	}
}

// spawn runs fn in a goroutine that Close waits for. After Close it does nothing.
func (x *Exchange) spawn(fn func()) {
	x.spawning.Lock()
	defer x.spawning.Unlock()
	if !x.closed {
		x.running.Go(fn)
	}
}

// Addr returns where SIP is served.
func (x *Exchange) Addr() netip.AddrPort { return x.listen }

// Server returns the host and port that telephones sign in at; empty before Start.
func (x *Exchange) Server() string {
	if !x.listen.IsValid() {
		return ""
	}
	// The address belongs to nobody: it represents any outside address.
	return netip.AddrPortFrom(x.localAddr("192.0.2.1:9"), x.listen.Port()).String()
}

// localAddr returns our address as a peer sees it.
func (x *Exchange) localAddr(peer string) netip.Addr {
	if x.public.IsValid() {
		return x.public
	}
	if !x.listen.Addr().IsUnspecified() {
		return x.listen.Addr()
	}
	// No packet is sent: the system chooses the local address for the peer.
	conn, err := net.Dial("udp", peer)
	if err != nil {
		return netip.IPv6Loopback()
	}
	defer conn.Close()
	return conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap()
}

// contactHost returns the host and port where peers reach us over a transport, as written
// in a message.
func (x *Exchange) contactHost(peer, transport string) (host string, port int) {
	addr, port := x.localAddr(peer), int(x.listen.Port())
	if strings.EqualFold(transport, transportTLS) {
		if port = int(x.sockets.TLSAddr().Port()); port == 0 {
			port = x.secure.localPort(peer) // peers reach us over the connection that we opened
		}
	}
	if host = addr.String(); addr.Is6() {
		host = "[" + host + "]"
	}
	return host, port
}

// watchEvery is the interval at which legs and registrations are checked.
const watchEvery = time.Second

// watch ends what has run out of time, and records that the exchange is alive.
func (x *Exchange) watch(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := x.cfg.Clock.Now()
		legs := x.allLegs()
		for _, l := range legs {
			l.check(now)
		}
		x.expireBindings(ctx, now)
		if len(legs) > 0 {
			_ = x.store.inTx(ctx, func(tx *db.Tx) error { return setAlive(tx, now) })
		}
	}
}

func (x *Exchange) allLegs() []*leg {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Collect(maps.Values(x.legs))
}

// endLegs ends a tenant's matching legs at its wish. The legs of others are not locked: a
// silent peer of theirs must not delay it.
func (x *Exchange) endLegs(tenant uuid.UUID, match func(exchange.Leg) bool) {
	for _, l := range x.allLegs() {
		if l.tenant == tenant && match(l.snapshot()) {
			l.end(exchange.CauseNormal, exchange.EndedByCaller)
		}
	}
}

// Close ends all legs, signs out of the lines and closes the ports. It waits for peers
// no longer than a few seconds.
func (x *Exchange) Close(ctx context.Context) error {
	x.mu.Lock()
	x.closing = true
	twice, opened, started := x.ended, x.store != nil, x.stop != nil
	x.ended = true
	x.mu.Unlock()
	switch {
	case twice || !opened:
		return nil
	case !started:
		s := x.store
		x.store, x.events.store = nil, nil
		return s.db.Close()
	}
	x.mu.Lock()
	trunks := slices.Collect(maps.Values(x.trunks))
	x.mu.Unlock()
	var ends sync.WaitGroup
	for _, l := range x.allLegs() {
		ends.Go(func() { l.end(exchange.CauseLost, exchange.EndedByExchange) })
	}
	for _, t := range trunks {
		ends.Go(func() { t.stop(ctx) })
	}
	ends.Wait()
	x.goodbyes.Wait() // each at most byeTime
	x.stop()
	x.tx.Close()
	_, _ = x.sockets.Close(), x.secure.Close()
	_ = x.network.Close()
	x.spawning.Lock()
	x.closed = true
	x.spawning.Unlock()
	x.running.Wait()
	return x.store.db.Close()
}

// Events implements exchange.Events.
func (x *Exchange) Events(ctx context.Context, after int64, limit int) ([]exchange.Event, error) {
	return x.store.events(ctx, after, limit)
}

// TrimEvents implements exchange.Events.
func (x *Exchange) TrimEvents(ctx context.Context, upTo int64) error {
	return x.store.inTx(ctx, func(tx *db.Tx) error { return trimEvents(tx, upTo) })
}

// Wake implements exchange.Events.
func (x *Exchange) Wake() <-chan struct{} { return x.events.wake }

// Realm implements exchange.Devices.
func (x *Exchange) Realm() string { return Realm }
