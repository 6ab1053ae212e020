package sipexchange_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/exchange/baresiptest"
	"konak/internal/exchange/sipexchange"
	"konak/internal/kit/tooltest"
)

// sippMessage returns a request of a scenario, with authentication if it is asked for.
func sippMessage(method, to string, seq int, attributes, tag, headers, body string) string {
	return fmt.Sprintf(`<send %s><![CDATA[
%s sip:%s@[remote_ip]:[remote_port] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: <sip:sipp@[remote_ip]>;tag=t[call_number]
To: <sip:%s@[remote_ip]>%s
Call-ID: [call_id]
CSeq: %d %s
Contact: <sip:sipp@[local_ip]:[local_port]>
Max-Forwards: 70
%sContent-Length: [len]

%s]]></send>
`, attributes, method, to, to, tag, seq, method, headers, body)
}

// runSipp runs a scenario count times, at most twenty at once so that a busy machine sets
// the pace, and fails the test if one goes wrong. If the context is cancelled it ends early
// and reports the cause.
func runSipp(ctx context.Context, t *testing.T, d *desk, scenario string, count, rate int) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "scenario.xml")
	d.must(os.WriteFile(file, []byte(`<?xml version="1.0" encoding="ISO-8859-1" ?><scenario name="test">`+scenario+`</scenario>`), 0o600))
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sipp", d.Addr().String(), "-sf", file, "-m", fmt.Sprint(count), "-r", fmt.Sprint(rate), "-l", "20", "-i", "127.0.0.1",
		"-nostdin", "-trace_err", "-error_file", filepath.Join(dir, "errors"))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		problems, _ := os.ReadFile(filepath.Join(dir, "errors"))
		t.Fatalf("sipp: %v (%v)\n%s\n%s", err, context.Cause(ctx), problems[:min(len(problems), 2000)], out[max(0, len(out)-2000):])
	}
}

// repeatedChallenge skips further challenges. On a busy machine sipp sends its first
// request again before the answer arrives, and each copy gets its own challenge, since the
// exchange stores nothing of strangers.
const repeatedChallenge = `<label id="1"/><recv response="401" optional="true" next="1"></recv>`

const proof = "[authentication username=sipp password=secret]\n"

// 5,000 registrations with digest, each challenged and answered.
func TestSippRegisters(t *testing.T) { // not parallel: the peers run in real time
	tooltest.Need(t, "sipp", "ensure-phones")
	d := startDesk(t, func(c *sipexchange.Config) { c.Limits.Messages, c.Limits.MessagesPerAddress = 100_000, 100_000 })
	d.addDevice(tenantA, "sipp", "101")
	runSipp(t.Context(), t, d, sippMessage("REGISTER", "sipp", 1, `retrans="500"`, "", "Expires: 300\n", "")+
		`<recv response="401" auth="true"></recv>`+
		sippMessage("REGISTER", "sipp", 2, `retrans="500"`, "", "Expires: 300\n"+proof, "")+
		repeatedChallenge+`<recv response="200"></recv>`, 5000, 400)
	if list := must(d.Registrations(t.Context(), tenantA)); len(list) != 1 {
		t.Errorf("registrations %+v", list)
	}
}

// Calls with message loss on the network: all are set up and ended, and each has its events
// once.
func TestSippCallsOverALossyWay(t *testing.T) { // not parallel: the peers run in real time
	tooltest.Need(t, "sipp", "ensure-phones")
	d := startDesk(t, func(c *sipexchange.Config) { c.Limits.LegsOfTenant = 1000 })
	d.addDevice(tenantA, "sipp", "101")
	const calls = 40
	body, described := sippBody, sippDescribed
	answered := make(chan error, 1)
	go func() {
		for range calls {
			e := d.event(exchange.LegIncomingEvent)
			if err := d.Answer(context.Background(), tenantA, e.Leg); err != nil {
				answered <- err
				return
			}
		}
		answered <- nil
	}()
	runSipp(t.Context(), t, d, sippMessage("INVITE", "444", 1, `retrans="500" lost="20"`, "", described, body)+
		`<recv response="100" optional="true"></recv><recv response="401" auth="true"></recv>`+
		sippMessage("ACK", "444", 1, "", "[peer_tag_param]", "", "")+
		sippMessage("INVITE", "444", 2, `retrans="500" lost="20"`, "", described+proof, body)+
		repeatedChallenge+`<recv response="100" optional="true"></recv>`+sippTagged("200", `lost="20"`)+
		sippMessage("ACK", "444", 2, `lost="30"`, "[$1]", "", "")+
		`<pause milliseconds="300"/>`+
		sippMessage("BYE", "444", 3, `retrans="500" lost="20"`, "[$1]", "", "")+
		`<recv response="200"></recv>`, calls, 20)
	if err := <-answered; err != nil {
		t.Fatal(err)
	}
	count := map[exchange.EventType]int{}
	for after := int64(0); ; {
		events := must(d.Events(t.Context(), after, 100))
		if len(events) == 0 {
			if count[exchange.LegEndedEvent] == calls {
				break
			}
			<-d.Wake()
			continue
		}
		for _, e := range events {
			count[e.Type]++
			after = e.Cursor
		}
	}
	if count[exchange.LegIncomingEvent] != calls || count[exchange.LegAnsweredEvent] != calls {
		t.Errorf("events %v", count)
	}
}

