package sipexchange_test

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/emiago/sipgo/sip"
	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/exchange/sdp"
	"konak/internal/exchange/sipexchange"
)

func TestPhoneCallsAndHangsUp(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	c := p.invite("05321112233")
	in := d.event(exchange.LegIncomingEvent)
	if in.Device != "ayse" || in.From != "101" || in.To != "05321112233" || in.Tenant != tenantA || in.N != 1 {
		t.Errorf("event %+v", in)
	}
	d.must(d.Ring(t.Context(), tenantA, in.Leg, false))
	p.response(180)
	d.must(d.Answer(t.Context(), tenantA, in.Leg))
	d.must(d.Answer(t.Context(), tenantA, in.Leg)) // a second time does nothing
	p.confirm(c, p.response(200))
	if e := d.event(exchange.LegAnsweredEvent); e.N != 3 {
		t.Errorf("the answer has the number %d", e.N)
	}
	p.send(p.text(c, "BYE", ""))
	p.response(200)
	if e := d.ended(in.Leg, exchange.CauseNormal, exchange.EndedByPeer); e.N != 4 || e.Media == nil {
		t.Errorf("the end is %+v", e)
	}
	if legs, _ := d.Snapshot(t.Context()); len(legs) != 0 {
		t.Errorf("left: %+v", legs)
	}
	p.send(p.text(c, "BYE", ""))
	p.response(481)
}

// Early media: the caller hears what is played before the answer.
func TestEarlyMediaIsHeard(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	p.invite("444")
	in := d.event(exchange.LegIncomingEvent)
	d.must(d.Ring(t.Context(), tenantA, in.Leg, true))
	p.response(183)
	d.must(d.Play(t.Context(), exchange.Play{Tenant: tenantA, Leg: in.Leg, ID: uuid.New(), Samples: tone(700, 1)}))
	p.hears(700, 20)
	d.must(d.Hangup(t.Context(), tenantA, in.Leg, exchange.CauseBusy))
	p.response(486)
	d.ended(in.Leg, exchange.CauseBusy, exchange.EndedByCaller)
}

func TestPhoneIsCalled(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	leg := d.ring(tenantA, "ayse")
	req := p.request(sip.INVITE)
	if from := req.From(); from.Address.User != "+905321234567" || strings.Contains(req.String(), "\nEvil") {
		t.Errorf("the caller is shown as %s", from)
	}
	p.reply(req, "x", 180, "")
	if e := d.event(exchange.LegRingingEvent); e.Leg != leg {
		t.Errorf("event %+v", e)
	}
	p.reply(req, "x", 200, p.offer(sdp.SendRecv))
	p.request(sip.ACK)
	d.event(exchange.LegAnsweredEvent)
	p.reply(req, "x", 200, p.offer(sdp.SendRecv)) // as if the ACK were lost
	p.request(sip.ACK)
	d.must(d.Hangup(t.Context(), tenantA, leg, exchange.CauseNormal))
	p.reply(p.request(sip.BYE), "x", 200, "")
	d.ended(leg, exchange.CauseNormal, exchange.EndedByCaller)
	d.must(d.Hangup(t.Context(), tenantA, leg, exchange.CauseNormal)) // a second time is no error
}

// The way a called telephone refuses determines the cause.
func TestRefusalsHaveCauses(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	for status, cause := range map[int]exchange.Cause{
		486: exchange.CauseBusy, 603: exchange.CauseRejected, 480: exchange.CauseNoAnswer, 404: exchange.CauseNotFound,
		503: exchange.CauseUnavailable, 500: exchange.CauseFailed, 302: exchange.CauseFailed,
	} {
		leg := d.ring(tenantA, "ayse")
		p.reply(p.request(sip.INVITE), "x", status, "")
		p.request(sip.ACK)
		d.ended(leg, cause, exchange.EndedByPeer)
	}
}

