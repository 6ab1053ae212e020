package sipphone

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/emiago/sipgo/sip"

	"konak/internal/exchange/sdp"
)

// helloTime is how long an answering phone plays the melody.
const helloTime = 2400 * time.Millisecond

// answer handles an incoming call as its number demands.
func (p *Phone) answer(req *sip.Request, tx *sip.ServerTx) {
	contact, callID := req.Contact(), string(*req.CallID())
	offer, err := sdp.Parse(req.Body())
	if err != nil || contact == nil {
		respond(tx, req, 488, "Not Acceptable Here", nil)
		return
	}
	if p.cfg.Takes == nil {
		respond(tx, req, 404, "Not Found", nil)
		return
	}
	peerTag, _ := req.From().Params.Get("tag")
	t := &talk{
		callID: callID, local: req.To().Address, remote: req.From().Address, localTag: newTag(), peerTag: peerTag,
		target: *contact.Address.Clone(), destination: req.Source(), proto: strings.ToUpper(req.Transport()), acked: make(chan struct{}),
	}
	t.confirm = sync.OnceFunc(func() { close(t.acked) })
	if err := p.begin(callID, t); err != nil {
		respond(tx, req, 486, "Busy Here", nil)
		return
	}
	defer p.finish(callID, t)
	if !tx.OnCancel(func(*sip.Request) { t.end() }) {
		return
	}
	tagged := req.Clone()
	tagged.To().Params.Add("tag", t.localTag)
	respond(tx, req, 100, "Trying", nil)
	m := p.cfg.Takes(number(req.Recipient.User))
	if !t.ring(tagged, tx, m) {
		return
	}
	t.acceptDescription(offer)
	local := t.describe(offer.Direction.Answer())
	local.Codecs = offer.Codecs[:1]
	local.Secure = offer.Secure
	if t.take(tx, response(tagged, 200, "OK", local.AnswerTo(offer), p.contact(req.Recipient.User, t.proto))) {
		t.speak(helloTime, p.cfg.Talk)
		t.sayBye()
	}
}

// number returns the dialled number, without the parameters of a user.
func number(user string) string {
	n, _, _ := strings.Cut(user, ";")
	return n
}

// ring lets a call ring, and reports whether it is to be answered. A refused call is
// answered with its status.
func (t *talk) ring(req *sip.Request, tx *sip.ServerTx, m Manner) bool {
	if m.Ring > 0 {
		respond(tx, req, 180, "Ringing", nil, t.p.contact("", t.proto))
	}
	wait := time.NewTimer(m.Ring)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-t.ended: // the library has answered the CANCEL
		return false
	case <-tx.Done():
		return false
	case <-t.p.ctx.Done():
		m.Refuse = 503
	}
	if m.Refuse != 0 {
		respond(tx, req, m.Refuse, "Refused", nil)
	}
	return m.Refuse == 0
}

// take answers a call, and reports whether the caller confirmed it.
func (t *talk) take(tx *sip.ServerTx, res *sip.Response) bool {
	late := time.NewTimer(64 * sip.T1)
	defer late.Stop()
	for wait := sip.T1; ; wait = min(2*wait, sip.T2) {
		if tx.Respond(res) != nil {
			return false
		}
		select {
		case <-t.acked:
			return true
		case <-tx.Acks():
			return true
		case <-t.ended:
			return false
		case <-late.C:
			return false
		case <-time.After(wait):
		}
	}
}

// Call is a call to make.
type Call struct {
	// Server is the address and port of the exchange, on this machine.
	Server string
	// Secure calls over TLS, with encrypted sound only.
	Secure bool
	// To is the user part of the address to call, with its parameters.
	To         string
	From, Name string
	// Talk is how long the phone talks once the call is answered; zero means as long as any
	// call may last.
	Talk time.Duration
	// Tell is called with the call's state: "ringing", "answered", and at last why it
	// ended. It may be nil.
	Tell func(state string)
}

// ringTime is how long an outgoing call rings before it is given up.
const ringTime = 90 * time.Second

