package app_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/number"
	"konak/internal/crm/telephony/setting"
	"konak/internal/crm/telephony/team"
	"konak/internal/crm/telephony/wallet"
	"konak/internal/exchange"
	"konak/internal/exchange/baresiptest"
	"konak/internal/exchange/sipexchange"
	"konak/internal/identity"
	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/hours"
	"konak/internal/kit/secret"
)

const (
	phonePath    = "/api/crm/v1/telephony"
	agentTone    = 500.0
	customerTone = 1200.0
	thirdTone    = 800.0
	// aSecond is the price of a second at the trial's rates.
	aSecond = 10_000
)

// An agent's telephone signs in with the credentials that the API gives; a call to a
// contact rings it first and then the customer, both hear each other, and the talk is paid
// and can be listened to. A customer calls the number and leaves a message. Then the server
// is killed in the middle of a call: after the restart the call has ended, and no second is
// paid twice.
func TestKillCalls(t *testing.T) {
	t.Parallel()
	baresiptest.Need(t)
	onBoth(t, sharedPostgres, (*trial).runCalls)
}

// phoneTrial is a trial with an exchange, a carrier and an agent's telephone.
type phoneTrial struct {
	*trial
	p       *process
	carrier *carrier
	sip     string // where the exchange listens
	secure  string // where it listens for TLS
	number  number.Number
	phone   *baresiptest.Phone
	contact struct{ ID uuid.UUID }
}

// customerNumber is the contact's number.
const customerNumber = "+905321112233"

func (k *trial) runCalls() {
	c := &phoneTrial{trial: k, carrier: startCarrier(k.t), sip: freeAddress(k.t)}
	rates := filepath.Join(k.t.TempDir(), "rates.csv")
	k.must(os.WriteFile(rates, fmt.Appendf(nil, "90,%d,0,1\n", 60*aSecond), 0o600))
	cert, key := writeCertificate(k)
	c.secure = freeAddress(k.t)
	k.args = append(k.args, "--sip-tls-listen="+c.secure, "--sip-tls-cert="+cert, "--sip-tls-key="+key, "--sip-listen="+c.sip, "--sip-trunk-server="+c.carrier.Addr().String(), "--sip-trunk-user=konak",
		"--sip-trunk-password=secret", "--webhook-allow=127.0.0.0/8", "--call-rates="+rates)
	c.p = k.start()
	k.signIn(c.p)
	c.prepare()
	c.checkTLS()
	c.checkCall()
	c.checkForward()
	c.checkMessage()
	for _, moment := range []string{killRinging, killTalking, killForwarded} {
		c.checkKill(moment)
	}
	k.must(c.p.stop())
}

// until polls the server until it says ok.
func (c *phoneTrial) until(what string, ok func() bool) {
	c.t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); !ok(); {
		select {
		case <-tick.C:
		case <-late:
			c.t.Fatalf("waited too long for %s; the last call is %+v", what, c.last())
		}
	}
}

// ask sends a request and decodes the data of its answer, which must have a status.
func (c *phoneTrial) ask(status int, method, path string, body, data any) {
	c.t.Helper()
	got := c.request(method, path, body)
	defer func() { _ = got.Body.Close() }()
	b, err := io.ReadAll(got.Body)
	c.must(err)
	if got.StatusCode != status {
		c.t.Fatalf("%s %s: %d %s", method, path, got.StatusCode, b)
	}
	if data != nil {
		c.must(json.Unmarshal(b, &struct{ Data any }{data}))
	}
}

func (c *phoneTrial) request(method, path string, body any) *http.Response {
	c.t.Helper()
	b, err := json.Marshal(body)
	c.must(err)
	req, err := http.NewRequestWithContext(c.ctx, method, c.p.url+path, bytes.NewReader(b))
	c.must(err)
	req.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	got, err := http.DefaultClient.Do(req)
	c.must(err)
	return got
}

