package greeting

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"
	"unicode"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/blob"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Greetings lists all slots.
func (s *Service) Greetings(ctx context.Context) (Greetings, error) {
	list, err := db.Read(ctx, s.DB.TenantOf(ctx), listSlots)
	return complete(list), err
}

// recording is a file that a slot plays.
type recording struct {
	blob     blob.Blob
	duration int64
}

// Set changes the named slots. A text is spoken once, now. It returns validation_failed for
// a slot that should play a file but has none, and not_configured for a text if no
// synthesizer is installed.
func (s *Service) Set(ctx context.Context, changes []Change) (Greetings, error) {
	named := map[string]bool{}
	for _, c := range changes {
		if named[c.Slot] {
			return Greetings{}, fault.Invalid("slots.slot", "duplicate")
		}
		named[c.Slot] = true
	}
	spoken := make([]recording, len(changes))
	for i := range changes {
		c := &changes[i]
		if c.Text = strings.TrimSpace(c.Text); c.Mode != ModeText {
			continue
		}
		if c.Text == "" {
			return Greetings{}, fault.Invalid("slots.text", "required")
		}
		var err error
		if spoken[i], err = s.storeSpokenText(ctx, c.Text, c.Voice); err != nil {
			return Greetings{}, err
		}
	}
	err := s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		for i, c := range changes {
			if err := s.setSlot(tx, c, spoken[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Greetings{}, err
	}
	return s.Greetings(ctx)
}

// storeSpokenText stores a text as a spoken file.
func (s *Service) storeSpokenText(ctx context.Context, text, voice string) (recording, error) {
	if s.Synthesizer == nil {
		return recording{}, fault.New(fault.NotConfigured)
	}
	wav, length, err := s.Synthesizer.Speak(ctx, text, voice)
	if err != nil {
		return recording{}, fault.New(fault.Unavailable).Wrap(err)
	}
	b, err := s.Blobs.PutWithin(ctx, caller.From(ctx).TenantID, blob.Workspace, bytes.NewReader(wav), MaxUpload)
	return recording{b, length.Milliseconds()}, err
}

func (s *Service) setSlot(tx *db.Tx, c Change, spoken recording) error {
	old, err := lockSlot(tx, c.Slot)
	if err != nil && !db.IsNoRow(err) {
		return err
	}
	now := clock.At(tx.Now())
	slot := Slot{Slot: c.Slot, Mode: c.Mode, Voice: c.Voice, UpdatedAt: &now}
	switch c.Mode {
	case ModeAudio:
		if old.Mode != ModeAudio {
			return fault.Invalid("slots.mode", "no_file")
		}
		return nil // it plays its file already
	case ModeText:
		slot.Text, slot.Duration, slot.blobID = c.Text, spoken.duration, &spoken.blob.ID
	}
	return replaceSlot(tx, old, slot)
}

// replaceSlot changes what a slot plays, and drops the file that it played before.
func replaceSlot(tx *db.Tx, old, slot Slot) error {
	if slot.blobID != nil {
		if err := blob.Hold(tx, *slot.blobID); err != nil {
			return err
		}
	}
	if old.blobID != nil {
		if err := blob.Drop(tx, *old.blobID); err != nil {
			return err
		}
	}
	if err := saveSlot(tx, slot); err != nil {
		return err
	}
	return audit.Write(tx, "greeting.changed", "", map[string]any{"slot": slot.Slot, "mode": slot.Mode, "text": slot.Text, "name": slot.Name})
}

// Upload sets the file that a slot plays. It returns validation_failed if the exchange
// cannot play it.
func (s *Service) Upload(ctx context.Context, slot, name string, r io.Reader) (out Slot, err error) {
	tenant := caller.From(ctx).TenantID
	b, err := s.Blobs.PutWithin(ctx, tenant, blob.Workspace, r, MaxUpload)
	if errors.Is(err, blob.ErrTooLarge) {
		return out, fault.New(fault.BodyTooLarge, MaxUpload)
	}
	if err != nil {
		return out, err
	}
	f, err := s.Blobs.OpenFile(ctx, tenant, b.ID)
	if err != nil {
		return out, err
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return out, fmt.Errorf("greeting: %w", err)
	}
	length, err := s.Checker.CheckSound(f)
	if wrong, ok := errors.AsType[*Unplayable](err); ok {
		return out, fault.Invalid("file", wrong.Code)
	}
	if err != nil {
		return out, err
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		old, err := lockSlot(tx, slot)
		if err != nil && !db.IsNoRow(err) {
			return err
		}
		now := clock.At(tx.Now())
		out = Slot{
			Slot: slot, Mode: ModeAudio, Voice: "tr", Name: cleanName(name), Duration: length.Milliseconds(),
			SHA256: hex.EncodeToString(b.Hash), UpdatedAt: &now, blobID: &b.ID,
		}
		return replaceSlot(tx, old, out)
	})
	return out, err
}

// cleanName returns the last part of a file name from any system, without characters that
// no screen shows.
func cleanName(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, name))
	if name == "." || name == ".." || name == "/" {
		return ""
	}
	return name
}

