package widget

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/bus"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// typingSignal is the name of live's signal that somebody is typing.
const typingSignal = "conversation.typing"

// defaultHeartbeat is the interval of heartbeats on a stream.
const defaultHeartbeat = 15 * time.Second

// streamsPerVisitor is the maximum number of streams of one visitor: one for each page of
// the site that they have open.
const streamsPerVisitor = 10

// News is one event on a visitor's stream.
type News struct {
	Kind string // message, typing or state
	Data []byte
}

// watch reports what happens in a visitor's conversation until ctx ends or the stream falls
// behind; the page then loads everything again. The first call of say signals that nothing
// is missed from here on. It returns workspace_suspended if the workspace has been
// suspended since.
func (s *Service) watch(ctx context.Context, p *page, conv uuid.UUID, say func(*News) error) error {
	sub := s.Bus.Subscribe(caller.From(ctx).TenantID)
	defer sub.Close()
	if err := say(nil); err != nil {
		return err
	}
	tick := time.NewTicker(s.heartbeat)
	defer tick.Stop()
	id := []byte(conv.String())
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if err := s.checkSuspended(ctx); err != nil {
				return err
			}
			if err := say(nil); err != nil {
				return err
			}
		case m, ok := <-sub.C:
			if !ok {
				return nil
			}
			// Most of a workspace's events are about other conversations: searching the
			// bytes is cheaper than decoding them. A hint may be about any conversation, so
			// the page loads again.
			if !m.IsHint() && !bytes.Contains(m.Body, id) {
				continue
			}
			if err := s.checkSuspended(ctx); err != nil {
				return err
			}
			news, err := s.readNews(ctx, p, conv, m)
			if err != nil {
				return err
			}
			if news != nil {
				if err := say(news); err != nil {
					return err
				}
			}
		}
	}
}

// checkSuspended returns workspace_suspended if the caller's workspace is suspended now: a
// stream outlives the check made when it was opened.
func (s *Service) checkSuspended(ctx context.Context) error {
	if db.IsRefused(s.DB.RefuseSuspended(ctx), caller.From(ctx).TenantID) {
		return fault.New(fault.WorkspaceSuspended)
	}
	return nil
}

// readNews returns what a visitor may see of a bus message, or nil.
func (s *Service) readNews(ctx context.Context, p *page, conv uuid.UUID, m bus.Message) (*News, error) {
	if m.IsHint() {
		return &News{"state", []byte(`{}`)}, nil
	}
	switch m.Type {
	case conversation.Created, conversation.Replied, conversation.ItemChanged:
		return s.newMessage(ctx, p, conv, m.Body)
	case conversation.ClosedEvent, conversation.Opened, conversation.Rated, conversation.Merged, conversation.Deleted:
		return &News{"state", []byte(`{}`)}, nil
	case typingSignal:
		var signal struct {
			Data struct {
				ConversationID uuid.UUID `json:"conversation_id"`
				AuthorKind     string    `json:"author_kind"`
				Typing         bool      `json:"typing"`
			} `json:"data"`
		}
		if err := json.Unmarshal(m.Body, &signal); err != nil || signal.Data.ConversationID != conv || signal.Data.AuthorKind == conversation.ByContact {
			return nil, nil //nolint:nilerr // not for this visitor
		}
		data, err := json.Marshal(map[string]bool{"typing": signal.Data.Typing, "bot": signal.Data.AuthorKind == conversation.ByBot})
		return &News{"typing", data}, err
	}
	return nil, nil
}

func (s *Service) newMessage(ctx context.Context, p *page, conv uuid.UUID, body []byte) (*News, error) {
	var e struct {
		Data struct {
			Object struct {
				ID uuid.UUID `json:"id"`
			} `json:"object"`
			Item *conversation.Item `json:"item"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &e); err != nil || e.Data.Object.ID != conv {
		return nil, nil //nolint:nilerr // not for this visitor
	}
	i := e.Data.Item
	if i == nil { // too large for an event: the page loads it
		return &News{"state", []byte(`{}`)}, nil
	}
	if i.Kind != conversation.Message || i.ChannelAccountID == nil || *i.ChannelAccountID != p.Account.ID {
		return nil, nil
	}
	names, err := s.names(ctx, []conversation.Item{*i})
	if err != nil {
		return nil, err
	}
	votes, err := s.votes(ctx, conv, []conversation.Item{*i})
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(show(*i, names, votes))
	return &News{"message", data}, err
}
