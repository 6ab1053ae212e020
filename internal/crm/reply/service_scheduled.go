package reply

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/draft"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/later"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/jobs"
	"konak/internal/kit/perm"
)

// ScheduledJob is the kind of the jobs that send scheduled messages.
const ScheduledJob = "conversation.scheduled"

// Later is a message to be scheduled.
type Later struct {
	Answer
	// SendAt is when it is sent; nil means Delay from now.
	SendAt *clock.Time
	Delay  time.Duration
	// FollowUp is what happens to the conversation then, nil for nothing.
	FollowUp *later.FollowUp
	// UntilReply cancels it if the customer writes first.
	UntilReply bool
}

// Schedule stores a message that is sent later. It refuses one that the policy would refuse
// now: dlp_blocked or dlp_warning.
func (s *Service) Schedule(ctx context.Context, id uuid.UUID, l Later) (m later.Scheduled, err error) {
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &m, func(tx *db.Tx) error {
		_, err := s.Conversations.Apply(tx, id, s.ToSchedule(l, &m), s.clearDraft(draft.Reply))
		return err
	})
	return m, s.RecordRefusal(ctx, err)
}

// ToSchedule is Schedule as a step, except that the draft stays; the scheduled message is
// stored in out.
func (s *Service) ToSchedule(l Later, out *later.Scheduled) conversation.Step {
	return func(tx *db.Tx, was conversation.Conversation) (conversation.Conversation, error) {
		var err error
		*out, err = s.schedule(tx, was, l)
		return was, err
	}
}

// schedule stores a message of a locked conversation to be sent later.
func (s *Service) schedule(tx *db.Tx, c conversation.Conversation, l Later) (m later.Scheduled, err error) {
	sendAt, err := l.sendAt(tx.Now())
	if err != nil {
		return m, err
	}
	if err := l.checkFollowUp(tx.Context(), sendAt); err != nil {
		return m, err
	}
	held := &conversation.Item{Body: strings.TrimSpace(l.Body)}
	if err := s.takeFiles(tx, held, l.Attachments, nil); err != nil {
		return m, err
	}
	waiting, err := later.LockWaiting(tx, c.ID)
	if err != nil {
		return m, err
	}
	if len(waiting) >= maxScheduled {
		return m, fault.New(fault.LimitReached, maxScheduled)
	}
	who := conversation.AuthorFrom(tx)
	m = later.Scheduled{
		ID: tx.NewID(), ConversationID: c.ID, State: later.Waiting, AuthorKind: who.Kind, AuthorID: who.ID, Body: held.Body,
		UntilReply: l.UntilReply, SendAt: sendAt, Attachments: held.Attachments, Test: c.Test, CreatedAt: clock.At(tx.Now()),
	}
	m.FollowUp.V = l.FollowUp
	m.Format, m.Signature, m.Override = conversation.FormatPlain, l.Signature, strings.TrimSpace(l.Override)
	if l.Markdown {
		m.Format = conversation.FormatMarkdown
	}
	if l.Channel != "" {
		m.Channel, m.ChannelAccountID = &l.Channel, l.AccountID
	}
	// A route may or may not exist at that time, but a message that could not be sent even
	// now is a mistake that its author should see.
	route, err := s.findRoute(tx, &c, l.Answer)
	if err != nil && !fault.Is(err, fault.WindowClosed) {
		return m, err
	}
	// The same holds for the rules on its text.
	held.AuthorKind, held.AuthorID = who.Kind, who.ID
	if err := s.completeBody(&tx.Reader, held, route, l.Markdown, l.Signature); err != nil {
		return m, err
	}
	if err := s.checkScheduled(tx, &c, held, &m, route); err != nil {
		return m, err
	}
	if err := later.Put(tx, &m); err != nil {
		return m, fmt.Errorf("conversation: schedule: %w", err)
	}
	for _, a := range m.Attachments {
		if err := file.HoldForScheduled(tx, a.ID, m.ID); err != nil {
			return m, err
		}
	}
	if _, err := jobs.Enqueue(tx, ScheduledJob, m.SendAt.Time, m.ID); err != nil {
		return m, err
	}
	return m, s.Conversations.Announce(tx, []string{conversation.ScheduleChanged}, nil, &c, nil)
}

// sendAt returns the time at which a message is sent.
func (l *Later) sendAt(now time.Time) (clock.Time, error) {
	switch {
	case l.SendAt == nil && l.Delay == 0:
		return clock.Time{}, fault.Invalid("send_at", "required")
	case l.SendAt == nil:
		return clock.At(now.Add(l.Delay)), nil
	case l.Delay != 0:
		return clock.Time{}, fault.Invalid("delay_s", "not_together")
	case !l.SendAt.After(now) || l.SendAt.After(now.Add(furthest)):
		return clock.Time{}, fault.Invalid("send_at", "out_of_range")
	}
	return *l.SendAt, nil
}