// All telephones of a device ring; the first to answer gets the call, the other is
// cancelled.
func TestAllPhonesOfDeviceRing(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	first := d.addPhone(tenantA, "ayse", "101")
	second := newPhone(t, "tcp", d.Addr(), "ayse", "secret")
	second.register(300, 200)
	leg := d.ring(tenantA, "ayse")
	a, b := first.request(sip.INVITE), second.request(sip.INVITE)
	first.reply(a, "a", 180, "")
	second.reply(b, "b", 180, "")
	second.reply(b, "b", 200, second.offer(sdp.SendRecv))
	second.request(sip.ACK)
	d.event(exchange.LegAnsweredEvent)
	first.reply(first.request(sip.CANCEL), "a", 200, "")
	first.reply(a, "a", 487, "")
	first.request(sip.ACK)
	if legs, _ := d.Snapshot(t.Context()); len(legs) != 1 || legs[0].ID != leg || legs[0].State != exchange.LegAnswered {
		t.Errorf("legs %+v", legs)
	}
}

func TestCallerHangsUpBeforeAnswer(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	c := p.invite("444")
	in := d.event(exchange.LegIncomingEvent)
	p.response(100)
	p.send(p.text(c, "CANCEL", ""))
	p.response(487)
	d.ended(in.Leg, exchange.CauseCancelled, exchange.EndedByPeer)
	if err := d.Answer(t.Context(), tenantA, in.Leg); !errors.Is(err, exchange.ErrUnknown) {
		t.Errorf("answered after the end: %v", err)
	}
}

// A successful answer that crosses our CANCEL is acknowledged and ended.
func TestAnswerCrossingCancelIsEnded(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	leg := d.ring(tenantA, "ayse")
	req := p.request(sip.INVITE)
	p.reply(req, "x", 180, "")
	d.event(exchange.LegRingingEvent)
	d.must(d.Hangup(t.Context(), tenantA, leg, exchange.CauseNormal))
	p.request(sip.CANCEL)
	p.reply(req, "x", 200, p.offer(sdp.SendRecv))
	p.request(sip.ACK)
	p.reply(p.request(sip.BYE), "x", 200, "")
	d.ended(leg, exchange.CauseNormal, exchange.EndedByCaller)
}

func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	leg := d.ring(tenantA, "ayse", func(o *exchange.Originate) { o.RingTime = 300 * time.Millisecond })
	req := p.request(sip.INVITE)
	p.reply(req, "x", 180, "")
	p.reply(p.request(sip.CANCEL), "x", 200, "")
	p.reply(req, "x", 487, "")
	d.ended(leg, exchange.CauseNoAnswer, exchange.EndedByExchange)
}

// A telephone that is gone does not answer.
func TestSilentPhoneIsUnavailable(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	d.addPhone(tenantA, "ayse", "101")
	d.ended(d.ring(tenantA, "ayse"), exchange.CauseUnavailable, exchange.EndedByPeer)
}

// A successful answer that is never acknowledged is repeated, and then ended by a BYE.
func TestLostACKEndsCall(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	p.invite("444")
	in := d.event(exchange.LegIncomingEvent)
	d.must(d.Answer(t.Context(), tenantA, in.Leg))
	p.response(200)
	p.response(200)
	p.response(200)
	p.request(sip.BYE)
	d.ended(in.Leg, exchange.CauseFailed, exchange.EndedByExchange)
}

func TestCallIsCutAtMaxDuration(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	leg := d.ring(tenantA, "ayse", func(o *exchange.Originate) { o.MaxDuration = time.Hour })
	p.take()
	d.event(exchange.LegAnsweredEvent)
	d.must(d.Extend(t.Context(), tenantA, leg, time.Millisecond))
	p.reply(p.request(sip.BYE), "x", 200, "")
	d.ended(leg, exchange.CauseMaxDuration, exchange.EndedByExchange)

	short := d.ring(tenantA, "ayse", func(o *exchange.Originate) { o.MaxDuration = 100 * time.Millisecond })
	p.take()
	d.ended(short, exchange.CauseMaxDuration, exchange.EndedByExchange)
}

