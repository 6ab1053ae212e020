package airecord

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Config is what the package needs.
type Config struct {
	Conversations *conversation.Service
	Contacts      *contact.Book
	// Assistant writes summaries; NoAssistant by default.
	Assistant Assistant
}

// Service stores what the assistant did and understood.
type Service struct{ Config }

// New returns the service.
func New(c Config) *Service {
	if c.Assistant == nil {
		c.Assistant = NoAssistant{}
	}
	return &Service{c}
}

// mostFeedback is the maximum number of votes in an AIRecord.
const mostFeedback = 200

// AI returns what the assistant did with a conversation.
func (s *Service) AI(ctx context.Context, id uuid.UUID) (AIRecord, error) {
	return conversation.ReadConversation(ctx, s.Conversations, id, func(r *db.Reader, c *conversation.Conversation) (a AIRecord, err error) {
		did, err := conversation.ReadAIAnswers(r, id)
		if err != nil {
			return a, err
		}
		a = AIRecord{
			State: c.AIState, HandoverReason: c.HandoverReason, Since: did.Since, Answers: did.Answers, LastAnsweredAt: did.LastAnsweredAt,
			Feedback: []Feedback{},
		}
		a.Configuration.V = did.Configuration
		if a.Answers > 0 {
			a.Feedback, err = votesIn(r, id, mostFeedback)
		}
		return a, err
	})
}

// AIAttributes returns what the assistant understood.
func (s *Service) AIAttributes(ctx context.Context, id uuid.UUID) ([]AIAttribute, error) {
	return conversation.ReadConversation(ctx, s.Conversations, id, func(r *db.Reader, _ *conversation.Conversation) ([]AIAttribute, error) {
		return aiAttributes(r, id)
	})
}

