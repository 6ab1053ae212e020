package domain

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/jobs"
)

const (
	checkJob = "mail.domain.check"
	// liveTime limits a lookup that somebody waits for; freshTime is how long its result is
	// reused.
	liveTime  = 10 * time.Second
	freshTime = 10 * time.Second
)

// Jobs returns the kinds of this module's jobs.
func (s *Service) Jobs() []jobs.Kind {
	return []jobs.Kind{{
		Name: checkJob, Handler: s.runRound, PerNode: 16, PerTenant: 2, PerAccount: 1, MaxAttempts: 1_000_000,
		Timeout: 2 * time.Minute, HoldReason: "name_servers_unreachable",
	}}
}

// CheckNow looks up a domain's records and returns them with the results. Very recent
// results are returned without a new lookup. A check can improve the state but not worsen
// it: only scheduled rounds do that.
func (s *Service) CheckNow(ctx context.Context, id uuid.UUID) (Details, error) {
	d, err := s.find(ctx, id)
	if err != nil {
		return Details{}, db.NotFound(err)
	}
	tenant := caller.From(ctx).TenantID
	if d.CheckedAt != nil && s.DB.Clock().Now().Sub(d.CheckedAt.Time) < freshTime {
		return s.details(tenant, &d), nil
	}
	results := s.lookUpWithin(ctx, liveTime, tenant, &d)
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		seen := d.allKeys()
		if d, err = lockRow(tx, id); err != nil {
			return db.NotFound(err)
		}
		was := d.State
		if err := s.save(tx, &d, seen, results, false); err != nil || d.State == was {
			return err
		}
		return jobs.Restart(tx, checkJob, id, d.nextRound(tx.Now()))
	})
	return s.details(tenant, &d), err
}

func (s *Service) lookUpWithin(ctx context.Context, limit time.Duration, tenant uuid.UUID, d *row) map[string]Result {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return s.lookUp(ctx, d.Domain.Domain, s.recordsOf(tenant, d))
}

// runRound is the handler of checkJob. The job ends if the domain no longer exists.
func (s *Service) runRound(ctx context.Context, j *jobs.Job) error {
	d, err := s.find(ctx, j.AccountID)
	if err != nil {
		return db.IgnoreNoRow(err)
	}
	results := s.lookUp(ctx, d.Domain.Domain, s.recordsOf(j.TenantID, &d))
	if err := ctx.Err(); err != nil {
		return err // the node is stopping, so the results do not count
	}
	gone := false
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		ours, err := j.StillOurs(tx)
		if err != nil || !ours {
			return err
		}
		seen := d.allKeys()
		d, err = lockRow(tx, j.AccountID)
		if gone = db.IsNoRow(err); gone {
			return nil
		}
		if err != nil {
			return err
		}
		return s.save(tx, &d, seen, results, true)
	})
	if err != nil || gone {
		return err
	}
	return jobs.RunAgain(d.nextRound(s.DB.Clock().Now()))
}

// save stores the results of a lookup, switches to new keys whose record has been seen, and
// updates the domain's state. Results for other keys than the current ones are dropped. The
// caller holds the row lock.
func (s *Service) save(tx *db.Tx, d *row, seen [2]publicKeys, results map[string]Result, round bool) error {
	if d.allKeys() != seen {
		return nil
	}
	d.results, d.CheckedAt = results, clock.Ptr(tx.Now())
	if err := switchKeys(tx, d); err != nil {
		return err
	}
	sum := summarize(s.recordsOf(tx.Tenant(), d))
	if round {
		d.countRound(sum)
	}
	was := d.owned()
	mayOwn, err := s.claimIf(tx, d, sum.owns && !was)
	if err != nil {
		return err
	}
	moved := d.move(d.nextState(sum, mayOwn), tx.Now())
	if was && !d.owned() {
		if err := release(tx, d); err != nil {
			return fmt.Errorf("domain: release: %w", err)
		}
	}
	if err := saveResults(tx, d); err != nil {
		return fmt.Errorf("domain: save results: %w", err)
	}
	if !moved {
		return nil
	}
	return announce(tx, d)
}

// switchKeys makes the waiting keys the current ones if their mandatory record has been
// seen, and forgets the old selector after keysShown.
func switchKeys(tx *db.Tx, d *row) error {
	if d.results[purposeNextRSA].Status == StatusOK {
		d.takeNext(tx.Now())
		if err := saveSwitch(tx, d); err != nil {
			return fmt.Errorf("domain: switch keys: %w", err)
		}
		return audit.Write(tx, "mail.domain.keys_switched", d.ID.String(), map[string]string{"domain": d.Domain.Domain, "from": d.OldSelector, "to": d.Selector})
	}
	if d.OldUntil != nil && tx.Now().Sub(d.OldUntil.Time) > keysShown-keysNeeded {
		d.OldSelector, d.OldUntil = "", nil
		return forgetOldKeys(tx, d)
	}
	return nil
}

// claimIf claims a domain if want is true. If another workspace owns it, it sets the
// domain's problem.
func (s *Service) claimIf(tx *db.Tx, d *row, want bool) (bool, error) {
	d.Problem = ""
	if !want {
		return false, nil
	}
	ours, err := claim(tx, d)
	if err != nil {
		return false, fmt.Errorf("domain: claim: %w", err)
	}
	if !ours {
		d.Problem = ProblemTaken
	}
	return ours, nil
}

// announce emits an event for a domain that became active, degraded or suspended.
func announce(tx *db.Tx, d *row) error {
	name := ""
	switch d.State {
	case Active:
		name = Verified
	case Degraded, Suspended:
		name = Failed
	default:
		return nil
	}
	_, err := event.Emit(tx, event.Change{Type: name, Object: d.Domain})
	return err
}
