package telegram

import (
	"context"
	"errors"
	"fmt"
	"time"

	"konak/internal/crm/channel"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// pollJob polls a bot's updates if the provider cannot call us. It is a recurring job of
// the account: its lease ensures that only one node polls.
const (
	pollJob = "telegram.poll"
	// pollWait is how long the provider may hold a request if there are no updates yet.
	pollWait = 25 * time.Second
	// pollPause is the pause between two requests, pollSlow the pause after a failed one.
	pollPause = 200 * time.Millisecond
	pollSlow  = 30 * time.Second
)

// runPoll is the handler of pollJob. It ends when the bot is paused or no longer polled;
// updates that were taken are not requested again.
func (s *Service) runPoll(ctx context.Context, j *jobs.Job) error {
	o, err := s.accounts.Open(ctx, j.AccountID)
	if err != nil {
		return channel.IgnoreDeleted(err)
	}
	if o.Set.Mode != channel.ByPolling || !o.Works() {
		return nil
	}
	from, err := db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (int64, error) { return nextUpdate(r, o.ID) })
	if err != nil {
		return fmt.Errorf("telegram: poll: %w", err)
	}
	list, err := s.Provider.Updates(ctx, o.Creds.token(), from, pollWait)
	if err != nil {
		return s.pollFailed(ctx, j, err)
	}
	next := from
	if len(list) == 0 {
		next = 0 // all earlier updates were taken, and after a week without any the provider restarts its numbering
	}
	for _, u := range list {
		if err = s.take(ctx, o.Account, u); err != nil {
			break // it is requested again, with those after it
		}
		next = max(next, u.ID+1)
	}
	if errors.Is(err, errStopped) {
		err = nil // the next run finds out which account it is
	}
	if fail := s.endPoll(ctx, j, from, next, o.Account); fail != nil || err != nil {
		return errors.Join(fail, err)
	}
	return jobs.RunAgain(s.DB.Clock().Now().Add(pollPause))
}

// endPoll records the progress of a poll. It changes nothing if another node has taken over
// the job.
func (s *Service) endPoll(ctx context.Context, j *jobs.Job, from, next int64, a channel.Account) error {
	troubled := a.Reason != nil && (*a.Reason == PollConflict || *a.Reason == channel.TokenExpired)
	if next == from && !troubled {
		return nil
	}
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if ours, err := j.Progress(tx); err != nil || !ours {
			return err
		}
		if troubled {
			if err := s.Channels.ClearAttention(tx, a.ID, PollConflict, channel.TokenExpired); err != nil {
				return err
			}
		}
		return setNextUpdate(tx, a.ID, next)
	})
}

// pollFailed decides when to poll again. A refused token, or somebody else polling the same
// bot, is shown to people.
func (s *Service) pollFailed(ctx context.Context, j *jobs.Job, err error) error {
	r, refused := errors.AsType[*Refusal](err)
	if !refused || r.Passing() {
		if ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
			return err
		}
		if refused && r.RetryAfter == 0 {
			return jobs.Snooze(s.DB.Clock().Now().Add(pollSlow))
		}
		return s.transport.Retry(err)
	}
	s.accounts.RecordAnswer(ctx, j.AccountID, err)
	if !r.Auth() {
		if fail := s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
			return s.Channels.RequireAttention(tx, j.AccountID, PollConflict)
		}); fail != nil {
			return fail
		}
	}
	return jobs.Snooze(s.DB.Clock().Now().Add(pollSlow))
}
