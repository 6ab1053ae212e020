package sipexchange_test

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"testing"

	"github.com/emiago/sipgo/sip"
	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/exchange/baresiptest"
	"konak/internal/exchange/sdp"
	"konak/internal/exchange/sipexchange"
)

// speak sends a tone for the rest of the test, or until stop is called.
func (p *phone) speak(hz float64, port int) (stop func()) {
	done := make(chan struct{})
	go p.sendTone(hz, port, done)
	closed := false
	stop = func() {
		if !closed {
			closed = true
			close(done)
		}
	}
	p.t.Cleanup(stop)
	return stop
}

// pair is two telephones of one workspace in a bridge, each sending its tone.
type pair struct {
	*desk
	a, b         *phone
	legA, legB   uuid.UUID
	callA, callB taken
	bridge       uuid.UUID
}

const toneA, toneB = 440, 1000

func startPair(t *testing.T, codecB sdp.Codec) *pair {
	t.Helper()
	d := startDesk(t)
	p := &pair{desk: d, a: d.addPhone(tenantA, "ayse", "101"), b: d.addPhone(tenantA, "veli", "102")}
	p.b.codec = codecB
	p.legA, p.callA = d.talk(tenantA, p.a)
	p.legB, p.callB = d.talk(tenantA, p.b)
	p.a.speak(toneA, p.callA.port)
	p.b.speak(toneB, p.callB.port)
	p.bridge = d.join(tenantA, p.legA, p.legB)
	return p
}

// hearEachOther waits until both sides hear the other's tone.
func (p *pair) hearEachOther() {
	p.t.Helper()
	p.a.drain()
	p.b.drain()
	p.a.hears(toneB, 25)
	p.b.hears(toneA, 25)
}

// Sound passes both ways, also between the two codecs, and again after a leg left.
func TestBridgePassesSound(t *testing.T) {
	t.Parallel()
	for name, codec := range map[string]sdp.Codec{"one coding": sdp.PCMU, "two codings": sdp.PCMA} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startPair(t, codec)
			p.hearEachOther()
			p.must(p.Leave(t.Context(), tenantA, p.legA))
			p.a.hearsNothing(p)
			p.must(p.Join(t.Context(), tenantA, p.bridge, p.legA))
			p.hearEachOther()
			p.must(p.DestroyBridge(t.Context(), tenantA, p.bridge))
			p.a.hearsNothing(p)
			p.must(p.Hangup(t.Context(), tenantA, p.legA, exchange.CauseNormal))
			if e := p.ended(p.legA, exchange.CauseNormal, exchange.EndedByCaller); e.Media == nil ||
				e.Media.PacketsReceived < 25 || e.Media.PacketsSent < 25 || e.Media.PacketsLost > 0 {
				t.Errorf("statistics %+v", e.Media)
			}
		})
	}
}

// hearsNothing checks that the bridge is silent for a telephone: a tone that is played to
// it arrives without a packet of the other side in between.
func (p *phone) hearsNothing(d *pair) {
	p.t.Helper()
	leg := d.legA
	if p == d.b {
		leg = d.legB
	}
	d.must(d.Play(p.t.Context(), exchange.Play{Tenant: tenantA, Leg: leg, ID: uuid.New(), Samples: tone(2000, 0.6)}))
	p.hears(2000, 1)
	p.drain()
	p.hears(2000, 10)
	d.event(exchange.PlayEndedEvent)
	p.drain()
	d.must(d.Play(p.t.Context(), exchange.Play{Tenant: tenantA, Leg: leg, ID: uuid.New(), Samples: tone(2500, 0.4)}))
	for first := true; ; first = false {
		packet := <-p.heard
		if toneShare(decode(p.codec, packet.Payload), toneB) > 0.8 || toneShare(decode(p.codec, packet.Payload), toneA) > 0.8 {
			p.t.Errorf("%s hears the bridge (first packet: %v)", p.user, first)
		}
		if toneShare(decode(p.codec, packet.Payload), 2500) > 0.8 {
			break
		}
	}
	d.event(exchange.PlayEndedEvent)
}

func TestThirdLegIsRefused(t *testing.T) {
	t.Parallel()
	p := startPair(t, sdp.PCMU)
	c := p.addPhone(tenantA, "can", "103")
	leg, _ := p.talk(tenantA, c)
	if err := p.Join(t.Context(), tenantA, p.bridge, leg); !errors.Is(err, exchange.ErrState) {
		t.Errorf("a third leg: %v", err)
	}
}