const (
	sippBody      = "v=0\no=- 1 1 IN IP4 [local_ip]\ns=-\nc=IN IP[media_ip_type] [media_ip]\nt=0 0\nm=audio [media_port] RTP/AVP 0\na=rtpmap:0 PCMU/8000\n"
	sippDescribed = "Content-Type: application/sdp\n"
)

// sameTransaction gives a request the branch of the INVITE to which it belongs.
func sameTransaction(message string) string {
	return strings.ReplaceAll(message, "[branch]", "z9hG4bK-of-[call_number]")
}

// The steps of a call: it is set up with authentication, given up while it rings, and its
// refusal is acknowledged.
var (
	sippInvite = sippMessage("INVITE", "444", 1, `retrans="500"`, "", sippDescribed, sippBody) +
		`<recv response="100" optional="true"></recv><recv response="401" auth="true"></recv>` +
		sippMessage("ACK", "444", 1, "", "[peer_tag_param]", "", "") +
		sameTransaction(sippMessage("INVITE", "444", 2, `retrans="500"`, "", sippDescribed+proof, sippBody)) +
		repeatedChallenge + `<recv response="100" optional="true"></recv>`
	sippCancel  = sameTransaction(sippMessage("CANCEL", "444", 2, `retrans="500"`, "", "", ""))
	sippRefused = sameTransaction(sippMessage("ACK", "444", 2, "", "[peer_tag_param]", "", ""))
)

// sippTagged waits for an answer and keeps the tag of its call as [$1]. sipp's own
// [peer_tag_param] is that of the last message, which may be a late challenge.
func sippTagged(status, attributes string) string {
	return fmt.Sprintf(`<recv response="%s" %s><action><ereg regexp=";tag=.*" search_in="hdr" header="To:" assign_to="1"/></action></recv>`, status, attributes)
}

// ringUnlessGivenUp rings. A caller may give up as soon as they hear it, before Ring has
// returned; Ring then returns an error, which is ignored.
func ringUnlessGivenUp(d *desk, leg uuid.UUID) error {
	if err := d.Ring(context.Background(), tenantA, leg, false); !errors.Is(err, exchange.ErrState) {
		return err
	}
	return nil
}

