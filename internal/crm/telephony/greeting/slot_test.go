package greeting_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/telephony/greeting"
	"konak/internal/exchange/sound"
	"konak/internal/kit/db"
)

const slots = "/api/crm/v1/telephony/greeting"

// wav returns one second of silence as a WAV file.
func wav(rate int) []byte { return sound.Sound{Rate: rate, Samples: make([]int16, rate)}.WAV() }

// slot returns a slot of a response.
func slot(t *testing.T, r *apptest.Response, name string) greeting.Slot {
	t.Helper()
	var all greeting.Greetings
	r.Want(200).Data(&all)
	if len(all.Slots) != len(greeting.Slots) {
		t.Fatalf("there are %d slots", len(all.Slots))
	}
	for _, s := range all.Slots {
		if s.Slot == name {
			return s
		}
	}
	t.Fatalf("no slot %s", name)
	return greeting.Slot{}
}

// A file is stored as it was uploaded, and downloaded in the same form.
func TestGreetingFile(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		upload := func(c *apptest.Client, name string, body []byte) *apptest.Response {
			return c.Header("Content-Type", "audio/wav").Post(slots+"/audio/"+name+"?name=karsilama.wav", string(body))
		}
		file := wav(16_000)
		var got greeting.Slot
		upload(w.Owner, "welcome", file).Want(201).Data(&got)
		sum := sha256.Sum256(file)
		if got.Mode != "audio" || got.Name != "karsilama.wav" || got.Duration != 1000 || got.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("uploaded %+v", got)
		}
		if back := w.Owner.Get(slots + "/audio/welcome").Want(200); !bytes.Equal(back.Body, file) {
			t.Error("the file is another")
		}
		if part := w.Owner.Header("Range", "bytes=0-3").Get(slots + "/audio/welcome"); part.Status != 206 || string(part.Body) != "RIFF" {
			t.Errorf("a part: %d %q", part.Status, part.Body)
		}
		samples, err := s.Greetings.Samples(t.Context(), w.ID, greeting.SlotSound("welcome"))
		if err != nil || len(samples) != sound.PhoneRate {
			t.Errorf("callers hear %d samples, %v", len(samples), err)
		}
		other.Owner.Get(slots+"/audio/welcome").Refused(404, "not_found")
		w.Owner.Get(slots+"/audio/closed").Refused(404, "not_found")
		w.Owner.Get(slots+"/audio/nonsense").Refused(404, "not_found")
		upload(w.Owner, "nonsense", file).Refused(404, "not_found")

		for name, wrong := range map[string][]byte{
			"no sound": []byte("hello"), "cut": file[:20], "cut in its sound": file[:len(file)-1], "nothing of its sound": file[:44], "MP3": []byte("ID3\x04\x00\x00\x00\x00\x00\x00 a song of many bytes"), "Ogg": []byte("OggS\x00\x02 a song of many bytes"),
			"faster than the telephone takes": wav(48_001), "six channels": bytes.Replace(file, []byte{1, 0, 1, 0}, []byte{1, 0, 6, 0}, 1), "empty": sound.Sound{Rate: 8000}.WAV(),
			"longer than the exchange plays": sound.Sound{Rate: 8000, Samples: make([]int16, 601*8000)}.WAV(), "slower than the telephone": wav(7999),
		} {
			want := map[string]string{"no sound": "not_wav", "cut": "not_wav", "cut in its sound": "cut_off", "nothing of its sound": "cut_off", "MP3": "not_wav", "Ogg": "not_wav", "faster than the telephone takes": "wrong_rate", "six channels": "wrong_channels", "empty": "empty", "longer than the exchange plays": "too_long", "slower than the telephone": "wrong_rate"}[name]
			if got := upload(w.Owner, "welcome", wrong).Refused(422, "validation_failed"); !slices.Equal(got.Fields["file"], []string{want}) {
				t.Errorf("%s: %v", name, got.Fields)
			}
		}
		upload(w.Owner, "welcome", make([]byte, greeting.MaxUpload+1)).Refused(413, "body_too_large")
		if now := slot(t, w.Owner.Get(slots), "welcome"); now.SHA256 != got.SHA256 {
			t.Errorf("a refused file changed the slot to %+v", now)
		}
		upload(w.Guest(), "welcome", file).Refused(403, "forbidden")
		if audit := string(w.Owner.Get("/api/v1/auth/audit?limit=50").Want(200).Body); strings.Count(audit, "greeting.changed") != 1 {
			t.Errorf("the audit log is %s", audit)
		}
	})
}

// A file with two channels is played as one, and downloaded unchanged; its name is the last
// part of what a browser sends.
func TestGreetingFileOfTwoChannels(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.SQLite)
	w := s.Workspace("demo")
	file := wav(16_000)
	file[22], file[32] = 2, 4
	var got greeting.Slot
	w.Owner.Header("Content-Type", "audio/wav").Post(slots+"/audio/welcome?name="+url.QueryEscape("C:\\sesler\\..\\ka\x07rşılama.wav"), string(file)).Want(201).Data(&got)
	if got.Duration != 500 || got.Name != "karşılama.wav" {
		t.Errorf("uploaded %+v", got)
	}
	if back := w.Owner.Get(slots + "/audio/welcome").Want(200); !bytes.Equal(back.Body, file) {
		t.Error("the file is another")
	}
	if samples, err := s.Greetings.Samples(t.Context(), w.ID, greeting.SlotSound("welcome")); err != nil || len(samples) != sound.PhoneRate/2 {
		t.Errorf("callers hear %d samples, %v", len(samples), err)
	}
}

