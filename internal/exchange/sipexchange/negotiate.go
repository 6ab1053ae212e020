package sipexchange

import (
	"context"
	"math/rand/v2"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/emiago/sipgo/sip"

	"konak/internal/exchange"
	"konak/internal/exchange/sdp"
)

// How long a session may last without a sign of life (RFC 4028).
const (
	shortestSession = 90 * time.Second
	ourSession      = 30 * time.Minute
)

// refresh is when a session must be refreshed, and by which side.
type refresh struct {
	interval time.Duration // zero: never
	ours     bool
	next     time.Time // when we send a refresh
	deadline time.Time // when the session is over without one
}

// stateAt reports whether the session has expired, or a refresh of ours is due.
func (r refresh) stateAt(now time.Time) (expired, due bool) {
	if r.interval == 0 {
		return false, false
	}
	return !now.Before(r.deadline), r.ours && !now.Before(r.next)
}

// renew restarts the interval.
func (r *refresh) renew(now time.Time) {
	r.next, r.deadline = now.Add(r.interval/2), now.Add(r.interval)
}

// sessionExpires reads the Session-Expires header of a message.
func sessionExpires(m interface{ GetHeader(string) sip.Header }) (time.Duration, bool) {
	value := header(m, "Session-Expires")
	if value == "" {
		value = header(m, "x") // its short form
	}
	number, _, _ := strings.Cut(value, ";")
	n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 31)
	return time.Duration(n) * time.Second, err == nil
}

// answerRefresh accepts the session timer that an INVITE asks for, and returns it with the
// headers that confirm it.
func answerRefresh(req *sip.Request, now time.Time) (refresh, []sip.Header) {
	interval, ok := sessionExpires(req)
	if !ok {
		return refresh{}, nil
	}
	r := refresh{interval: interval, ours: strings.Contains(header(req, "Session-Expires"), "refresher=uas")}
	r.renew(now)
	who := "uac"
	if r.ours {
		who = "uas"
	}
	return r, []sip.Header{
		sip.NewHeader("Session-Expires", strconv.Itoa(int(interval.Seconds()))+";refresher="+who),
		sip.NewHeader("Require", "timer"),
	}
}

// offerRefresh adds the session timer that we ask for to an INVITE.
func offerRefresh(req *sip.Request) {
	req.AppendHeader(sip.NewHeader("Supported", "timer"))
	req.AppendHeader(sip.NewHeader("Session-Expires", strconv.Itoa(int(ourSession.Seconds()))))
	req.AppendHeader(sip.NewHeader("Min-SE", strconv.Itoa(int(shortestSession.Seconds()))))
	req.AppendHeader(sip.NewHeader("Allow", allowed))
}

// agreedRefresh reads the agreed session timer from the answer to our INVITE.
func agreedRefresh(res *sip.Response, now time.Time) refresh {
	interval, ok := sessionExpires(res)
	if !ok || interval < shortestSession {
		return refresh{}
	}
	r := refresh{interval: interval, ours: !strings.Contains(header(res, "Session-Expires"), "refresher=uas")}
	r.renew(now)
	return r
}

// handleReinvite handles an offer of the peer within a call: the peer holds, resumes, moves
// its sound to another address, or only shows that it is alive.
func (l *leg) handleReinvite(req *sip.Request, tx *sip.ServerTx) {
	offer, hasOffer, err := readOffer(req)
	if err != nil || hasOffer && !l.mayUse(offer) {
		respond(tx, req, 488, "Not Acceptable Here")
		return
	}
	l.waitForACK()
	l.mu.Lock()
	if code, reason := l.takeReinvite(req); code != 0 {
		l.mu.Unlock()
		respond(tx, req, code, reason)
		return
	}
	res := sip.NewResponseFromRequest(req, 200, "OK", nil)
	if hasOffer {
		l.setRemote(offer)
		l.setHeldByPeer(!offer.Direction.Receives())
		setSDP(res, l.localSDP(l.dialog.dest, l.allowedDirection(offer.Direction.Answer())).AnswerTo(offer))
	} else {
		setSDP(res, l.localSDP(l.dialog.dest, l.allowedDirection(sdp.SendRecv)).Offer())
	}
	res.AppendHeader(l.x.contactHeader(l.dialog.local.User, l.dialog.transport, l.dialog.dest))
	timer, headers := answerRefresh(req, l.x.cfg.Clock.Now())
	if timer.interval >= shortestSession {
		l.refresh = timer
		for _, h := range headers {
			res.AppendHeader(h)
		}
	}
	l.awaitsACK = make(chan struct{})
	l.mu.Unlock()
	if tx.Respond(res) == nil {
		l.repeatUntilACK(tx, res)
	}
}