// Callers who give up while it rings, and callers whom we hang up on as soon as they are
// answered: each call ends once, for the right reason.
func TestSippCallsThatEndEarly(t *testing.T) { // not parallel: the peers run in real time
	tooltest.Need(t, "sipp", "ensure-phones")
	const calls = 40
	for name, test := range map[string]struct {
		rest  string
		act   func(d *desk, e exchange.Event) error
		cause exchange.Cause
		by    exchange.EndedBy
	}{
		"the caller gives up": {
			`<recv response="180"></recv>` + sippCancel + `<recv response="200"></recv><recv response="487"></recv>` + sippRefused,
			func(d *desk, e exchange.Event) error {
				if e.Type == exchange.LegIncomingEvent {
					return ringUnlessGivenUp(d, e.Leg)
				}
				return nil
			}, exchange.CauseCancelled, exchange.EndedByPeer,
		},
		"we hang up": {
			sippTagged("200", `rtd="true"`) + sippMessage("ACK", "444", 2, "", "[$1]", "", "") + `<recv request="BYE"></recv><send><![CDATA[
SIP/2.0 200 OK
[last_Via:]
[last_From:]
[last_To:]
[last_Call-ID:]
[last_CSeq:]
Content-Length: 0

]]></send>`,
			func(d *desk, e exchange.Event) error {
				switch e.Type {
				case exchange.LegIncomingEvent:
					return d.Answer(context.Background(), tenantA, e.Leg)
				case exchange.LegAnsweredEvent:
					return d.Hangup(context.Background(), tenantA, e.Leg, exchange.CauseNormal)
				}
				return nil
			}, exchange.CauseNormal, exchange.EndedByCaller,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := startDesk(t, func(c *sipexchange.Config) { c.Limits.LegsOfTenant = 1000 })
			d.addDevice(tenantA, "sipp", "101")
			ctx, stop := context.WithCancelCause(t.Context())
			done := make(chan error, 1)
			go func() {
				for ended, after := 0, int64(0); ended < calls; {
					events, err := d.Events(context.Background(), after, 100)
					if err == nil && len(events) == 0 {
						<-d.Wake()
					}
					for _, e := range events {
						if after = e.Cursor; e.Type == exchange.LegEndedEvent {
							if ended++; e.Cause != test.cause || e.EndedBy != test.by {
								err = fmt.Errorf("a leg ended as %+v", e)
							}
						}
						err = errors.Join(err, test.act(d, e))
					}
					if err != nil {
						stop(err)
						done <- err
						return
					}
				}
				done <- nil
			}()
			runSipp(ctx, t, d, sippInvite+test.rest, calls, 20)
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

// sippWait waits at a label for the successful answer to a request of this method and
// continues at the next label. A refusal of the INVITE and a CANCEL that found no call lead
// to their own labels.
func sippWait(label int, method string, next int, refused, unknown string) string {
	return fmt.Sprintf(`<label id="%[1]d"/>
<recv response="180" optional="true" next="%[1]d"></recv>
<recv response="487" optional="true" next="%[4]s"></recv>
<recv response="481" optional="true" next="%[5]s"></recv>
<recv response="200" next="%[3]d" test="%[1]d"><action><ereg regexp="%[2]s" search_in="hdr" header="CSeq:" assign_to="%[1]d"/></action></recv>
`, label, method, next, refused, unknown)
}

// Callers who give up at the moment when they are answered: whichever was first, the call
// ends once, and neither side believes that it continues.
func TestSippCancelsCrossAnswers(t *testing.T) { // not parallel: the peers run in real time
	tooltest.Need(t, "sipp", "ensure-phones")
	const calls = 40
	d := startDesk(t, func(c *sipexchange.Config) { c.Limits.LegsOfTenant = 1000 })
	d.addDevice(tenantA, "sipp", "101")
	answered, ended := map[uuid.UUID]bool{}, map[uuid.UUID]exchange.Cause{}
	ctx, stop := context.WithCancelCause(t.Context())
	done := make(chan error, 1)
	go func() {
		for after := int64(0); len(ended) < calls; {
			events, err := d.Events(context.Background(), after, 100)
			if err == nil && len(events) == 0 {
				<-d.Wake()
			}
			for _, e := range events {
				switch after = e.Cursor; e.Type {
				case exchange.LegIncomingEvent:
					err = errors.Join(err, ringUnlessGivenUp(d, e.Leg))
					// The caller may have given up by now.
					_ = d.Answer(context.Background(), tenantA, e.Leg)
				case exchange.LegAnsweredEvent:
					answered[e.Leg] = true
				case exchange.LegEndedEvent:
					if _, twice := ended[e.Leg]; twice {
						err = errors.Join(err, fmt.Errorf("%s ended twice", e.Leg))
					}
					ended[e.Leg] = e.Cause
				}
			}
			if err != nil {
				stop(err)
				done <- err
				return
			}
		}
		done <- nil
	}()
	// The CANCEL and the INVITE are answered in either order, and only the answers to the
	// INVITE have the tag of the call. An answer is acknowledged at once: sipp treats one
	// that is repeated while it is sending as an error.
	ack := sippMessage("ACK", "444", 2, "", "[$1]", "", "")
	runSipp(ctx, t, d, sippInvite+
		sippTagged("180", "")+sippCancel+
		sippWait(10, "INVITE", 11, "90", "12")+`<nop next="12"/>`+
		`<label id="11"/>`+ack+
		sippWait(15, "CANCEL", 13, "90", "13")+`<nop next="15"/>`+
		sippWait(12, "INVITE", 16, "90", "12")+`<nop next="12"/>`+
		`<label id="16"/>`+ack+`<label id="13"/>`+
		sippMessage("BYE", "444", 3, `retrans="500"`, "[$1]", "", "")+
		sippWait(14, "BYE", 91, "14", "14")+`<nop next="14"/>`+
		`<label id="90"/>`+sippRefused+`<label id="91"/>`, calls, 20)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for leg, cause := range ended {
		want := exchange.CauseCancelled
		if answered[leg] {
			want = exchange.CauseNormal
		}
		if cause != want {
			t.Errorf("%s ended for %s, answered: %v", leg, cause, answered[leg])
		}
	}
	t.Logf("%d of %d were answered", len(answered), calls)
}

// Invalid requests get an answer that names the error, or none at all, and a concurrent
// valid call is set up.
func TestSippMalformed(t *testing.T) { // not parallel: the peers run in real time
	tooltest.Need(t, "sipp", "ensure-phones")
	d := startDesk(t)
	d.addDevice(tenantA, "sipp", "101")
	good := d.addPhone(tenantA, "ayse", "102")
	invite := sippMessage("INVITE", "444", 1, "", "", sippDescribed, sippBody)
	for name, test := range map[string]struct{ from, to, answer string }{
		"the version":         {"SIP/2.0\nVia", "SIP/7.0\nVia", "505"},
		"an extension":        {"Max-Forwards: 70", "Max-Forwards: 70\nRequire: unheardof", "401"},
		"no sequence":         {"CSeq: 1 INVITE\n", "", ""},
		"another method":      {"CSeq: 1 INVITE", "CSeq: 1 BYE", ""},
		"a longer body":       {"Content-Length: [len]", "Content-Length: 5000", ""},
		"a senseless length":  {"Content-Length: [len]", "Content-Length: -1", ""},
		"a line without name": {"Max-Forwards: 70", "no colon at all", ""},
		"a broken proof":      {"Max-Forwards: 70", "Max-Forwards: 70\nAuthorization: Digest ====,,", "401"},
	} {
		scenario := strings.Replace(invite, test.from, test.to, 1)
		if scenario == invite {
			t.Fatalf("%s: %q is not in the message", name, test.from)
		}
		if test.answer != "" {
			scenario += `<recv response="` + test.answer + `"></recv>` + sippRefused
		}
		runSipp(t.Context(), t, d, scenario, 10, 100)
	}
	leg, _ := d.talk(tenantA, good)
	d.must(d.Hangup(t.Context(), tenantA, leg, exchange.CauseNormal))
	good.request("BYE")
	if strings.Contains(d.logs.String(), "fault") {
		t.Errorf("a message met a fault:\n%s", d.logs)
	}
}

// startBaresip runs a telephone that is signed in as a device.
func startBaresip(t *testing.T, d *desk, user string, hz float64) *baresiptest.Phone {
	t.Helper()
	return baresiptest.Start(t, baresiptest.Config{Server: d.Addr().String(), Username: user, Password: "secret", Hz: hz})
}

// Two telephones of another vendor hear each other, before and after a hold, and the
// recording has both.
func TestBaresipTelephones(t *testing.T) { // not parallel: the peers run in real time
	baresiptest.Need(t)
	d := startDesk(t)
	d.addDevice(tenantA, "ayse", "101")
	d.addDevice(tenantA, "veli", "102")
	phoneA, phoneB := startBaresip(t, d, "ayse", toneA), startBaresip(t, d, "veli", toneB)
	d.event(exchange.DeviceRegisteredEvent)
	d.event(exchange.DeviceRegisteredEvent)
	legA, legB := d.ring(tenantA, "ayse"), d.ring(tenantA, "veli")
	d.event(exchange.LegAnsweredEvent)
	d.event(exchange.LegAnsweredEvent)
	d.join(tenantA, legA, legB)
	record := func() (left, right []int16) {
		t.Helper()
		id := uuid.New()
		d.must(d.Record(t.Context(), tenantA, legA, id))
		baresiptest.WaitForFile(t, filepath.Join(d.cfg.Dir, "recordings", tenantA.String(), id.String()+"."+legA.String()+".part"), 3*32000)
		d.must(d.StopRecord(t.Context(), tenantA, id))
		d.event(exchange.RecordEndedEvent)
		left, right = readStereo(t, d, id)
		const settled = 4000 // the first half second may lie before the first packet
		return left[settled:20000], right[settled:20000]
	}
	left, right := record()
	baresiptest.WantTone(t, "said", left, toneA, toneB, 2000)
	baresiptest.WantTone(t, "heard", right, toneB, toneA, 2000)
	d.must(d.Hold(t.Context(), tenantA, legB, true))
	d.must(d.Play(t.Context(), exchange.Play{Tenant: tenantA, Leg: legA, ID: uuid.New(), Samples: tone(2000, 1), Loop: true}))
	_, right = record()
	baresiptest.WantTone(t, "hold music", right, 2000, toneA, toneB)
	d.must(d.StopPlay(t.Context(), tenantA, legA))
	d.must(d.Hold(t.Context(), tenantA, legB, false))
	left, right = record()
	baresiptest.WantTone(t, "said after hold", left, toneA, toneB, 2000)
	baresiptest.WantTone(t, "heard after hold", right, toneB, toneA, 2000)
	d.must(d.Hangup(t.Context(), tenantA, legA, exchange.CauseNormal))
	d.must(d.Hangup(t.Context(), tenantA, legB, exchange.CauseNormal))
	for range 2 {
		if e := d.event(exchange.LegEndedEvent); e.Media == nil || e.Media.PacketsReceived < 100 {
			t.Errorf("statistics %+v", e.Media)
		}
	}
	phoneA.WantHeard(toneB)
	phoneB.WantHeard(toneA)
}
