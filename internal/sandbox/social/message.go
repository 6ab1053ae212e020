package social

import (
	"encoding/json"
	"mime/multipart"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"konak/internal/provider/graph"
	wire "konak/internal/provider/social"
	"konak/internal/provider/whatsapp"
	"konak/internal/sandbox/callback"
	"konak/internal/sandbox/meta"
)

// How long after a customer's message they can be written to.
const (
	window      = 24 * time.Hour
	humanWindow = 7 * 24 * time.Hour
)

// send accepts a message, or an action that is not a message.
func (s *Server) send(r *http.Request, p *page) (any, *meta.Refusal) {
	var in wire.Outgoing
	if err := body(r, &in); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	last, wrote := p.wrote[in.Recipient.ID]
	if s.KnowsEverybody {
		last, wrote = s.clock.Now(), true
	}
	if !wrote {
		return nil, no(400, 100, 2018001, "(#100) No matching user found")
	}
	got := Sent{Outgoing: in, Platform: objectOf(in.Recipient.ID)}
	if in.Action != "" {
		return s.act(p, got)
	}
	if err := s.check(in, got.Platform, last); err != nil {
		return nil, err
	}
	if a := in.Message.Attachment; a != nil && a.Payload.TemplateType == wire.CallOptIn {
		if s.askedOf(p, in.Recipient.ID).Usage >= maxAsked {
			return nil, no(400, 613, 0, "(#613) The limit of permission requests was reached")
		}
		p.asked[in.Recipient.ID] = append(p.asked[in.Recipient.ID], s.clock.Now())
	} else if a != nil && a.Type != "template" && a.Payload.URL == "" {
		if got.File = s.files[a.Payload.AttachmentID]; got.File == nil {
			return nil, no(400, 100, 2018074, "(#100) Invalid attachment id")
		}
	}
	got.MessageID = "m_" + s.number()
	s.keepSent(p, got)
	s.copyToPage(p, got)
	return wire.Accepted{RecipientID: in.Recipient.ID, MessageID: got.MessageID}, nil
}

// InstagramPrefix begins the ids of people on Instagram.
const InstagramPrefix = "ig"

// check refuses what Meta refuses.
func (s *Server) check(in wire.Outgoing, platform string, last time.Time) *meta.Refusal {
	m := in.Message
	if m == nil || (m.Text == "") == (m.Attachment == nil) {
		return no(400, 100, 0, "(#100) The parameter message must have a text or an attachment")
	}
	if platform == wire.ObjectPage && utf8.RuneCountInString(m.Text) > 2000 || platform == wire.ObjectInstagram && len(m.Text) > 1000 {
		return no(400, 100, 2018320, "(#100) Length of param message[text] must be less than or equal to the limit")
	}
	if platform == wire.ObjectInstagram && m.Attachment != nil && m.Attachment.Type == "file" {
		return no(400, 100, 2534068, "(#100) This kind of attachment cannot be sent")
	}
	open := window
	if in.Type == wire.TypeTag && in.Tag == wire.TagHuman {
		open = humanWindow
	}
	if !s.clock.Now().Before(last.Add(open)) {
		return no(400, 10, 2018278, "(#10) This message is sent outside of allowed window.")
	}
	return nil
}

// act accepts an action; the caller holds the lock.
func (s *Server) act(p *page, got Sent) (any, *meta.Refusal) {
	switch got.Action {
	case "typing_off":
	case wire.ActionTyping:
		p.typing = append(p.typing, got.Recipient.ID)
	case wire.ActionSeen:
		p.seen = append(p.seen, got.Recipient.ID)
	case wire.ActionReact, wire.ActionUnreact:
		if got.Payload == nil || got.Payload.MessageID == "" {
			return nil, no(400, 100, 0, "(#100) payload.message_id is required")
		}
		if got.Platform == wire.ObjectInstagram && got.Action == wire.ActionReact && got.Payload.Reaction != "love" {
			return nil, no(400, 100, 0, "(#100) This reaction is not supported")
		}
		s.keepSent(p, got)
	default:
		return nil, no(400, 100, 0, "(#100) sender_action is unknown")
	}
	return wire.Accepted{RecipientID: got.Recipient.ID}, nil
}

