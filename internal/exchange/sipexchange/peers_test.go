package sipexchange_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/exchange/sipexchange"
	"konak/internal/exchange/sound"
	"konak/internal/kit/tooltest"
)

// sippMessage is a request of a scenario; a proof is put in where it is asked for.
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

// runSipp runs a scenario so many times, at most twenty at once so that a busy machine
// sets the pace, and fails the test where one goes wrong.
func runSipp(t *testing.T, d *desk, scenario string, count, rate int) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "scenario.xml")
	d.must(os.WriteFile(file, []byte(`<?xml version="1.0" encoding="ISO-8859-1" ?><scenario name="test">`+scenario+`</scenario>`), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sipp", d.Addr().String(), "-sf", file, "-m", fmt.Sprint(count), "-r", fmt.Sprint(rate), "-l", "20", "-i", "127.0.0.1",
		"-nostdin", "-trace_err", "-error_file", filepath.Join(dir, "errors"))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		problems, _ := os.ReadFile(filepath.Join(dir, "errors"))
		t.Fatalf("sipp: %v\n%s\n%s", err, problems[:min(len(problems), 2000)], out[max(0, len(out)-2000):])
	}
}

const proof = "[authentication username=sipp password=secret]\n"

// 5,000 registrations with digest, each challenged and answered.
func TestSippRegisters(t *testing.T) { // not beside others: the peers keep time
	tooltest.Need(t, "sipp", "ensure-phones")
	d := startDesk(t, func(c *sipexchange.Config) { c.Limits.Messages, c.Limits.MessagesPerAddress = 100_000, 100_000 })
	d.addDevice(tenantA, "sipp", "101")
	runSipp(t, d, sippMessage("REGISTER", "sipp", 1, `retrans="500"`, "", "Expires: 300\n", "")+
		`<recv response="401" auth="true"></recv>`+
		sippMessage("REGISTER", "sipp", 2, `retrans="500"`, "", "Expires: 300\n"+proof, "")+
		`<recv response="200"></recv>`, 5000, 400)
	if list := must(d.Registrations(t.Context(), tenantA)); len(list) != 1 {
		t.Errorf("registrations %+v", list)
	}
}