// Call makes a call and returns at once; Tell gets its states. It returns ErrBusy if there
// are too many calls.
func (p *Phone) Call(c Call) error {
	at, err := netip.ParseAddrPort(c.Server)
	if err != nil {
		return err
	}
	if !at.Addr().IsLoopback() {
		return errLoopback
	}
	if c.Tell == nil {
		c.Tell = func(string) {}
	}
	proto := "UDP"
	if c.Secure {
		proto = "TLS"
	}
	host := at.Addr().String()
	t := &talk{
		callID: newTag() + "@sandbox", local: sip.Uri{Scheme: "sip", User: c.From, Host: host}, localTag: newTag(),
		remote: sip.Uri{Scheme: "sip", User: number(c.To), Host: host}, destination: c.Server, proto: proto, confirm: func() {}, from: c.From,
		target: sip.Uri{Scheme: "sip", User: c.To, Host: host, Port: int(at.Port())},
	}
	if c.Secure {
		t.target.UriParams.Add("transport", "tls")
	}
	if err := p.begin(t.callID, t); err != nil {
		return err
	}
	if c.Secure {
		t.ours = sdp.NewCrypto(1, sdp.SHA180)
	}
	p.running.Go(func() {
		err := t.call(c)
		p.finish(t.callID, t)
		if err != nil {
			c.Tell(err.Error())
			return
		}
		c.Tell("ended")
	})
	return nil
}

// errGivenUp means that nobody answered.
var errGivenUp = errors.New("no answer")

// call rings, talks and hangs up.
func (t *talk) call(c Call) error {
	ctx, cancel := context.WithTimeout(t.p.ctx, ringTime)
	defer cancel()
	invite := t.request(sip.INVITE)
	invite.From().DisplayName = c.Name
	invite.AppendHeader(t.p.contact(c.From, t.proto))
	invite.AppendHeader(sip.NewHeader("Content-Type", "application/sdp"))
	invite.SetBody(t.describe(sdp.SendRecv).Offer())
	tx, err := t.p.tx.Request(context.Background(), invite)
	if err != nil {
		return err
	}
	res, err := t.awaitAnswer(ctx, tx, invite, c.Tell)
	if err != nil {
		tx.Terminate()
		return err
	}
	answer, err := sdp.Parse(res.Body())
	if tag, ok := res.To().Params.Get("tag"); ok {
		t.peerTag = tag
	}
	if contact := res.Contact(); contact != nil {
		t.target = *contact.Address.Clone()
	}
	ack := t.request(sip.ACK)
	_ = t.p.network.WriteMsg(ack) // a lost one is sent again with the repetition
	tx.OnRetransmission(func(*sip.Response) { _ = t.p.network.WriteMsg(ack.Clone()) })
	if err == nil && c.Secure && answer.Crypto == nil {
		err = errors.New("the exchange does not encrypt the audio")
	}
	if err != nil {
		t.sayBye()
		return err
	}
	t.acceptDescription(answer)
	c.Tell("answered")
	talk := min(cmp.Or(c.Talk, t.p.cfg.Talk), t.p.cfg.Talk)
	t.speak(talk, talk)
	t.sayBye()
	return nil
}

// awaitAnswer waits for the final answer of an INVITE. It returns an error for a refusal.
func (t *talk) awaitAnswer(ctx context.Context, tx *sip.ClientTx, invite *sip.Request, tell func(string)) (*sip.Response, error) {
	for {
		select {
		case res := <-tx.Responses():
			switch {
			case res.IsSuccess():
				return res, nil
			case !res.IsProvisional():
				return nil, fmt.Errorf("refused: %d %s", res.StatusCode, res.Reason)
			case res.StatusCode > 100:
				tell("ringing")
			}
		case <-tx.Done():
			return nil, errors.Join(errGivenUp, tx.Err())
		case <-t.left:
			t.cancel(invite)
			return nil, errGivenUp
		case <-ctx.Done():
			t.cancel(invite)
			return nil, errGivenUp
		}
	}
}

// cancel cancels an INVITE.
func (t *talk) cancel(invite *sip.Request) {
	req := sip.NewRequest(sip.CANCEL, invite.Recipient)
	for _, h := range []sip.Header{invite.Via(), invite.From(), invite.To(), invite.CallID()} {
		req.AppendHeader(sip.HeaderClone(h))
	}
	forwards := sip.MaxForwardsHeader(70)
	req.AppendHeader(&sip.CSeqHeader{SeqNo: invite.CSeq().SeqNo, MethodName: sip.CANCEL})
	req.AppendHeader(&forwards)
	req.SetTransport(invite.Transport())
	req.SetDestination(invite.Destination())
	req.Laddr = invite.Laddr
	req.SetBody(nil)
	t.send(req)
}
