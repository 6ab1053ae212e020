package contact

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// Merge merges the loser into the winner: addresses, identities, notes, consents, tags, and
// what followers store (conversations). It can be undone.
func (s *Service) Merge(ctx context.Context, winner, loser uuid.UUID) (out MergeResult, err error) {
	err = idempotency.Do(ctx, s.db.TenantOf(ctx), &out, func(tx *db.Tx) (err error) {
		out, err = s.merge(tx, winner, loser)
		return err
	})
	return out, conflict(err)
}

func (s *Service) merge(tx *db.Tx, winner, loser uuid.UUID) (MergeResult, error) {
	var none MergeResult
	w, l, err := lockBoth(tx, winner, loser, lockByID)
	if err != nil {
		return none, err
	}
	if w.Test != l.Test {
		return none, fault.New(fault.TestEnvironment)
	}
	m := moved{Winner: w, Loser: l, Followers: []json.RawMessage{}}
	if err := setMergedInto(tx, l.ID, &w.ID); err != nil {
		return none, fmt.Errorf("contact: retire: %w", err)
	}
	if m.Notes, err = moveParts(tx, l.ID, w.ID); err != nil {
		return none, fmt.Errorf("contact: move parts: %w", err)
	}
	if err := moveConsents(tx, w.ID, w.Consents, l.Consents); err != nil {
		return none, fmt.Errorf("contact: move consents: %w", err)
	}
	mergeFields(&w, &l)
	w.UpdatedAt = clock.At(tx.Now())
	if err := save(tx, w); err != nil {
		return none, fmt.Errorf("contact: save: %w", err)
	}
	if err := putParts(tx, &m.Winner, &w); err != nil {
		return none, err
	}
	for _, f := range s.followers {
		undo, err := f.ContactMerged(tx, refOf(l), refOf(w))
		if err != nil {
			return none, err
		}
		m.Followers = append(m.Followers, undo)
	}
	if w, err = byID(&tx.Reader, w.ID); err != nil {
		return none, err
	}
	out := MergeResult{Contact: w, Merge: Merge{
		ID: tx.NewID(), WinnerID: w.ID, LoserID: l.ID, MergedBy: callerID(tx.Context()), MergedAt: clock.At(tx.Now()),
	}}
	if err := putMerge(tx, out.Merge, m); err != nil {
		return none, fmt.Errorf("contact: put merge: %w", err)
	}
	if err := audit.Write(tx, Merged, w.ID.String(), map[string]string{"loser": l.ID.String()}); err != nil {
		return none, err
	}
	_, err = event.Emit(tx, event.Change{Type: Merged, Object: w, Item: out.Merge, Test: w.Test})
	return out, err
}

// lockBoth locks two contacts in the order of their ids, so that two merges cannot
// deadlock.
func lockBoth(tx *db.Tx, winner, loser uuid.UUID, lockLoser func(*db.Tx, uuid.UUID) (Contact, error)) (w, l Contact, err error) {
	read := func(id uuid.UUID) error {
		if id == winner {
			if w, err = lockByID(tx, id); err != nil {
				return db.NotFound(err)
			}
			return nil
		}
		if l, err = lockLoser(tx, id); db.IsNoRow(err) {
			return fault.Invalid("contact_id", "unknown_contact")
		}
		return err
	}
	if winner == loser {
		if _, err := lockByID(tx, winner); err != nil {
			return w, l, db.NotFound(err)
		}
		return w, l, fault.Invalid("contact_id", "same_contact")
	}
	first, second := winner, loser
	if bytes.Compare(second[:], first[:]) < 0 {
		first, second = second, first
	}
	// An unknown winner is not_found, whatever the loser is.
	if _, err := refByID(&tx.Reader, winner); err != nil {
		return w, l, db.NotFound(err)
	}
	if err := read(first); err != nil {
		return w, l, err
	}
	return w, l, read(second)
}

// Undo separates two merged contacts. What was added to the winner since stays with it.
func (s *Service) Undo(ctx context.Context, id uuid.UUID) (out MergeResult, err error) {
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		mg, m, err := lockMerge(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		if mg.UndoneAt != nil {
			return fault.New(fault.Conflict).Because("already_undone")
		}
		w, _, err := lockBoth(tx, mg.WinnerID, mg.LoserID, lockAny)
		if err != nil {
			// The remaining contact was deleted, or merged into another one.
			return fault.New(fault.Conflict).Because("winner_gone").Wrap(err)
		}
		old := w
		release(&w, &m)
		w.UpdatedAt = clock.At(tx.Now())
		if err := save(tx, w); err != nil {
			return fmt.Errorf("contact: save: %w", err)
		}
		if err := putParts(tx, &old, &w); err != nil {
			return err
		}
		if err := s.revive(tx, &m, w.ID); err != nil {
			return err
		}
		for i, f := range s.followers {
			if err := f.ContactParted(tx, refOf(m.Loser), refOf(w), m.Followers[i]); err != nil {
				return err
			}
		}
		if err := markUndone(tx, id); err != nil {
			return err
		}
		mg.UndoneAt = clock.Ptr(tx.Now())
		if out.Contact, err = byID(&tx.Reader, w.ID); err != nil {
			return err
		}
		out.Merge = mg
		if err := audit.Write(tx, "contact.merge_undone", w.ID.String(), map[string]string{"loser": m.Loser.ID.String()}); err != nil {
			return err
		}
		if err := announce(tx, Updated, out.Contact, previous(&old, &out.Contact)); err != nil {
			return err
		}
		back, err := byID(&tx.Reader, m.Loser.ID)
		if err != nil {
			return err
		}
		return announce(tx, Created, back, nil)
	})
	return out, conflict(err)
}

// revive restores the loser with what was moved from it.
func (s *Service) revive(tx *db.Tx, m *moved, winner uuid.UUID) error {
	if err := setMergedInto(tx, m.Loser.ID, nil); err != nil {
		return fmt.Errorf("contact: revive: %w", err)
	}
	if err := putParts(tx, nil, &m.Loser); err != nil {
		return err
	}
	if err := moveBack(tx, winner, m); err != nil {
		return fmt.Errorf("contact: move back: %w", err)
	}
	return nil
}

// Merges lists the merges into a contact.
func (s *Service) Merges(ctx context.Context, winner uuid.UUID, p db.Page) (db.List[Merge], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (out db.List[Merge], err error) {
		if _, err := refByID(r, winner); err != nil {
			return out, db.NotFound(err)
		}
		return merges(r, winner, p)
	})
}

func refOf(c Contact) Ref { return Ref{ID: c.ID, Name: c.Name, Blocked: c.Blocked, Test: c.Test} }
