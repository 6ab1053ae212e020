package sipexchange_test

import (
	"crypto/rand"
	"fmt"
	"math"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emiago/sipgo/sip"

	"konak/internal/exchange/rtp"
	"konak/internal/exchange/sdp"
	"konak/internal/exchange/sipexchange"
	"konak/internal/kit/clock"
)

// patience is how long a test waits for something that must happen.
const patience = 20 * time.Second

// phone is a telephone that does exactly what its test says. It speaks SIP on its own port,
// without a library that would repair what the test breaks.
type phone struct {
	t          *testing.T
	user, pass string
	conn       net.Conn
	transport  string // as written in a Via
	in         chan sip.Message
	sound      *net.UDPConn
	codec      sdp.Codec
	heard      chan rtp.Packet
}

// newPhone returns a telephone that reaches an exchange over UDP or TCP.
func newPhone(t *testing.T, network string, server netip.AddrPort, user, pass string) *phone {
	t.Helper()
	conn, err := net.Dial(network, server.String())
	if err != nil {
		t.Fatal(err)
	}
	return newPhoneOn(t, conn, strings.ToUpper(network), user, pass)
}

// newPhoneOn returns a telephone on an open connection.
func newPhoneOn(t *testing.T, conn net.Conn, transport, user, pass string) *phone {
	t.Helper()
	sound, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	p := &phone{
		t: t, user: user, pass: pass, conn: conn, transport: transport, in: make(chan sip.Message, 100), sound: sound,
		heard: make(chan rtp.Packet, 5000),
	}
	t.Cleanup(func() { _, _ = conn.Close(), sound.Close() })
	go p.readMessages()
	go p.readSound()
	return p
}

func (p *phone) readMessages() {
	parser := sip.NewParser().NewSIPStream()
	buf := make([]byte, 65536)
	for {
		n, err := p.conn.Read(buf)
		if err != nil {
			close(p.in)
			return
		}
		_ = parser.ParseSIPStream(buf[:n], func(m sip.Message) { p.in <- m })
	}
}

func (p *phone) readSound() {
	buf := make([]byte, 2000)
	for {
		n, err := p.sound.Read(buf)
		if err != nil {
			return
		}
		packet, err := rtp.Parse(append([]byte(nil), buf[:n]...))
		if err != nil {
			continue
		}
		select {
		case p.heard <- packet:
		default:
		}
	}
}

func (p *phone) soundPort() int { return p.sound.LocalAddr().(*net.UDPAddr).Port }

// send sends a message as it is; lines end as in Go.
func (p *phone) send(text string) {
	p.t.Helper()
	if _, err := p.conn.Write([]byte(strings.ReplaceAll(text, "\n", "\r\n"))); err != nil {
		p.t.Fatal(err)
	}
}

// response waits for an answer with this status, skipping what comes before it.
func (p *phone) response(status int) *sip.Response {
	p.t.Helper()
	return p.wait(strconv.Itoa(status), func(m sip.Message) bool {
		r, ok := m.(*sip.Response)
		return ok && r.StatusCode == status
	}).(*sip.Response)
}

// request waits for a request of this method.
func (p *phone) request(method sip.RequestMethod) *sip.Request {
	p.t.Helper()
	return p.wait(string(method), func(m sip.Message) bool {
		r, ok := m.(*sip.Request)
		return ok && r.Method == method
	}).(*sip.Request)
}

func (p *phone) wait(what string, fits func(sip.Message) bool) sip.Message {
	p.t.Helper()
	late := time.After(patience)
	var seen []string
	for {
		select {
		case m, ok := <-p.in:
			if !ok {
				p.t.Fatalf("%s: the connection ended before %s; came: %v", p.user, what, seen)
			}
			if fits(m) {
				return m
			}
			line, _, _ := strings.Cut(m.String(), "\r\n")
			seen = append(seen, line)
		case <-late:
			p.t.Fatalf("%s: %s did not come; came: %v", p.user, what, seen)
		}
	}
}

// call is a telephone's state of a call.
type call struct {
	id, localTag, remoteTag string
	local, remote, target   string
	seq                     int
	branch                  string
}

