package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/perm"
	"konak/internal/kit/qrcode"
	"konak/internal/kit/secret"
)

// mayHandle allows people to handle their own QR; another agent's requires the permission.
// It is checked before the agent is looked up, so its answer reveals nothing about the id.
func mayHandle(ctx context.Context, id uuid.UUID) error {
	if caller.From(ctx).ID == id {
		return nil
	}
	return mayHave(ctx, perm.AgentsManage)
}

// mayOpenPhone refuses a QR that could sign a phone in unless the caller entered their
// password recently. This includes people's own QRs: otherwise a stolen session could
// create another one.
func (s *Service) mayOpenPhone(ctx context.Context, id uuid.UUID) error {
	if err := mayHandle(ctx, id); err != nil {
		return err
	}
	return s.checkStepUp(ctx)
}

// checkStepUp returns step_up_required unless the caller entered their password recently.
func (s *Service) checkStepUp(ctx context.Context) error {
	if s.DB.Clock().Now().Sub(caller.From(ctx).VerifiedAt) > api.StepUpAge {
		return fault.New(fault.StepUpRequired).Because("insufficient_user_authentication")
	}
	return nil
}

// link returns the link in a QR: a page that signs the phone in. The key follows the #, so
// that neither logs nor other sites see it.
func (s *Service) link(key string) string { return s.BaseURL + "/mobile#key=" + key }

// CreateQR is the gate for a QR on the screen. It replaces the previous one, unless that
// was mailed.
func (s *Service) CreateQR(ctx context.Context, id uuid.UUID) (NewQR, error) {
	if err := s.mayOpenPhone(ctx, id); err != nil {
		return NewQR{}, err
	}
	key := secret.NewToken(secret.QRPrefix)
	picture, err := qrcode.PNG(s.link(key))
	if err != nil {
		return NewQR{}, err
	}
	out := NewQR{Key: key, PNG: qrcode.DataURL(picture)}
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &out, func(tx *db.Tx) error {
		a, err := s.find(&tx.Reader, id)
		if err != nil {
			return err
		}
		if err := s.Members.MayAct(tx, id); err != nil {
			return err
		}
		if a.State != Active {
			return fault.New(fault.NotActive)
		}
		if _, err := revokeQRs(tx, id, false); err != nil {
			return fmt.Errorf("agent: revoke QRs: %w", err)
		}
		out.ID, out.ExpiresAt = tx.NewID(), clock.At(tx.Now().Add(ScreenLife))
		if err := putQR(tx, id, out, secret.Hash(key), caller.From(ctx).SessionID); err != nil {
			return fmt.Errorf("agent: put QR: %w", err)
		}
		return audit.Write(tx, "agent.mobile_qr_created", id.String(), map[string]any{"qr_id": out.ID})
	})
	return out, err
}

// Unscanned returns the newest QR of an agent that waits to be scanned, if any.
func (s *Service) Unscanned(ctx context.Context, id uuid.UUID) (out Unscanned, err error) {
	if err := mayHandle(ctx, id); err != nil {
		return Unscanned{}, err
	}
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		if _, err := s.Members.Get(r, id); err != nil {
			return err
		}
		q, err := openQR(r, id, s.now())
		if db.IsNoRow(err) {
			return nil
		}
		q.setStatus(s.now().Time)
		out = Unscanned{true, api.Some(q)}
		return err
	})
	return out, err
}

// QR returns one QR, for a screen that waits for it to be scanned.
func (s *Service) QR(ctx context.Context, id, qr uuid.UUID) (q QR, err error) {
	if err := mayHandle(ctx, id); err != nil {
		return QR{}, err
	}
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) (err error) {
		q, err = qrByID(r, id, qr)
		return db.NotFound(err)
	})
	q.setStatus(s.now().Time)
	return q, err
}

// RevokeQRs is the gate for revoking all QRs that an agent could still scan, mailed or not;
// it writes an audit line.
func (s *Service) RevokeQRs(ctx context.Context, id uuid.UUID) (n int64, err error) {
	if err := mayHandle(ctx, id); err != nil {
		return 0, err
	}
	if caller.From(ctx).ID != id {
		if err := s.checkStepUp(ctx); err != nil {
			return 0, err
		}
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if _, err := s.Members.Get(&tx.Reader, id); err != nil {
			return err
		}
		if n, err = revokeQRs(tx, id, true); err != nil {
			return fmt.Errorf("agent: revoke QRs: %w", err)
		}
		if n == 0 {
			return nil
		}
		return audit.Write(tx, "agent.mobile_qr_revoked", id.String(), map[string]any{"revoked": n})
	})
	return n, err
}

