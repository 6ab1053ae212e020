package whatsapp

import (
	"net/http"

	wire "konak/internal/provider/whatsapp"
)

// ShareHistory lets the owner of a number share what was written in the app on the phone.
// Whoever asks for it gets it; without this they are told that the owner declined.
func (s *Server) ShareHistory(numberID string, threads ...wire.HistoryThread) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.history == nil {
		s.history = map[string][]wire.HistoryThread{}
	}
	s.history[numberID] = threads
}

// syncApp answers who asks for what the app on the phone has, and tells it afterwards.
func (s *Server) syncApp(r *http.Request, b *Business, n *wire.PhoneNumber) (any, *refusal) {
	var in wire.AppData
	if err := body(r, &in); err != nil {
		return nil, err
	}
	if in.Product != "whatsapp" || in.Sync != wire.SyncHistory || !n.OnApp {
		return nil, parameter("messaging_product, sync_type and a number of the WhatsApp Business app are required")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	chunk := wire.HistoryChunk{Errors: []wire.Error{{Code: wire.CodeHistoryDeclined, Title: "History sharing is turned off by the business"}}}
	if threads, shared := s.history[n.ID]; shared {
		chunk = wire.HistoryChunk{Metadata: &wire.HistoryPlace{Chunk: 1, Progress: 100}, Threads: threads}
	}
	s.postChange(b, "history", wire.History{Product: "whatsapp", Metadata: metadata(n), History: []wire.HistoryChunk{chunk}})
	return map[string]any{"messaging_product": "whatsapp", "request_id": "history" + s.id()}, nil
}
