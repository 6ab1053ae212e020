package sipexchange

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/emiago/sipgo/sip"
	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/exchange/sdp"
)

// invite is the INVITE of an incoming leg.
type invite struct {
	req       *sip.Request // with our tag
	tx        *sip.ServerTx
	offer     sdp.Description
	hasOffer  bool
	accepted  bool // protected by the leg's lock
	answered  chan *sip.Response
	contact   *sip.ContactHeader
	refresher []sip.Header
}

// caller is the sender of an INVITE.
type caller struct {
	tenant   uuid.UUID
	device   string
	trunk    uuid.UUID
	from, to string
	// encryption is the line's.
	encryption exchange.Encryption
}

func (x *Exchange) handleInvite(req *sip.Request, tx *sip.ServerTx) {
	if _, inside := req.To().Params.Get("tag"); inside {
		if l := x.findDialog(req); l != nil {
			l.handleReinvite(req, tx)
		} else {
			respondOnce(tx, req, 481, "Call/Transaction Does Not Exist")
		}
		return
	}
	who, ok := x.identify(req, tx)
	if !ok {
		return
	}
	d, err := dialogOfInvite(req)
	if err != nil {
		respond(tx, req, 400, "Bad Request")
		return
	}
	if code, reason, headers := refusal(req); code != 0 {
		respond(tx, req, code, reason, headers...)
		return
	}
	in := &invite{req: req.Clone(), tx: tx, answered: make(chan *sip.Response, 1)}
	in.req.To().Params.Add("tag", d.localTag)
	in.contact = x.contactHeader(req.Recipient.User, d.transport, d.dest)
	in.offer, in.hasOffer, err = readOffer(req)
	if err != nil {
		respond(tx, req, 488, "Not Acceptable Here")
		return
	}
	if who.encryption == exchange.EncryptionRequired && in.hasOffer && in.offer.Crypto == nil {
		respond(tx, req, 488, "Not Acceptable Here", warning("This line takes encrypted sound only"))
		return
	}
	if !x.beginInvite(req) {
		respond(tx, req, 482, "Loop Detected")
		return
	}
	defer x.endInvite(req)
	x.takeInvite(who, d, in)
}

// takeInvite creates the leg of an INVITE and waits until it is answered or has ended.
func (x *Exchange) takeInvite(who caller, d *dialog, in *invite) {
	l, err := x.newLeg(who.tenant, x.cfg.Clock.NewID(), exchange.LegIncoming)
	if err != nil {
		respond(in.tx, in.req, 503, "Service Unavailable", sip.NewHeader("Retry-After", "10"))
		return
	}
	l.mu.Lock()
	l.device, l.trunk, l.encryption, l.dialog, l.invite = who.device, who.trunk, who.encryption, d, in
	l.refresh, in.refresher = answerRefresh(in.req, x.cfg.Clock.Now())
	l.emit(exchange.Event{Type: exchange.LegIncomingEvent, Device: who.device, Trunk: who.trunk, From: who.from, To: who.to})
	l.mu.Unlock()
	x.addDialog(l, d)
	// The library answers a CANCEL and its INVITE; it calls this function with its lock
	// held.
	if !in.tx.OnCancel(func(*sip.Request) { x.spawn(func() { l.endByPeer(exchange.CauseCancelled) }) }) {
		l.endByPeer(exchange.CauseCancelled)
		return
	}
	in.tx.OnTerminate(func(string, error) {
		x.spawn(func() {
			if !l.isAnswered() {
				l.endByPeer(exchange.CauseFailed)
			}
		})
	})
	respond(in.tx, in.req, 100, "Trying")
	select {
	case res := <-in.answered:
		l.repeatUntilACK(in.tx, res)
	case <-l.done:
	}
}

func (l *leg) isAnswered() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.answeredAt.IsZero()
}

// addDialog makes a leg findable by its dialog.
func (x *Exchange) addDialog(l *leg, d *dialog) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.legs[l.id] == l {
		x.dialogs[d.key()] = l
	}
}

// inviteKey returns what copies of one INVITE that reach us on two paths have in common.
func inviteKey(req *sip.Request) string {
	tag, _ := req.From().Params.Get("tag")
	return string(*req.CallID()) + " " + tag + " " + strconv.Itoa(int(req.CSeq().SeqNo))
}

func (x *Exchange) beginInvite(req *sip.Request) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	key := inviteKey(req)
	if x.invites[key] {
		return false
	}
	x.invites[key] = true
	return true
}

func (x *Exchange) endInvite(req *sip.Request) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.invites, inviteKey(req))
}