func TestCallWithoutSoundEnds(t *testing.T) {
	t.Parallel()
	d := startDesk(t, func(c *sipexchange.Config) { c.Limits.NoMedia = time.Second })
	p := d.addPhone(tenantA, "ayse", "101")
	leg, _ := d.talk(tenantA, p)
	p.request(sip.BYE)
	d.ended(leg, exchange.CauseNoMedia, exchange.EndedByExchange)
}

func TestUndecidedCallEnds(t *testing.T) {
	t.Parallel()
	d := startDesk(t, func(c *sipexchange.Config) { c.Limits.NoDecision = time.Second })
	p := d.addPhone(tenantA, "ayse", "101")
	p.invite("444")
	in := d.event(exchange.LegIncomingEvent)
	p.response(480)
	d.ended(in.Leg, exchange.CauseNoAnswer, exchange.EndedByExchange)
}

// A telephone holds and resumes by an offer within the call.
func TestPhoneHoldsAndResumes(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	leg, c := d.talk(tenantA, p)
	p.send(p.text(c.call, "INVITE", p.offer(sdp.SendOnly)))
	res := p.response(200)
	if !strings.Contains(string(res.Body()), "a=recvonly") {
		t.Errorf("hold is answered by\n%s", res.Body())
	}
	p.send(p.text(c.call, "ACK", ""))
	d.event(exchange.LegHeldEvent)
	if legs, _ := d.Snapshot(t.Context()); legs[0].State != exchange.LegHeld {
		t.Errorf("state %s", legs[0].State)
	}
	p.send(p.text(c.call, "INVITE", p.offer(sdp.SendRecv)))
	p.response(200)
	p.send(p.text(c.call, "ACK", ""))
	if e := d.event(exchange.LegResumedEvent); e.Leg != leg {
		t.Errorf("event %+v", e)
	}
	// An old number is refused.
	c.seq = 50
	p.send(p.text(c.call, "INVITE", p.offer(sdp.SendRecv)))
	p.response(500)
}

// The telephone is told of our hold, and music is still heard.
func TestHoldIsOfferedToPhone(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	leg, _ := d.talk(tenantA, p)
	for _, step := range []struct {
		hold        bool
		want        string
		phoneAnswer sdp.Direction
	}{{true, "a=sendonly", sdp.RecvOnly}, {false, "a=sendrecv", sdp.SendRecv}} {
		d.must(d.Hold(t.Context(), tenantA, leg, step.hold))
		req := p.request(sip.INVITE)
		if !strings.Contains(string(req.Body()), step.want) {
			t.Errorf("hold %v is offered as\n%s", step.hold, req.Body())
		}
		p.reply(req, "x", 200, p.offer(step.phoneAnswer))
		p.request(sip.ACK)
		d.must(d.Play(t.Context(), exchange.Play{Tenant: tenantA, Leg: leg, ID: uuid.New(), Samples: tone(500, 1), Loop: true}))
		p.hears(500, 60) // longer than the samples: they are played again
		d.must(d.StopPlay(t.Context(), tenantA, leg))
	}
}

// A resume during a pending hold is offered after it.
func TestResumeDuringPendingHold(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	leg, _ := d.talk(tenantA, p)
	d.must(d.Hold(t.Context(), tenantA, leg, true))
	first := p.request(sip.INVITE)
	d.must(d.Hold(t.Context(), tenantA, leg, false))
	p.reply(first, "x", 200, p.offer(sdp.RecvOnly))
	p.request(sip.ACK)
	second := p.wait("a second offer", func(m sip.Message) bool {
		r, ok := m.(*sip.Request)
		return ok && r.Method == sip.INVITE && r.CSeq().SeqNo > first.CSeq().SeqNo
	}).(*sip.Request)
	if !strings.Contains(string(second.Body()), "a=sendrecv") {
		t.Errorf("resume is offered as\n%s", second.Body())
	}
	p.reply(second, "x", 200, p.offer(sdp.SendRecv))
	p.request(sip.ACK)
}

