package widget

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/fault"
	"konak/internal/kit/limit"
)

// endless is a file without an end.
type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

// Each limit is enforced: by visitor, by address and by workspace.
func TestBudgets(t *testing.T) {
	t.Parallel()
	c := clock.NewFake(dbtest.Start)
	for _, test := range []struct {
		reason string
		want   int // uses until it
		use    func(s *Service, p *page, n int) error
	}{
		{"widget-visitors", 20, func(s *Service, p *page, _ int) error { return s.allowVisitor(t.Context(), p) }},
		{"widget-visitors-day", 500, func(s *Service, p *page, n int) error {
			if n%20 == 0 {
				c.Advance(visitorsOfAddress.Window)
			}
			return s.allowVisitor(t.Context(), p)
		}},
		{"widget-visitors-workspace", 50_000, func(s *Service, p *page, n int) error {
			p.ip = fmt.Sprintf("2001:db8:0:%x::1", n/20)
			return s.allowVisitor(t.Context(), p)
		}},
		{"widget-reads", 60, func(s *Service, p *page, _ int) error {
			return api.TakeLimits(t.Context(), s.Limits, readsOfVisitor.By(limit.Key(uuid.UUID{1})))
		}},
		{"widget-messages", 20, func(s *Service, p *page, _ int) error { return s.allowMessage(t.Context(), p, uuid.UUID{1}) }},
		{"widget-messages-day", 500, func(s *Service, p *page, n int) error {
			if n%20 == 0 {
				c.Advance(messagesOfVisitor.Window)
			}
			return s.allowMessage(t.Context(), p, uuid.UUID{1})
		}},
		{"widget-messages-address", 2_000, func(s *Service, p *page, n int) error {
			return s.allowMessage(t.Context(), p, uuid.UUID{byte(n), byte(n >> 8)})
		}},
		{"widget-bytes", 50, func(s *Service, p *page, n int) error { return readMiB(t.Context(), s, p, uuid.UUID{1}) }},
		{"widget-bytes-address", 200, func(s *Service, p *page, n int) error { return readMiB(t.Context(), s, p, uuid.UUID{byte(n)}) }},
		{"widget-bytes-workspace", 1024, func(s *Service, p *page, n int) error {
			p.ip = fmt.Sprintf("192.0.2.%d", n/100)
			return readMiB(t.Context(), s, p, uuid.UUID{byte(n), byte(n >> 8)})
		}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			s := &Service{Config: Config{Limits: limit.NewMemory(c, 1)}}
			p := &page{Owned: channel.Owned{TenantID: uuid.UUID{9}}, ip: "192.0.2.1"}
			for n := range test.want * 3 / 2 {
				err := test.use(s, p, n)
				if err == nil {
					continue
				}
				f, ok := fault.As(err)
				if !ok || f.Code != fault.RateLimited || f.Reason != test.reason || f.RetryAfter == 0 {
					t.Fatalf("at %d: %v", n, err)
				}
				if n < test.want {
					t.Fatalf("refused after %d, want %d", n, test.want)
				}
				other := &page{Owned: channel.Owned{TenantID: uuid.UUID{10}}, ip: "198.51.100.1"}
				if err := s.allowVisitor(t.Context(), other); err != nil {
					t.Errorf("another workspace suffers: %v", err)
				}
				return
			}
			t.Error("there is no end")
		})
	}
}

func readMiB(ctx context.Context, s *Service, p *page, visitor uuid.UUID) error {
	_, err := io.Copy(io.Discard, s.limitBytes(ctx, p, visitor, io.LimitReader(endless{}, 1<<20-1)))
	return err
}

// The bytes that are read pass through unchanged.
func TestLimitedBytesPassUnchanged(t *testing.T) {
	t.Parallel()
	s := &Service{Config: Config{Limits: limit.NewMemory(clock.NewFake(dbtest.Start), 1)}}
	text := strings.Repeat("satır\n", 10_000)
	got, err := io.ReadAll(s.limitBytes(t.Context(), &page{}, uuid.UUID{1}, strings.NewReader(text)))
	if err != nil || string(got) != text {
		t.Errorf("%d of %d bytes, %v", len(got), len(text), err)
	}
}