// SetAIAttributes records what the assistant understood. A nil value removes an attribute;
// attributes not in set stay.
func (s *Service) SetAIAttributes(ctx context.Context, id uuid.UUID, set []AIAttribute) (out []AIAttribute, err error) {
	_, err = s.Conversations.Change(ctx, id, func(tx *db.Tx, was conversation.Conversation) (conversation.Conversation, error) {
		if out, err = aiAttributes(&tx.Reader, id); err != nil {
			return was, err
		}
		changed := false
		for _, a := range set {
			a.At = clock.At(tx.Now())
			i := slices.IndexFunc(out, func(o AIAttribute) bool { return o.Name == a.Name })
			if i >= 0 && a.equalValue(out[i]) || i < 0 && a.Value == nil {
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
		return was, s.Conversations.Announce(tx, []string{conversation.Annotated}, nil, &was, nil)
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

// equalValue reports whether two attributes are equal apart from their time.
func (a *AIAttribute) equalValue(o AIAttribute) bool {
	now, _ := json.Marshal(a.Value)
	then, _ := json.Marshal(o.Value)
	return string(now) == string(then) && a.Source == o.Source && conversation.SameID(a.ItemID, o.ItemID)
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

// Summary returns the stored summary.
func (s *Service) Summary(ctx context.Context, id uuid.UUID) (out Summary, err error) {
	err = s.Conversations.Tenant(ctx).Read(ctx, func(r *db.Reader) error {
		if _, err := conversation.ByID(r, id); err != nil {
			return db.NotFound(err)
		}
		if out, err = storedSummary(r, id); err != nil || out.Summary == nil {
			return err
		}
		out.Outdated, err = changedSince(r, id, out)
		return err
	})
	if err == nil {
		out.Available, err = s.Assistant.CanSummarize(ctx)
	}
	return out, err
}

// transcriptItems is the number of items that an assistant gets to read.
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
	n, err := s.Assistant.Summarize(ctx, t)
	if err != nil {
		return Summary{}, err
	}
	out, err := s.StoreSummary(ctx, id, n, t.Items[len(t.Items)-1].CreatedAt)
	out.Available = true // it has just written one
	return out, err
}

// Transcript returns what an assistant may know of a conversation.
func (s *Service) Transcript(ctx context.Context, id uuid.UUID) (t Transcript, err error) {
	err = s.Conversations.Tenant(ctx).Read(ctx, func(r *db.Reader) error {
		if t.Conversation, err = conversation.ByID(r, id); err != nil {
			return db.NotFound(err)
		}
		who, err := s.Contacts.Whole(r, t.Conversation.ContactID)
		if err != nil && !db.IsNoRow(err) {
			return err
		}
		t.Language = who.Language
		t.Items, err = conversation.LastMessagesAndNotes(r, id, transcriptItems)
		slices.Reverse(t.Items)
		return err
	})
	return t, err
}

// StoreSummary stores a summary of a conversation up to a point in its timeline. It
// replaces an earlier one.
func (s *Service) StoreSummary(ctx context.Context, id uuid.UUID, n NewSummary, upTo clock.Time) (out Summary, err error) {
	n.Body = strings.TrimSpace(n.Body)
	if n.Body == "" {
		return out, fmt.Errorf("conversation: the assistant wrote an empty summary")
	}
	err = s.Conversations.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		c, err := conversation.LockLive(tx, id)
		if err != nil {
			return err
		}
		out = Summary{Summary: &n.Body, Language: &n.Language, GeneratedAt: clock.Ptr(tx.Now()), upTo: upTo}
		out.Configuration.V = n.Configuration
		if me := conversation.AgentID(ctx); me != uuid.Nil {
			out.RequestedBy = &me
		}
		if err := putSummary(tx, id, out); err != nil {
			return err
		}
		if out.Outdated, err = changedSince(&tx.Reader, id, out); err != nil {
			return err
		}
		return s.Conversations.Announce(tx, []string{conversation.Annotated}, nil, &c, nil)
	})
	return out, err
}

// DeleteSummary removes the summary and reports whether there was one.
func (s *Service) DeleteSummary(ctx context.Context, id uuid.UUID) (gone bool, err error) {
	err = s.Conversations.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		c, err := conversation.LockLive(tx, id)
		if err != nil {
			return err
		}
		if gone, err = dropSummary(tx, id); err != nil || !gone {
			return err
		}
		return s.Conversations.Announce(tx, []string{conversation.Annotated}, nil, &c, nil)
	})
	return gone, err
}

// Rate stores an agent's vote on an answer of the assistant.
func (s *Service) Rate(ctx context.Context, id, item uuid.UUID, rating, comment string) (f Feedback, err error) {
	who := caller.From(ctx)
	f = Feedback{AuthorKind: conversation.ByAgent, AuthorID: who.ID, Rating: rating, Comment: strings.TrimSpace(comment)}
	return s.rate(ctx, id, item, f, func(*db.Tx, *conversation.Conversation, *conversation.Item, *Feedback) error { return nil })
}

// CustomerRated stores the customer's vote on an answer that they got over a channel
// account. It replaces an earlier vote. It returns not_found if the item did not go over
// the account, and a conflict if the assistant did not write it.
func (s *Service) CustomerRated(ctx context.Context, v CustomerVote) (Feedback, error) {
	f := Feedback{AuthorKind: conversation.ByContact, Rating: v.Rating, Comment: strings.TrimSpace(v.Comment)}
	return s.rate(ctx, v.ConversationID, v.ItemID, f, func(tx *db.Tx, c *conversation.Conversation, i *conversation.Item, f *Feedback) error {
		if i.ChannelAccountID == nil || *i.ChannelAccountID != v.AccountID {
			return fault.New(fault.NotFound)
		}
		f.AuthorID = c.ContactID
		return dropCustomerVote(tx, i.ID) // the earlier vote may be another contact's
	})
}

// thumbs are the reactions that are votes, in any skin colour.
var thumbs = map[string]string{"\U0001F44D": RatedUp, "\U0001F44E": RatedDown}

// SetReactionVote stores a customer's reaction to an answer of the assistant as their vote:
// a thumb up or down. Any other sign, or none, removes their vote. The caller changes the
// item in the same transaction.
func SetReactionVote(tx *db.Tx, c conversation.Conversation, i conversation.Item, sign string) error {
	if !IsAnswer(&i) {
		return nil
	}
	if err := dropCustomerVote(tx, i.ID); err != nil {
		return err
	}
	rating, isVote := thumbs[strings.TrimRight(sign, "\uFE0F\U0001F3FB\U0001F3FC\U0001F3FD\U0001F3FE\U0001F3FF")]
	if !isVote {
		return nil
	}
	return putFeedback(tx, Feedback{ItemID: i.ID, AuthorKind: conversation.ByContact, AuthorID: c.ContactID, Rating: rating, At: clock.At(tx.Now())})
}

// smallTalk is reply.DetailSmallTalk.
const smallTalk = "small_talk"

// IsAnswer reports whether an item is an answer of a bot; greetings, thanks and hand-over
// messages are not.
func IsAnswer(i *conversation.Item) bool {
	return i.AuthorKind == conversation.ByBot && i.Kind == conversation.Message && i.Detail[smallTalk] != true
}

// rate stores a vote, after allow has checked and completed it.
func (s *Service) rate(ctx context.Context, id, item uuid.UUID, f Feedback, allow func(*db.Tx, *conversation.Conversation, *conversation.Item, *Feedback) error) (Feedback, error) {
	_, err := s.Conversations.ChangeItem(ctx, id, item, func(tx *db.Tx, c *conversation.Conversation, i *conversation.Item) error {
		if err := allow(tx, c, i, &f); err != nil {
			return err
		}
		if !IsAnswer(i) {
			return fault.New(fault.Conflict).Because("not_an_ai_answer")
		}
		f.ItemID, f.At = i.ID, clock.At(tx.Now())
		return putFeedback(tx, f)
	})
	return f, err
}

// Votes returns the votes on one answer, of agents and the customer, the newest first.
func (s *Service) Votes(ctx context.Context, id, item uuid.UUID) ([]Feedback, error) {
	return conversation.ReadItem(ctx, s.Conversations, id, item, func(r *db.Reader, _ *conversation.Conversation, i *conversation.Item) ([]Feedback, error) {
		return votesOn(r, i.ID, mostFeedback)
	})
}

// CustomerVotes returns the customer's votes on the answers of a conversation, by item.
func (s *Service) CustomerVotes(ctx context.Context, id uuid.UUID) (map[uuid.UUID]string, error) {
	list, err := db.Read(ctx, s.Conversations.Tenant(ctx), func(r *db.Reader) ([]Feedback, error) { return customerVotesIn(r, id, mostFeedback) })
	out := make(map[uuid.UUID]string, len(list))
	for _, f := range list {
		out[f.ItemID] = f.Rating
	}
	return out, err
}