func newCall(from, to, target string) *call {
	return &call{id: rand.Text(), localTag: rand.Text(), local: from, remote: to, target: target}
}

// text returns a request of a call. A new request has a new branch and number.
func (p *phone) text(c *call, method, body string, headers ...string) string {
	if method != "ACK" && method != "CANCEL" {
		c.seq++
	}
	if method != "CANCEL" {
		c.branch = "z9hG4bK" + rand.Text()
	}
	remoteTag := ""
	if c.remoteTag != "" {
		remoteTag = ";tag=" + c.remoteTag
	}
	if body != "" {
		headers = append(headers, "Content-Type: application/sdp")
	}
	extra := ""
	if len(headers) > 0 {
		extra = strings.Join(headers, "\n") + "\n"
	}
	return fmt.Sprintf("%s %s SIP/2.0\nVia: SIP/2.0/%s %s;branch=%s;rport\nFrom: <%s>;tag=%s\nTo: <%s>%s\nCall-ID: %s\nCSeq: %d %s\n"+
		"Max-Forwards: 70\nContact: <sip:%s@%s;transport=%s>\n%sContent-Length: %d\n\n%s",
		method, c.target, p.transport, p.conn.LocalAddr(), c.branch, c.local, c.localTag, c.remote, remoteTag, c.id, c.seq, method,
		p.user, p.conn.LocalAddr(), strings.ToLower(p.transport), extra, len(strings.ReplaceAll(body, "\n", "\r\n")), body)
}

func (p *phone) aor() string { return "sip:" + p.user + "@127.0.0.1" }

// authorization answers a challenge.
func (p *phone) authorization(challenge *sip.Response, method, uri string) string {
	value := challenge.GetHeader("WWW-Authenticate").Value()
	_, after, _ := strings.Cut(value, `nonce="`)
	nonce, _, _ := strings.Cut(after, `"`)
	response := md5Hex(sipexchange.HA1(p.user, sipexchange.Realm, p.pass) + ":" + nonce + ":" + md5Hex(method+":"+uri))
	return fmt.Sprintf(`Authorization: Digest username="%s", realm="%s", nonce="%s", uri="%s", response="%s"`,
		p.user, sipexchange.Realm, nonce, uri, response)
}

// register signs in for this many seconds and returns the last answer.
func (p *phone) register(expires int, status int) *sip.Response {
	p.t.Helper()
	c := newCall(p.aor(), p.aor(), "sip:127.0.0.1")
	lifetime := "Expires: " + strconv.Itoa(expires)
	p.send(p.text(c, "REGISTER", "", lifetime))
	challenge := p.response(401)
	p.send(p.text(c, "REGISTER", "", lifetime, p.authorization(challenge, "REGISTER", c.target)))
	return p.response(status)
}

// offer describes the telephone's sound.
func (p *phone) offer(direction sdp.Direction) string {
	return strings.ReplaceAll(string(sdp.Local{
		Addr: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(p.soundPort())), Session: 1, Version: 1,
		Codecs: []sdp.Codec{p.codec}, Keys: 101, Direction: direction,
	}.Offer()), "\r\n", "\n")
}

// invite calls a number and returns the call after its challenge was answered.
func (p *phone) invite(number string, headers ...string) *call {
	p.t.Helper()
	c := newCall(p.aor(), "sip:"+number+"@127.0.0.1", "sip:"+number+"@127.0.0.1")
	p.send(p.text(c, "INVITE", p.offer(sdp.SendRecv), headers...))
	challenge := p.response(401)
	p.send(p.text(&call{
		id: c.id, localTag: c.localTag, remoteTag: tagOf(challenge.To().Params), local: c.local, remote: c.remote, target: c.target, seq: c.seq, branch: c.branch,
	}, "ACK", ""))
	p.send(p.text(c, "INVITE", p.offer(sdp.SendRecv), append(headers, p.authorization(challenge, "INVITE", c.target))...))
	return c
}

func tagOf(params sip.HeaderParams) string {
	tag, _ := params.Get("tag")
	return tag
}