// checkFollowUp refuses a follow-up that is not possible, or not permitted to the caller.
func (l *Later) checkFollowUp(ctx context.Context, sendAt clock.Time) error {
	if l.FollowUp == nil {
		return nil
	}
	if !caller.From(ctx).Can(perm.ConversationsManage) {
		return fault.Lacking(perm.ConversationsManage)
	}
	snooze, until := l.FollowUp.State == string(conversation.Snoozed), l.FollowUp.Until
	if snooze != (until != nil || l.FollowUp.UntilReply) || until != nil && l.FollowUp.UntilReply {
		return fault.Invalid("then.until", "not_together")
	}
	if until != nil && (!until.After(sendAt.Time) || until.After(sendAt.AddDate(1, 0, 0))) {
		return fault.Invalid("then.until", "out_of_range")
	}
	return nil
}

// ScheduledIn lists a conversation's scheduled messages.
func (s *Service) ScheduledIn(ctx context.Context, id uuid.UUID, state string, p db.Page) (db.List[later.Scheduled], error) {
	return conversation.ReadConversation(ctx, s.Conversations, id, func(r *db.Reader, _ *conversation.Conversation) (db.List[later.Scheduled], error) {
		out, err := later.List(r, id, state, p)
		if err != nil || len(out.Rows) == 0 {
			return out, err
		}
		files, err := file.OfScheduled(r, each.Map(out.Rows, func(m later.Scheduled) uuid.UUID { return m.ID }))
		for n := range out.Rows {
			out.Rows[n].Attachments = db.OrEmpty(files[out.Rows[n].ID])
		}
		return out, err
	})
}

// Unschedule cancels one message; a repeat changes nothing, a message that was sent is a
// conflict. Its files are removed, unless its author keeps them to continue writing.
func (s *Service) Unschedule(ctx context.Context, id, scheduled uuid.UUID, keepFiles bool) (m later.Scheduled, err error) {
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		c, err := conversation.LockLive(tx, id)
		if err != nil {
			return err
		}
		if m, err = later.Lock(tx, scheduled); err != nil {
			return db.NotFound(err)
		}
		switch {
		case m.ConversationID != id:
			return fault.New(fault.NotFound)
		case m.State == later.Cancelled:
			return nil
		case m.State != later.Waiting:
			return fault.New(fault.Conflict).Because(m.State)
		}
		me := conversation.AgentID(ctx)
		if keepFiles && m.AuthorID != nil && *m.AuthorID == me {
			files, err := file.OfScheduled(&tx.Reader, []uuid.UUID{m.ID})
			if err != nil {
				return err
			}
			m.Attachments = db.OrEmpty(files[m.ID])
			if err := file.ReleaseFromScheduled(tx, m.ID); err != nil {
				return err
			}
		}
		if err := later.Cancel(tx, []*later.Scheduled{&m}); err != nil {
			return err
		}
		return s.Conversations.Announce(tx, []string{conversation.ScheduleChanged}, nil, &c, nil)
	})
	return m, err
}

// UnscheduleAll cancels all waiting messages of a conversation and returns their number.
func (s *Service) UnscheduleAll(ctx context.Context, id uuid.UUID) (n int, err error) {
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		c, err := conversation.LockLive(tx, id)
		if err != nil {
			return err
		}
		list, err := later.LockWaiting(tx, id)
		if n = len(list); err != nil || n == 0 {
			return err
		}
		all := make([]*later.Scheduled, n)
		for i := range list {
			all[i] = &list[i]
		}
		if err := later.Cancel(tx, all); err != nil {
			return err
		}
		return s.Conversations.Announce(tx, []string{conversation.ScheduleChanged}, nil, &c, nil)
	})
	return n, err
}

// Jobs returns the kind of the jobs that send scheduled messages.
func (s *Service) Jobs() []jobs.Kind {
	return []jobs.Kind{{Name: ScheduledJob, Handler: jobs.WithPayload(s.RunScheduled), PerNode: 32, PerTenant: 8, MaxAttempts: 20}}
}

// RunScheduled sends a message that is due. Everything happens in one transaction that
// begins with the row's state, so the message is sent once however often the job runs and
// wherever it dies.
func (s *Service) RunScheduled(ctx context.Context, _ *jobs.Job, id uuid.UUID) error {
	ctx, err := s.asAuthor(ctx, id)
	if err != nil {
		return err
	}
	err = s.Conversations.InTx(ctx, func(tx *db.Tx) error { return s.sendScheduled(tx, id) })
	// A refusal rolled everything back; only its reason is recorded.
	if f, ok := fault.As(err); ok && f.Code.Status() < 500 {
		if err := s.Policy.RecordRefusal(ctx, err); err != nil {
			return err
		}
		return s.Conversations.InTx(ctx, func(tx *db.Tx) error { return s.failScheduled(tx, id, f) })
	}
	return err
}