// prepare gives the workspace credit, a number and a telephone that is signed in.
func (c *phoneTrial) prepare() {
	path, err := binary()
	c.must(err)
	out, err := exec.CommandContext(c.ctx, path, "workspace", "credit", "demo", "--add=100", "--data="+c.data, "--db="+c.url).CombinedOutput()
	if err != nil {
		c.t.Fatalf("credit: %v\n%s", err, out)
	}
	var offers []number.Offer
	c.ask(200, "GET", phonePath+"/numbers/available?country=TR", nil, &offers)
	c.ask(201, "POST", phonePath+"/numbers/buy", map[string]any{"e164": offers[0].E164}, nil)
	c.until("the number to be active", func() bool {
		var list []number.Number
		c.ask(200, "GET", phonePath+"/numbers", nil, &list)
		c.number = list[0]
		return c.number.Status == number.StatusActive
	})
	var me identity.Me
	c.ask(200, "GET", "/api/v1/auth/me", nil, &me)
	c.ask(201, "POST", phonePath+"/team", map[string]any{"user_id": me.Membership.ID}, nil)
	var made team.Credentials
	c.ask(201, "POST", phonePath+"/phone", nil, &made)
	if !slices.Equal(made.Transports, []string{"udp", "tcp", "tls"}) {
		c.t.Errorf("telephones are told %v", made.Transports)
	}
	c.phone = baresiptest.Start(c.t, baresiptest.Config{Server: made.Server, Username: made.Username, Password: made.Password, Hz: agentTone})
	c.until("the telephone to sign in", func() bool {
		var list []team.Member
		c.ask(200, "GET", phonePath+"/team", nil, &list)
		return list[0].Registered
	})
	c.ask(201, "POST", "/api/crm/v1/contacts", map[string]any{"name": "Zeynep", "phones": []string{customerNumber}}, &c.contact)
	c.carrier.must(c.carrier.PutTrunk(c.ctx, exchange.Trunk{Tenant: carrierTenant, ID: carrierTrunk, Server: c.sip, Username: "carrier"}))
}

// place calls the contact, and returns the leg of the customer once it is answered.
func (c *phoneTrial) place() uuid.UUID {
	c.t.Helper()
	c.ask(201, "POST", phonePath+"/call", map[string]any{"to": customerNumber, "contact_id": c.contact.ID}, nil)
	e := c.carrier.wait(exchange.LegIncomingEvent)
	if e.To != customerNumber {
		c.t.Errorf("%s was dialled", e.To)
	}
	for _, l := range c.last().Legs { // the agent's own telephone was first
		if l.Role == call.RoleAgent && l.AnsweredAt == nil {
			c.t.Errorf("the customer's telephone rings before %+v", l)
		}
	}
	c.carrier.must(c.carrier.Answer(c.ctx, carrierTenant, e.Leg))
	c.carrier.play(e.Leg, customerTone)
	c.until("both to talk", func() bool { return c.last().State == call.Active })
	return e.Leg
}

// last returns the newest call.
func (c *phoneTrial) last() call.Call {
	c.t.Helper()
	var list []call.Call
	c.ask(200, "GET", phonePath+"/calls?limit=1", nil, &list)
	return list[0]
}

func (c *phoneTrial) wallet() (w wallet.Wallet) {
	c.t.Helper()
	c.ask(200, "GET", phonePath+"/wallet", nil, &w)
	return w
}

// wantPaid waits for the end of the newest call, and checks that the wallet lost exactly
// its cost.
func (c *phoneTrial) wantPaid(before wallet.Wallet) call.Call {
	c.t.Helper()
	var over call.Call
	c.until("the call to end", func() bool { over = c.last(); return over.State == call.Ended })
	if over.BilledSeconds < 1 || over.Cost != over.BilledSeconds*aSecond {
		c.t.Errorf("%d seconds cost %d", over.BilledSeconds, over.Cost)
	}
	if after := c.wallet(); after.Held != 0 || after.Available != before.Available-over.Cost {
		c.t.Errorf("the wallet was %+v and is %+v after a call for %d", before, after, over.Cost)
	}
	return over
}

// setSettings changes the settings of the workspace.
func (c *phoneTrial) setSettings(change func(*setting.Settings)) {
	c.t.Helper()
	s := setting.Defaults()
	change(&s)
	c.ask(200, "PUT", phonePath+"/settings", s, nil)
}

// wantRecording checks which tones the recording of a call contains.
func (c *phoneTrial) wantRecording(cdr uuid.UUID, said, heard float64) {
	c.t.Helper()
	got := c.request("GET", phonePath+"/recordings/"+cdr.String(), nil)
	defer func() { _ = got.Body.Close() }()
	b, err := io.ReadAll(got.Body)
	c.must(err)
	if got.StatusCode != http.StatusOK || len(b) < 44 {
		c.t.Fatalf("the recording: %d, %d bytes", got.StatusCode, len(b))
	}
	var left, right []int16
	for i, v := range baresiptest.Samples(b[44:]) {
		if i%2 == 0 {
			left = append(left, v)
		} else {
			right = append(right, v)
		}
	}
	baresiptest.WantTone(c.t, "the customer said", left, said)
	if heard > 0 {
		baresiptest.WantTone(c.t, "the customer heard", right, heard, said)
	}
}

