// Package baresiptest runs baresip, another vendor's telephone, in tests. It answers every
// call, plays a tone and records what it hears, so that a test can check which tone
// arrived.
package baresiptest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"konak/internal/exchange/sound"
	"konak/internal/kit/tooltest"
)

// script is the command that installs what this package needs.
const script = "ensure-phones"

// Need ends the test if baresip is not installed.
func Need(tb testing.TB) {
	tb.Helper()
	tooltest.Need(tb, "baresip", script)
}

// Config is how a telephone signs in and what it plays.
type Config struct {
	Server   string // host and port
	Username string
	Password string
	// Hz is the frequency of the tone that it plays.
	Hz float64
	// Transport is udp, tcp or tls; empty is udp.
	Transport string
	// Encryption is baresip's mediaenc: "srtp" to encrypt if the other side can,
	// "srtp-mand" to require it; empty is none.
	Encryption string
	// Authority is the file of the certificate that the server must present.
	Authority string
	// Dial is the address that it calls once it runs; empty is none.
	Dial string
	// Listen is its own address; empty is any port of 127.0.0.1.
	Listen string
}

// Phone is a running telephone.
type Phone struct {
	tb  testing.TB
	dir string
}

// Start runs a telephone until the test ends.
func Start(tb testing.TB, c Config) *Phone {
	tb.Helper()
	Need(tb)
	dir := tb.TempDir()
	if c.Transport == "" {
		c.Transport = "udp"
	}
	if c.Listen == "" {
		c.Listen = "127.0.0.1:0"
	}
	settings := []string{
		"poll_method epoll", "sip_listen " + c.Listen, "audio_player aubridge," + c.Username, "audio_alert aubridge," + c.Username,
		"audio_source aufile," + dir + "/tone.wav", "ausrc_srate 8000", "auplay_srate 8000", "ausrc_channels 1", "auplay_channels 1",
		"snd_path " + dir, "module_path " + modules(tb), "sip_cafile " + c.Authority, "sip_verify_server yes",
	}
	for _, m := range []string{"g711", "aufile", "aubridge", "sndfile", "srtp", "menu", "account"} {
		settings = append(settings, "module "+m+".so")
	}
	account := fmt.Sprintf("<sip:%s@%s;transport=%s>;auth_pass=%s;answermode=auto;regint=300;audio_codecs=pcmu", c.Username, c.Server, c.Transport, c.Password)
	if c.Encryption != "" {
		account += ";mediaenc=" + c.Encryption
	}
	for name, content := range map[string][]byte{
		"tone.wav": sound.Sound{Rate: sound.PhoneRate, Samples: Tone(c.Hz, 60)}.WAV(),
		"config":   []byte(strings.Join(settings, "\n") + "\n"), "accounts": []byte(account + "\n"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	arguments := []string{"-f", dir}
	if c.Dial != "" {
		arguments = append(arguments, "-e", "/dial "+c.Dial)
	}
	cmd := exec.CommandContext(tb.Context(), "baresip", arguments...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if tb.Failed() {
			tb.Logf("%s:\n%s", c.Username, out.String())
		}
	})
	return &Phone{tb: tb, dir: dir}
}

func modules(tb testing.TB) string {
	tb.Helper()
	for _, dir := range []string{"/usr/lib/baresip/modules", "/usr/lib64/baresip/modules", "/usr/local/lib/baresip/modules", "/opt/homebrew/lib/baresip/modules"} {
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	}
	tooltest.Missing(tb, "a module of baresip", script)
	return ""
}

// enough is the number of 100 ms windows that must contain a tone. A telephone plays in
// real time, so the length of a tone that arrives depends on how busy the machine is: only
// which tone arrives is checked.
const enough = 3

// WantHeard checks that the telephone heard a tone. Its recording is written when its call
// ends, or a moment later.
func (p *Phone) WantHeard(hz float64) {
	p.tb.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(20 * time.Second); ; {
		best := p.countHeard(hz)
		if best >= enough {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			p.tb.Errorf("the telephone heard %v Hz in %d windows", hz, best)
			return
		}
	}
}

// countHeard counts the windows with a tone in the recording that has most of it.
func (p *Phone) countHeard(hz float64) (best int) {
	files, err := filepath.Glob(filepath.Join(p.dir, "dump-*dec.wav"))
	if err != nil {
		p.tb.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err == nil && len(b) > 44 && strings.HasPrefix(string(b), "RIFF") {
			best = max(best, CountTone(Samples(b[44:]), hz))
		}
	}
	return best
}

// Samples decodes 16-bit samples.
func Samples(b []byte) []int16 {
	out := make([]int16, 0, len(b)/2)
	for ; len(b) >= 2; b = b[2:] {
		out = append(out, int16(binary.LittleEndian.Uint16(b)))
	}
	return out
}

// WantTone checks that a tone is in the samples and that none of the others is.
func WantTone(tb testing.TB, what string, samples []int16, hz float64, others ...float64) {
	tb.Helper()
	if n := CountTone(samples, hz); n < enough {
		tb.Errorf("%s: %v Hz in %d windows", what, hz, n)
	}
	for _, other := range others {
		if n := CountTone(samples, other); n > 0 {
			tb.Errorf("%s: %v Hz in %d windows", what, other, n)
		}
	}
}

// CountTone counts the 100 ms windows that contain a tone.
func CountTone(samples []int16, hz float64) (n int) {
	const window = sound.PhoneRate / 10
	for i := 0; i+window <= len(samples); i += window {
		if ToneShare(samples[i:i+window], hz) > 0.8 {
			n++
		}
	}
	return n
}

// ToneShare returns the share of the samples' energy at a frequency (Goertzel).
func ToneShare(samples []int16, hz float64) float64 {
	c := 2 * math.Cos(2*math.Pi*hz/sound.PhoneRate)
	var s1, s2, energy float64
	for _, v := range samples {
		s := float64(v) + c*s1 - s2
		s2, s1 = s1, s
		energy += float64(v) * float64(v)
	}
	if energy == 0 {
		return 0
	}
	power := s1*s1 + s2*s2 - c*s1*s2
	return 2 * power / (energy * float64(len(samples)))
}

// Tone returns samples of a tone.
func Tone(hz, seconds float64) []int16 {
	out := make([]int16, int(seconds*sound.PhoneRate))
	for i := range out {
		out[i] = int16(8000 * math.Sin(2*math.Pi*hz*float64(i)/sound.PhoneRate))
	}
	return out
}

// WaitForFile waits until a file that matches a pattern of filepath.Glob has at least size
// bytes.
func WaitForFile(tb testing.TB, pattern string, size int64) {
	tb.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(30 * time.Second); !hasFile(tb, pattern, size); {
		select {
		case <-tick.C:
		case <-late:
			tb.Fatalf("%s does not grow", filepath.Base(pattern))
		}
	}
}

func hasFile(tb testing.TB, pattern string, size int64) bool {
	tb.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		tb.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		info, err := os.Stat(file)
		return err == nil && info.Size() >= size
	})
}