// Calls of which a part of the messages is lost on the way: all are set up and ended,
// and each has its events once.
func TestSippCallsOverALossyWay(t *testing.T) { // not beside others: the peers keep time
	tooltest.Need(t, "sipp", "ensure-phones")
	d := startDesk(t, func(c *sipexchange.Config) { c.Limits.LegsOfTenant = 1000 })
	d.addDevice(tenantA, "sipp", "101")
	const calls = 40
	body := "v=0\no=- 1 1 IN IP4 [local_ip]\ns=-\nc=IN IP[media_ip_type] [media_ip]\nt=0 0\nm=audio [media_port] RTP/AVP 0\na=rtpmap:0 PCMU/8000\n"
	described := "Content-Type: application/sdp\n"
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
	runSipp(t, d, sippMessage("INVITE", "444", 1, `retrans="500" lost="20"`, "", described, body)+
		`<recv response="100" optional="true"></recv><recv response="401" auth="true"></recv>`+
		sippMessage("ACK", "444", 1, "", "[peer_tag_param]", "", "")+
		sippMessage("INVITE", "444", 2, `retrans="500" lost="20"`, "", described+proof, body)+
		`<recv response="100" optional="true"></recv><recv response="200" lost="20"></recv>`+
		sippMessage("ACK", "444", 2, `lost="30"`, "[peer_tag_param]", "", "")+
		`<pause milliseconds="300"/>`+
		sippMessage("BYE", "444", 3, `retrans="500" lost="20"`, "[peer_tag_param]", "", "")+
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

// startBaresip runs a telephone that answers every call and speaks a tone. It returns
// the folder where it writes what it hears.
func startBaresip(t *testing.T, d *desk, user string, hz float64) string {
	t.Helper()
	dir := t.TempDir()
	d.must(os.WriteFile(filepath.Join(dir, "tone.wav"), sound.Sound{Rate: 8000, Samples: tone(hz, 60)}.WAV(), 0o600))
	modules := ""
	for _, m := range []string{"account", "g711", "aufile", "aubridge", "sndfile"} {
		modules += "module " + m + ".so\n"
	}
	d.must(os.WriteFile(filepath.Join(dir, "config"), []byte("poll_method epoll\nsip_listen 127.0.0.1:0\naudio_player aubridge,"+user+
		"\naudio_alert aubridge,"+user+"\naudio_source aufile,"+dir+"/tone.wav\nausrc_srate 8000\nauplay_srate 8000\nausrc_channels 1\nauplay_channels 1\n"+
		"snd_path "+dir+"\nmodule_path "+baresipModules(t)+"\n"+modules), 0o600))
	d.must(os.WriteFile(filepath.Join(dir, "accounts"),
		fmt.Appendf(nil, "<sip:%s@%s;transport=udp>;auth_pass=secret;answermode=auto;regint=300;audio_codecs=pcmu\n", user, d.Addr()), 0o600))
	cmd := exec.CommandContext(t.Context(), "baresip", "-f", dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	d.must(cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s:\n%s", user, out.String())
		}
	})
	return dir
}

func baresipModules(t *testing.T) string {
	t.Helper()
	for _, dir := range []string{"/usr/lib/baresip/modules", "/usr/lib64/baresip/modules", "/usr/local/lib/baresip/modules", "/opt/homebrew/lib/baresip/modules"} {
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	}
	tooltest.Missing(t, "a module of baresip", "ensure-phones")
	return ""
}

// Two telephones of another maker hear each other, before and after a hold, and the
// recording has both. The telephones speak in real time, so how much of the tone comes
// through depends on how busy the machine is: what counts is which tone is there.
func TestBaresipTelephones(t *testing.T) { // not beside others: the peers keep time
	tooltest.Need(t, "baresip", "ensure-phones")
	d := startDesk(t)
	d.addDevice(tenantA, "ayse", "101")
	d.addDevice(tenantA, "veli", "102")
	dirA, dirB := startBaresip(t, d, "ayse", toneA), startBaresip(t, d, "veli", toneB)
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
		waitForFile(t, filepath.Join(d.cfg.Dir, "recordings", tenantA.String(), id.String()+"."+legA.String()+".part"), 3*32000)
		d.must(d.StopRecord(t.Context(), tenantA, id))
		d.event(exchange.RecordEndedEvent)
		left, right = readStereo(t, d, id)
		const settled = 4000 // the first half second may lie before the first packet
		return left[settled:20000], right[settled:20000]
	}
	left, right := record()
	checkOnlyTone(t, "said", left, toneA, toneB, 2000)
	checkOnlyTone(t, "heard", right, toneB, toneA, 2000)
	d.must(d.Hold(t.Context(), tenantA, legB, true))
	d.must(d.Play(t.Context(), exchange.Play{Tenant: tenantA, Leg: legA, ID: uuid.New(), Samples: tone(2000, 1), Loop: true}))
	_, right = record()
	checkOnlyTone(t, "hold music", right, 2000, toneA, toneB)
	d.must(d.StopPlay(t.Context(), tenantA, legA))
	d.must(d.Hold(t.Context(), tenantA, legB, false))
	left, right = record()
	checkOnlyTone(t, "said after hold", left, toneA, toneB, 2000)
	checkOnlyTone(t, "heard after hold", right, toneB, toneA, 2000)
	d.must(d.Hangup(t.Context(), tenantA, legA, exchange.CauseNormal))
	d.must(d.Hangup(t.Context(), tenantA, legB, exchange.CauseNormal))
	for range 2 {
		if e := d.event(exchange.LegEndedEvent); e.Media == nil || e.Media.PacketsReceived < 100 {
			t.Errorf("statistics %+v", e.Media)
		}
	}
	heardTone(t, dirA, toneB)
	heardTone(t, dirB, toneA)
}

// waitForFile waits until a file has so many bytes.
func waitForFile(t *testing.T, path string, size int64) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); ; {
		if info, err := os.Stat(path); err == nil && info.Size() >= size {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%s does not grow", filepath.Base(path))
		}
	}
}

// checkOnlyTone holds that a tone is among the samples and that none of the others is.
func checkOnlyTone(t *testing.T, what string, samples []int16, hz float64, others ...float64) {
	t.Helper()
	if n := countTone(samples, hz); n < 3 {
		t.Errorf("%s: %v Hz in %d windows", what, hz, n)
	}
	for _, other := range others {
		if n := countTone(samples, other); n > 0 {
			t.Errorf("%s: %v Hz in %d windows", what, other, n)
		}
	}
}

// countTone counts the windows of 100 ms that are a tone.
func countTone(samples []int16, hz float64) (n int) {
	for i := 0; i+800 <= len(samples); i += 800 {
		if toneShare(samples[i:i+800], hz) > 0.8 {
			n++
		}
	}
	return n
}

// heardTone looks for the tone in what baresip wrote of its speaker.
func heardTone(t *testing.T, dir string, hz float64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "dump-*dec.wav"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no dump: %v", dir, err)
	}
	best := 0
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil || len(b) < 44 || !strings.HasPrefix(string(b), "RIFF") {
			continue
		}
		var samples []int16
		for b = b[44:]; len(b) >= 2; b = b[2:] {
			samples = append(samples, int16(binary.LittleEndian.Uint16(b)))
		}
		best = max(best, countTone(samples, hz))
	}
	if best < 3 {
		t.Errorf("the telephone heard %v Hz for %d windows", hz, best)
	}
}
