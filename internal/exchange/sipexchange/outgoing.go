package sipexchange

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/emiago/sipgo/sip"
	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/exchange/sdp"
	"konak/internal/kit/db"
)

const defaultRingTime = time.Minute

// target is one telephone or line to dial.
type target struct {
	uri       sip.Uri
	dest      string
	transport string
	// encryption is whether a key is offered.
	encryption exchange.Encryption
	local      sip.Uri
	remote     sip.Uri
	name       string
	user       string // of our Contact
	trunk      *trunk
}

// Originate implements exchange.Legs.
func (x *Exchange) Originate(ctx context.Context, o exchange.Originate) error {
	if known, err := x.knowsLeg(ctx, o); known || err != nil {
		return err
	}
	targets, err := x.targetsOf(o)
	if err != nil {
		return err
	}
	l, err := x.newLeg(o.Tenant, o.Leg, exchange.LegDialling)
	if err != nil {
		return err
	}
	if err := x.store.inTx(ctx, func(tx *db.Tx) error { return putLeg(tx, o.Tenant, o.Leg, 0) }); err != nil {
		l.drop()
		return err
	}
	dialCtx, stop := context.WithCancel(context.Background())
	l.mu.Lock()
	l.device, l.trunk, l.maxTime, l.stopDial = o.Device, o.Trunk, o.MaxDuration, stop
	l.encryption = targets[0].encryption // telephones are never required to encrypt
	ringTime := o.RingTime
	if ringTime <= 0 {
		ringTime = defaultRingTime
	}
	l.limit = time.AfterFunc(ringTime, func() { l.end(exchange.CauseNoAnswer, exchange.EndedByExchange) })
	l.mu.Unlock()
	x.spawn(func() { l.dial(dialCtx, targets) })
	return nil
}

// knowsLeg reports whether a leg of this id exists or existed, as far as events are kept.
func (x *Exchange) knowsLeg(ctx context.Context, o exchange.Originate) (bool, error) {
	x.mu.Lock()
	l := x.legs[o.Leg]
	x.mu.Unlock()
	if l != nil {
		if l.tenant != o.Tenant {
			return false, exchange.ErrUnknown
		}
		return true, nil
	}
	return x.store.hasEvents(ctx, o.Tenant, o.Leg)
}

// targetsOf returns the targets to dial.
func (x *Exchange) targetsOf(o exchange.Originate) ([]target, error) {
	if o.CallerNumber != "" && !isDialable(o.CallerNumber) {
		return nil, exchange.ErrInvalid
	}
	if o.Device == "" {
		return x.trunkTarget(o)
	}
	x.mu.Lock()
	device, known := x.devices[o.Device]
	x.mu.Unlock()
	if !known || device.Tenant != o.Tenant {
		return nil, exchange.ErrUnknown
	}
	var targets []target
	for _, b := range x.bindingsOf(o.Device) {
		t := target{dest: b.source, transport: b.transport, encryption: exchange.EncryptionOff, name: cleanName(o.CallerName), user: device.Username}
		if b.transport == transportTLS {
			t.encryption = exchange.EncryptionOptional
		}
		if sip.ParseUri(b.contact, &t.uri) != nil {
			continue
		}
		host, _ := x.contactHost(b.source, b.transport)
		t.local = sip.Uri{Scheme: "sip", User: callerUser(o.CallerNumber), Host: host}
		t.remote = sip.Uri{Scheme: "sip", User: device.Username, Host: host}
		targets = append(targets, t)
	}
	if len(targets) == 0 {
		return nil, exchange.ErrNotRegistered
	}
	return targets, nil
}

func callerUser(number string) string {
	if number == "" {
		return "anonymous"
	}
	return number
}

// cleanName returns a name that is safe within quotes in a header.
func cleanName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F || r == '"' || r == '\\' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if runes := []rune(s); len(runes) > 40 {
		s = string(runes[:40])
	}
	return s
}

// outcome is the result of dialling one target.
type outcome struct {
	cause  exchange.Cause
	dialog *dialog
	res    *sip.Response // of a successful answer
}