// keepSent records what was sent in a page's name; the caller holds the lock.
func (s *Server) keepSent(p *page, got Sent) {
	p.sent = append(p.sent, got)
	if s.OnSent != nil {
		s.OnSent(p.ID, got)
	}
}

// copyToPage posts the page's own copy of a message and its delivery report; the caller
// holds the lock.
func (s *Server) copyToPage(p *page, got Sent) {
	m := wire.Messaging{
		Sender: wire.Ref{ID: p.accountOn(got.Platform)}, Recipient: got.Recipient,
		Message: &wire.Incoming{ID: got.MessageID, Text: got.Message.Text, Echo: true, AppID: wire.Number(p.AppID)},
	}
	if got.Platform == wire.ObjectPage {
		m.Message.Metadata = got.Message.Metadata
	}
	s.tell(p, got.Platform, m)
	if got.Platform == wire.ObjectPage {
		s.tell(p, got.Platform, wire.Messaging{
			Sender: got.Recipient, Recipient: wire.Ref{ID: p.ID}, Delivery: &wire.Delivery{IDs: []string{got.MessageID}},
		})
	}
}

// accountOn returns the page, or its Instagram account.
func (p *page) accountOn(object string) string {
	if object == wire.ObjectInstagram {
		return p.InstagramID
	}
	return p.ID
}

// tell posts an event to the app's webhook, signed; the caller holds the lock.
func (s *Server) tell(p *page, object string, m wire.Messaging) {
	a := s.apps[p.AppID]
	if a == nil || !p.subscribed || a.webhooks[object] == "" {
		return
	}
	now := s.clock.Now().UnixMilli()
	if m.Timestamp == 0 {
		m.Timestamp = now
	}
	text, err := json.Marshal(wire.Webhook{Object: object, Entry: []wire.Entry{{ID: p.accountOn(object), Time: now, Messaging: []wire.Messaging{m}}}})
	if err != nil {
		return
	}
	s.post.Add(callback.Call{To: a.webhooks[object], Header: graph.SignatureHeader, Value: graph.Sign(a.Secret, text), Body: text})
}

// objectOf returns the object that a person belongs to: people on Instagram have their own
// ids.
func objectOf(person string) string {
	if strings.HasPrefix(person, InstagramPrefix) {
		return wire.ObjectInstagram
	}
	return wire.ObjectPage
}

// Write lets a customer write a message to a page, or to its Instagram account if the
// customer is there, and returns its id.
func (s *Server) Write(pageID string, from Person, m wire.Incoming) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pages[pageID]
	s.people[from.ID] = from
	if m.ID == "" {
		m.ID = "m_" + s.number()
	}
	if !m.Deleted {
		p.wrote[from.ID] = s.clock.Now()
	}
	s.fromCustomer(p, from, wire.Messaging{Message: &m})
	return m.ID
}

// fromCustomer posts an action of a customer; the caller holds the lock.
func (s *Server) fromCustomer(p *page, from Person, m wire.Messaging) {
	object := objectOf(from.ID)
	m.Sender, m.Recipient = wire.Ref{ID: from.ID}, wire.Ref{ID: p.accountOn(object)}
	s.tell(p, object, m)
}

// Do lets a customer do something other than writing: react, read, press, change.
func (s *Server) Do(pageID string, from Person, m wire.Messaging) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.people[from.ID] = from
	if m.Postback != nil {
		s.pages[pageID].wrote[from.ID] = s.clock.Now()
	}
	s.fromCustomer(s.pages[pageID], from, m)
}

// Say lets a customer write a text.
func (s *Server) Say(pageID string, from Person, text string) string {
	return s.Write(pageID, from, wire.Incoming{Text: text})
}