// CloseQR revokes the QR of a window that is closed. It writes no audit line, because this
// is nobody's decision; a mailed QR stays valid.
func (s *Service) CloseQR(ctx context.Context, id, qr uuid.UUID) (n int64, err error) {
	if err := mayHandle(ctx, id); err != nil {
		return 0, err
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if _, err := s.Members.Get(&tx.Reader, id); err != nil {
			return err
		}
		n, err = revokeScreenQR(tx, id, qr)
		return err
	})
	return n, err
}

// MailQR is the gate for mailing the QR on the screen to its agent, once. The screen sends
// the key back, because it is not stored.
func (s *Service) MailQR(ctx context.Context, id, qr uuid.UUID, key string) (q QR, err error) {
	if err := s.mayOpenPhone(ctx, id); err != nil {
		return QR{}, err
	}
	picture, err := qrcode.PNG(s.link(key))
	if err != nil {
		return QR{}, err
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err := s.find(&tx.Reader, id)
		if err != nil {
			return err
		}
		if err := s.Members.MayAct(tx, id); err != nil {
			return err
		}
		if first, err := markMailed(tx, id, qr, secret.Hash(key)); err != nil {
			return fmt.Errorf("agent: mark mailed: %w", err)
		} else if !first {
			return s.whyNotMailed(tx, id, qr, key)
		}
		if q, err = qrByID(&tx.Reader, id, qr); err != nil {
			return err
		}
		q.setStatus(tx.Now())
		if err := s.Mailer.Send(tx, qrMail(a, s.link(key), picture)); err != nil {
			return err
		}
		return audit.Write(tx, "agent.mobile_qr_mailed", id.String(), map[string]any{"qr_id": qr, "to": a.Email})
	})
	return q, err
}

func (s *Service) whyNotMailed(tx *db.Tx, id, qr uuid.UUID, key string) error {
	mailed, err := wasMailed(&tx.Reader, id, qr, secret.Hash(key))
	if err != nil {
		return err
	}
	if mailed {
		return fault.New(fault.AlreadyMailed)
	}
	return fault.Invalid("qr_id", "unknown")
}

// Claim is the gate for a phone that scanned a QR: it signs the phone in.
func (s *Service) Claim(ctx context.Context, key string, d Device, ip string) (out Opened, err error) {
	gone := fault.New(fault.LinkExpired)
	if !secret.WellFormed(key, secret.QRPrefix) {
		return Opened{}, gone
	}
	hash := secret.Hash(key)
	var tenant uuid.UUID
	err = s.DB.System("mobile QR look-up").Read(ctx, func(r *db.Reader) (err error) {
		tenant, err = tenantOfQR(r, hash)
		return err
	})
	if db.IsNoRow(err) {
		return Opened{}, gone
	}
	if err != nil {
		return Opened{}, fmt.Errorf("agent: find QR: %w", err)
	}
	err = s.DB.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		qr, err := takeQR(tx, hash, d)
		if db.IsNoRow(err) {
			return gone
		}
		if err != nil {
			return fmt.Errorf("agent: take QR: %w", err)
		}
		out, err = s.Members.OpenMobile(tx, qr.agent, qr.madeBy, d.Name, d.Platform, ip)
		if fault.Is(err, fault.NotFound) {
			return gone // suspended in this very moment, or the session that made it has ended
		}
		if err != nil {
			return err
		}
		if err := setQRSession(tx, qr.id, out.Session.ID); err != nil {
			return fmt.Errorf("agent: bind QR: %w", err)
		}
		who := &caller.Caller{Kind: caller.Agent, TenantID: tenant, Slug: out.Workspace.Slug, ID: qr.agent, UserID: out.User.ID, IP: ip}
		return audit.WriteAs(tx, who, "session.opened", out.Session.ID.String(), map[string]any{
			"method": "mobile_qr", "qr_id": qr.id, "device": d.Name, "platform": d.Platform,
		})
	})
	return out, err
}

// keepQRs is how long a QR is kept after it has expired.
const keepQRs = 7 * 24 * time.Hour

// CleanQRs deletes a batch of old QRs and returns how many.
func (s *Service) CleanQRs(ctx context.Context) (int, error) {
	var n int64
	err := s.DB.System("janitor").InTx(ctx, func(tx *db.Tx) (err error) {
		n, err = cleanQRs(tx, clock.At(tx.Now().Add(-keepQRs)), api.CleanBatch)
		return err
	})
	return int(n), err
}
