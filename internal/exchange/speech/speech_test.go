package speech_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"konak/internal/exchange/sound"
	"konak/internal/exchange/speech"
)

func TestSpeak(t *testing.T) {
	t.Parallel()
	e, err := speech.New("espeak-ng")
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("espeak-ng is not installed (scripts/ensure-speech)")
	}
	if err != nil {
		t.Fatal(err)
	}
	lengths := map[string]time.Duration{}
	for _, text := range []string{"Merhaba", "Merhaba, destek hattına hoş geldiniz. Lütfen bekleyin.", "--version", "-f /etc/passwd; $(reboot)"} {
		wav, length, err := e.Speak(t.Context(), text, "tr")
		if err != nil {
			t.Fatal(err)
		}
		s, err := sound.ReadWAV(wav)
		if err != nil || s.Rate != sound.PhoneRate || s.Duration() != length || length < 300*time.Millisecond {
			t.Errorf("%q: %s at %d, %v", text, s.Duration(), s.Rate, err)
		}
		lengths[text] = length
	}
	if lengths["Merhaba"] >= lengths["Merhaba, destek hattına hoş geldiniz. Lütfen bekleyin."] {
		t.Errorf("lengths %v", lengths)
	}
}

func TestMissingProgramIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := speech.New("no-such-program"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

// program returns a script in place of the program, to test misbehaviour.
func program(t *testing.T, script string) *speech.Espeak {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	e, err := speech.New(path)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestProgramsThatMisbehave(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"fails": "exit 3", "writes nothing": "cat >/dev/null", "writes garbage": "echo garbage",
	} {
		if wav, _, err := program(t, script).Speak(t.Context(), "x", "tr"); err == nil || wav != nil {
			t.Errorf("a program that %s gives %d bytes", name, len(wav))
		}
	}
	if _, _, err := program(t, "exec /bin/cat /dev/zero").Speak(t.Context(), "x", "tr"); !errors.Is(err, speech.ErrTooLong) {
		t.Errorf("a program that writes without end ends with %v", err)
	}
	// The program, and callers waiting for a turn, end with the caller's context.
	ctx, cancel := context.WithCancel(t.Context())
	e := program(t, "exec /bin/sleep 3600")
	ended := make(chan error)
	for range 3 {
		go func() {
			_, _, err := e.Speak(ctx, "x", "tr")
			ended <- err
		}()
	}
	cancel()
	for range 3 {
		if err := <-ended; err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
			t.Errorf("ended with %v", err)
		}
	}
}