// identify finds out who an INVITE comes from: the provider of a messaging account, a line,
// the carrier, or a device by digest. A caller with the name of a device must prove it,
// even from the address of a line's server: a workspace could name any address as its
// server. If identify returns false, it has answered the INVITE.
func (x *Exchange) identify(req *sip.Request, tx *sip.ServerTx) (caller, bool) {
	if dialled, key, given := accountKey(req.Recipient.User); given {
		return x.identifyAccount(req, tx, dialled, key)
	}
	x.mu.Lock()
	_, isDevice := x.devices[req.From().Address.User]
	x.mu.Unlock()
	if t, dialled, found := x.trunkOf(req); found && !isDevice {
		if !isDialable(dialled) {
			respond(tx, req, 404, "Not Found")
			return caller{}, false
		}
		return caller{tenant: t.Tenant, trunk: t.ID, from: clean(numberOf(req.From().Address), 64), to: dialled, encryption: t.Encryption}, true
	}
	if !isDevice && x.cfg.Carrier.calls(req) {
		return x.identifyNumber(req, tx)
	}
	device, ok := x.authenticate(req, tx)
	if !ok {
		return caller{}, false
	}
	dialled := req.Recipient.User
	if !isDialable(dialled) {
		respond(tx, req, 404, "Not Found")
		return caller{}, false
	}
	return caller{tenant: device.Tenant, device: device.Username, from: device.Extension, to: dialled}, true
}

// numberOf returns the number or name in an address. A telephone number
// (tel:+90-532-1234567) may be written with separators.
func numberOf(a sip.Uri) string {
	if a.Scheme != "tel" {
		return a.User
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-.()", r) {
			return -1
		}
		return r
	}, a.Host)
}

// isDialable reports whether a text can be dialled: digits, plus, star and hash.
func isDialable(s string) bool {
	return s != "" && len(s) <= 32 && strings.Trim(s, "0123456789+*#") == ""
}

// refusal returns why an INVITE cannot be accepted; the code is zero if it can.
func refusal(req *sip.Request) (code int, reason string, headers []sip.Header) {
	for _, h := range req.GetHeaders("Require") {
		for name := range strings.SplitSeq(h.Value(), ",") {
			if name = strings.TrimSpace(name); name != "timer" {
				return 420, "Bad Extension", []sip.Header{sip.NewHeader("Unsupported", clean(name, 64))}
			}
		}
	}
	if f := req.MaxForwards(); f != nil && f.Val() == 0 {
		return 483, "Too Many Hops", nil
	}
	if seconds, ok := sessionExpires(req); ok && seconds < shortestSession {
		return 422, "Session Interval Too Small", []sip.Header{sip.NewHeader("Min-SE", strconv.Itoa(int(shortestSession.Seconds())))}
	}
	return 0, "", nil
}

var errContentType = errors.New("sipexchange: not a description")

