package assistant

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// moneyUnit is the number of parts into which a day's count divides a minor unit of money:
// one part is the price of one token at one minor unit per million.
const moneyUnit = 1_000_000

// usage is what calls of a language model used.
type usage struct {
	tokens int64
	money  int64 // in parts of moneyUnit
	timeMS int64
}

func (u usage) minus(o usage) usage {
	return usage{u.tokens - o.tokens, u.money - o.money, u.timeMS - o.timeMS}
}

// today returns the current day of spending, in UTC.
func (s *Service) today() int64 {
	return s.DB.Clock().Now().UTC().Truncate(24 * time.Hour).Unix()
}

// limit returns the budgets of a day.
func (m *ModelSettings) limit() usage {
	out := usage{m.DailyTokens, m.DailyMoney * moneyUnit, m.DailySeconds * 1000}
	if m.DailyMoney == 0 {
		out.money = math.MaxInt64 / 2
	}
	return out
}

func (m *ModelSettings) usageOf(input, output int64, took time.Duration) usage {
	return usage{input + output, input*m.InputPrice + output*m.OutputPrice, took.Milliseconds()}
}

// tokensPerMessage is the maximum that a message uses in addition to its text: its role and
// the tokens that servers put around it.
const tokensPerMessage = 32

// mostInput returns the maximum number of tokens of a request: a token is at least one
// byte.
func (r *ChatRequest) mostInput() (n int64) {
	for _, m := range r.Messages {
		n += tokensPerMessage + int64(len(m.Text))
		for _, c := range m.Calls {
			n += tokensPerMessage + int64(len(c.Name)+len(c.Arguments))
		}
	}
	for _, t := range r.Tools {
		n += tokensPerMessage + int64(len(t.Name)+len(t.Description)+len(t.Parameters))
	}
	return n
}

// errBudgetSpent means that a day's budget does not allow another call.
var errBudgetSpent = errors.New("the day's budget is used up")

// errUnreachable means that the language model's server does not answer, or failed a moment
// ago and is not called.
var errUnreachable = errors.New("the language model's server does not answer")

// complete calls the language model of a configuration, with a time limit. The maximum that
// the call may use is reserved before it, in a separate transaction: if the process dies
// meanwhile it stays reserved, so that a day never exceeds its budget. The error is
// errBudgetSpent, errUnreachable or ErrBadAnswer.
func (s *Service) complete(ctx context.Context, c Configuration, r ChatRequest, within time.Duration) (ChatAnswer, error) {
	h, m, day := s.DB.TenantOf(ctx), c.Model.V, s.today()
	to, err := s.endpoint(caller.From(ctx).TenantID, &c)
	if err != nil {
		return ChatAnswer{}, err
	}
	if within <= 0 || m.PausedUntil != nil && s.DB.Clock().Now().Before(m.PausedUntil.Time) {
		return ChatAnswer{}, errUnreachable
	}
	most := m.usageOf(r.mostInput(), int64(r.MaxTokens), within)
	enough := false
	if err := h.InTx(ctx, func(tx *db.Tx) error {
		enough, err = reserve(tx, c, day, most)
		return err
	}); err != nil {
		return ChatAnswer{}, err
	}
	if !enough {
		return ChatAnswer{}, errBudgetSpent
	}
	begun := s.DB.Clock().Now()
	call, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	answer, failed := s.Model.Complete(call, to, r)
	// A server that got less time than for an answer to a customer is not to blame.
	hurried := call.Err() != nil && within < s.ModelTime
	if ctx.Err() != nil {
		return ChatAnswer{}, ctx.Err() // the server is shutting down, which is not the model's fault
	}
	used := most
	switch {
	case errors.Is(failed, ErrNothingUsed):
		used = usage{}
	// An impossible or missing token count from the server does not lower the usage.
	case failed == nil && answer.Input > 0 && answer.Output >= 0 && answer.Input <= r.mostInput() && answer.Output <= int64(r.MaxTokens):
		used = m.usageOf(answer.Input, answer.Output, within)
	}
	used.timeMS = min(most.timeMS, max(0, s.DB.Clock().Now().Sub(begun).Milliseconds()))
	err = h.InTx(ctx, func(tx *db.Tx) error {
		if err := giveBack(tx, c.ID, day, most.minus(used)); err != nil || hurried {
			return err
		}
		return s.noteOutcome(tx, &c, failed)
	})
	switch {
	case err != nil:
		return ChatAnswer{}, err
	case failed != nil && !errors.Is(failed, ErrBadAnswer):
		return ChatAnswer{}, fmt.Errorf("%w: %w", errUnreachable, failed)
	}
	return answer, failed
}

// Pauses after failures of a server: each consecutive failure doubles the pause.
const (
	firstPause = 30 * time.Second
	maxPause   = 30 * time.Minute
)

// noteOutcome pauses a language model whose server did not answer, and forgets earlier
// failures if it did.
func (s *Service) noteOutcome(tx *db.Tx, c *Configuration, failed error) error {
	if failed == nil || errors.Is(failed, ErrBadAnswer) {
		if c.Model.V.failures == 0 {
			return nil
		}
		return setFailure(tx, c.ID, "", 0, nil)
	}
	failures := c.Model.V.failures + 1
	pause := maxPause
	if failures < 7 {
		pause = min(maxPause, firstPause<<(failures-1))
	}
	return setFailure(tx, c.ID, failed.Error(), failures, clock.Ptr(tx.Now().Add(pause)))
}
