package whatsapp

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	wire "konak/internal/provider/whatsapp"
	"konak/internal/sandbox/meta"
)

// keepsFiles is how far back, before a number is connected, its files are still provided.
const keepsFiles = 14 * 24 * time.Hour

// ShareHistory lets the owner of a number share what was written in the app on the phone. A
// request for it is answered with the history, and with its files in a second call; without
// ShareHistory it is answered that the owner declined.
func (s *Server) ShareHistory(numberID string, threads ...wire.HistoryThread) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history[numberID] = threads
}

// ShareContacts lets the owner of a number share the address book of the app on the phone.
func (s *Server) ShareContacts(numberID string, list ...wire.AppContact) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phonebook[numberID] = list
}

// TellHistory posts what a customer and the owner of a number wrote to each other in the
// app on the phone, or that the owner does not share it. picture is a file that the
// customer sent three days ago; empty for none.
func (s *Server) TellHistory(numberID string, with Customer, picture string, shared bool) error {
	return s.withNumber(numberID, func(b *Business, n *wire.PhoneNumber) {
		at := s.clock.Now().AddDate(0, 0, -30)
		past := func(id, from, text string, ours bool) wire.HistoryIncoming {
			at = at.Add(time.Minute)
			return wire.HistoryIncoming{
				Incoming: wire.Incoming{ID: "wamid.past" + id + with.ID, From: from, Timestamp: strconv.FormatInt(at.Unix(), 10), Type: "text", Text: &wire.Text{Body: text}},
				Context:  &wire.HistoryContext{Status: "READ", FromMe: ours},
			}
		}
		list := []wire.HistoryIncoming{
			past("1", with.ID, "Geçen ay yazmıştım. · I wrote last month.", false), past("2", digits(n.Display), "Telefondan yanıtlamıştık. · We answered from the phone.", true),
		}
		if picture != "" {
			at = s.clock.Now().AddDate(0, 0, -3)
			with := past("3", with.ID, "", false)
			with.Type, with.Text, with.Image = "image", nil, &wire.Media{ID: picture, MimeType: "image/png", Caption: "Bu resim de eskiden. · This picture is from before, too."}
			list = append(list, with)
		}
		s.postHistory(b, n, []wire.HistoryThread{{ID: with.ID, Messages: list}}, shared)
	})
}

// postHistory posts the history of a number, or that it is not shared; the caller holds the
// lock. As Meta does, it leaves files out of the history, and posts those that are not too
// old afterwards.
func (s *Server) postHistory(b *Business, n *wire.PhoneNumber, threads []wire.HistoryThread, shared bool) {
	chunk := wire.HistoryChunk{Errors: []wire.Error{{Code: wire.CodeHistoryDeclined, Title: "History sharing is turned off by the business"}}}
	var files []wire.Incoming
	if shared {
		var told []wire.HistoryThread
		for _, t := range threads {
			list, with := s.withoutFiles(t)
			told, files = append(told, list), append(files, with...)
		}
		chunk = wire.HistoryChunk{Metadata: &wire.HistoryPlace{Chunk: 1, Progress: 100}, Threads: told}
	}
	s.postChange(b, "history", wire.History{Product: "whatsapp", Metadata: metadata(n), History: []wire.HistoryChunk{chunk}})
	if len(files) > 0 {
		s.postChange(b, "history", wire.History{Product: "whatsapp", Metadata: metadata(n), Messages: files})
	}
}

// withoutFiles returns a thread with a placeholder for each file, and the messages whose
// files are provided.
func (s *Server) withoutFiles(t wire.HistoryThread) (wire.HistoryThread, []wire.Incoming) {
	var files []wire.Incoming
	list := slices.Clone(t.Messages)
	for i, m := range list {
		if m.Image == nil && m.Video == nil && m.Audio == nil && m.Document == nil && m.Sticker == nil {
			continue
		}
		file := m.Incoming
		if file.From != t.ID {
			file.To = t.ID
		}
		sent, _ := strconv.ParseInt(m.Timestamp, 10, 64)
		if !time.Unix(sent, 0).Before(s.clock.Now().Add(-keepsFiles)) {
			files = append(files, file)
		}
		list[i].Incoming = wire.Incoming{ID: m.ID, From: m.From, Timestamp: m.Timestamp, Type: "media_placeholder"}
	}
	return wire.HistoryThread{ID: t.ID, Messages: list}, files
}

// syncApp answers a request for the data of the app on the phone, and posts that data
// afterwards.
func (s *Server) syncApp(r *http.Request, b *Business, n *wire.PhoneNumber) (any, *meta.Refusal) {
	var in wire.AppData
	if err := body(r, &in); err != nil {
		return nil, err
	}
	if in.Product != "whatsapp" || in.Sync != wire.SyncHistory && in.Sync != wire.SyncContacts || !n.OnApp {
		return nil, parameter("messaging_product, sync_type and a number of the WhatsApp Business app are required")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if in.Sync == wire.SyncContacts {
		book := wire.AppState{Product: "whatsapp", Metadata: metadata(n)}
		for _, c := range s.phonebook[n.ID] {
			book.Sync = append(book.Sync, wire.AppChange{Type: "contact", Action: "add", Contact: c})
		}
		s.postChange(b, wire.SyncContacts, book)
	} else {
		threads, shared := s.history[n.ID]
		s.postHistory(b, n, threads, shared)
	}
	return map[string]any{"messaging_product": "whatsapp", "request_id": in.Sync + s.id()}, nil
}
