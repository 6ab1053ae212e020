package webhook

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/jobs"
)

// Topic is woken when deliveries wait.
const Topic = "webhook"

const (
	lease   = time.Minute
	perStep = 64
	attempt = 15 * time.Second
	connect = 5 * time.Second
)

// Sender posts the waiting deliveries.
type Sender struct {
	svc    *Service
	log    *slog.Logger
	client *http.Client
}

// NewSender makes a sender. Allowed are address ranges inside the network that
// may be reached all the same (demo, tests, a self-hoster's own receivers).
func NewSender(s *Service, log *slog.Logger, allowed []netip.Prefix) *Sender {
	dialer := &net.Dialer{Timeout: connect, Control: func(_, addr string, _ syscall.RawConn) error {
		return checkDial(addr, allowed)
	}}
	return &Sender{svc: s, log: log, client: &http.Client{
		Timeout:       attempt,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: connect,
			MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
		},
	}}
}

// checkDial looks at the address that is really connected to, after DNS: a
// name that resolves to the inside is refused whatever it resolved to before.
func checkDial(addr string, allowed []netip.Prefix) error {
	ap, err := netip.ParseAddrPort(addr)
	if err != nil {
		return err
	}
	ip := ap.Addr().Unmap()
	if slices.ContainsFunc(allowed, func(p netip.Prefix) bool { return p.Contains(ip) }) {
		return nil
	}
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() {
		return fmt.Errorf("the address %s is inside the network", ip)
	}
	return nil
}

// Step claims what is due and sends it.
func (s *Sender) Step(ctx context.Context) (int, error) {
	var due []claimed
	bodies := map[uuid.UUID]event.Event{}
	err := s.svc.db.System("delivery claim").InTx(ctx, func(tx *db.Tx) (err error) {
		if due, err = claimDeliveries(tx, lease, perStep); err != nil {
			return fmt.Errorf("webhook: claim: %w", err)
		}
		ids := make([]uuid.UUID, len(due))
		for i, c := range due {
			ids[i] = c.event
		}
		bodies, err = event.Load(&tx.Reader, ids)
		return err
	})
	if err != nil {
		return 0, err
	}
	var wg sync.WaitGroup
	for _, c := range due {
		wg.Go(func() {
			if err := s.deliver(ctx, c, bodies); err != nil {
				s.log.ErrorContext(ctx, "delivery could not be marked; its lease will end", "delivery", c.id, "error", err)
			}
		})
	}
	wg.Wait()
	return len(due), nil
}

func (s *Sender) deliver(ctx context.Context, c claimed, bodies map[uuid.UUID]event.Event) error {
	now := s.svc.db.Clock().Now()
	e, ok := bodies[c.event]
	if !ok { // queued a moment ago and not numbered yet
		return s.mark(ctx, c, Pending, now.Add(50*time.Millisecond), nil, nil)
	}
	code, err := s.post(ctx, c, e.Body())
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
	jitter := 0.8 + 0.4*rand.Float64() //nolint:gosec // spreads retries, guards nothing
	return s.mark(ctx, c, Failed, now.Add(time.Duration(float64(wait)*jitter)), status, &text)
}

func (s *Sender) post(ctx context.Context, c claimed, body []byte) (int, error) {
	key, err := s.svc.box.Open(c.tenant, place(c.endpoint), c.sealed)
	if err != nil {
		return 0, fmt.Errorf("the signing secret cannot be opened: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Konak-Webhooks/1")
	req.Header.Set("X-Service-Event", c.eventType)
	req.Header.Set("X-Service-Delivery", c.id.String())
	req.Header.Set("X-Service-Signature", Sign(string(key), body))
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.CopyN(io.Discard, resp.Body, 16<<10)
	if resp.StatusCode/100 != 2 {
		return resp.StatusCode, fmt.Errorf("the receiver answered %d", resp.StatusCode)
	}
	return resp.StatusCode, nil
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
