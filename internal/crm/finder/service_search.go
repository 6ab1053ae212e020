package finder

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/search"
)

// find searches one index of the caller's workspace.
func (s *Service) find(ctx context.Context, k int, q Query, p db.Page) (search.Answer, error) {
	st, err := s.open(ctx, caller.From(ctx).TenantID)
	if err != nil {
		return search.Answer{}, err
	}
	query := search.Query{Text: joinDigits(q.Text), Limit: p.Limit, Typing: true}
	for attr, value := range map[string]string{attrState: q.State, attrChannel: q.Channel, attrKind: q.Kind} {
		if value != "" {
			query.Filters = append(query.Filters, search.Filter{Attr: attr, Values: []string{value}})
		}
	}
	if p.After != db.First {
		query.After = &search.Place{Score: math.Float64frombits(uint64(p.After.Sort)), ID: p.After.ID.String()}
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return search.Answer{}, ctx.Err()
	}
	return st.index[k].Search(query)
}

// next returns the key of the page after an answer.
func next(a search.Answer) *db.Key {
	if !a.More || len(a.Hits) == 0 {
		return nil
	}
	return keyOf(a.Hits[len(a.Hits)-1])
}

// keyOf returns the key of the page after a hit.
func keyOf(h search.Hit) *db.Key {
	return &db.Key{Sort: int64(math.Float64bits(h.Score)), ID: uuid.MustParse(h.ID)}
}

// ranks returns the ids of an answer and the rank of each.
func ranks(a search.Answer) (ids []uuid.UUID, at map[uuid.UUID]int) {
	at = make(map[uuid.UUID]int, len(a.Hits))
	for i, h := range a.Hits {
		id := uuid.MustParse(h.ID)
		ids, at[id] = append(ids, id), i
	}
	return ids, at
}

// A narrowed search asks the index for narrowedHits hits at a time, up to narrowedSteps
// times.
const (
	narrowedHits  = 200
	narrowedSteps = 10
)

// found is a page of conversations that match the words, the best first.
type found struct {
	rows    []conversation.Conversation
	matcher *search.Matcher
	next    *db.Key
}

// findConversations returns a page of the conversations that match the words and the other
// conditions of the query.
func (s *Service) findConversations(ctx context.Context, q Query, p db.Page) (out found, err error) {
	limit, steps := p.Limit, 1
	if q.Narrow.set {
		p.Limit, steps = narrowedHits, narrowedSteps
	}
	for range steps {
		a, err := s.find(ctx, conversations, q, p)
		if err != nil {
			return out, err
		}
		ids, at := ranks(a)
		rows, err := db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) ([]conversation.Conversation, error) {
			return conversation.SearchOf(r, ids)
		})
		if err != nil {
			return out, err
		}
		slices.SortFunc(rows, func(a, b conversation.Conversation) int { return cmp.Compare(at[a.ID], at[b.ID]) })
		out.matcher, out.next = a.Matcher, next(a)
		for _, c := range rows {
			if !q.Narrow.accepts(c) {
				continue
			}
			out.rows = append(out.rows, c)
			if len(out.rows) < limit {
				continue
			}
			if i := at[c.ID]; i < len(a.Hits)-1 {
				out.next = keyOf(a.Hits[i])
			}
			return out, nil
		}
		if out.next == nil {
			return out, nil
		}
		p.After = *out.next
	}
	return out, nil
}

// Conversations finds conversations by what was written in them, their
// subject, customer and tags, the best first.
func (s *Service) Conversations(ctx context.Context, q Query, p db.Page) (out db.List[ConversationHit], err error) {
	page, err := s.findConversations(ctx, q, p)
	if err != nil {
		return out, err
	}
	out = db.List[ConversationHit]{Rows: make([]ConversationHit, len(page.rows)), Next: page.next}
	who := caller.From(ctx)
	err = s.DB.Tenant(who.TenantID).Read(ctx, func(r *db.Reader) error {
		if err := conversation.FillUnreadAndFailed(r, conversation.AgentID(ctx), page.rows); err != nil {
			return err
		}
		hits := map[uuid.UUID]*ConversationHit{}
		for i, c := range page.rows {
			out.Rows[i] = ConversationHit{Conversation: c, Subject: page.matcher.Highlight(c.Subject), ContactName: page.matcher.Highlight(c.ContactName)}
			hits[c.ID] = &out.Rows[i]
		}
		return snippets(r, page.matcher, hits)
	})
	return out, err
}

// snippetWords is the length of a snippet, about two lines.
const snippetWords = 24

// snippets finds the best matching text in each conversation: among the newest messages, or
// among all if none of these match.
func snippets(r *db.Reader, m *search.Matcher, hits map[uuid.UUID]*ConversationHit) error {
	best := map[uuid.UUID]int{}
	look := func(each int) error {
		var ids []uuid.UUID
		for id := range hits {
			if best[id] == 0 {
				ids = append(ids, id)
			}
		}
		texts, err := conversation.Texts(r, unique(ids), each)
		for _, t := range texts {
			h := hits[t.ConversationID]
			text := m.Snippet(t.Body, snippetWords)
			if n := strings.Count(text, "<em>"); n > best[t.ConversationID] || h.ItemID == nil {
				best[t.ConversationID], h.Snippet, h.ItemID = n, text, &t.ItemID
			}
		}
		return err
	}
	if err := look(20); err != nil {
		return err
	}
	for id, h := range hits {
		if strings.Contains(h.Subject, "<em>") || strings.Contains(h.ContactName, "<em>") {
			best[id] = max(best[id], 1)
		}
	}
	return look(mostTexts)
}

// Contacts finds contacts by name, address, number, company and tags, the best
// first.
func (s *Service) Contacts(ctx context.Context, q Query, p db.Page) (out db.List[ContactHit], err error) {
	a, err := s.find(ctx, contacts, q, p)
	if err != nil {
		return out, err
	}
	out = db.List[ContactHit]{Rows: []ContactHit{}, Next: next(a)}
	ids, at := ranks(a)
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		rows, err := contact.SearchOf(r, ids)
		if err != nil {
			return err
		}
		slices.SortFunc(rows, func(a, b contact.Contact) int { return cmp.Compare(at[a.ID], at[b.ID]) })
		for _, c := range rows {
			out.Rows = append(out.Rows, ContactHit{c, a.Matcher.Highlight(c.Name), detail(a.Matcher, c)})
		}
		return nil
	})
	return out, err
}

// detail returns the first matching part of a contact other than the name.
func detail(m *search.Matcher, c contact.Contact) string {
	var parts []string
	for _, e := range c.Emails {
		parts = append(parts, e.Address)
	}
	for _, p := range c.Phones {
		parts = append(parts, p.E164)
	}
	for _, text := range append(append(parts, c.Company), c.Tags...) {
		if marked := m.Highlight(text); strings.Contains(marked, "<em>") {
			return marked
		}
	}
	return ""
}
