package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/jobs"
	"konak/internal/kit/outbound"
)

// Topic is woken when deliveries wait.
const Topic = "webhook"

const (
	lease   = time.Minute
	perStep = 64
)

// Sender posts the waiting deliveries.
type Sender struct {
	svc *Service
	log *slog.Logger
	out *outbound.Client
}

// NewSender makes a sender.
func NewSender(s *Service, log *slog.Logger, out *outbound.Client) *Sender {
	return &Sender{svc: s, log: log, out: out}
}

// batch is what one claim brought, with all that sending needs.
type batch struct {
	due    []claimed
	events map[uuid.UUID]event.Event
	to     map[uuid.UUID]destination
}

func (s *Sender) claim(ctx context.Context) (b batch, err error) {
	err = s.svc.db.System("delivery claim").InTx(ctx, func(tx *db.Tx) (err error) {
		if b.due, err = claimDeliveries(tx, lease, perStep); err != nil {
			return fmt.Errorf("webhook: claim: %w", err)
		}
		events, endpoints := make([]uuid.UUID, len(b.due)), make([]uuid.UUID, len(b.due))
		for i, c := range b.due {
			events[i], endpoints[i] = c.event, c.endpoint
		}
		if b.events, err = event.Load(&tx.Reader, events); err != nil {
			return fmt.Errorf("webhook: load events: %w", err)
		}
		b.to, err = destinations(&tx.Reader, endpoints)
		return err
	})
	return b, err
}

// Step claims what is due and sends it.
func (s *Sender) Step(ctx context.Context) (int, error) {
	b, err := s.claim(ctx)
	if err != nil {
		return 0, err
	}
	var wg sync.WaitGroup
	for _, c := range b.due {
		wg.Go(func() {
			if err := s.deliver(ctx, c, &b); err != nil {
				s.log.ErrorContext(ctx, "delivery could not be marked; its lease will end", "delivery", c.id, "error", err)
			}
		})
	}
	wg.Wait()
	return len(b.due), nil
}

func (s *Sender) deliver(ctx context.Context, c claimed, b *batch) error {
	now := s.svc.db.Clock().Now()
	e, ok := b.events[c.event]
	if !ok { // queued a moment ago and not numbered yet
		return s.mark(ctx, c, Pending, now.Add(50*time.Millisecond), nil, nil)
	}
	code, err := s.post(ctx, c, b.to[c.endpoint], e.Body())
	if err == nil {
		return s.mark(ctx, c, Delivered, now, &code, nil)
	}
	text := err.Error()
	var status *int
	if code > 0 {
		status = &code
	}
	if c.attempts > len(schedule) {
		return s.mark(ctx, c, Exhausted, now, status, &text)
	}
	wait := schedule[c.attempts-1]
	jitter := 0.8 + 0.4*rand.Float64() // spreads retries, guards nothing
	return s.mark(ctx, c, Failed, now.Add(time.Duration(float64(wait)*jitter)), status, &text)
}

func (s *Sender) post(ctx context.Context, c claimed, to destination, body []byte) (int, error) {
	key, err := s.svc.box.Open(c.tenant, place(c.endpoint), to.sealed)
	if err != nil {
		return 0, fmt.Errorf("the signing secret cannot be opened: %w", err)
	}
	answer, err := s.out.Post(ctx, to.address, map[string]string{
		"Content-Type":        "application/json",
		"User-Agent":          "Konak-Webhooks/1",
		"X-Service-Event":     c.eventType,
		"X-Service-Delivery":  c.id.String(),
		"X-Service-Signature": Sign(string(key), body),
	}, body)
	if err == nil && answer.Status/100 != 2 {
		err = fmt.Errorf("the receiver answered %d", answer.Status)
	}
	return answer.Status, err
}

func (s *Sender) mark(ctx context.Context, c claimed, status string, next time.Time, code *int, text *string) error {
	return s.svc.db.System("delivery claim").InTx(context.WithoutCancel(ctx), func(tx *db.Tx) error {
		return markDelivery(tx, c, status, next, code, text)
	})
}

// Run sends until ctx ends.
func (s *Sender) Run(ctx context.Context) {
	jobs.Loop{Name: "webhooks", DB: s.svc.db, Topics: []string{Topic}, Log: s.log, Step: s.Step, Full: 1}.Run(ctx)
}