// checkTLS checks that the exchange answers over TLS.
func (c *phoneTrial) checkTLS() {
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}} // it signs itself
	conn, err := dialer.DialContext(c.ctx, "tcp", c.secure)
	c.must(err)
	defer func() { _ = conn.Close() }()
	_, err = fmt.Fprintf(conn, "OPTIONS sip:%[1]s SIP/2.0\r\nVia: SIP/2.0/TLS %[2]s;branch=z9hG4bK1\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:%[1]s>\r\n"+
		"Call-ID: 1\r\nCSeq: 1 OPTIONS\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n", c.secure, conn.LocalAddr())
	c.must(err)
	answer := make([]byte, len("SIP/2.0 200"))
	if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "SIP/2.0 200" {
		c.t.Errorf("over TLS it answers %q, %v", answer, err)
	}
}

func (c *phoneTrial) checkCall() {
	c.setSettings(func(s *setting.Settings) { s.Recording.Mode = setting.RecordAll })
	before := c.wallet()
	leg := c.place()
	if w := c.wallet(); w.Held != 60*aSecond || w.Available != before.Available-w.Held {
		c.t.Errorf("while they talk the wallet is %+v", w)
	}
	left := c.carrier.record(leg)
	baresiptest.WantTone(c.t, "the customer's carrier hears", left, agentTone, customerTone)
	c.carrier.must(c.carrier.Hangup(c.ctx, carrierTenant, leg, exchange.CauseNormal))
	over := c.wantPaid(before)
	if over.Disposition != call.Answered || over.ContactID == nil || *over.ContactID != c.contact.ID || over.ConversationID == nil || over.Via != call.ViaNumber {
		c.t.Errorf("it ended as %+v", over)
	}
	c.phone.WantHeard(customerTone)
	c.until("the recording", func() bool { return c.last().Recorded })
	c.wantRecording(over.CDRID, customerTone, agentTone)
}

// checkForward lets the agent leave a call, come back to it, and forward it to a number
// outside.
func (c *phoneTrial) checkForward() {
	c.setSettings(func(*setting.Settings) {})
	before := c.wallet()
	leg := c.place()
	id := c.last().ID
	do := func(what string, more map[string]any) {
		c.t.Helper()
		more["call_id"] = id
		c.ask(200, "POST", phonePath+"/call/"+what, more, nil)
	}
	// hears returns what the customer hears once a command is carried out.
	hears := func() []int16 {
		all := c.carrier.record(leg)
		return all[len(all)/2:]
	}
	do("detach", map[string]any{})
	if n := baresiptest.CountTone(hears(), agentTone); n > 0 {
		c.t.Errorf("the agent who left is heard in %d windows", n)
	}
	do("resume", map[string]any{})
	c.until("the agent to come back", func() bool { return c.last().State == call.Active })
	baresiptest.WantTone(c.t, "after the agent came back the customer hears", hears(), agentTone)
	const other = "+905321119999"
	do("forward", map[string]any{"to": other, "mode": call.ModeBlind})
	third := c.carrier.wait(exchange.LegIncomingEvent)
	if third.To != other {
		c.t.Errorf("it was forwarded to %s", third.To)
	}
	c.carrier.must(c.carrier.Answer(c.ctx, carrierTenant, third.Leg))
	c.carrier.play(third.Leg, thirdTone)
	c.until("the other to talk", func() bool { return c.last().State == call.Active })
	baresiptest.WantTone(c.t, "after it was forwarded the customer hears", hears(), thirdTone, agentTone)
	leg, customer := third.Leg, leg
	baresiptest.WantTone(c.t, "the other hears", hears(), customerTone, agentTone)
	c.carrier.must(c.carrier.Hangup(c.ctx, carrierTenant, customer, exchange.CauseNormal))
	c.wantPaid(before)
}

// checkMessage lets a customer call the number while nobody is available.
func (c *phoneTrial) checkMessage() {
	c.setSettings(func(s *setting.Settings) { s.Hours = api.Some(hours.Hours{Timezone: "UTC", Spans: []hours.Span{}}) })
	leg := uuid.New()
	c.carrier.must(c.carrier.Originate(c.ctx, exchange.Originate{
		Tenant: carrierTenant, Leg: leg, Trunk: carrierTrunk, Number: c.number.E164, CallerNumber: customerNumber,
	}))
	c.carrier.wait(exchange.LegAnsweredEvent)
	c.carrier.play(leg, customerTone)
	baresiptest.WaitForFile(c.t, filepath.Join(c.data, "recordings", "*", "*.part"), 2*32000) // two seconds of message
	c.carrier.must(c.carrier.Hangup(c.ctx, carrierTenant, leg, exchange.CauseNormal))
	c.until("the message", func() bool { got := c.last(); return got.State == call.Ended && got.Recorded })
	got := c.last()
	if got.Disposition != call.LeftMail || got.NumberID == nil || *got.NumberID != c.number.ID || got.From != customerNumber || got.Cost != 0 {
		c.t.Errorf("the message's call is %+v", got)
	}
	var counts call.Counts
	c.ask(200, "GET", phonePath+"/calls/counts", nil, &counts)
	if counts.Unheard != 1 {
		c.t.Errorf("the counters are %+v", counts)
	}
	c.wantRecording(got.CDRID, customerTone, 0)
}

