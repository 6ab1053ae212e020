// Package dnstest runs a name server on this machine for tests.
package dnstest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"konak/internal/kit/each"
)

// Manner is how the server answers questions about a name.
type Manner string

// The manners.
const (
	Fails     Manner = "fails"     // SERVFAIL
	Refuses   Manner = "refuses"   // it answers without authority
	Silent    Manner = "silent"    // no answer
	Truncates Manner = "truncates" // the whole answer comes by TCP only
	Strays    Manner = "strays"    // answers to other questions, without end
	Cut       Manner = "cut"       // half an answer by TCP
)

// Server is a name server that is authoritative for every name.
type Server struct {
	mu      sync.Mutex
	records map[string][]dnsmessage.Resource
	manners map[string]Manner
	zones   map[string]bool
	streams int
	addr    netip.AddrPort
}

// Start runs a server until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{records: map[string][]dnsmessage.Resource{}, manners: map[string]Manner{}, zones: map[string]bool{}}
	ln, packets := listen(t)
	s.addr = netip.MustParseAddrPort(ln.Addr().String())
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { s.servePackets(ctx, packets) })
	all.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
				s.serveStream(conn)
			})
		}
	})
	t.Cleanup(func() {
		stop()
		_, _ = ln.Close(), packets.Close()
		all.Wait()
	})
	return s
}

// listen finds a port that is free for both TCP and UDP.
func listen(t testing.TB) (net.Listener, net.PacketConn) {
	t.Helper()
	for range 20 {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if packets, err := net.ListenPacket("udp", ln.Addr().String()); err == nil {
			return ln, packets
		}
		_ = ln.Close()
	}
	t.Fatal("no port is free for TCP and UDP")
	return nil, nil
}

// Find returns this server for every name; use it as the Servers of a client's settings.
func (s *Server) Find(context.Context, string) ([]netip.AddrPort, error) {
	return []netip.AddrPort{s.addr}, nil
}

// SetTXT sets the texts of a name; each consists of strings that are sent as they are.
func (s *Server) SetTXT(name string, texts ...[]string) {
	list := each.Map(texts, func(t []string) dnsmessage.ResourceBody { return &dnsmessage.TXTResource{TXT: t} })
	s.set(name, dnsmessage.TypeTXT, list)
}

// SetMX sets the mail servers of a name, written as "10 mail.example".
func (s *Server) SetMX(name string, values ...string) {
	list := make([]dnsmessage.ResourceBody, len(values))
	for i, v := range values {
		var pref uint16
		var host string
		if _, err := fmt.Sscan(v, &pref, &host); err != nil {
			panic(err)
		}
		list[i] = &dnsmessage.MXResource{Pref: pref, MX: makeName(host)}
	}
	s.set(name, dnsmessage.TypeMX, list)
}

// SetCNAME makes a name an alias of another.
func (s *Server) SetCNAME(name, to string) {
	s.set(name, dnsmessage.TypeCNAME, []dnsmessage.ResourceBody{&dnsmessage.CNAMEResource{CNAME: makeName(to)}})
}

// SetSRV sets the service of a name, such as "0 1 465 a.example."; "0 0 0 ." means that the
// service is not offered.
func (s *Server) SetSRV(name, value string) {
	r := &dnsmessage.SRVResource{}
	var host string
	if _, err := fmt.Sscan(value, &r.Priority, &r.Weight, &r.Port, &host); err != nil {
		panic(err)
	}
	r.Target = makeName(host)
	s.set(name, dnsmessage.TypeSRV, []dnsmessage.ResourceBody{r})
}

// SetManner makes the server misbehave for a name; "" ends that. The name "*" stands for
// every name.
func (s *Server) SetManner(name string, m Manner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.manners[name] = m
}

// Delegate delegates a zone to other servers.
func (s *Server) Delegate(zone string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.zones[zone] = true
}

// Streams returns the number of questions that came by TCP.
func (s *Server) Streams() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams
}

func (s *Server) set(name string, t dnsmessage.Type, bodies []dnsmessage.ResourceBody) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := name + " " + t.String()
	delete(s.records, key)
	for _, b := range bodies {
		s.records[key] = append(s.records[key], dnsmessage.Resource{
			Header: dnsmessage.ResourceHeader{Name: makeName(name), Type: t, Class: dnsmessage.ClassINET, TTL: 300}, Body: b,
		})
	}
}

func makeName(name string) dnsmessage.Name {
	return dnsmessage.MustNewName(strings.TrimSuffix(name, ".") + ".")
}

func (s *Server) servePackets(ctx context.Context, conn net.PacketConn) {
	buf := make([]byte, 4<<10)
	for {
		n, from, err := conn.ReadFrom(buf)
		if err != nil {
			return
		}
		msg, manner := s.answer(buf[:n], true)
		switch manner {
		case Silent:
			continue
		case Strays:
			msg[0] ^= 0xff // another question's number
			for i := 0; i < 1000 && ctx.Err() == nil; i++ {
				_, _ = conn.WriteTo(msg, from)
			}
			continue
		}
		_, _ = conn.WriteTo(msg, from)
	}
}

func (s *Server) serveStream(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	var size [2]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return
	}
	query := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(conn, query); err != nil {
		return
	}
	s.mu.Lock()
	s.streams++
	s.mu.Unlock()
	msg, manner := s.answer(query, false)
	out := append(binary.BigEndian.AppendUint16(nil, uint16(len(msg))), msg...)
	if manner == Cut {
		out = out[:len(out)/2]
	}
	_, _ = conn.Write(out)
}

// answer returns the answer to a question, and the manner set for the name.
func (s *Server) answer(query []byte, packet bool) ([]byte, Manner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var q dnsmessage.Message
	if err := q.Unpack(query); err != nil || len(q.Questions) != 1 {
		panic(errors.Join(errors.New("dnstest: cannot read the question"), err))
	}
	name := strings.ToLower(strings.TrimSuffix(q.Questions[0].Name.String(), "."))
	manner, ok := s.manners[name]
	if !ok {
		manner = s.manners["*"]
	}
	out := dnsmessage.Message{Header: dnsmessage.Header{ID: q.ID, Response: true, Authoritative: true}, Questions: q.Questions}
	for zone := range s.zones {
		if strings.HasSuffix("."+name, "."+zone) {
			out.Authoritative = false
			out.Authorities = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: makeName(zone), Type: dnsmessage.TypeNS, Class: dnsmessage.ClassINET},
				Body:   &dnsmessage.NSResource{NS: makeName("ns.example")},
			}}
		}
	}
	switch {
	case !out.Authoritative:
	case manner == Fails:
		out.RCode = dnsmessage.RCodeServerFailure
	case manner == Refuses:
		out.Authoritative = false
	case packet && (manner == Truncates || manner == Cut):
		out.Truncated = true
	default:
		if out.Answers = s.records[name+" "+q.Questions[0].Type.String()]; len(out.Answers) == 0 {
			out.Answers = s.records[name+" "+dnsmessage.TypeCNAME.String()]
		}
		if len(out.Answers) == 0 {
			out.RCode = dnsmessage.RCodeNameError
		}
	}
	msg, err := out.Pack()
	if err != nil {
		panic(err)
	}
	return msg, manner
}
