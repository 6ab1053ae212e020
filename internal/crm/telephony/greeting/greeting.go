// Package greeting manages what callers hear at the points (slots) of a call, as a spoken
// text or as a file, and lets a manager preview how a text will sound.
//
// A preview costs credit: it is handed out only after the transaction that pays for it, so
// nobody hears an unpaid preview, and nobody pays for one that failed. A file is stored as
// it was uploaded; the exchange decides whether it can be played.
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
	// Speak returns a WAV file as it sounds on the telephone, and its length.
	Speak(ctx context.Context, text, voice string) (wav []byte, length time.Duration, err error)
}

// Wallet pays for speech.
type Wallet interface {
	// Wallet reads a workspace's wallet.
	Wallet(ctx context.Context, tenant uuid.UUID) (wallet.Wallet, error)
	// Charge spends an amount; no_credit if less is available.
	Charge(tx *db.Tx, purpose string, amount int64) error
}

// Config is the configuration of a Service.
type Config struct {
	DB     *db.DB
	Wallet Wallet
	Blobs  *blob.Store
	// Checker checks whether the exchange can play a file.
	Checker Checker
	// Synthesizer is nil if none is installed.
	Synthesizer Synthesizer
	// Fee is the price of every hundred characters begun.
	Fee int64
}

// Service manages the workspace's greetings.
type Service struct {
	Config
	spoken spokenTexts
}

// New returns the service.
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

// feeCharacters is the number of characters that one fee pays for.
const feeCharacters = 100

// Preview speaks a text and charges for it. It returns no_credit, before anything is
// spoken, if the credit does not suffice.
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
