package identity

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/limit"
	"konak/internal/kit/secret"
)

// HandOver creates a code with which the caller's session continues in another workspace,
// on that workspace's host. The session does not change until the page there uses the code.
func (s *Service) HandOver(ctx context.Context, workspace uuid.UUID) (Handover, error) {
	who := caller.From(ctx)
	out := Handover{Code: secret.NewToken(secret.HandoverPrefix)}
	err := s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) (err error) {
		if out.Workspace, err = findEnterable(&tx.Reader, who.UserID, workspace); err != nil {
			return db.NotFound(err)
		}
		out.ExpiresAt = clock.At(tx.Now().Add(handoverFor))
		c := crossing{session: who.SessionID, workspace: workspace, ip: who.IP}
		if err := putHandover(tx, c, secret.Hash(out.Code), out.ExpiresAt.Time); err != nil {
			return fmt.Errorf("identity: put hand-over: %w", err)
		}
		return nil
	})
	return out, err
}

// TakeOver uses a code on the host of its workspace and switches the session there. The
// code is valid only for the IP address that requested it, so that nobody can lure others
// onto the link and sign them in as themselves.
func (s *Service) TakeOver(ctx context.Context, code, slug, ip string) (SignedIn, error) {
	expired := fault.New(fault.LinkExpired)
	if !secret.WellFormed(code, secret.HandoverPrefix) {
		return SignedIn{}, expired
	}
	hash := secret.Hash(code)
	c, err := db.Read(ctx, s.db.System("sign-in"), func(r *db.Reader) (crossing, error) { return handoverByHash(r, hash, s.db.Clock().Now()) })
	if err != nil && !db.IsNoRow(err) {
		return SignedIn{}, fmt.Errorf("identity: find hand-over: %w", err)
	}
	if err != nil || slug != "" && slug != c.slug || limit.OfIP(ip) != limit.OfIP(c.ip) {
		return SignedIn{}, expired
	}
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.Agent, TenantID: c.workspace, Slug: c.slug, SessionID: c.session, IP: ip})
	out, err := s.switchTo(ctx, c.workspace, ip, func(tx *db.Tx) error {
		ok, err := takeHandover(tx, hash)
		if err == nil && !ok {
			return expired
		}
		return err
	})
	if fault.Is(err, fault.Unauthenticated) || fault.Is(err, fault.NotFound) {
		return SignedIn{}, expired // the session or the membership ended on the way
	}
	return out, err
}
