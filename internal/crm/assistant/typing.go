package assistant

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/db"
)

// typingEvery is the interval at which the typing indicator is renewed: the live chat shows
// it for six seconds, Telegram for five.
const typingEvery = 5 * time.Second

// keepTyping shows the typing indicator at once and renews it until stop is called, the
// context ends or the assistant no longer has the conversation.
func (s *Service) keepTyping(ctx context.Context, c conversation.Conversation) (stop func()) {
	s.Typing.BotTypes(ctx, c)
	until, cancel := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		tick := time.NewTicker(s.TypingEvery)
		defer tick.Stop()
		for {
			select {
			case <-until.Done():
				return
			case <-tick.C:
			}
			if !s.has(until, c.ID) {
				return
			}
			s.Typing.BotTypes(ctx, c)
		}
	})
	return func() {
		cancel()
		renewing.Wait()
	}
}

// has reports whether the assistant has a conversation. It is false if that cannot be read.
func (s *Service) has(ctx context.Context, id uuid.UUID) bool {
	c, err := db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (conversation.Conversation, error) { return conversation.ByID(r, id) })
	return err == nil && c.AIState == conversation.AIActive
}