// waitForACK waits a moment for an ACK that a request may have overtaken: messages are
// handled concurrently.
func (l *leg) waitForACK() {
	l.mu.Lock()
	acked := l.awaitsACK
	l.mu.Unlock()
	if acked == nil {
		return
	}
	select {
	case <-acked:
	case <-l.done:
	case <-time.After(sip.T1):
	}
}

// takeReinvite checks whether an offer can be accepted now, and stores its number and the
// peer's address. The caller holds the lock.
func (l *leg) takeReinvite(req *sip.Request) (code int, reason string) {
	switch seq := req.CSeq().SeqNo; {
	case l.ended || l.answeredAt.IsZero():
		return 481, "Call/Transaction Does Not Exist"
	case seq <= l.dialog.remoteSeq:
		return 500, "Server Internal Error"
	case l.negotiates || l.awaitsACK != nil:
		return 491, "Request Pending"
	default:
		l.dialog.remoteSeq = seq
	}
	if contact := req.Contact(); contact != nil && contact.Address.Host != "" {
		l.dialog.target = *contact.Address.Clone()
	}
	l.dialog.dest = req.Source()
	return 0, ""
}

// allowedDirection restricts a direction to what our own hold allows. The caller holds the
// lock.
func (l *leg) allowedDirection(d sdp.Direction) sdp.Direction {
	if !l.heldByUs {
		return d
	}
	if d.Sends() {
		return sdp.SendOnly
	}
	return sdp.Inactive
}

// reinvite sends our description again: after Hold, and to refresh the session. If both
// sides offer at once, it tries again a moment later.
func (l *leg) reinvite() {
	l.mu.Lock()
	if l.ended || l.answeredAt.IsZero() || l.negotiates {
		l.mu.Unlock()
		return
	}
	l.negotiates = true
	offered := l.heldByUs
	l.refresh.next = l.x.cfg.Clock.Now().Add(max(l.refresh.interval/2, time.Minute))
	d := *l.dialog
	req := l.x.newRequest(l.dialog, sip.INVITE)
	seq := l.dialog.localSeq
	setSDP(req, l.localSDP(d.dest, l.allowedDirection(sdp.SendRecv)).Offer())
	req.AppendHeader(l.x.contactHeader(d.local.User, d.transport, d.dest))
	offerRefresh(req)
	l.mu.Unlock()

	ctx, cancel := context.WithTimeout(context.Background(), 64*sip.T1)
	defer cancel()
	res, tx, err := l.x.request(ctx, req)
	if err == nil && res.IsSuccess() {
		l.x.acknowledge(&d, seq, tx)
	}
	l.mu.Lock()
	l.negotiates = false
	switch {
	case l.ended:
	case err != nil || res.StatusCode == 408 || res.StatusCode == 481:
		l.mu.Unlock()
		l.end(exchange.CauseFailed, exchange.EndedByExchange)
		return
	case res.IsSuccess():
		answer, err := sdp.Parse(res.Body())
		if err == nil && !l.mayUse(answer) {
			l.mu.Unlock()
			l.end(exchange.CauseNotEncrypted, exchange.EndedByExchange)
			return
		}
		if err == nil {
			l.setRemote(answer)
		}
		l.refresh = agreedRefresh(res, l.x.cfg.Clock.Now())
		if l.heldByUs != offered { // changed while the offer was under way
			l.x.spawn(l.reinvite)
		}
	case res.StatusCode == 491:
		time.AfterFunc(2100*time.Millisecond+rand.N(1900*time.Millisecond), l.reinvite)
	}
	l.mu.Unlock()
}

// mediaAddr returns where the leg receives sound, as its peer sees it.
func (l *leg) mediaAddr(peer string) netip.AddrPort {
	return netip.AddrPortFrom(l.x.localAddr(peer), uint16(l.media.Port()))
}
