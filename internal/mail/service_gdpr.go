package mail

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/ledger"
)

// PrivacyRequests lists the privacy requests, newest first.
func (s *Service) PrivacyRequests(ctx context.Context, p db.Page) (db.List[PrivacyRequest], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[PrivacyRequest], error) { return listRequests(r, p) })
}

// AddPrivacyRequest is the gate for a new privacy request. It also writes the ledger line.
func (s *Service) AddPrivacyRequest(ctx context.Context, kind, mailbox, note string) (q PrivacyRequest, err error) {
	addr, ok := address.ParseEmail(mailbox)
	if !ok {
		return q, fault.Invalid("mailbox", "invalid_address")
	}
	err = idempotency.Do(ctx, s.db.TenantOf(ctx), &q, func(tx *db.Tx) error {
		q = PrivacyRequest{
			ID: tx.NewID(), Kind: kind, Mailbox: addr.Key, State: RequestReceived, Note: strings.TrimSpace(note),
			DueAt: clock.At(tx.Now().Add(requestTime)), RequestedBy: caller.From(ctx).Actor(), CreatedAt: clock.At(tx.Now()),
		}
		if err := putRequest(tx, q); err != nil {
			return err
		}
		if err := s.writeLedger(tx, q, q.Mailbox); err != nil {
			return err
		}
		return announce(tx, RequestCreated, q.ID, q.withoutPerson(), map[string]string{"kind": q.Kind})
	})
	return q, err
}

// ClosePrivacyRequest is the gate for closing a request as completed or rejected.
// Completing an erasure removes the address and the notes from the requests about it and
// makes the personal values in the ledger unreadable. It returns conflict if the request is
// already closed.
func (s *Service) ClosePrivacyRequest(ctx context.Context, id uuid.UUID, state, note string) (q PrivacyRequest, err error) {
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if q, err = closeRequest(tx, id, state, strings.TrimSpace(note)); db.IsNoRow(err) {
			if q, err = findRequest(&tx.Reader, id); err != nil {
				return db.NotFound(err)
			}
			return fault.New(fault.Conflict).Because(q.State)
		}
		if err != nil {
			return err
		}
		mailbox := q.Mailbox
		if err := s.writeLedger(tx, q, mailbox); err != nil {
			return err
		}
		if q.Kind == RequestErasure && state == RequestCompleted {
			if err := s.ledger.EraseSubject(tx, mailbox); err != nil {
				return err
			}
			if err := clearMailbox(tx, mailbox); err != nil {
				return err
			}
			q.Mailbox, q.Note = "", ""
		}
		return announce(tx, RequestClosed, q.ID, q.withoutPerson(), map[string]string{"kind": q.Kind, "state": q.State})
	})
	return q, err
}

func (s *Service) writeLedger(tx *db.Tx, q PrivacyRequest, mailbox string) error {
	_, err := s.ledger.Write(tx, ledger.Entry{
		Action: "gdpr." + q.Kind + "." + q.State, Subject: mailbox, Details: map[string]any{"request_id": q.ID.String()},
		Personal: map[string]string{"mailbox": mailbox, "note": q.Note},
	})
	return err
}

// LedgerLines lists the privacy ledger, newest first; an empty mailbox means all.
func (s *Service) LedgerLines(ctx context.Context, mailbox string, p db.Page) (db.List[ledger.Line], error) {
	if mailbox != "" {
		addr, ok := address.ParseEmail(mailbox)
		if !ok {
			return db.List[ledger.Line]{}, fault.Invalid("mailbox", "invalid_address")
		}
		mailbox = addr.Key
	}
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[ledger.Line], error) { return s.ledger.List(r, mailbox, p) })
}

// VerifyLedger verifies the whole chain.
func (s *Service) VerifyLedger(ctx context.Context) (ledger.Verification, error) {
	return db.Read(ctx, s.db.TenantOf(ctx), s.ledger.Verify)
}

// SignLedgers signs the heads of the ledgers that have new lines, once a day for each
// workspace, and returns how many it signed.
func (s *Service) SignLedgers(ctx context.Context) (int, error) { return s.ledger.SignHeads(ctx, s.db) }