// confirm accepts the successful answer to an INVITE and sends its ACK.
func (p *phone) confirm(c *call, res *sip.Response) {
	p.t.Helper()
	c.remoteTag, c.target = tagOf(res.To().Params), res.Contact().Address.String()
	p.send(p.text(c, "ACK", ""))
}

// reply answers a request.
func (p *phone) reply(req *sip.Request, tag string, status int, body string, headers ...string) {
	p.t.Helper()
	res := sip.NewResponseFromRequest(req, status, "Answer", nil)
	if status > 100 {
		res.To().Params.Add("tag", tag)
	}
	res.AppendHeader(&sip.ContactHeader{Address: sip.Uri{Scheme: "sip", User: p.user, Host: "127.0.0.1", Port: localPort(p.conn)}})
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		res.AppendHeader(sip.NewHeader(name, value))
	}
	if body != "" {
		res.AppendHeader(sip.NewHeader("Content-Type", "application/sdp"))
		res.SetBody([]byte(strings.ReplaceAll(body, "\n", "\r\n")))
	}
	if _, err := p.conn.Write([]byte(res.String())); err != nil {
		p.t.Fatal(err)
	}
}

func localPort(conn net.Conn) int {
	addr, _ := netip.ParseAddrPort(conn.LocalAddr().String())
	return int(addr.Port())
}

// taken is a call that a telephone answered.
type taken struct {
	*call
	port int // where the exchange receives its sound
}

// take rings and answers the next INVITE.
func (p *phone) take() taken {
	p.t.Helper()
	req := p.request(sip.INVITE)
	tag := rand.Text()
	p.reply(req, tag, 180, "")
	p.reply(req, tag, 200, p.offer(sdp.SendRecv))
	p.request(sip.ACK)
	return p.takenBy(req, tag)
}

func (p *phone) takenBy(req *sip.Request, tag string) taken {
	p.t.Helper()
	offer, err := sdp.Parse(req.Body())
	if err != nil {
		p.t.Fatal(err)
	}
	return taken{call: &call{
		id: string(*req.CallID()), localTag: tag, remoteTag: tagOf(req.From().Params), local: req.To().Address.String(),
		remote: req.From().Address.String(), target: req.Contact().Address.String(), seq: 100,
	}, port: int(offer.Addr.Port())}
}

// tonePacket returns a packet with 20 ms of a tone, as a telephone sends it.
func (p *phone) tonePacket(hz float64, i int) []byte {
	payload := make([]byte, rtp.FrameSamples)
	for k := range payload {
		v := int16(8000 * math.Sin(2*math.Pi*hz*float64(i*rtp.FrameSamples+k)/8000))
		payload[k] = encodeSample(p.codec, v)
	}
	return rtpPacket(uint8(p.codec), uint16(i), uint32(i*rtp.FrameSamples), uint32(p.soundPort()), payload)
}

// sendTone sends a tone to a port of the exchange until stop is closed.
func (p *phone) sendTone(hz float64, port int, stop <-chan struct{}) {
	to := &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}
	tick := time.NewTicker(rtp.FrameDuration)
	defer tick.Stop()
	elapsed := clock.Stopwatch()
	for i := 0; ; {
		for ; i <= int(elapsed()/rtp.FrameDuration); i++ { // after a delay all that are due
			_, _ = p.sound.WriteToUDP(p.tonePacket(hz, i), to)
		}
		select {
		case <-stop:
			return
		case <-tick.C:
		}
	}
}

// hears waits until the telephone hears this many packets of a tone in a row.
func (p *phone) hears(hz float64, packets int) {
	p.t.Helper()
	late := time.After(patience)
	for inRow, all := 0, 0; inRow < packets; all++ {
		select {
		case packet := <-p.heard:
			if packet.PayloadType == uint8(p.codec) && toneShare(rtp.Decode(nil, p.codec, packet.Payload), hz) > 0.8 {
				inRow++
			} else {
				inRow = 0
			}
		case <-late:
			p.t.Fatalf("%s does not hear %v Hz; %d packets came", p.user, hz, all)
		}
	}
}

// drain forgets what was heard so far.
func (p *phone) drain() {
	for {
		select {
		case <-p.heard:
		default:
			return
		}
	}
}
