package engine

import (
	"context"
	"net/url"

	"konak/internal/kit/db"
	"konak/internal/kit/mtasts"
	"konak/internal/kit/outbound"
)

// PostReport posts a report to a page by a client that may reach every address.
func (s *Service) PostReport(ctx context.Context, to *url.URL, report []byte) error {
	own := *s
	own.Out = outbound.New(outbound.Options{Operator: true})
	return own.postTLSReport(ctx, to, report)
}

// CountSession counts a session with a server of a destination.
func (s *Service) CountSession(ctx context.Context, sender, destination, server, failure string, p *mtasts.Policy) error {
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		return addTLSSession(tx, sender, destination, tlsSession{p, server, failure})
	})
}
