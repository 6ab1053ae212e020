package widget

import (
	"context"
	"io"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/limit"
)

const day = 24 * time.Hour

// Limits for visitors, by visitor, by address and by workspace. Visitors are anonymous, and
// everything they write is kept. Their files also count against the workspace's storage
// (blob.Visitors).
var (
	visitorsOfAddress   = limit.Policy{Name: "widget-visitors", Burst: 20, Window: 10 * time.Minute}
	visitorsADay        = limit.Policy{Name: "widget-visitors-day", Burst: 500, Window: day}
	visitorsOfWorkspace = limit.Policy{Name: "widget-visitors-workspace", Burst: 50_000, Window: day}

	searchesOfAddress = limit.Policy{Name: "widget-searches", Burst: 60, Window: time.Minute}

	readsOfVisitor = limit.Policy{Name: "widget-reads", Burst: 60, Window: time.Minute}

	messagesOfVisitor   = limit.Policy{Name: "widget-messages", Burst: 20, Window: time.Minute}
	messagesADay        = limit.Policy{Name: "widget-messages-day", Burst: 500, Window: day}
	messagesOfAddress   = limit.Policy{Name: "widget-messages-address", Burst: 2_000, Window: day}
	messagesOfWorkspace = limit.Policy{Name: "widget-messages-workspace", Burst: 200_000, Window: day}

	votesOfVisitor = limit.Policy{Name: "widget-votes", Burst: 30, Window: time.Minute}

	bytesOfVisitor   = limit.BytesADay("widget-bytes", 50<<20)
	bytesOfAddress   = limit.BytesADay("widget-bytes-address", 200<<20)
	bytesOfWorkspace = limit.BytesADay("widget-bytes-workspace", 1024<<20)
)

// allowVisitor counts a new visitor.
func (s *Service) allowVisitor(ctx context.Context, p *page) error {
	ip, workspace := limit.OfIP(p.ip), limit.Key(p.TenantID)
	return api.TakeLimits(ctx, s.Limits, visitorsOfAddress.By(ip), visitorsADay.By(ip), visitorsOfWorkspace.By(workspace))
}

// allowMessage counts a message, before anything of it is taken in.
func (s *Service) allowMessage(ctx context.Context, p *page, visitor uuid.UUID) error {
	v := limit.Key(visitor)
	return api.TakeLimits(ctx, s.Limits, messagesOfVisitor.By(v), messagesADay.By(v),
		messagesOfAddress.By(limit.OfIP(p.ip)), messagesOfWorkspace.By(limit.Key(p.TenantID)))
}

// limitBytes returns a reader that counts what is read against the byte limits. It fails
// with rate_limited if one of them is used up.
func (s *Service) limitBytes(ctx context.Context, p *page, visitor uuid.UUID, r io.Reader) io.Reader {
	return limit.CountBytes(r, func() error {
		return api.TakeLimits(ctx, s.Limits, bytesOfVisitor.By(limit.Key(visitor)), bytesOfAddress.By(limit.OfIP(p.ip)),
			bytesOfWorkspace.By(limit.Key(p.TenantID)))
	})
}
