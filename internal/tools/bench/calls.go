package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"konak/internal/exchange/rtp"
	"konak/internal/exchange/sdp"
	"konak/internal/kit/clock"
)

const (
	callGroup = "calls"
	// callSeconds is how long the sound of calls is measured.
	callSeconds = 5
	relayFrom   = 21000
)

// measureCalls sends 50 packets a second each way over bridged calls, through the
// exchange's sessions and through a bare relay of datagrams, and prints loss, delay and
// processor time. The time includes the telephones, which run in the same process. Then it
// measures how fast calls are set up.
func measureCalls(ctx context.Context, _ *env, o options) error {
	if !o.only.MatchString(callGroup) {
		return nil
	}
	fmt.Printf("\n%s: %d s of sound each way, 50 packets a second\n", callGroup, callSeconds)
	for _, n := range []int{50, 250} {
		for _, kind := range []struct {
			name string
			make func(phones []*benchPhone) (stop func(), err error)
		}{{"bare relay", relayBare}, {"exchange", relaySessions}} {
			line, err := measureSound(ctx, n, kind.make)
			if err != nil {
				return err
			}
			fmt.Printf("  %4d calls, %-10s %s\n", n, kind.name, line)
		}
	}
	return measureSetup(ctx)
}

// benchPhone is a telephone that sends packets with the time of sending and reads those of
// the other one.
type benchPhone struct {
	conn   *net.UDPConn
	to     netip.AddrPort
	sent   int
	heard  int
	delays []time.Duration
}

func (p *benchPhone) addr() netip.AddrPort { return p.conn.LocalAddr().(*net.UDPAddr).AddrPort() }

// read records how long each packet took to arrive.
func (p *benchPhone) read(elapsed func() time.Duration) {
	buf := make([]byte, 2000)
	for {
		n, err := p.conn.Read(buf)
		if err != nil {
			return
		}
		if packet, err := rtp.Parse(buf[:n]); err == nil && len(packet.Payload) >= 8 {
			p.heard++
			p.delays = append(p.delays, elapsed()-time.Duration(binary.BigEndian.Uint64(packet.Payload)))
		}
	}
}

func (p *benchPhone) send(at time.Duration) {
	b := make([]byte, 12+rtp.FrameSamples)
	b[0] = 0x80
	binary.BigEndian.PutUint16(b[2:], uint16(p.sent))
	binary.BigEndian.PutUint32(b[4:], uint32(p.sent*rtp.FrameSamples))
	binary.BigEndian.PutUint64(b[12:], uint64(at))
	if _, err := p.conn.WriteToUDPAddrPort(b, p.to); err == nil {
		p.sent++
	}
}

// measureSound runs n calls and describes the loss and delay of their packets.
func measureSound(ctx context.Context, n int, relay func([]*benchPhone) (func(), error)) (string, error) {
	phones := make([]*benchPhone, 2*n)
	for i := range phones {
		conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			return "", err
		}
		phones[i] = &benchPhone{conn: conn}
	}
	stop, err := relay(phones)
	if err != nil {
		return "", err
	}
	elapsed := clock.Stopwatch()
	var reading sync.WaitGroup
	for _, p := range phones {
		reading.Go(func() { p.read(elapsed) })
	}
	before := cpuTime()
	tick := time.NewTicker(rtp.FrameDuration)
	for due := 0; due < callSeconds*50 && ctx.Err() == nil; due++ {
		for _, p := range phones {
			p.send(elapsed())
		}
		<-tick.C
	}
	tick.Stop()
	<-time.After(200 * time.Millisecond) // for packets still on the way
	used := cpuTime() - before
	stop()
	for _, p := range phones {
		_ = p.conn.Close()
	}
	reading.Wait()
	var delays []time.Duration
	sent, heard := 0, 0
	for _, p := range phones {
		sent, heard, delays = sent+p.sent, heard+p.heard, append(delays, p.delays...)
	}
	if heard == 0 {
		return "", fmt.Errorf("no packet of %d arrived", sent)
	}
	slices.Sort(delays)
	perSecond := float64(sent) / callSeconds
	return fmt.Sprintf("%7.0f packets/s, lost %d of %d, delay p50 %s p99 %s, processor %.2f %% for 1,000 packets/s", perSecond, sent-heard, sent,
		delays[len(delays)/2].Round(time.Microsecond), delays[len(delays)*99/100].Round(time.Microsecond),
		100*used.Seconds()/callSeconds/(perSecond/1000)), nil
}

// relayBare copies datagrams between the telephones of each call.
func relayBare(phones []*benchPhone) (func(), error) {
	var conns []*net.UDPConn
	for range phones {
		conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			return nil, err
		}
		conns = append(conns, conn)
	}
	for i, p := range phones {
		p.to = conns[i].LocalAddr().(*net.UDPAddr).AddrPort()
		out, to := conns[i^1], phones[i^1].addr()
		go func() {
			buf := make([]byte, 2000)
			for {
				n, err := conns[i].Read(buf)
				if err != nil {
					return
				}
				_, _ = out.WriteToUDPAddrPort(buf[:n], to)
			}
		}()
	}
	return func() {
		for _, c := range conns {
			_ = c.Close()
		}
	}, nil
}

// bridged passes what a session hears to the other session of its call.
type bridged struct{ other *rtp.Session }

// HearPacket implements rtp.Listener.
func (b *bridged) HearPacket(p rtp.Packet, codec sdp.Codec) { b.other.Forward(p, codec) }

// HearKey implements rtp.Listener.
func (b *bridged) HearKey(byte, rtp.Packet) {}

// relaySessions puts the exchange's sessions between the telephones of each call.
func relaySessions(phones []*benchPhone) (func(), error) {
	ports, err := rtp.NewPorts(netip.MustParseAddr("127.0.0.1"), relayFrom, relayFrom+4*len(phones))
	if err != nil {
		return nil, err
	}
	sessions, bridges := make([]*rtp.Session, len(phones)), make([]*bridged, len(phones))
	for i, p := range phones {
		socket, err := ports.Open()
		if err != nil {
			return nil, err
		}
		bridges[i] = &bridged{}
		sessions[i] = rtp.NewSession(socket, clock.System{}, bridges[i])
		sessions[i].SetPeer(rtp.Peer{Addr: p.addr(), Codec: sdp.PCMU, Keys: sdp.NoKeys, Send: true, Receive: true})
		p.to = netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(socket.Port))
	}
	for i, s := range sessions {
		bridges[i].other = sessions[i^1]
		go s.Run()
	}
	return func() {
		for _, s := range sessions {
			s.Close()
		}
	}, nil
}