// wantLedger checks that every entry sums to zero, and that the balances are the sums of
// their postings.
func (c *phoneTrial) wantLedger(available int64) {
	c.t.Helper()
	c.must(c.open().System("test").Read(c.ctx, func(r *db.Reader) error {
		odd, err := db.One(r, db.Scalar[int64], `SELECT COUNT(*) FROM (SELECT entry_id FROM wallet_posting GROUP BY entry_id HAVING SUM(amount) <> 0) AS odd`)
		if err != nil || odd != 0 {
			return fmt.Errorf("%d entries do not sum to zero: %w", odd, err)
		}
		for account, want := range map[string]int64{"available": available, "held": 0} {
			got, err := db.One(r, db.Scalar[int64], `SELECT CAST(COALESCE(SUM(amount), 0) AS bigint) FROM wallet_posting WHERE account = $1`, account)
			if err != nil || got != want {
				c.t.Errorf("the postings of %s sum to %d, want %d (%v)", account, got, want, err)
			}
		}
		return nil
	}))
}

// carrier is the other end of the operator's line: an exchange at which Konak signs in as a
// telephone does.
type carrier struct {
	*sipexchange.Exchange
	t      *testing.T
	dir    string
	cursor int64
}

var carrierTenant, carrierTrunk = uuid.New(), uuid.New()

func startCarrier(t *testing.T) *carrier {
	t.Helper()
	c := &carrier{t: t, dir: t.TempDir()}
	box, err := secret.NewBox(bytes.Repeat([]byte{7}, 32))
	c.must(err)
	c.Exchange, err = sipexchange.New(sipexchange.Config{
		Dir: c.dir, Box: box, Clock: clock.System{}, Log: slog.New(slog.DiscardHandler), FirstPort: 40000, LastPort: 49998,
	})
	c.must(err)
	sockets, err := sipexchange.Listen(t.Context(), "127.0.0.1:0")
	c.must(err)
	c.must(c.Start(t.Context(), sockets))
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	c.must(c.PutDevice(t.Context(), exchange.Device{
		Tenant: carrierTenant, Username: "konak", Extension: "100", HA1: secret.Of(sipexchange.HA1("konak", sipexchange.Realm, "secret")),
	}))
	return c
}

func (c *carrier) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// wait waits for an event of a type, ignoring others.
func (c *carrier) wait(kind exchange.EventType) exchange.Event {
	c.t.Helper()
	late := time.After(patience)
	for {
		events, err := c.Events(c.t.Context(), c.cursor, 1)
		c.must(err)
		if len(events) == 1 {
			if c.cursor = events[0].Cursor; events[0].Type == kind {
				return events[0]
			}
			continue
		}
		select {
		case <-c.Wake():
		case <-late:
			c.t.Fatalf("the carrier waits for %s", kind)
		}
	}
}

// play plays a tone at a leg.
func (c *carrier) play(leg uuid.UUID, hz float64) {
	c.t.Helper()
	c.must(c.Play(c.t.Context(), exchange.Play{Tenant: carrierTenant, Leg: leg, ID: uuid.New(), Samples: baresiptest.Tone(hz, 1), Loop: true}))
}

// record lets some seconds pass, and returns what Konak sent in them.
func (c *carrier) record(leg uuid.UUID) (said []int16) {
	c.t.Helper()
	id := uuid.New()
	c.must(c.Record(c.t.Context(), carrierTenant, leg, id))
	baresiptest.WaitForFile(c.t, filepath.Join(c.dir, "recordings", carrierTenant.String(), id.String()+"."+leg.String()+".part"), 4*32000)
	c.must(c.StopRecord(c.t.Context(), carrierTenant, id))
	c.wait(exchange.RecordEndedEvent)
	r, err := c.OpenRecording(c.t.Context(), carrierTenant, id)
	c.must(err)
	defer func() { _ = r.Close() }()
	b, err := io.ReadAll(r)
	c.must(err)
	for i, v := range baresiptest.Samples(b[44:]) {
		if i%2 == 0 {
			said = append(said, v)
		}
	}
	return said
}

// freeAddress finds a free address for SIP.
func freeAddress(t *testing.T) string {
	t.Helper()
	s, err := sipexchange.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	return s.Addr().String()
}
