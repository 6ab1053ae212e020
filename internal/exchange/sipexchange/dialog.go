package sipexchange

import (
	"context"
	"crypto/rand"
	"errors"
	"net/netip"
	"strings"

	"github.com/emiago/sipgo/sip"
)

// dialog is what both sides of a call have agreed on (RFC 3261 section 12). Its leg's
// lock protects it.
type dialog struct {
	callID              string
	localTag, remoteTag string
	local, remote       sip.Uri
	localName           string
	target              sip.Uri  // where the peer wants requests
	routes              []string // the proxies on the way
	dest                string   // address and port that requests are sent to
	transport           string
	localSeq, remoteSeq uint32
}

// newTag returns a tag that cannot be guessed.
func newTag() string { return strings.ToLower(rand.Text()) }

var errNoContact = errors.New("sipexchange: no Contact")

// dialogOfInvite begins the dialog of a received INVITE.
func dialogOfInvite(req *sip.Request) (*dialog, error) {
	contact := req.Contact()
	if contact == nil || contact.Address.Host == "" {
		return nil, errNoContact
	}
	tag, _ := req.From().Params.Get("tag")
	d := &dialog{
		callID: string(*req.CallID()), localTag: newTag(), remoteTag: tag, local: req.To().Address, remote: req.From().Address,
		target: *contact.Address.Clone(), dest: req.Source(), transport: req.Transport(), localSeq: 1, remoteSeq: req.CSeq().SeqNo,
	}
	for _, h := range req.GetHeaders("Record-Route") {
		d.routes = append(d.routes, h.Value())
	}
	return d, nil
}

// establish completes the dialog of a sent INVITE from its answer.
func (d *dialog) establish(res *sip.Response) error {
	contact, to := res.Contact(), res.To()
	if to == nil || contact == nil || contact.Address.Host == "" {
		return errNoContact
	}
	tag, ok := to.Params.Get("tag")
	if !ok || tag == "" {
		return errors.New("sipexchange: no tag in the answer")
	}
	d.remoteTag, d.target, d.routes = tag, *contact.Address.Clone(), nil
	routes := res.GetHeaders("Record-Route")
	for i := range routes {
		d.routes = append(d.routes, routes[len(routes)-1-i].Value())
	}
	return nil
}

// key returns the key by which a dialog is found: our values, which the peer's requests
// repeat.
func (d *dialog) key() string { return d.callID + " " + d.localTag }

// findDialog returns the leg that a request belongs to; nil if there is none.
func (x *Exchange) findDialog(req *sip.Request) *leg {
	local, _ := req.To().Params.Get("tag")
	remote, _ := req.From().Params.Get("tag")
	x.mu.Lock()
	l := x.dialogs[string(*req.CallID())+" "+local]
	x.mu.Unlock()
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dialog == nil || l.dialog.remoteTag != remote {
		return nil
	}
	return l
}

// newRequest returns a request within a dialog. An ACK has the number of its INVITE; all
// others increase it.
func (x *Exchange) newRequest(d *dialog, method sip.RequestMethod) *sip.Request {
	req := sip.NewRequest(method, d.target)
	req.SetTransport(d.transport)
	if method != sip.ACK {
		d.localSeq++
	}
	for _, r := range d.routes {
		req.AppendHeader(sip.NewHeader("Route", r))
	}
	// Requests go to where the peer's messages come from, whatever address it names.
	req.SetDestination(d.dest)
	x.addHeaders(req, d)
	return req
}

// addHeaders adds the headers that every request has.
func (x *Exchange) addHeaders(req *sip.Request, d *dialog) {
	x.addVia(req)
	from := &sip.FromHeader{DisplayName: d.localName, Address: d.local}
	from.Params.Add("tag", d.localTag)
	to := &sip.ToHeader{Address: d.remote}
	if d.remoteTag != "" {
		to.Params.Add("tag", d.remoteTag)
	}
	callID, forwards := sip.CallIDHeader(d.callID), sip.MaxForwardsHeader(70)
	req.AppendHeader(from)
	req.AppendHeader(to)
	req.AppendHeader(&callID)
	req.AppendHeader(&sip.CSeqHeader{SeqNo: d.localSeq, MethodName: req.Method})
	req.AppendHeader(&forwards)
	req.AppendHeader(sip.NewHeader("User-Agent", "Konak"))
}

// addVia sets where the answer goes to. Datagrams leave from the port that we listen on, so
// that a router on the way lets the answer in.
func (x *Exchange) addVia(req *sip.Request) {
	host, port := x.contactHost(req.Destination(), req.Transport())
	via := &sip.ViaHeader{ProtocolName: "SIP", ProtocolVersion: "2.0", Transport: strings.ToUpper(req.Transport()), Host: host, Port: port}
	via.Params.Add("branch", sip.GenerateBranchN(16))
	via.Params.Add("rport", "")
	req.PrependHeader(via)
	if via.Transport == "UDP" {
		req.Laddr = sip.Addr{IP: x.listen.Addr().AsSlice(), Port: int(x.listen.Port())}
	}
}

// contactHeader returns the header that says where requests of this call reach us.
func (x *Exchange) contactHeader(user, transport, peer string) *sip.ContactHeader {
	host, port := x.contactHost(peer, transport)
	h := &sip.ContactHeader{Address: sip.Uri{Scheme: "sip", User: user, Host: host, Port: port}}
	if !strings.EqualFold(transport, "UDP") {
		h.Address.UriParams.Add("transport", strings.ToLower(transport))
	}
	return h
}

// errNoAnswer means that a peer did not answer.
var errNoAnswer = errors.New("no answer")

// request sends a request and waits for its final answer.
func (x *Exchange) request(ctx context.Context, req *sip.Request) (*sip.Response, *sip.ClientTx, error) {
	tx, err := x.tx.Request(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	for {
		select {
		case res := <-tx.Responses():
			if !res.IsProvisional() {
				return res, tx, nil
			}
		case <-tx.Done():
			return nil, nil, errors.Join(errNoAnswer, tx.Err())
		case <-ctx.Done():
			tx.Terminate()
			return nil, nil, ctx.Err()
		}
	}
}

// acknowledge sends the ACK for the successful answer to a dialog's INVITE, and again for
// each repetition of that answer.
func (x *Exchange) acknowledge(d *dialog, seq uint32, tx *sip.ClientTx) {
	ack := x.newRequest(d, sip.ACK)
	ack.CSeq().SeqNo = seq
	ack.SetBody(nil)
	_ = x.network.WriteMsg(ack) // if it is lost, it is sent again with the repetition
	tx.OnRetransmission(func(*sip.Response) { _ = x.network.WriteMsg(ack.Clone()) })
}

// signallingAddr returns the address of a dialog's peer.
func (d *dialog) signallingAddr() netip.Addr {
	return parsePeer(d.dest).Addr()
}
