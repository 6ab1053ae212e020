package whatsapp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"

	"konak/internal/crm/channel/transport"
	channel "konak/internal/crm/channel/whatsapp"
	"konak/internal/crm/channel/whatsapp/appdata"
)

// Echoes is the value of the field smb_message_echoes: what the owner of a number wrote in
// the app on the phone while the number is connected here.
type Echoes struct {
	Product  string     `json:"messaging_product"`
	Metadata Metadata   `json:"metadata"`
	Messages []Incoming `json:"message_echoes"`
}

// History is the value of the field history: what was written on the phone before the
// number was connected, or why its owner does not share it. The files of the last two weeks
// come in separate calls, in which Messages is set: each has the id of a message of the
// history and the file that was left out there.
type History struct {
	Product  string         `json:"messaging_product"`
	Metadata Metadata       `json:"metadata"`
	History  []HistoryChunk `json:"history,omitempty"`
	Messages []Incoming     `json:"messages,omitempty"`
}

// HistoryChunk is a part of the history.
type HistoryChunk struct {
	Metadata *HistoryPlace   `json:"metadata,omitempty"`
	Threads  []HistoryThread `json:"threads,omitempty"`
	Errors   []Error         `json:"errors,omitempty"`
}

// HistoryPlace is the position of a chunk in the history.
type HistoryPlace struct {
	Phase    int `json:"phase"`
	Chunk    int `json:"chunk_order"`
	Progress int `json:"progress"` // in percent
}

// HistoryThread is the conversation with one customer, whose number is the id.
type HistoryThread struct {
	ID       string            `json:"id"`
	Messages []HistoryIncoming `json:"messages"`
}

// HistoryIncoming is a message of the history.
type HistoryIncoming struct {
	Incoming
	Context *HistoryContext `json:"history_context,omitempty"`
}

// HistoryContext is the status of a message of the history.
type HistoryContext struct {
	Status string `json:"status"`
	FromMe bool   `json:"from_me,omitempty"`
}

// CodeHistoryDeclined means that the owner does not share the history.
const CodeHistoryDeclined = 2593109

// AppData requests data of the app on the phone.
type AppData struct {
	Product string `json:"messaging_product"`
	Sync    string `json:"sync_type"`
}

// What can be requested: the address book, and the history.
const (
	SyncContacts = "smb_app_state_sync"
	SyncHistory  = "history"
)

// RequestAppData implements channel.Provider.
func (c *Client) RequestAppData(ctx context.Context, a channel.Access) (err error) {
	for _, what := range []string{SyncContacts, SyncHistory} {
		var out struct {
			ID string `json:"request_id"`
		}
		err = errors.Join(err, c.post(ctx, a, "/"+url.PathEscape(a.NumberID)+"/smb_app_data", AppData{Product: "whatsapp", Sync: what}, &out))
	}
	return err
}

// AppState is the value of the field smb_app_state_sync: the address book of the app on the
// phone.
type AppState struct {
	Product  string      `json:"messaging_product"`
	Metadata Metadata    `json:"metadata"`
	Sync     []AppChange `json:"state_sync"`
}

// AppChange is an address book entry that was added or changed ("add"), or removed
// ("remove").
type AppChange struct {
	Type    string     `json:"type"`
	Action  string     `json:"action"`
	Contact AppContact `json:"contact"`
}

// AppContact is an address book entry.
type AppContact struct {
	FullName  string `json:"full_name,omitempty"`
	FirstName string `json:"first_name,omitempty"`
	Phone     string `json:"phone_number"`
}

// parseAppState reads changes of the address book. A person who was removed from it stays a
// customer.
func parseAppState(business string, value []byte) ([]channel.Call, error) {
	var v AppState
	if err := json.Unmarshal(value, &v); err != nil {
		return nil, err
	}
	call := channel.Call{NumberID: v.Metadata.NumberID, BusinessID: business}
	for _, c := range v.Sync {
		if c.Type == "contact" && c.Action == "add" {
			call.Contacts = append(call.Contacts, appdata.Contact{Customer: c.Contact.Phone, Name: cmp.Or(c.Contact.FullName, c.Contact.FirstName)})
		}
	}
	return []channel.Call{call}, nil
}

// parseEchoes reads what the owner wrote to customers.
func parseEchoes(business string, value []byte) (out []channel.Call, err error) {
	var v Echoes
	if err := json.Unmarshal(value, &v); err != nil {
		return nil, err
	}
	for i := range v.Messages {
		r := parseMessage(&v.Messages[i], nil)
		r.From, r.UserID, r.OfOwner = v.Messages[i].To, "", true
		out = append(out, channel.Call{NumberID: v.Metadata.NumberID, BusinessID: business, Message: r})
	}
	return out, nil
}

func parseHistory(business string, value []byte) ([]channel.Call, error) {
	var v History
	if err := json.Unmarshal(value, &v); err != nil {
		return nil, err
	}
	out := &appdata.History{}
	for _, chunk := range v.History {
		out.Declined = out.Declined || slices.ContainsFunc(chunk.Errors, func(e Error) bool { return e.Code == CodeHistoryDeclined })
		for _, t := range chunk.Threads {
			thread := appdata.Thread{Customer: t.ID}
			for i := range t.Messages {
				m := &t.Messages[i]
				if past, ok := parsePast(&m.Incoming); ok {
					past.OfOwner = m.From != t.ID || m.Context != nil && m.Context.FromMe
					thread.Messages = append(thread.Messages, past)
				}
			}
			out.Threads = append(out.Threads, thread)
		}
	}
	for i := range v.Messages {
		m := &v.Messages[i]
		past, ok := parsePast(m)
		past.OfOwner = m.To != "" // otherwise it is the customer's
		customer := cmp.Or(m.To, m.From)
		if ok && past.File != nil && customer != "" && customer != channel.Digits(v.Metadata.Display) {
			out.Threads = append(out.Threads, appdata.Thread{Customer: customer, Messages: []appdata.Message{past}})
		}
	}
	return []channel.Call{{NumberID: v.Metadata.NumberID, BusinessID: business, History: out}}, nil
}

// parsePast reads a message of the history; it returns false if it is not a message, such
// as a reaction.
func parsePast(m *Incoming) (appdata.Message, bool) {
	r := parseMessage(m, nil)
	past := appdata.Message{ID: r.ID, At: r.At, Text: r.Text, Media: m.Type == "media_placeholder" || r.MediaID != ""}
	if r.MediaID != "" {
		past.File = &transport.RemoteFile{ID: r.MediaID, Kind: m.Type, Name: r.Filename, Type: r.MediaType}
	}
	return past, r.ReactTo == "" && !r.System && r.ID != ""
}
