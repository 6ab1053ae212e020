package conversation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Assist sets who writes summaries; the app calls it at start.
func (s *Service) Assist(a Assistant) { s.assistant = a }

// mostFeedback is how many votes a record of the assistant carries.
const mostFeedback = 200

// AI reads what the assistant did with a conversation.
func (s *Service) AI(ctx context.Context, id uuid.UUID) (a AIRecord, err error) {
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) error {
		c, err := byID(r, id)
		if err != nil {
			return absent(err)
		}
		if a, err = aiRecord(r, id); err != nil {
			return err
		}
		a.State, a.HandoverReason = c.AIState, c.HandoverReason
		a.Feedback = []Feedback{}
		if a.Answers > 0 {
			a.Feedback, err = votesIn(r, id, mostFeedback)
		}
		return err
	})
	return a, err
}

// AIAttributes reads what the assistant understood.
func (s *Service) AIAttributes(ctx context.Context, id uuid.UUID) (out []AIAttribute, err error) {
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) error {
		if _, err := byID(r, id); err != nil {
			return absent(err)
		}
		out, err = aiAttributes(r, id)
		return err
	})
	return out, err
}

// SetAIAttributes is how the assistant writes down what it understood. A nil
// value takes an attribute away; what is not named stays.
func (s *Service) SetAIAttributes(ctx context.Context, id uuid.UUID, set []AIAttribute) (out []AIAttribute, err error) {
	_, err = s.change(ctx, id, func(tx *db.Tx, was Conversation) (Conversation, error) {
		if out, err = aiAttributes(&tx.Reader, id); err != nil {
			return was, err
		}
		changed := false
		for _, a := range set {
			a.At = clock.At(tx.Now())
			i := slices.IndexFunc(out, func(o AIAttribute) bool { return o.Name == a.Name })
			if i >= 0 && a.same(out[i]) || i < 0 && a.Value == nil {
				continue
			}
			if err := s.setAttribute(tx, id, a); err != nil {
				return was, err
			}
			changed = true
		}
		if !changed {
			return was, nil
		}
		if out, err = aiAttributes(&tx.Reader, id); err != nil {
			return was, err
		}
		if len(out) > maxAIAttributes {
			return was, fault.New(fault.LimitReached, maxAIAttributes)
		}
		return was, s.announce(tx, []string{Annotated}, nil, &was, nil)
	})
	return out, err
}

func (s *Service) setAttribute(tx *db.Tx, id uuid.UUID, a AIAttribute) error {
	if a.Value == nil {
		return dropAIAttribute(tx, id, a.Name)
	}
	if err := a.check(); err != nil {
		return err
	}
	return putAIAttribute(tx, id, a)
}

// same says whether an attribute is known already, whenever that was.
func (a *AIAttribute) same(o AIAttribute) bool {
	now, _ := json.Marshal(a.Value)
	then, _ := json.Marshal(o.Value)
	return string(now) == string(then) && a.Source == o.Source && same(a.ItemID, o.ItemID)
}

func (a *AIAttribute) check() error {
	if a.Name == "" || len(a.Name) > 64 || a.Source == "" || len(a.Source) > 64 {
		return fault.Invalid("name", "invalid_name")
	}
	switch a.Value.(type) {
	case string, bool, int, int64, float64:
	default:
		return fault.Invalid("value", "wrong_type")
	}
	if text, err := json.Marshal(a.Value); err != nil || len(text) > maxAIValueBytes {
		return fault.Invalid("value", "too_large")
	}
	return nil
}

// Handover gives a conversation that the assistant holds to people, because an
// agent says so. A repeat changes nothing but the group.
func (s *Service) Handover(ctx context.Context, id uuid.UUID, reason string, group *uuid.UUID) (Conversation, error) {
	return s.change(ctx, id, func(tx *db.Tx, was Conversation) (Conversation, error) {
		switch was.AIState {
		case AIOff:
			return was, fault.New(fault.Conflict).Because("ai_off")
		case AIHandedOver:
			return s.ToUpdate(Change{GroupID: group})(tx, was)
		}
		c, err := s.ToEscalate(reason, group)(tx, was)
		if me := agentID(ctx); err == nil && me != uuid.Nil {
			err = s.markRead(tx, id, me)
		}
		return c, err
	})
}

// Summary reads the stored summary.
func (s *Service) Summary(ctx context.Context, id uuid.UUID) (out Summary, err error) {
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) error {
		if _, err := byID(r, id); err != nil {
			return absent(err)
		}
		if out, err = storedSummary(r, id); err != nil || out.Summary == nil {
			return err
		}
		out.Outdated, err = changedSince(r, id, out)
		return err
	})
	return out, err
}

// transcriptItems is how much of a conversation an assistant gets to read.
const transcriptItems = 200

// GenerateSummary lets the assistant write a summary and stores it.
func (s *Service) GenerateSummary(ctx context.Context, id uuid.UUID) (Summary, error) {
	t, err := s.Transcript(ctx, id)
	if err != nil {
		return Summary{}, err
	}
	if len(t.Items) == 0 {
		return Summary{}, fault.New(fault.NothingToSummarize)
	}
	n, err := s.assistant.Summarize(ctx, t)
	if err != nil {
		return Summary{}, err
	}
	return s.StoreSummary(ctx, id, n, t.Items[len(t.Items)-1].CreatedAt)
}

// Transcript reads what an assistant may know of a conversation.
func (s *Service) Transcript(ctx context.Context, id uuid.UUID) (t Transcript, err error) {
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) error {
		if t.Conversation, err = byID(r, id); err != nil {
			return absent(err)
		}
		who, err := s.contacts.Whole(r, t.Conversation.ContactID)
		if err != nil && !db.IsNoRow(err) {
			return err
		}
		t.Language = who.Language
		t.Items, err = written(r, id, transcriptItems)
		slices.Reverse(t.Items)
		return err
	})
	return t, err
}

// StoreSummary keeps a summary of a conversation up to a place in its
// timeline. It replaces the one that was there.
func (s *Service) StoreSummary(ctx context.Context, id uuid.UUID, n NewSummary, upTo clock.Time) (out Summary, err error) {
	n.Body = strings.TrimSpace(n.Body)
	if n.Body == "" {
		return out, fmt.Errorf("conversation: the assistant wrote an empty summary")
	}
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		c, err := lockLive(tx, id)
		if err != nil {
			return err
		}
		out = Summary{Summary: &n.Body, Language: &n.Language, GeneratedAt: clock.Ptr(tx.Now()), upTo: upTo}
		out.Configuration.V = n.Configuration
		if me := agentID(ctx); me != uuid.Nil {
			out.RequestedBy = &me
		}
		if err := putSummary(tx, id, out); err != nil {
			return err
		}
		if out.Outdated, err = changedSince(&tx.Reader, id, out); err != nil {
			return err
		}
		return s.announce(tx, []string{Annotated}, nil, &c, nil)
	})
	return out, err
}

// DeleteSummary removes the summary and says whether there was one.
func (s *Service) DeleteSummary(ctx context.Context, id uuid.UUID) (gone bool, err error) {
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		c, err := lockLive(tx, id)
		if err != nil {
			return err
		}
		if gone, err = dropSummary(tx, id); err != nil || !gone {
			return err
		}
		return s.announce(tx, []string{Annotated}, nil, &c, nil)
	})
	return gone, err
}