// Open opens the uploaded file that a slot plays; not_found if it plays none.
func (s *Service) Open(ctx context.Context, slot string) (out Slot, content io.ReadSeekCloser, err error) {
	out, err = db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Slot, error) { return findSlot(r, slot) })
	if err == nil && out.Mode != ModeAudio {
		err = db.ErrNoRow
	}
	if err != nil {
		return out, nil, db.NotFound(err)
	}
	content, err = s.Blobs.Open(ctx, caller.From(ctx).TenantID, *out.blobID)
	return out, content, err
}

// The names of the sounds played in calls. SlotSound and SpokenSound build the names of
// those that a workspace chose.
const (
	Beep        = "beep"
	slotPrefix  = "slot:"
	spokePrefix = "say:"
)

// SlotSound returns the name of the sound of a slot.
func SlotSound(slot string) string { return slotPrefix + slot }

// SpokenSound returns the name of the sound of a spoken text, such as a menu's.
func SpokenSound(voice, text string) string { return spokePrefix + voice + ":" + text }

// noticeSlot is what callers hear before they are recorded. If the workspace chose nothing
// for it, noticeText is spoken, or a beep if no synthesizer is installed: nobody is
// recorded without notice.
const (
	noticeSlot = "recording_notice"
	noticeText = "Bu görüşme kayıt altına alınmaktadır."
)

// notice returns the default recording notice.
func (s *Service) notice(ctx context.Context) []int16 {
	if s.Synthesizer == nil {
		return beep()
	}
	if samples, err := s.spokenText(ctx, "tr", noticeText); err == nil {
		return samples
	}
	return beep()
}

// Plays reports whether a slot plays something.
func (s *Service) Plays(r *db.Reader, slot string) (bool, error) {
	if slot == noticeSlot {
		return true, nil
	}
	v, err := findSlot(r, slot)
	if db.IsNoRow(err) {
		return false, nil
	}
	return v.Mode != ModeNone, err
}

// Samples implements command.Sounds. For a slot that plays nothing it returns a moment of
// silence, or default music for the hold slot.
func (s *Service) Samples(ctx context.Context, tenant uuid.UUID, sound string) ([]int16, error) {
	if sound == Beep {
		return beep(), nil
	}
	if text, ok := strings.CutPrefix(sound, spokePrefix); ok {
		voice, text, _ := strings.Cut(text, ":")
		return s.spokenText(ctx, voice, text)
	}
	name := strings.TrimPrefix(sound, slotPrefix)
	slot, err := db.Read(ctx, s.DB.Tenant(tenant), func(r *db.Reader) (Slot, error) { return findSlot(r, name) })
	if db.IsNoRow(err) || err == nil && slot.blobID == nil {
		switch name {
		case "hold":
			return holdMusic(), nil
		case noticeSlot:
			return s.notice(ctx), nil
		}
		return silence(), nil
	}
	if err != nil {
		return nil, err
	}
	f, err := s.Blobs.Open(ctx, tenant, *slot.blobID)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return s.Checker.PhoneSamples(f)
}

// spokenTexts caches the texts that were spoken last.
type spokenTexts struct {
	mu    sync.Mutex
	texts map[string][]int16
}

// maxSpoken is the maximum number of cached texts.
const maxSpoken = 64

// spokenText returns a spoken text, from the cache if it was spoken before.
func (s *Service) spokenText(ctx context.Context, voice, text string) ([]int16, error) {
	if s.Synthesizer == nil {
		return nil, errors.New("greeting: there is no speech program")
	}
	key := voice + ":" + text
	s.spoken.mu.Lock()
	samples, ok := s.spoken.texts[key]
	s.spoken.mu.Unlock()
	if ok {
		return samples, nil
	}
	wav, _, err := s.Synthesizer.Speak(ctx, text, voice)
	if err != nil {
		return nil, err
	}
	if samples, err = s.Checker.PhoneSamples(bytes.NewReader(wav)); err != nil {
		return nil, err
	}
	s.spoken.mu.Lock()
	defer s.spoken.mu.Unlock()
	if len(s.spoken.texts) >= maxSpoken || s.spoken.texts == nil {
		s.spoken.texts = map[string][]int16{}
	}
	s.spoken.texts[key] = samples
	return samples, nil
}