// dial rings all targets at once. The first that answers gets the call.
func (l *leg) dial(ctx context.Context, targets []target) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	results := make(chan outcome)
	for _, t := range targets {
		l.x.spawn(func() { results <- l.dialTarget(ctx, t) })
	}
	answered, cause := false, exchange.CauseUnavailable
	for range targets {
		r := <-results
		switch {
		case r.res == nil:
			cause = worseCause(cause, r.cause)
		case l.takeAnswer(r):
			answered = true
			stop()
		default:
			// Another target answered first, or the call is over.
			l.x.sendBye(r.dialog)
		}
	}
	if !answered {
		l.endByPeer(cause)
	}
}

// worseCause returns which of two causes a call to several telephones ends with: a person's
// answer says more than a telephone that was not reached.
func worseCause(a, b exchange.Cause) exchange.Cause {
	rank := map[exchange.Cause]int{
		exchange.CauseRejected: 6, exchange.CauseBusy: 5, exchange.CauseNoAnswer: 4, exchange.CauseNotFound: 3, exchange.CauseFailed: 2, exchange.CauseNotEncrypted: 2,
	}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// takeAnswer makes the first success the leg's own. It returns false if the leg has an
// answer already or has ended. If the answer's sound cannot be used, it ends the leg.
func (l *leg) takeAnswer(r outcome) bool {
	answer, err := sdp.Parse(r.res.Body())
	l.mu.Lock()
	if l.ended || !l.answeredAt.IsZero() {
		l.mu.Unlock()
		return false
	}
	l.dialog = r.dialog
	l.limit.Stop()
	l.markAnswered()
	l.refresh = agreedRefresh(r.res, l.answeredAt)
	if err == nil {
		l.setRemote(answer)
	}
	l.mu.Unlock()
	l.x.addDialog(l, r.dialog)
	if err != nil {
		l.end(exchange.CauseFailed, exchange.EndedByExchange)
	}
	return true
}

// offerTo returns our offer to a telephone or line. Over TLS it may contain a key, which
// nobody else can read on the way; must means that the call requires its use.
func (l *leg) offerTo(t target, must bool) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	local := l.localSDP(t.dest, sdp.SendRecv)
	if t.encryption != exchange.EncryptionOff {
		local.Crypto, local.Secure = l.offeredKey(), must
	}
	return local.Offer()
}

// dialTarget sends an INVITE and follows it to its end. A telephone that accepts only
// encrypted sound is asked a second time.
func (l *leg) dialTarget(ctx context.Context, t target) outcome {
	if t.trunk != nil {
		var err error
		if t.dest, err = l.x.reach(ctx, t.trunk); err != nil {
			return outcome{cause: causeOfError(err)}
		}
	}
	required := t.encryption == exchange.EncryptionRequired
	offer := l.offerTo(t, required)
	d := &dialog{
		callID: newTag() + "@konak", localTag: newTag(), local: t.local, remote: t.remote, localName: t.name,
		target: t.uri, dest: t.dest, transport: t.transport,
	}
	var authorization sip.Header
	for range 3 {
		req := l.x.newRequest(d, sip.INVITE)
		req.AppendHeader(l.x.contactHeader(t.user, t.transport, t.dest))
		offerRefresh(req)
		if authorization != nil {
			req.AppendHeader(authorization)
		}
		setSDP(req, offer)
		res, tx, err := l.sendInvite(ctx, req, d)
		switch {
		case err != nil:
			return outcome{cause: causeOfError(err)}
		case res.IsSuccess():
			if err := d.establish(res); err != nil {
				return outcome{cause: exchange.CauseFailed}
			}
			l.x.acknowledge(d, req.CSeq().SeqNo, tx)
			if answer, err := sdp.Parse(res.Body()); err == nil && !l.mayUse(answer) {
				l.x.sendBye(d)
				return outcome{cause: exchange.CauseNotEncrypted}
			}
			return outcome{dialog: d, res: res}
		case (res.StatusCode == 401 || res.StatusCode == 407) && t.trunk != nil:
			if authorization, err = l.x.authorize(t.trunk, req, res); err != nil {
				return outcome{cause: exchange.CauseFailed}
			}
		case res.StatusCode == 488 && required:
			return outcome{cause: exchange.CauseNotEncrypted}
		case res.StatusCode == 488 && t.encryption == exchange.EncryptionOptional:
			offer = l.offerTo(t, true)
		default:
			return outcome{cause: causeOfStatus(res.StatusCode)}
		}
	}
	return outcome{cause: exchange.CauseFailed}
}

var errStopped = errors.New("sipexchange: the call attempt was cancelled")

