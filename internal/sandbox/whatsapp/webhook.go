package whatsapp

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"konak/internal/provider/graph"
	wire "konak/internal/provider/whatsapp"
	"konak/internal/sandbox/callback"
	"konak/internal/sandbox/meta"
)

// postChange posts a change to the business's callback, signed; the caller holds the lock.
func (s *Server) postChange(b *Business, field string, value any) {
	if b.Callback == "" {
		return
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return
	}
	text, err := json.Marshal(wire.Webhook{Object: "whatsapp_business_account", Entry: []wire.Entry{{
		ID: b.ID, Time: s.clock.Now().Unix(), Changes: []wire.Change{{Field: field, Value: raw}},
	}}})
	if err != nil {
		return
	}
	s.post.Add(callback.Call{To: b.Callback, Header: graph.SignatureHeader, Value: graph.Sign(b.AppSecret, text), Body: text})
}

// subscribe verifies that the callback belongs to the caller before it is used; one in use
// is not verified again.
func (s *Server) subscribe(r *http.Request, b *Business) (any, *meta.Refusal) {
	var in wire.Subscription
	if err := body(r, &in); err != nil {
		return nil, err
	}
	s.mu.Lock()
	known := b.Callback == in.Callback
	s.mu.Unlock()
	if in.Callback != "" && !known {
		if err := callback.Challenge(r.Context(), in.Callback, url.Values{"hub.mode": {"subscribe"}, "hub.verify_token": {in.Token}}); err != nil {
			return nil, refuse(400, 2200, 0, "OAuthException", "(#2200) Callback verification failed with the following errors: "+err.Error(), "")
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b.Callback = in.Callback
	s.keep()
	return wire.Success{Success: true}, nil
}

// Customer is a person who writes to a number.
type Customer struct {
	// ID is the phone number; without one the customer shows only their UserID.
	ID     string `json:"from"`
	UserID string `json:"from_user_id"`
	Name   string `json:"name"`
}

// Write lets a customer write a message of any type to a number and returns its id.
func (s *Server) Write(numberID string, from Customer, m wire.Incoming) (string, error) {
	err := s.withNumber(numberID, func(b *Business, n *wire.PhoneNumber) {
		m.From, m.FromUserID = digits(from.ID), from.UserID
		if m.ID == "" {
			m.ID = "wamid.customer" + s.id()
		}
		m.Timestamp = cmp.Or(m.Timestamp, strconv.FormatInt(s.clock.Now().Unix(), 10))
		m.Type = cmp.Or(m.Type, "text")
		if m.Type != "reaction" {
			for _, id := range []string{m.From, m.FromUserID} {
				b.Wrote[numberID+"/"+id] = s.clock.Now()
			}
			s.keep()
		}
		who := wire.Profile{WaID: m.From, UserID: m.FromUserID}
		who.Profile.Name = from.Name
		s.postChange(b, "messages", wire.Messages{Product: "whatsapp", Metadata: metadata(n), Contacts: []wire.Profile{who}, Messages: []wire.Incoming{m}})
	})
	return m.ID, err
}

// Say lets a customer write a text.
func (s *Server) Say(numberID string, from Customer, text string) (string, error) {
	return s.Write(numberID, from, wire.Incoming{Text: &wire.Text{Body: text}})
}

// OwnerSays lets the owner of a number write to a customer in the app on the phone, and
// returns the message's id.
func (s *Server) OwnerSays(numberID, to string, m wire.Incoming) (string, error) {
	err := s.withNumber(numberID, func(b *Business, n *wire.PhoneNumber) {
		if m.ID == "" {
			m.ID = "wamid.owner" + s.id()
		}
		m.Type = cmp.Or(m.Type, "text")
		m.From, m.To, m.Timestamp = digits(n.Display), digits(to), strconv.FormatInt(s.clock.Now().Unix(), 10)
		s.postChange(b, "smb_message_echoes", wire.Echoes{Product: "whatsapp", Metadata: metadata(n), Messages: []wire.Incoming{m}})
	})
	return m.ID, err
}

// Tell posts a change of any field, for what the provider reports about numbers that their
// owners also use in the app.
func (s *Server) Tell(numberID, field string, value map[string]any) {
	_ = s.withNumber(numberID, func(b *Business, n *wire.PhoneNumber) {
		value["messaging_product"], value["metadata"] = "whatsapp", metadata(n)
		s.postChange(b, field, value)
	})
}

// Remember records that a customer wrote, without posting anything.
func (s *Server) Remember(numberID, from string, at time.Time) {
	_ = s.withNumber(numberID, func(b *Business, _ *wire.PhoneNumber) {
		b.Wrote[numberID+"/"+digits(from)] = at
		s.keep()
	})
}

// File stores a file of a customer's message and returns its id.
func (s *Server) File(business, kind string, content []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.id()
	s.files[id] = &file{token: s.businesses[business].Token, kind: kind, content: content}
	return id
}

// Report posts a report on a message.
func (s *Server) Report(numberID string, r wire.Report) {
	_ = s.withNumber(numberID, func(b *Business, n *wire.PhoneNumber) {
		s.postChange(b, "messages", wire.Messages{Product: "whatsapp", Metadata: metadata(n), Statuses: []wire.Report{r}})
	})
}

// Flag posts that a number's quality is low, or no longer is.
func (s *Server) Flag(numberID, event string) {
	_ = s.withNumber(numberID, func(b *Business, n *wire.PhoneNumber) {
		s.postChange(b, "phone_number_quality_update", wire.QualityNews{Display: digits(n.Display), Event: event, Limit: "TIER_1K"})
	})
}

// control is the sandbox's addition to the Graph API.
func (s *Server) control(w http.ResponseWriter, r *http.Request, parts []string) (any, *meta.Refusal) {
	if len(parts) != 2 {
		return nil, missing(r.URL.Path)
	}
	switch {
	case parts[0] == "media" && r.Method == http.MethodGet:
		return nil, s.serveFile(w, r, parts[1])
	case parts[1] == "messages" && r.Method == http.MethodPost:
		var in struct {
			Customer
			Text string `json:"text"`
		}
		if err := body(r, &in); err != nil {
			return nil, err
		}
		id, err := s.Say(parts[0], in.Customer, in.Text)
		if err != nil {
			return nil, missing(parts[0])
		}
		return wire.ID{ID: id}, nil
	}
	return nil, missing(r.URL.Path)
}