// If both sides offer at once, the telephone's offer is refused and ours repeated.
func TestOffersCross(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	leg, c := d.talk(tenantA, p)
	d.must(d.Hold(t.Context(), tenantA, leg, true))
	req := p.request(sip.INVITE)
	p.send(p.text(c.call, "INVITE", p.offer(sdp.SendOnly)))
	p.response(491)
	p.reply(req, "x", 491, "")
	p.reply(p.request(sip.INVITE), "x", 200, p.offer(sdp.RecvOnly))
	p.request(sip.ACK)
}

// The session timer that a caller asks for is accepted; one that is too short is refused.
func TestSessionTimersAreAgreed(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	p.invite("444", "Supported: timer", "Session-Expires: 30")
	if res := p.response(422); res.GetHeader("Min-SE").Value() != "90" {
		t.Errorf("refused by %s", res)
	}
	p.invite("444", "Supported: timer", "Session-Expires: 1800;refresher=uac")
	in := d.event(exchange.LegIncomingEvent)
	d.must(d.Answer(t.Context(), tenantA, in.Leg))
	if h := p.response(200).GetHeader("Session-Expires"); h == nil || h.Value() != "1800;refresher=uac" {
		t.Errorf("agreed on %v", h)
	}
}

// One tenant cannot change or see what another has.
func TestTenantsDoNotReachEachOther(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	a, b := d.addPhone(tenantA, "ayse", "101"), d.addPhone(tenantB, "veli", "101")
	legA, _ := d.talk(tenantA, a)
	legB, _ := d.talk(tenantB, b)
	bridge := d.join(tenantA, legA)
	ctx := t.Context()
	for name, err := range map[string]error{
		"originate":     d.Originate(ctx, exchange.Originate{Tenant: tenantB, Leg: uuid.New(), Device: "ayse"}),
		"same id":       d.Originate(ctx, exchange.Originate{Tenant: tenantB, Leg: legA, Device: "veli"}),
		"extend":        d.Extend(ctx, tenantB, legA, time.Second),
		"ring":          d.Ring(ctx, tenantB, legA, false),
		"answer":        d.Answer(ctx, tenantB, legA),
		"hold":          d.Hold(ctx, tenantB, legA, true),
		"mute":          d.Mute(ctx, tenantB, legA, true),
		"keys":          d.SendDTMF(ctx, tenantB, legA, "1"),
		"join a leg":    d.Join(ctx, tenantA, bridge, legB),
		"join a bridge": d.Join(ctx, tenantB, bridge, legB),
		"take a bridge": d.CreateBridge(ctx, tenantB, bridge),
		"leave":         d.Leave(ctx, tenantB, legA),
		"play":          d.Play(ctx, exchange.Play{Tenant: tenantB, Leg: legA, ID: uuid.New(), Samples: tone(500, 1)}),
		"stop play":     d.StopPlay(ctx, tenantB, legA),
		"record":        d.Record(ctx, tenantB, legA, uuid.New()),
	} {
		if !errors.Is(err, exchange.ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
	d.must(d.Hangup(ctx, tenantB, legA, exchange.CauseNormal))
	d.must(d.DestroyBridge(ctx, tenantB, bridge))
	for _, l := range must(d.Snapshot(ctx)) {
		if l.ID == legA && l.Bridge != bridge {
			t.Error("another workspace destroyed the bridge")
		}
	}
	if len(must(d.Snapshot(ctx))) != 2 {
		t.Error("another workspace ended a leg")
	}
}

// A telephone cannot redirect our requests to another machine.
func TestPhoneCannotRedirectRequests(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	inside, err := net.Listen("tcp", "127.0.0.1:0")
	d.must(err)
	defer inside.Close()
	reached := make(chan struct{})
	go func() {
		if _, err := inside.Accept(); err == nil {
			close(reached)
		}
	}()
	c := p.invite("444", "Record-Route: <sip:"+inside.Addr().String()+";lr;transport=tcp>")
	in := d.event(exchange.LegIncomingEvent)
	d.must(d.Answer(t.Context(), tenantA, in.Leg))
	p.confirm(c, p.response(200))
	d.must(d.Hangup(t.Context(), tenantA, in.Leg, exchange.CauseNormal))
	p.reply(p.request(sip.BYE), "x", 200, "")
	select {
	case <-reached:
		t.Error("another machine was reached")
	default:
	}
}

// Nothing is stored of a stranger's request: a repetition is challenged again.
func TestChallengesAreNotStored(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := newPhone(t, "udp", d.Addr(), "ayse", "secret")
	for _, method := range []string{"REGISTER", "INVITE"} {
		text := p.text(newCall(p.aor(), p.aor(), "sip:444@127.0.0.1"), method, "")
		p.send(text)
		first := p.response(401).GetHeader("WWW-Authenticate").Value()
		again := first
		for n := 0; n < 100 && again == first; n++ { // a repetition that crosses the answer still gets that answer
			p.send(text)
			again = p.response(401).GetHeader("WWW-Authenticate").Value()
		}
		if again == first {
			t.Errorf("the answer to a %s was kept", method)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A workspace has a limited number of legs, and reaching the limit does not affect others.
func TestLegsOfATenantAreBounded(t *testing.T) {
	t.Parallel()
	checkTwoLegs(t, func(c *sipexchange.Config) { c.Limits.LegsOfTenant = 2 })
}

// If there are few RTP ports, a workspace can use only half of them.
func TestTenantUsesAtMostHalfOfPorts(t *testing.T) {
	t.Parallel()
	checkTwoLegs(t, func(c *sipexchange.Config) { c.FirstPort, c.LastPort = 29400, 29406 })
}

// checkTwoLegs checks an exchange in which a workspace may have two legs.
func checkTwoLegs(t *testing.T, change func(*sipexchange.Config)) {
	t.Helper()
	d := startDesk(t, change)
	a, b := d.addPhone(tenantA, "ayse", "101"), d.addPhone(tenantB, "veli", "101")
	for range 2 {
		a.invite("444")
		d.event(exchange.LegIncomingEvent)
	}
	a.invite("444")
	a.response(503)
	if err := d.Originate(t.Context(), exchange.Originate{Tenant: tenantA, Leg: uuid.New(), Device: "ayse"}); !errors.Is(err, exchange.ErrBusy) {
		t.Errorf("originate: %v", err)
	}
	b.invite("444")
	d.event(exchange.LegIncomingEvent)
}

// An id that was already used does not dial again.
func TestOriginateWithUsedIDDoesNotDial(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	leg, c := d.talk(tenantA, p)
	again := func(o *exchange.Originate) { o.Leg = leg }
	d.ring(tenantA, "ayse", again)
	p.send(p.text(c.call, "BYE", ""))
	p.response(200)
	d.ended(leg, exchange.CauseNormal, exchange.EndedByPeer)
	d.ring(tenantA, "ayse", again)
	if legs := must(d.Snapshot(t.Context())); len(legs) != 0 {
		t.Errorf("dialled again: %+v", legs)
	}
}

func TestUndiallableTargetsAreRefused(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	d.addDevice(tenantA, "ayse", "101")
	for name, test := range map[string]struct {
		o    exchange.Originate
		want error
	}{
		"nobody signed in":    {exchange.Originate{Device: "ayse"}, exchange.ErrNotRegistered},
		"an unknown device":   {exchange.Originate{Device: "nobody"}, exchange.ErrUnknown},
		"an unknown trunk":    {exchange.Originate{Trunk: uuid.New(), Number: "112"}, exchange.ErrUnknown},
		"a caller that evils": {exchange.Originate{Device: "ayse", CallerNumber: "1\r\nX: y"}, exchange.ErrInvalid},
	} {
		test.o.Tenant, test.o.Leg = tenantA, uuid.New()
		if err := d.Originate(t.Context(), test.o); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}