// readOffer reads the description in a request; a request without a body has none.
func readOffer(req *sip.Request) (sdp.Description, bool, error) {
	if len(req.Body()) == 0 {
		return sdp.Description{}, false, nil
	}
	if kind, _, _ := strings.Cut(header(req, "Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(kind), "application/sdp") {
		return sdp.Description{}, false, errContentType
	}
	d, err := sdp.Parse(req.Body())
	return d, err == nil, err
}

// repeatUntilACK repeats a successful answer until its ACK comes. If none comes, the leg
// ends.
func (l *leg) repeatUntilACK(tx *sip.ServerTx, res *sip.Response) {
	l.mu.Lock()
	acked := l.awaitsACK
	l.mu.Unlock()
	if acked == nil {
		return
	}
	wait, deadline := sip.T1, time.NewTimer(64*sip.T1)
	defer deadline.Stop()
	for {
		select {
		case <-acked:
			return
		case ack := <-tx.Acks():
			l.acknowledge(ack)
			return
		case <-l.done:
			return
		case <-deadline.C:
			l.end(exchange.CauseFailed, exchange.EndedByExchange)
			return
		case <-time.After(wait):
			_ = tx.Respond(res)
			wait = min(2*wait, sip.T2)
		}
	}
}

// acknowledge handles the ACK of our successful answer. If the offer was ours, the ACK
// carries the answer to it.
func (l *leg) acknowledge(req *sip.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.awaitsACK == nil || l.dialog == nil || req.CSeq().SeqNo != l.dialog.remoteSeq {
		return
	}
	close(l.awaitsACK)
	l.awaitsACK = nil
	answer, ok, err := readOffer(req)
	switch {
	case err != nil || !ok || l.ended:
	case !l.mayUse(answer):
		l.x.spawn(func() { l.end(exchange.CauseNotEncrypted, exchange.EndedByExchange) })
	default:
		l.setRemote(answer)
	}
}

// Ring implements exchange.Legs.
func (x *Exchange) Ring(_ context.Context, tenant, id uuid.UUID, early bool) error {
	return x.changeLeg(tenant, id, func(l *leg) error {
		if l.ended || l.invite == nil || l.invite.accepted {
			return exchange.ErrState
		}
		in := l.invite
		res := sip.NewResponseFromRequest(in.req, 180, "Ringing", nil)
		if early && in.hasOffer {
			res.StatusCode, res.Reason = 183, "Session Progress"
			l.answerOffer(res)
		}
		res.AppendHeader(in.contact)
		if err := in.tx.Respond(res); err != nil {
			return exchange.ErrState
		}
		if l.state == exchange.LegIncoming {
			l.state = exchange.LegRinging
			l.emit(exchange.Event{Type: exchange.LegRingingEvent})
		}
		return nil
	})
}

// answerOffer puts our description into a response. The caller holds the lock.
func (l *leg) answerOffer(res *sip.Response) {
	in := l.invite
	var body []byte
	if in.hasOffer {
		l.setRemote(in.offer)
		body = l.localSDP(l.dialog.dest, in.offer.Direction.Answer()).AnswerTo(in.offer)
	} else {
		local := l.localSDP(l.dialog.dest, sdp.SendRecv)
		if l.encryption == exchange.EncryptionOptional || l.encryption == exchange.EncryptionRequired {
			local.Crypto, local.Secure = l.offeredKey(), l.encryption == exchange.EncryptionRequired
		}
		body = local.Offer()
	}
	setSDP(res, body)
}

// setSDP sets a description as the body of a message.
func setSDP(m interface {
	AppendHeader(sip.Header)
	SetBody([]byte)
}, body []byte,
) {
	m.AppendHeader(sip.NewHeader("Content-Type", "application/sdp"))
	m.SetBody(body)
}

// Answer implements exchange.Legs.
func (x *Exchange) Answer(_ context.Context, tenant, id uuid.UUID) error {
	return x.changeLeg(tenant, id, func(l *leg) error {
		if l.invite != nil && l.invite.accepted && !l.ended {
			return nil
		}
		if l.ended || l.invite == nil {
			return exchange.ErrState
		}
		in := l.invite
		res := sip.NewResponseFromRequest(in.req, 200, "OK", nil)
		l.answerOffer(res)
		res.AppendHeader(in.contact)
		res.AppendHeader(sip.NewHeader("Allow", allowed))
		for _, h := range in.refresher {
			res.AppendHeader(h)
		}
		l.awaitsACK = make(chan struct{})
		if err := in.tx.Respond(res); err != nil {
			l.awaitsACK = nil
			return exchange.ErrState // its caller has given up
		}
		in.accepted = true
		l.markAnswered()
		in.answered <- res
		return nil
	})
}

// answer is what the caller of a refused leg is told: a status, and a sentence if the
// status says too little.
type answer struct {
	code         int
	reason, says string
}

var answers = map[exchange.Cause]answer{
	exchange.CauseBusy:        {486, "Busy Here", ""},
	exchange.CauseRejected:    {603, "Decline", ""},
	exchange.CauseNotFound:    {404, "Not Found", "Nobody has this number"},
	exchange.CauseForbidden:   {403, "Forbidden", "You may not make calls in this workspace"},
	exchange.CauseNotLicensed: {403, "Forbidden", "This workspace has no licence for telephony"},
	exchange.CauseNoCredit:    {403, "Forbidden", "There is no credit for this call"},
	exchange.CauseCapReached:  {403, "Forbidden", "A limit of this workspace keeps this call back"},
	exchange.CauseNoDevice:    {480, "Temporarily Unavailable", "No phone is signed in there"},
	exchange.CauseNoLine:      {503, "Service Unavailable", "There is no line to the outside"},
	exchange.CauseUnavailable: {503, "Service Unavailable", ""},
	exchange.CauseLost:        {503, "Service Unavailable", ""},
	exchange.CauseFailed:      {500, "Server Internal Error", ""},
}

// refuse answers an INVITE that is refused.
func (in *invite) refuse(cause exchange.Cause) {
	a, known := answers[cause]
	if !known {
		a = answer{480, "Temporarily Unavailable", ""}
	}
	if a.says == "" {
		respond(in.tx, in.req, a.code, a.reason)
		return
	}
	respond(in.tx, in.req, a.code, a.reason, warning(a.says))
}
