package sipexchange

import (
	"net/netip"
	"strings"
	"time"

	"github.com/emiago/sipgo/sip"

	"konak/internal/exchange"
)

// allowed lists the supported methods.
const allowed = "INVITE, ACK, BYE, CANCEL, OPTIONS, INFO, REGISTER"

// version is the only version of SIP.
const version = "SIP/2.0"

// handle is called for each new request, in its own goroutine.
func (x *Exchange) handle(req *sip.Request, tx *sip.ServerTx) {
	defer tx.TerminateGracefully()
	defer x.logPanic("answering " + string(req.Method))
	if !strings.EqualFold(req.SipVersion, version) {
		if req.SipVersion = version; !req.IsAck() {
			respondOnce(tx, req, 505, "Version Not Supported")
		}
		return
	}
	if !isComplete(req) {
		if !req.IsAck() {
			respondOnce(tx, req, 400, "Bad Request")
		}
		return
	}
	switch req.Method {
	case sip.REGISTER:
		x.handleRegister(req, tx)
	case sip.INVITE:
		x.handleInvite(req, tx)
	case sip.ACK:
		if l := x.findDialog(req); l != nil {
			l.acknowledge(req)
		}
	case sip.BYE:
		x.handleBye(req, tx)
	case sip.INFO:
		x.handleInfo(req, tx)
	case sip.OPTIONS:
		respondOnce(tx, req, 200, "OK", sip.NewHeader("Allow", allowed), sip.NewHeader("Accept", "application/sdp"))
	case sip.CANCEL:
		// The library answers CANCELs that match a call.
		respondOnce(tx, req, 481, "Call/Transaction Does Not Exist")
	default:
		respondOnce(tx, req, 405, "Method Not Allowed", sip.NewHeader("Allow", allowed))
	}
}

// isComplete reports whether a request has everything that every request must have.
func isComplete(req *sip.Request) bool {
	from, to, callID, cseq := req.From(), req.To(), req.CallID(), req.CSeq()
	if from == nil || to == nil || callID == nil || cseq == nil || req.Via() == nil {
		return false
	}
	tag, ok := from.Params.Get("tag")
	return ok && tag != "" && len(tag) <= 128 && len(*callID) <= 256 && cseq.MethodName == req.Method && cseq.SeqNo < 1<<31
}

// respond answers a request. A response that cannot be sent is lost: the peer asks again.
func respond(tx *sip.ServerTx, req *sip.Request, code int, reason string, headers ...sip.Header) {
	res := sip.NewResponseFromRequest(req, code, reason, nil)
	for _, h := range headers {
		res.AppendHeader(h)
	}
	_ = tx.Respond(res)
}

// respondOnce answers a stranger's request without storing anything: a repetition is
// answered as if it were new.
func respondOnce(tx *sip.ServerTx, req *sip.Request, code int, reason string, headers ...sip.Header) {
	respond(tx, req, code, reason, headers...)
	tx.Terminate()
}

// source returns where a request came from.
func source(req *sip.Request) netip.AddrPort {
	return parsePeer(req.Source())
}

// parsePeer parses an address with a port; the zero value if it cannot.
func parsePeer(text string) netip.AddrPort {
	addr, err := netip.ParseAddrPort(text)
	if err != nil {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())
}

// header returns the value of a header; empty if there is none.
func header(m interface{ GetHeader(string) sip.Header }, name string) string {
	if h := m.GetHeader(name); h != nil {
		return h.Value()
	}
	return ""
}

// authenticate returns the device that sent a request. If it returns false, it has answered
// the request.
func (x *Exchange) authenticate(req *sip.Request, tx *sip.ServerTx) (exchange.Device, bool) {
	addr, now := source(req).Addr(), x.cfg.Clock.Now()
	given, err := parseDigest(header(req, "Authorization"))
	if err != nil {
		x.challenge(req, tx, addr, now, false)
		return exchange.Device{}, false
	}
	ours, fresh := x.nonces.check(given["nonce"], now, addr)
	if !ours || !fresh {
		x.challenge(req, tx, addr, now, ours)
		return exchange.Device{}, false
	}
	user := given["username"]
	if len(user) > 64 {
		user = user[:64]
	}
	if x.attempts.IsBlocked(addr, user, x.isSignedInFrom(user, addr)) {
		respondOnce(tx, req, 403, "Too Many Attempts")
		return exchange.Device{}, false
	}
	x.mu.Lock()
	device, known := x.devices[user]
	x.mu.Unlock()
	if given["realm"] != Realm || !given.provesHA1(device.HA1.Reveal(), string(req.Method)) || !known {
		x.attempts.Fail(addr, user)
		respondOnce(tx, req, 403, "Forbidden")
		return exchange.Device{}, false
	}
	return device, true
}

// challenge asks for proof of the password.
func (x *Exchange) challenge(req *sip.Request, tx *sip.ServerTx, addr netip.Addr, now time.Time, stale bool) {
	value := `Digest realm="` + Realm + `", nonce="` + x.nonces.newNonce(now, addr) + `", algorithm=MD5, qop="auth"`
	if stale {
		value += ", stale=true"
	}
	respondOnce(tx, req, 401, "Unauthorized", sip.NewHeader("WWW-Authenticate", value))
}

func (x *Exchange) handleBye(req *sip.Request, tx *sip.ServerTx) {
	l := x.findDialog(req)
	if l == nil {
		respondOnce(tx, req, 481, "Call/Transaction Does Not Exist")
		return
	}
	respond(tx, req, 200, "OK")
	l.endByPeer(exchange.CauseNormal)
}

// handleInfo handles a pressed key.
func (x *Exchange) handleInfo(req *sip.Request, tx *sip.ServerTx) {
	l := x.findDialog(req)
	if l == nil {
		respondOnce(tx, req, 481, "Call/Transaction Does Not Exist")
		return
	}
	key, ok := parseInfoKey(header(req, "Content-Type"), string(req.Body()))
	if !ok {
		respond(tx, req, 415, "Unsupported Media Type", sip.NewHeader("Accept", "application/dtmf-relay, application/dtmf"))
		return
	}
	respond(tx, req, 200, "OK")
	l.press(key)
	if peer := l.peer.Load(); peer != nil {
		x.spawn(func() { peer.sendKeys(string(key)) })
	}
}

// parseInfoKey parses the body of an INFO: "Signal=5" in a relay, or only the key.
func parseInfoKey(contentType, body string) (byte, bool) {
	kind, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	text := ""
	switch strings.TrimSpace(kind) {
	case "application/dtmf":
		text = strings.TrimSpace(body)
	case "application/dtmf-relay":
		for line := range strings.Lines(body) {
			if name, value, ok := strings.Cut(line, "="); ok && strings.EqualFold(strings.TrimSpace(name), "Signal") {
				text = strings.TrimSpace(value)
				break
			}
		}
	}
	if len(text) != 1 || !strings.Contains("0123456789*#ABCD", text) {
		return 0, false
	}
	return text[0], true
}