func TestMuteAndHoldSilence(t *testing.T) {
	t.Parallel()
	p := startPair(t, sdp.PCMU)
	p.hearEachOther()
	p.must(p.Mute(t.Context(), tenantA, p.legB, true))
	p.a.hearsNothing(p)
	p.b.drain()
	p.b.hears(toneA, 10) // a muted leg still hears
	p.must(p.Mute(t.Context(), tenantA, p.legB, false))
	p.hearEachOther()
	p.must(p.Hold(t.Context(), tenantA, p.legB, true))
	p.b.reply(p.b.request(sip.INVITE), "x", 200, p.b.offer(sdp.RecvOnly))
	p.a.hearsNothing(p)
	p.b.hearsNothing(p)
	p.must(p.Hold(t.Context(), tenantA, p.legB, false))
	p.b.reply(p.b.request(sip.INVITE), "x", 200, p.b.offer(sdp.SendRecv))
	p.hearEachOther()
}

// Once sound has come from a port, nobody else can send sound into the call or divert its
// sound; and another address never can.
func TestSoundCannotBeHijacked(t *testing.T) {
	t.Parallel()
	p := startPair(t, sdp.PCMU)
	p.hearEachOther()
	thief := newPhone(t, "udp", p.Addr(), "thief", "x") // another port of the same address
	thief.speak(3000, p.callA.port)
	p.b.drain()
	p.b.hears(toneA, 50)
	p.a.drain()
	p.a.hears(toneB, 50)
	if len(thief.heard) > 0 {
		t.Error("the thief hears the call")
	}
}

// Even before the first sound, an address other than the call's is ignored.
func TestSoundFromOtherAddressIsIgnored(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	a, b := d.addPhone(tenantA, "ayse", "101"), d.addPhone(tenantA, "veli", "102")
	legA, callA := d.talk(tenantA, a)
	legB, callB := d.talk(tenantA, b)
	d.join(tenantA, legA, legB)
	stranger, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 2)})
	d.must(err)
	defer stranger.Close()
	for i := range 50 {
		_, err := stranger.WriteToUDP(a.tonePacket(3000, i), &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: callA.port})
		d.must(err)
	}
	a.speak(toneA, callA.port)
	b.speak(toneB, callB.port)
	b.hears(toneA, 25)
	a.hears(toneB, 25)
}