// sendInvite sends an INVITE and returns its final answer. If the context ends first, it
// cancels; a successful answer that crosses the CANCEL is still returned.
func (l *leg) sendInvite(ctx context.Context, req *sip.Request, d *dialog) (*sip.Response, *sip.ClientTx, error) {
	if ctx.Err() != nil {
		return nil, nil, errStopped
	}
	tx, err := l.x.tx.Request(context.Background(), req)
	if err != nil {
		return nil, nil, err
	}
	stopped, provisional, cancelled := ctx.Done(), false, false
	var giveUp <-chan time.Time
	for {
		// An INVITE may be cancelled only once the peer has shown that it received it.
		if stopped == nil && provisional && !cancelled {
			cancelled = true
			giveUp = time.After(64 * sip.T1)
			l.x.cancel(req)
		}
		select {
		case res := <-tx.Responses():
			if !res.IsProvisional() {
				return res, tx, nil
			}
			provisional = true
			l.progress(res, d)
		case <-tx.Done():
			return nil, nil, errors.Join(errNoAnswer, tx.Err())
		case <-stopped:
			stopped = nil
		case <-giveUp:
			tx.Terminate()
			return nil, nil, errStopped
		}
	}
}

// cancel sends the CANCEL of an INVITE.
func (x *Exchange) cancel(invite *sip.Request) {
	req := sip.NewRequest(sip.CANCEL, invite.Recipient)
	req.AppendHeader(sip.HeaderClone(invite.Via()))
	req.AppendHeader(sip.HeaderClone(invite.From()))
	req.AppendHeader(sip.HeaderClone(invite.To()))
	req.AppendHeader(sip.HeaderClone(invite.CallID()))
	req.AppendHeader(&sip.CSeqHeader{SeqNo: invite.CSeq().SeqNo, MethodName: sip.CANCEL})
	forwards := sip.MaxForwardsHeader(70)
	req.AppendHeader(&forwards)
	sip.CopyHeaders("Route", invite, req)
	req.SetTransport(invite.Transport())
	req.SetDestination(invite.Destination())
	req.Laddr = invite.Laddr
	req.SetBody(nil)
	x.goodbyes.Go(func() {
		ctx, stop := context.WithTimeout(context.Background(), byeTime)
		defer stop()
		_, _, _ = x.request(ctx, req) // the INVITE's own answer reports the result
	})
}

// progress records that a target is ringing, and accepts its early sound.
func (l *leg) progress(res *sip.Response, d *dialog) {
	if res.StatusCode == 100 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended || !l.answeredAt.IsZero() {
		return
	}
	if l.state == exchange.LegDialling {
		l.state = exchange.LegRinging
		l.emit(exchange.Event{Type: exchange.LegRingingEvent})
	}
	if early, err := sdp.Parse(res.Body()); err == nil && !l.hasRemote && l.mayUse(early) {
		l.dialog = d
		l.setRemote(early)
		// Another telephone may be the one that answers.
		l.dialog, l.hasRemote = nil, false
	}
}

func causeOfError(err error) exchange.Cause {
	if errors.Is(err, errStopped) {
		return exchange.CauseCancelled
	}
	return exchange.CauseUnavailable
}

func causeOfStatus(code int) exchange.Cause {
	switch code {
	case 486, 600:
		return exchange.CauseBusy
	case 403, 603, 607, 608:
		return exchange.CauseRejected
	case 404, 410, 484, 604:
		return exchange.CauseNotFound
	case 408, 480:
		return exchange.CauseNoAnswer
	case 487:
		return exchange.CauseCancelled
	case 502, 503, 504:
		return exchange.CauseUnavailable
	}
	return exchange.CauseFailed
}

// changeLeg runs fn on a leg of a tenant with its lock held; exchange.ErrUnknown if the leg
// does not exist.
func (x *Exchange) changeLeg(tenant, id uuid.UUID, fn func(*leg) error) error {
	l, err := x.findLeg(tenant, id)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return fn(l)
}

// findLeg returns a leg of a tenant; exchange.ErrUnknown if it does not exist.
func (x *Exchange) findLeg(tenant, id uuid.UUID) (*leg, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	l := x.legs[id]
	if l == nil || l.tenant != tenant {
		return nil, exchange.ErrUnknown
	}
	return l, nil
}
