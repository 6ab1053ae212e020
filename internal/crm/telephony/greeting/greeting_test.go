package greeting_test

import (
	"context"
	"encoding/base64"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/telephony/greeting"
	"konak/internal/crm/telephony/wallet"
	"konak/internal/kit/db"
)

const path = "/api/crm/v1/telephony/greeting/preview"

// speaker replaces the program in tests where its sound does not matter.
type speaker struct {
	spoken int
	sound  []byte
	err    error
	during func()
}

// Speak implements greeting.Synthesizer.
func (s *speaker) Speak(context.Context, string, string) ([]byte, time.Duration, error) {
	s.spoken++
	if s.during != nil {
		s.during()
	}
	if s.sound != nil {
		return s.sound, 2400 * time.Millisecond, s.err
	}
	return []byte("wav"), 2400 * time.Millisecond, s.err
}

func TestPreview(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		voice := &speaker{}
		s.Greetings.Synthesizer = voice
		adjust := func(amount int64) {
			t.Helper()
			if err := s.Wallet.Adjust(t.Context(), w.ID, amount, "test"); err != nil {
				t.Fatal(err)
			}
		}
		available := func(want int64) {
			t.Helper()
			if got, err := s.Wallet.Wallet(t.Context(), w.ID); err != nil || got.Available != want || got.Held != 0 {
				t.Errorf("the wallet is %+v, want %d (%v)", got, want, err)
			}
		}
		say := func(text string) *apptest.Response { return w.Owner.Post(path, map[string]any{"text": text}) }

		say("Merhaba").Refused(409, "no_credit")
		if voice.spoken != 0 {
			t.Error("spoken without credit")
		}
		adjust(1_000_000)
		var p greeting.Preview
		say(strings.Repeat("ş", 101)).Want(200).Data(&p)
		if p.Audio != base64.StdEncoding.EncodeToString([]byte("wav")) || p.Duration != 2400 || p.Cost != 200_000 {
			t.Errorf("got %+v", p)
		}
		available(800_000)
		if say(strings.Repeat("ş", 100)).Want(200).Data(&p); p.Cost != 100_000 {
			t.Errorf("a hundred characters cost %d", p.Cost)
		}
		available(700_000)

		voice.err = errors.New("broken")
		say("Merhaba").Refused(503, "unavailable")
		available(700_000)
		voice.err = nil
		// The credit is spent elsewhere while the program speaks.
		voice.during = func() { adjust(-700_000) }
		say("Merhaba").Refused(409, "no_credit")
		available(0)

		adjust(1_000_000)
		voice.during = nil
		for _, text := range []string{"", "   ", strings.Repeat("a", 501)} {
			if got := say(text).Refused(422, "validation_failed"); len(got.Fields["text"]) != 1 {
				t.Errorf("%q: %v", text, got.Fields)
			}
		}
		w.Owner.Post(path, map[string]any{"text": "x", "voice": "--version"}).Refused(422, "validation_failed")
		audit := string(w.Owner.Get("/api/v1/auth/audit?limit=50").Want(200).Body)
		if strings.Count(audit, "greeting.previewed") != 2 {
			t.Errorf("%d previews are in the audit log", strings.Count(audit, "greeting.previewed"))
		}
		s.Greetings.Synthesizer = nil
		say("Merhaba").Refused(409, "not_configured")
		if err := s.Identity.SetLicences(t.Context(), "demo", []string{"crm", "telephony_line"}); err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(time.Minute)
		say("Merhaba").Refused(403, "not_licensed")
	})
}

// The real program is found and used.
func TestPreviewWithEspeak(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		t.Skip("espeak-ng is not installed (scripts/ensure-speech)")
	}
	s := apptest.New(t, db.SQLite)
	w := s.Workspace("demo")
	if err := s.Wallet.Adjust(t.Context(), w.ID, wallet.Micro, "test"); err != nil {
		t.Fatal(err)
	}
	var p greeting.Preview
	w.Owner.Post(path, map[string]any{"text": "Merhaba, destek hattına hoş geldiniz."}).Want(200).Data(&p)
	wav, err := base64.StdEncoding.DecodeString(p.Audio)
	if err != nil || !strings.HasPrefix(string(wav), "RIFF") || p.Duration < 1000 {
		t.Errorf("%d bytes, %d ms, %v", len(wav), p.Duration, err)
	}
}