// Keys are heard once each, in the sound and by INFO, and pass through a bridge.
func TestDTMFKeysAreReceivedAndSent(t *testing.T) {
	t.Parallel()
	p := startPair(t, sdp.PCMU)
	p.hearEachOther()
	press := func(code byte, ts uint32) {
		for i := range 6 { // three while it is pressed, its end three times
			end := byte(10)
			if i >= 3 {
				end |= 0x80
			}
			payload := binary.BigEndian.AppendUint16([]byte{code, end}, uint16(160*(i+1)))
			_, _ = p.a.sound.WriteToUDP(rtpPacket(101, uint16(9000+i), ts, uint32(p.a.soundPort()), payload),
				&net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: p.callA.port})
		}
	}
	press(5, 1000)
	press(11, 5000)
	for _, want := range []string{"5", "#"} {
		if e := p.event(exchange.LegDTMFEvent); e.Digit != want || e.Leg != p.legA {
			t.Errorf("heard %+v, want %s", e, want)
		}
	}
	for seen := 0; seen < 12; {
		if packet := <-p.b.heard; packet.PayloadType == 101 {
			seen++
		}
	}
	c := p.callA.call
	p.a.send(infoText(p.a, c, "Signal=7\nDuration=160\n"))
	p.a.response(200)
	if e := p.event(exchange.LegDTMFEvent); e.Digit != "7" {
		t.Errorf("by INFO: %+v", e)
	}
	p.must(p.SendDTMF(t.Context(), tenantA, p.legB, "12"))
	var keys []byte
	for last := uint32(0); len(keys) < 3; { // the 7 was forwarded, then 1 and 2
		if packet := <-p.b.heard; packet.PayloadType == 101 && packet.Timestamp != last {
			keys, last = append(keys, packet.Payload[0]), packet.Timestamp
		}
	}
	if string(keys) != "\x07\x01\x02" {
		t.Errorf("sent %v", keys)
	}
	for _, bad := range []string{"", "x", "1\r\n", "111111111111111111111111111111111"} {
		if err := p.SendDTMF(t.Context(), tenantA, p.legB, bad); !errors.Is(err, exchange.ErrInvalid) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func infoText(p *phone, c *call, body string) string {
	text := p.text(c, "INFO", body)
	return replaceOnce(text, "Content-Type: application/sdp", "Content-Type: application/dtmf-relay")
}

// A recording has what a leg says on the left and what it hears on the right, has silence
// while it is paused, and survives a crash.
func TestRecordingOfBothSides(t *testing.T) {
	t.Parallel()
	p := startPair(t, sdp.PCMA)
	p.hearEachOther()
	id := uuid.New()
	p.must(p.Record(t.Context(), tenantA, p.legA, id))
	if err := p.Record(t.Context(), tenantA, p.legA, uuid.New()); !errors.Is(err, exchange.ErrState) {
		t.Errorf("a second recording: %v", err)
	}
	p.a.drain()
	p.a.hears(toneB, 100)
	if _, err := p.OpenRecording(t.Context(), tenantA, id); !errors.Is(err, exchange.ErrUnknown) {
		t.Errorf("opened before its end: %v", err)
	}
	p.must(p.PauseRecord(t.Context(), tenantA, id, true))
	p.a.drain()
	p.a.hears(toneB, 50)
	p.must(p.PauseRecord(t.Context(), tenantA, id, false))
	p.must(p.StopRecord(t.Context(), tenantA, id))
	e := p.event(exchange.RecordEndedEvent)
	if e.Object != id || e.Leg != p.legA || e.Seconds < 2.5 {
		t.Errorf("event %+v", e)
	}
	left, right := readStereo(t, p.desk, id)
	if len(left) != int(e.Seconds*8000) {
		t.Errorf("%d samples in %v seconds", len(left), e.Seconds)
	}
	checkTone(t, "said", left[:12000], toneA)
	checkTone(t, "heard", right[:12000], toneB)
	if last := left[len(left)-6400:]; toneShare(last, toneA) > 0.8 {
		t.Error("the pause is not silent")
	}
	if _, err := p.OpenRecording(t.Context(), tenantB, id); !errors.Is(err, exchange.ErrUnknown) {
		t.Errorf("another workspace: %v", err)
	}
	p.must(p.DropRecording(t.Context(), tenantA, id))
	if _, err := p.OpenRecording(t.Context(), tenantA, id); !errors.Is(err, exchange.ErrUnknown) {
		t.Errorf("dropped: %v", err)
	}
}

// checkTone checks that 95 of 100 windows of 100 ms contain the tone.
func checkTone(t *testing.T, what string, samples []int16, hz float64) {
	t.Helper()
	good, all := baresiptest.CountTone(samples, hz), len(samples)/800
	if good*100 < all*95 {
		t.Errorf("%s: %v Hz in %d of %d windows", what, hz, good, all)
	}
}

func readStereo(t *testing.T, d *desk, id uuid.UUID) (left, right []int16) {
	t.Helper()
	r, err := d.OpenRecording(t.Context(), tenantA, id)
	d.must(err)
	defer r.Close()
	b, err := io.ReadAll(r)
	d.must(err)
	if string(b[:4]) != "RIFF" || binary.LittleEndian.Uint16(b[22:]) != 2 || int(binary.LittleEndian.Uint32(b[40:])) != len(b)-44 {
		t.Fatalf("the header is % x", b[:44])
	}
	for b = b[44:]; len(b) >= 4; b = b[4:] {
		left = append(left, int16(binary.LittleEndian.Uint16(b)))
		right = append(right, int16(binary.LittleEndian.Uint16(b[2:])))
	}
	return left, right
}

// What a crash interrupted is ended at the next start, once: the recording, then the leg.
func TestCrashEndsLegsAndRecordings(t *testing.T) {
	t.Parallel()
	p := startPair(t, sdp.PCMU)
	id := uuid.New()
	p.must(p.Record(t.Context(), tenantA, p.legA, id))
	p.a.drain()
	p.a.hears(toneB, 100)
	copied := t.TempDir() // what a crash leaves behind: the files as they are at one moment
	p.must(os.CopyFS(copied, os.DirFS(p.cfg.Dir)))
	after := startDesk(t, func(c *sipexchange.Config) { c.Dir = copied })
	after.cursor = p.cursor
	if e := after.event(exchange.RecordEndedEvent); e.Object != id || e.Leg != p.legA || e.Bytes == 0 {
		t.Errorf("event %+v", e)
	}
	ended := map[uuid.UUID]int{}
	for range 2 {
		e := after.event(exchange.LegEndedEvent)
		ended[e.Leg]++
		if e.Cause != exchange.CauseLost || e.EndedBy != exchange.EndedByExchange {
			t.Errorf("event %+v", e)
		}
	}
	if ended[p.legA] != 1 || ended[p.legB] != 1 {
		t.Errorf("ended: %v", ended)
	}
	after.restart()
	if events := must(after.Events(t.Context(), after.cursor, 10)); len(events) != 0 {
		t.Errorf("told again: %+v", events)
	}
	must(after.OpenRecording(t.Context(), tenantA, id)).Close()
	after.must(after.TrimEvents(t.Context(), after.cursor))
	if events := must(after.Events(t.Context(), 0, 10)); len(events) != 0 {
		t.Errorf("kept after trimming: %+v", events)
	}
}
