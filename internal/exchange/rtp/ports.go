package rtp

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
)

// ErrNoPort means that all ports are in use.
var ErrNoPort = errors.New("rtp: no free port")

// Ports opens the sockets of a range of ports, by custom the even ones. A closed port is
// used again only after all the others, so that late packets of a call do not reach the
// next one.
type Ports struct {
	addr        netip.Addr
	first, last int
	mu          sync.Mutex
	next        int
	inUse       map[int]bool
}

// NewPorts returns the ports from first to last on a local address.
func NewPorts(addr netip.Addr, first, last int) (*Ports, error) {
	if first += first % 2; first < 1024 || last > 65535 || first > last {
		return nil, fmt.Errorf("rtp: %d-%d is not a range of ports above 1023", first, last)
	}
	return &Ports{addr: addr, first: first, last: last, next: first, inUse: map[int]bool{}}, nil
}

// Size returns the maximum number of sockets open at once.
func (p *Ports) Size() int { return (p.last-p.first)/2 + 1 }

// Open opens the next free port. It returns ErrNoPort if there is none.
func (p *Ports) Open() (*Socket, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range p.Size() {
		port := p.next
		if p.next += 2; p.next > p.last {
			p.next = p.first
		}
		if p.inUse[port] {
			continue
		}
		// Another program may use the port; then the next one is tried.
		conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(p.addr, uint16(port))))
		if err != nil {
			continue
		}
		p.inUse[port] = true
		return &Socket{UDPConn: conn, Port: port, ports: p}, nil
	}
	return nil, ErrNoPort
}

// Socket is an open port.
type Socket struct {
	*net.UDPConn
	Port  int
	ports *Ports
}

// Close closes the port so that others can use it.
func (s *Socket) Close() error {
	s.ports.mu.Lock()
	defer s.ports.mu.Unlock()
	delete(s.ports.inUse, s.Port)
	return s.UDPConn.Close()
}
