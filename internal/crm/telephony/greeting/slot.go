package greeting

import (
	"io"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/clock"
)

// Slots are the points of a call at which something is heard.
var Slots = []string{"welcome", "closed", "holiday", "voicemail", "hold", "recording_notice"}

// The modes of a slot: what it plays.
const (
	ModeNone  = "none"
	ModeText  = "text"
	ModeAudio = "audio"
)

// MaxUpload is the maximum size of an uploaded file.
const MaxUpload = 10 << 20

// Slot is what is heard at a point of a call.
type Slot struct {
	Slot      string      `json:"slot" enum:"welcome,closed,holiday,voicemail,hold,recording_notice" example:"welcome"`
	Mode      string      `json:"mode" enum:"none,text,audio" example:"text"`
	Text      string      `json:"text" example:"Merhaba, destek hattına hoş geldiniz."`
	Voice     string      `json:"voice" enum:"tr,en" example:"tr"`
	Name      string      `json:"name" example:"karsilama.wav" doc:"Name of the uploaded file"`
	Duration  int64       `json:"duration_ms" example:"2400"`
	SHA256    string      `json:"sha256" example:"" doc:"Hash of the uploaded file"`
	UpdatedAt *clock.Time `json:"updated_at" nullable:"true"`

	// blobID is the file that is played.
	blobID *uuid.UUID
}

// Greetings holds all slots.
type Greetings struct {
	Slots []Slot `json:"slots" nullable:"false"`
}

// Change is a change of what a slot plays.
type Change struct {
	Slot  string `json:"slot" enum:"welcome,closed,holiday,voicemail,hold,recording_notice" example:"welcome"`
	Mode  string `json:"mode" enum:"none,text,audio" example:"text" doc:"audio: the file uploaded before"`
	Text  string `json:"text,omitempty" maxLength:"500" example:"Merhaba, destek hattına hoş geldiniz." doc:"Text to speak, for the mode text"`
	Voice string `json:"voice,omitempty" enum:"tr,en" default:"tr"`

	Name      api.GivenBack `json:"name,omitzero"`
	Duration  api.GivenBack `json:"duration_ms,omitzero"`
	SHA256    api.GivenBack `json:"sha256,omitzero"`
	UpdatedAt api.GivenBack `json:"updated_at,omitzero"`
}

// complete returns all slots in their order; one that is not set plays nothing.
func complete(list []Slot) Greetings {
	out := Greetings{Slots: make([]Slot, len(Slots))}
	for i, name := range Slots {
		out.Slots[i] = Slot{Slot: name, Mode: ModeNone, Voice: "tr"}
		if at := slices.IndexFunc(list, func(s Slot) bool { return s.Slot == name }); at >= 0 {
			out.Slots[i] = list[at]
		}
	}
	return out
}

// Unplayable is the error for a file that cannot be played. Code is not_wav, not_pcm,
// wrong_bits, wrong_channels, wrong_rate, empty or too_long.
type Unplayable struct{ Code string }

// Error implements error.
func (u *Unplayable) Error() string { return "greeting: the file cannot be played: " + u.Code }

// Checker checks whether the exchange can play a file.
type Checker interface {
	// CheckSound reads a file and returns its length, or an *Unplayable if it cannot be
	// played.
	CheckSound(r io.ReadSeeker) (time.Duration, error)
	// PhoneSamples reads a checked file at 8,000 samples per second.
	PhoneSamples(r io.Reader) ([]int16, error)
}