// asAuthor makes the author of a message with a follow-up the caller, because they are the
// one who closes or snoozes the conversation.
func (s *Service) asAuthor(ctx context.Context, id uuid.UUID) (context.Context, error) {
	m, err := db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (later.Scheduled, error) { return later.Find(r, id) })
	if err != nil || m.FollowUp.V == nil || m.AuthorID == nil {
		return ctx, db.IgnoreNoRow(err)
	}
	who := *caller.From(ctx)
	who.Kind, who.ID = caller.Kind(m.AuthorKind), *m.AuthorID
	return caller.With(ctx, &who), nil
}

// followUp closes or snoozes a conversation after its message was sent, unless the customer
// wrote after the message was written. A conversation that was closed after the message was
// written is closed again, because the message is older than the closing.
func (s *Service) followUp(tx *db.Tx, m *later.Scheduled, last conversation.Item, before, c conversation.Conversation) error {
	then := m.FollowUp.V
	if then == nil && before.State == conversation.Closed && before.ClosedAt.After(m.CreatedAt.Time) {
		then = &later.FollowUp{State: string(conversation.Closed)}
	}
	if then == nil || last.AuthorKind == conversation.ByContact && last.CreatedAt.After(m.CreatedAt.Time) {
		return nil
	}
	step := s.Conversations.ToClose()
	if then.State == string(conversation.Snoozed) {
		if then.Until != nil && !then.Until.After(tx.Now()) {
			return nil
		}
		step = s.Conversations.ToSnooze(then.Until, then.UntilReply)
	}
	_, err := step(tx, c)
	return err
}

func (s *Service) sendScheduled(tx *db.Tx, id uuid.UUID) error {
	c, m, err := s.lockForSending(tx, id)
	if db.IsNoRow(err) {
		return nil // nothing is left to send
	}
	if err != nil || m.State != later.Waiting {
		return err
	}
	files, err := file.OfScheduled(&tx.Reader, []uuid.UUID{id})
	if err != nil {
		return err
	}
	a := Answer{Author: conversation.Author{Kind: m.AuthorKind, ID: m.AuthorID}, Body: m.Body, held: db.OrEmpty(files[id])}
	a.Markdown, a.Signature, a.Override = m.Format == conversation.FormatMarkdown, m.Signature, m.Override
	if m.Channel != nil {
		a.Channel, a.AccountID = *m.Channel, m.ChannelAccountID
	}
	last, err := conversation.LastMessage(&tx.Reader, c.ID)
	if err != nil && !db.IsNoRow(err) {
		return err
	}
	out, err := s.reply(tx, c, a)
	if err != nil {
		return err
	}
	if err := s.followUp(tx, &m, last, c, out.Conversation); err != nil {
		return err
	}
	m.State, m.ItemID = later.Sent, &out.Item.ID
	return later.Save(tx, &m)
}

// lockForSending locks the conversation before the message, in the same order as
// everywhere, and follows merges. It returns not_found if the conversation is deleted. If
// the message was moved to another conversation meanwhile, the transaction runs again: it
// must never reach the customer of the conversation it left.
func (s *Service) lockForSending(tx *db.Tx, id uuid.UUID) (c conversation.Conversation, m later.Scheduled, err error) {
	if m, err = later.Find(&tx.Reader, id); err != nil {
		return c, m, err
	}
	if c, err = conversation.LockAny(tx, m.ConversationID); err != nil {
		return c, m, err
	}
	for hops := 0; err == nil && c.MergedIntoID != nil && hops < 10; hops++ {
		c, err = conversation.LockAny(tx, *c.MergedIntoID)
	}
	if err != nil {
		return c, m, err
	}
	if m, err = later.Lock(tx, id); err != nil || m.State != later.Waiting {
		return c, m, err
	}
	if m.ConversationID != c.ID {
		return c, m, contact.ErrRace
	}
	if c.DeletedAt != nil {
		err = fault.New(fault.NotFound)
	}
	return c, m, err
}

// failScheduled records why a message could not be sent, where its author sees it.
func (s *Service) failScheduled(tx *db.Tx, id uuid.UUID, f *fault.Fault) error {
	c, m, err := s.lockForSending(tx, id)
	gone := fault.Is(err, fault.NotFound)
	if err != nil && !gone || m.State != later.Waiting {
		return err
	}
	reason := string(f.Code)
	if wrong := f.Fields["admin_id"]; len(wrong) > 0 {
		reason = wrong[0] // the author is no longer an agent
	}
	m.State, m.Error = later.Failed, &reason
	if err := later.Save(tx, &m); err != nil || gone {
		return err
	}
	detail := map[string]any{"scheduled_id": m.ID, "error": reason, "body": m.Body}
	if err := s.Conversations.RecordEvent(tx, c, &c, "scheduled_failed", detail); err != nil {
		return err
	}
	if c.OwnerID != nil {
		if err := s.Conversations.MarkUnread(tx, c.ID, *c.OwnerID); err != nil {
			return err
		}
	}
	return s.Conversations.Announce(tx, []string{conversation.ScheduleChanged}, nil, &c, nil)
}
