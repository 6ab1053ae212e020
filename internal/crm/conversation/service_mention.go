package conversation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
	"konak/internal/kit/trtext"
)

// CheckMentions returns the mentions for ids; each must be an active member who may see
// conversations, otherwise it returns a validation fault.
func (s *Service) CheckMentions(tx *db.Tx, ids []uuid.UUID) ([]Mention, error) {
	out := []Mention{}
	if len(ids) == 0 {
		return out, nil
	}
	names, err := s.Agents.AgentsWho(&tx.Reader, perm.ConversationsView, ids...)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		name, ok := names[id]
		if !ok {
			return nil, fault.Invalid("mentions", "unknown_agent")
		}
		if !slices.ContainsFunc(out, func(m Mention) bool { return m.AgentID == id }) {
			out = append(out, Mention{AgentID: id, Name: name})
		}
	}
	sortMentions(out)
	return out, nil
}

func sortMentions(list []Mention) {
	slices.SortFunc(list, func(a, b Mention) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), slices.Compare(a.AgentID[:], b.AgentID[:]))
	})
}

// addMentions writes the mentions of a note and notifies those mentioned, except an author
// who mentions themselves.
func (s *Service) addMentions(tx *db.Tx, item *Item, list []Mention) error {
	var told []uuid.UUID
	quiet := caller.From(tx.Context()).Test
	for _, m := range list {
		self := item.AuthorID != nil && *item.AuthorID == m.AgentID
		if err := putMention(tx, item.ID, m, clock.At(tx.Now()), self || quiet); err != nil {
			return fmt.Errorf("conversation: mention: %w", err)
		}
		if !self && !quiet {
			told = append(told, m.AgentID)
		}
	}
	return s.markAll(tx, item.ConversationID, told)
}

// ChangeMentions replaces the mentions of an edited note: new ones are notified, missing
// ones are removed. It reports whether anything changed.
func (s *Service) ChangeMentions(tx *db.Tx, item *Item, ids []uuid.UUID) (bool, error) {
	next, err := s.CheckMentions(tx, ids)
	if err != nil {
		return false, err
	}
	has := func(list []Mention, id uuid.UUID) bool {
		return slices.ContainsFunc(list, func(m Mention) bool { return m.AgentID == id })
	}
	var fresh []Mention
	for i, m := range next {
		at := slices.IndexFunc(item.Mentions, func(old Mention) bool { return old.AgentID == m.AgentID })
		if at < 0 {
			fresh = append(fresh, m)
		} else {
			next[i] = item.Mentions[at] // the name as it was written
		}
	}
	changed := len(fresh) > 0
	for _, old := range item.Mentions {
		if has(next, old.AgentID) {
			continue
		}
		changed = true
		if err := dropMention(tx, item.ID, old.AgentID); err != nil {
			return false, err
		}
	}
	if !changed {
		return false, nil
	}
	sortMentions(next)
	item.Mentions = next
	return true, s.addMentions(tx, item, fresh)
}

// MarkSeen records that an agent read a conversation and the notes in it that mention them.
func (s *Service) MarkSeen(tx *db.Tx, conversation, agent uuid.UUID) error {
	if err := s.MarkRead(tx, conversation, agent); err != nil {
		return err
	}
	return seeMentions(tx, conversation, agent)
}

// Mentions lists the notes that mention the caller.
func (s *Service) Mentions(ctx context.Context, unread bool, p db.Page) (db.List[MentionOf], error) {
	return db.Read(ctx, s.Tenant(ctx), func(r *db.Reader) (db.List[MentionOf], error) {
		return mentionsOf(r, AgentID(ctx), unread, p)
	})
}

// Mentionable lists colleagues who can be mentioned in a note of a conversation and whose
// name has a word that begins with typed.
func (s *Service) Mentionable(ctx context.Context, id uuid.UUID, typed string) ([]Mention, error) {
	return ReadConversation(ctx, s, id, func(r *db.Reader, _ *Conversation) ([]Mention, error) {
		names, err := s.Agents.AgentsWho(r, perm.ConversationsView)
		if err != nil {
			return nil, err
		}
		out := []Mention{}
		for agent, name := range names {
			if nameBegins(name, typed) {
				out = append(out, Mention{AgentID: agent, Name: name})
			}
		}
		sortMentions(out)
		return out[:min(len(out), mentionChoices)], nil
	})
}

// nameBegins reports whether a name, or its rest from any word on, begins with typed,
// ignoring case and diacritics.
func nameBegins(name, typed string) bool {
	folded, start := trtext.Fold(name), strings.TrimSpace(trtext.Fold(typed))
	if start == "" || strings.HasPrefix(folded, start) {
		return true
	}
	return strings.Contains(folded, " "+start)
}