// A file without a name is downloaded under the name of its slot, and a file from a program
// that did not know its final length is accepted at its real length.
func TestGreetingFileWithoutAName(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.SQLite)
	w := s.Workspace("demo")
	file := wav(8_000)
	copy(file[40:], "\xff\xff\xff\xff")
	var got greeting.Slot
	w.Owner.Header("Content-Type", "audio/wav").Post(slots+"/audio/hold", string(file)).Want(201).Data(&got)
	if got.Name != "" || got.Duration != 1000 {
		t.Errorf("uploaded %+v", got)
	}
	if head := w.Owner.Get(slots + "/audio/hold").Want(200).Header.Get("Content-Disposition"); head != "inline; filename=hold.wav" {
		t.Errorf("it is given back as %s", head)
	}
}

// A text is spoken when it is set, which costs nothing.
func TestGreetingText(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		voice := &speaker{sound: wav(8000)}
		s.Greetings.Synthesizer = voice
		put := func(changes ...map[string]any) *apptest.Response {
			return w.Owner.Put(slots, map[string]any{"slots": changes})
		}
		if none := slot(t, w.Owner.Get(slots), "closed"); none.Mode != "none" {
			t.Errorf("nothing was chosen: %+v", none)
		}
		text := map[string]any{"slot": "closed", "mode": "text", "text": " Kapalıyız. "}
		if got := slot(t, put(text, map[string]any{"slot": "hold", "mode": "none"}), "closed"); got.Mode != "text" || got.Text != "Kapalıyız." || got.Duration != 2400 || got.SHA256 != "" {
			t.Errorf("the slot is %+v", got)
		}
		if samples, err := s.Greetings.Samples(t.Context(), w.ID, greeting.SlotSound("closed")); err != nil || len(samples) != 8000 || voice.spoken != 1 {
			t.Errorf("%d samples, spoken %d times, %v", len(samples), voice.spoken, err)
		}
		w.Owner.Get(slots+"/audio/closed").Refused(404, "not_found") // a spoken text is not an uploaded file
		if got := put(map[string]any{"slot": "welcome", "mode": "audio"}).Refused(422, "validation_failed"); len(got.Fields["slots.mode"]) != 1 {
			t.Errorf("a file that is not there: %v", got.Fields)
		}
		put(map[string]any{"slot": "welcome", "mode": "text", "text": "  "}).Refused(422, "validation_failed")
		put(map[string]any{"slot": "elsewhere", "mode": "none"}).Refused(422, "validation_failed")
		put().Refused(422, "validation_failed")
		if got := put(text, text).Refused(422, "validation_failed"); len(got.Fields["slots.slot"]) != 1 {
			t.Errorf("a slot twice: %v", got.Fields)
		}
		if got := slot(t, put(map[string]any{"slot": "closed", "mode": "none"}), "closed"); got.Mode != "none" || got.Text != "" {
			t.Errorf("emptied: %+v", got)
		}
		for name, played := range map[string]bool{"closed": false, "welcome": false} {
			if got, err := db.Read(t.Context(), s.DB.Tenant(w.ID), func(r *db.Reader) (bool, error) { return s.Greetings.Plays(r, name) }); err != nil || got != played {
				t.Errorf("%s plays: %v, %v", name, got, err)
			}
		}
		s.Greetings.Synthesizer = nil
		put(text).Refused(409, "not_configured")
	})
}

// The sounds without any settings: music on hold, silence elsewhere, and a menu's text,
// which is spoken once.
func TestDefaultCallSounds(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.SQLite)
	w := s.Workspace("demo")
	voice := &speaker{sound: wav(8000)}
	s.Greetings.Synthesizer = voice
	for name, length := range map[string]time.Duration{
		greeting.SlotSound("hold"): 5800 * time.Millisecond, greeting.SlotSound("closed"): 100 * time.Millisecond, greeting.Beep: 400 * time.Millisecond,
		greeting.SpokenSound("tr", "1'e basın: satış"): time.Second,
	} {
		for range 2 {
			samples, err := s.Greetings.Samples(t.Context(), w.ID, name)
			if got := time.Duration(len(samples)) * time.Second / sound.PhoneRate; err != nil || got != length {
				t.Errorf("%s lasts %s, %v", name, got, err)
			}
		}
	}
	if voice.spoken != 1 {
		t.Errorf("spoken %d times", voice.spoken)
	}
	// Nobody is recorded without notice: a built-in text is spoken, or else there is a
	// beep.
	for _, want := range []int{sound.PhoneRate, sound.PhoneRate * 4 / 10} {
		if samples, err := s.Greetings.Samples(t.Context(), w.ID, greeting.SlotSound("recording_notice")); err != nil || len(samples) != want {
			t.Errorf("the notice has %d samples, want %d (%v)", len(samples), want, err)
		}
		s.Greetings.Synthesizer = nil
	}
}
