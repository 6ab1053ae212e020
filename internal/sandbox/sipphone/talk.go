package sipphone

import (
	"context"
	"math"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emiago/sipgo/sip"

	"konak/internal/exchange/rtp"
	"konak/internal/exchange/sdp"
	"konak/internal/kit/clock"
)

// talk is one call.
type talk struct {
	p     *Phone
	media *rtp.Session
	// ended is closed by end when either side has ended the call; over is closed when the
	// phone has removed it.
	ended, over chan struct{}
	end         func()
	// left is closed by leave to make the phone end the call itself.
	left       chan struct{}
	leave      func()
	from       string // who calls; empty for a call that came in
	acked      chan struct{}
	confirm    func()
	negotiates sync.Mutex // protects ours
	ours       *sdp.Crypto
	version    atomic.Uint64
	// echoes reports that received sound is sent back.
	echoes atomic.Bool

	// The headers of our own requests inside the call.
	callID             string
	local, remote      sip.Uri
	localTag, peerTag  string
	target             sip.Uri
	destination, proto string
	seq                uint32
}

// HearPacket implements rtp.Listener.
func (t *talk) HearPacket(p rtp.Packet, codec sdp.Codec) {
	if t.echoes.Load() {
		t.media.Forward(p, codec)
	}
}

// HearKey implements rtp.Listener.
func (t *talk) HearKey(byte, rtp.Packet) {}

// describe returns the phone's description of its sound.
func (t *talk) describe(direction sdp.Direction) sdp.Local {
	return sdp.Local{
		Addr: netip.AddrPortFrom(t.p.addr.Addr(), uint16(t.media.Port())), Session: 1, Version: t.version.Add(1),
		Codecs: []sdp.Codec{sdp.PCMU, sdp.PCMA}, Keys: sdp.NoKeys, Direction: direction, Crypto: t.ours, Secure: t.ours != nil,
	}
}

// acceptDescription accepts the peer's description, and answers with our own key if it has one.
func (t *talk) acceptDescription(d sdp.Description) {
	if d.Crypto == nil {
		t.ours = nil
	} else if t.ours == nil {
		t.ours = sdp.NewCrypto(d.Crypto.Tag, d.Crypto.Suite)
	}
	t.media.SetPeer(rtp.Peer{
		Addr: d.Addr, Signalling: d.Addr.Addr(), Codec: d.Codecs[0], Keys: d.Keys, Ours: t.ours, Theirs: d.Crypto,
		Send: d.Direction.Receives(), Receive: true,
	})
}

// renegotiate accepts a new offer inside a call: it holds, resumes or refreshes the call.
func (t *talk) renegotiate(req *sip.Request, tx *sip.ServerTx) {
	t.negotiates.Lock()
	defer t.negotiates.Unlock()
	local := t.describe(sdp.SendRecv)
	body := local.Offer()
	if offer, err := sdp.Parse(req.Body()); err == nil {
		t.acceptDescription(offer)
		local = t.describe(offer.Direction.Answer())
		local.Codecs = offer.Codecs[:1]
		body = local.AnswerTo(offer)
	}
	respond(tx, req, 200, "OK", body, t.p.contact("", t.proto))
}

// speak plays the melody for a while, and then echoes what it hears, until the call is over
// or has lasted long enough.
func (t *talk) speak(melody, all time.Duration) {
	elapsed := clock.Stopwatch()
	tick := time.NewTicker(rtp.FrameDuration)
	defer tick.Stop()
	frame := make([]int16, rtp.FrameSamples)
	for n := 0; elapsed() < all; {
		if said := elapsed(); said < melody {
			for ; n <= int(said/rtp.FrameDuration); n++ { // after a delay all that are due
				t.media.SendSamples(note(frame, n))
			}
		} else {
			t.echoes.Store(true)
		}
		select {
		case <-t.ended:
			return
		case <-t.left:
			return
		case <-t.p.ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// notes are the notes of the repeated melody, in hertz; zero is silence.
var notes = []float64{523, 659, 784, 0, 784, 659, 523, 0}

// framesOfNote is how long a note lasts: 300 ms.
const framesOfNote = 15

// note fills a frame with its part of the melody.
func note(frame []int16, n int) []int16 {
	hz := notes[n/framesOfNote%len(notes)]
	for i := range frame {
		at := float64(n*rtp.FrameSamples+i) / 8000
		frame[i] = int16(6000 * math.Sin(2*math.Pi*hz*at))
	}
	return frame
}

// request creates a request inside the call.
func (t *talk) request(method sip.RequestMethod) *sip.Request {
	req := sip.NewRequest(method, t.target)
	req.SetTransport(t.proto)
	req.SetDestination(t.destination)
	via := &sip.ViaHeader{ProtocolName: "SIP", ProtocolVersion: "2.0", Transport: t.proto, Host: t.p.addr.Addr().String(), Port: int(t.p.addr.Port())}
	via.Params.Add("branch", sip.GenerateBranchN(16))
	via.Params.Add("rport", "")
	from := &sip.FromHeader{Address: t.local}
	from.Params.Add("tag", t.localTag)
	to := &sip.ToHeader{Address: t.remote}
	if t.peerTag != "" {
		to.Params.Add("tag", t.peerTag)
	}
	if method != sip.ACK {
		t.seq++
	}
	callID, forwards := sip.CallIDHeader(t.callID), sip.MaxForwardsHeader(70)
	for _, h := range []sip.Header{via, from, to, &callID, &sip.CSeqHeader{SeqNo: t.seq, MethodName: method}, &forwards} {
		req.AppendHeader(h)
	}
	if t.proto == "UDP" {
		req.Laddr = sip.Addr{IP: t.p.addr.Addr().AsSlice(), Port: int(t.p.addr.Port())}
	}
	req.SetBody(nil)
	return req
}

// sayBye ends the call on the other side, unless that side ended it.
func (t *talk) sayBye() {
	select {
	case <-t.ended:
		return
	default:
	}
	t.send(t.request(sip.BYE))
}

// send sends a request and waits for its answer, but not longer than byeTime.
func (t *talk) send(req *sip.Request) {
	ctx, cancel := context.WithTimeout(context.Background(), byeTime)
	defer cancel()
	tx, err := t.p.tx.Request(ctx, req)
	if err != nil {
		return
	}
	defer tx.Terminate()
	select {
	case <-tx.Responses():
	case <-tx.Done():
	case <-ctx.Done():
	}
}
