// Package speech turns text into sound for callers, with the program espeak-ng.
//
// The text is passed on the program's input, never on a command line. Resources are
// limited: the length of the text by the caller, and here the time, the output and the
// number of programs at once; the others wait their turn.
package speech

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"konak/internal/exchange/sound"
)

const (
	timeout   = 10 * time.Second
	maxOutput = 8 << 20 // three minutes at 22,050 samples per second
	atOnce    = 2
)

// Espeak runs the program.
type Espeak struct {
	path string
	free chan struct{}
}

// New finds the program by its name or path. It returns an error that wraps
// exec.ErrNotFound if there is none.
func New(name string) (*Espeak, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("speech: %w", err)
	}
	return &Espeak{path, make(chan struct{}, atOnce)}, nil
}

// Speak returns a WAV file of the text as it sounds on the telephone, and its length. The
// voice is a language: tr or en.
func (e *Espeak) Speak(ctx context.Context, text, voice string) (wav []byte, length time.Duration, err error) {
	select {
	case e.free <- struct{}{}:
		defer func() { <-e.free }()
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var out bounded
	cmd := exec.CommandContext(ctx, e.path, "--stdin", "--stdout", "-b", "1", "-v", voice)
	cmd.Stdin, cmd.Stdout, cmd.Env = strings.NewReader(text), &out, []string{}
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return nil, 0, fmt.Errorf("speech: %w", errors.Join(ctx.Err(), out.err, err))
	}
	s, err := sound.ReadWAV(out.buffer.Bytes())
	if err != nil {
		return nil, 0, fmt.Errorf("speech: %w", err)
	}
	s = s.OverPhone()
	return s.WAV(), s.Duration(), nil
}

// ErrTooLong means that the program wrote more than anybody would listen to.
var ErrTooLong = errors.New("speech: the program's output is too long")

// bounded is a buffer that accepts no more than maxOutput. The buffer is not embedded:
// io.Copy would then bypass Write.
type bounded struct {
	buffer bytes.Buffer
	err    error // ErrTooLong once the output was larger
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.buffer.Len()+len(p) > maxOutput {
		b.err = ErrTooLong
		return 0, b.err
	}
	return b.buffer.Write(p)
}
