// Package greeting keeps what callers hear at the points (slots) of a call, as a text
// that is spoken or as a file, and lets a manager hear how a text will sound.
//
// A preview costs credit: it is paid in the transaction after which it is handed out,
// so nobody hears what they did not pay, and nobody pays for what failed. A file is
// kept as it was uploaded; whether it can be played is for the exchange to say.
package greeting

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/wallet"
	"konak/internal/kit/audit"
	"konak/internal/kit/blob"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Synthesizer turns text into speech.
type Synthesizer interface {
	// Speak returns a WAV file as it sounds on the telephone, and how long it lasts.
	Speak(ctx context.Context, text, voice string) (wav []byte, length time.Duration, err error)
}

// Wallet pays for speech.
type Wallet interface {
	// Wallet reads a workspace's wallet.
	Wallet(ctx context.Context, tenant uuid.UUID) (wallet.Wallet, error)
	// Charge spends an amount; no_credit where less is available.
	Charge(tx *db.Tx, purpose string, amount int64) error
}

// Config is what greetings need.
type Config struct {
	DB     *db.DB
	Wallet Wallet
	Blobs  *blob.Store
	// Checker says whether the exchange can play a file.
	Checker Checker
	// Synthesizer is nil where none is installed.
	Synthesizer Synthesizer
	// Fee is for every hundred characters that are begun.
	Fee int64
}

// Service is the workspace's greetings.
type Service struct {
	Config
	spoken spokenTexts
}

// New makes the service.
func New(c Config) (*Service, error) {
	if c.DB == nil || c.Wallet == nil || c.Blobs == nil || c.Checker == nil || c.Fee <= 0 {
		return nil, errors.New("greeting: the database, the wallet, the files, the checker and a fee are needed")
	}
	return &Service{Config: c}, nil
}

// Preview is a text as callers hear it.
type Preview struct {
	Audio    string `json:"audio_base64" example:"UklGRg==" doc:"WAV file with 8,000 samples a second"`
	Duration int64  `json:"duration_ms" example:"2400"`
	Cost     int64  `json:"cost_micros" example:"100000" doc:"Amount spent, in millionths of the wallet's currency"`
}

// feeCharacters is how many characters a fee is for.
const feeCharacters = 100

// Preview speaks a text and takes its price. It returns no_credit where the credit
// does not suffice, before anything is spoken.
func (s *Service) Preview(ctx context.Context, text, voice string) (p Preview, err error) {
	if s.Synthesizer == nil {
		return p, fault.New(fault.NotConfigured)
	}
	if text = strings.TrimSpace(text); text == "" {
		return p, fault.Invalid("text", "required")
	}
	characters := utf8.RuneCountInString(text)
	p.Cost = s.Fee * int64((characters+feeCharacters-1)/feeCharacters)
	tenant := caller.From(ctx).TenantID
	if w, err := s.Wallet.Wallet(ctx, tenant); err != nil {
		return p, err
	} else if w.Available < p.Cost {
		return p, fault.New(fault.NoCredit)
	}
	wav, length, err := s.Synthesizer.Speak(ctx, text, voice)
	if err != nil {
		return p, fault.New(fault.Unavailable).Wrap(err)
	}
	p.Audio, p.Duration = base64.StdEncoding.EncodeToString(wav), length.Milliseconds()
	err = s.DB.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		if err := s.Wallet.Charge(tx, wallet.PurposeSpeech, p.Cost); err != nil {
			return err
		}
		return audit.Write(tx, "greeting.previewed", "", map[string]any{"characters": characters, "cost_micros": p.Cost})
	})
	if err != nil {
		return Preview{}, err
	}
	return p, nil
}
