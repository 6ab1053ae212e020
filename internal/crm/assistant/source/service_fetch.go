package source

import (
	"context"
	"errors"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// FetchJob fetches a page, now and every day. Its account is the source.
const FetchJob = "assistant.fetch_source"

// Jobs returns the package's job kinds.
func (s *Service) Jobs() []jobs.Kind {
	return []jobs.Kind{{
		Name: FetchJob, Handler: s.runFetch, PerNode: 8, PerTenant: 2, PerAccount: 1, MaxAttempts: 1_000_000,
		Timeout: time.Minute, HoldReason: "source_unreachable",
	}}
}

// runFetch is the handler of FetchJob. It ends when the source no longer exists.
func (s *Service) runFetch(ctx context.Context, j *jobs.Job) error {
	src, err := db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Source, error) { return byID(r, j.AccountID) })
	if db.IsNoRow(err) {
		return nil
	}
	if err != nil {
		return err
	}
	licences, err := s.Licences.Licences(ctx, j.TenantID)
	if err != nil {
		return err
	}
	if !licences[Licence] {
		return jobs.RunAgain(s.DB.Clock().Now().Add(refreshAfter))
	}
	doc, err := s.fetch(ctx, src.Address)
	failed, isFailure := errors.AsType[*Failure](err)
	if err != nil && !isFailure {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err() // the server is shutting down
	}
	var next time.Time
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if ours, err := j.StillOurs(tx); err != nil || !ours {
			return err
		}
		next = tx.Now().Add(refreshAfter)
		if failed != nil {
			next = tx.Now().Add(retryAfter)
		}
		return saveFetched(tx, j, doc, failed)
	})
	if err != nil || next.IsZero() {
		return err
	}
	return jobs.RunAgain(next)
}

// saveFetched stores the result of fetching a page.
func saveFetched(tx *db.Tx, j *jobs.Job, doc document, failed *Failure) error {
	src, err := lock(tx, j.AccountID)
	if db.IsNoRow(err) {
		return nil
	}
	if err != nil {
		return err
	}
	now := clock.At(tx.Now())
	had := src.Bytes > 0
	if failed == nil {
		if err := src.take(tx, doc); err != nil {
			return err
		}
	} else {
		tooOld := src.ReadAt != nil && now.Sub(src.ReadAt.Time) > keepText
		src.fail(failed.Code, had && (failed.Gone || tooOld))
	}
	src.TriedAt, src.UpdatedAt = &now, now
	switch {
	case src.State == Ready:
		err = saveText(tx, src.ID, doc.sections)
	case had && src.Bytes == 0:
		err = saveText(tx, src.ID, []section{})
	}
	if err != nil {
		return err
	}
	return save(tx, src)
}