// SayAsPage lets somebody answer a customer in the provider's own app.
func (s *Server) SayAsPage(pageID string, to Person, text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, object := s.pages[pageID], objectOf(to.ID)
	id := "m_" + s.number()
	s.tell(p, object, wire.Messaging{
		Sender: wire.Ref{ID: p.accountOn(object)}, Recipient: wire.Ref{ID: to.ID}, Message: &wire.Incoming{ID: id, Text: text, Echo: true, AppID: "26390203743090"},
	})
	return id
}

// File stores a file of a customer's message and returns its address, below that of the
// server.
func (s *Server) File(base, kind string, content []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.number()
	s.files[id] = &File{Type: kind, Content: content}
	return base + "/sandbox/social/" + id
}

func (s *Server) serveFile(w http.ResponseWriter, id string) *meta.Refusal {
	s.mu.Lock()
	f := s.files[id]
	s.mu.Unlock()
	if f == nil {
		return no(404, 100, 33, "the file is not there")
	}
	w.Header().Set("Content-Type", f.Type)
	_, _ = w.Write(f.Content)
	return nil
}

// storeFile stores a file that a message will name.
func (s *Server) storeFile(r *http.Request) (any, *meta.Refusal) {
	var f File
	var message wire.OutgoingMessage
	err := meta.ReadForm(r, func(part *multipart.Part, content []byte) error {
		switch part.FormName() {
		case "message":
			return json.Unmarshal(content, &message)
		case "filedata":
			f = File{Name: part.FileName(), Type: part.Header.Get("Content-Type"), Content: content}
		}
		return nil
	})
	if err != nil {
		return nil, no(400, 100, 0, "(#100) "+err.Error())
	}
	if message.Attachment == nil || len(f.Content) == 0 {
		return nil, no(400, 100, 0, "(#100) message and filedata are required")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f.Kind = message.Attachment.Type
	id := s.number()
	s.files[id] = &f
	return wire.Accepted{AttachmentID: id}, nil
}

// maxAsked is how often a customer can be asked for permission to call.
const maxAsked = 2

// AnswerCallRequest lets a customer agree to be called, or refuse.
func (s *Server) AnswerCallRequest(pageID string, from Person, agrees bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[pageID].granted[from.ID] = agrees
}

func (s *Server) callSettings(r *http.Request, p *page) (any, *meta.Refusal) {
	if r.Method == http.MethodGet {
		s.mu.Lock()
		defer s.mu.Unlock()
		return wire.CallSettingsPage{Data: []wire.CallSettings{p.calls}}, nil
	}
	var in wire.CallSettings
	if err := body(r, &in); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if in.Audio != nil {
		p.calls.Audio = in.Audio
	}
	if in.Icon != nil {
		p.calls.Icon = in.Icon
	}
	if in.Hours != nil {
		p.calls.Hours = in.Hours
	}
	return wire.Success{Success: true}, nil
}

// askedOf returns how often a customer was asked within a day; the caller holds the lock.
func (s *Server) askedOf(p *page, who string) whatsapp.CallLimit {
	limit := whatsapp.CallLimit{Period: "PT24H", Max: maxAsked}
	for _, at := range p.asked[who] {
		if ends := at.Add(window); ends.After(s.clock.Now()) {
			if limit.Usage == 0 {
				limit.Expiration = ends.Unix()
			}
			limit.Usage++
		}
	}
	return limit
}

func (s *Server) callPermissions(r *http.Request, p *page) (any, *meta.Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	who := r.URL.Query().Get("psid")
	limit := s.askedOf(p, who)
	out := wire.CallPermissions{Status: wire.NoPermission, Actions: []wire.CallAction{
		{Name: wire.AskPermission, CanPerform: limit.Usage < maxAsked, Limits: []whatsapp.CallLimit{limit}},
	}}
	if p.granted[who] {
		out.Status, out.Expiration = wire.HasPermission, s.clock.Now().Add(humanWindow).Unix()
	}
	return out, nil
}
