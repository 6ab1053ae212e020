package whatsapp

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	channel "konak/internal/crm/channel/whatsapp"
	"konak/internal/crm/template"
	"konak/internal/kit/secret"
)

// SignatureHeader carries the signature of a webhook.
const SignatureHeader = "X-Hub-Signature-256"

// Sign is how Meta signs a webhook.
func Sign(appSecret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(appSecret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// Signed implements channel.Provider.
func (c *Client) Signed(appSecret secret.Text, body []byte, signature string) bool {
	return appSecret.Reveal() != "" && hmac.Equal([]byte(Sign(appSecret.Reveal(), body)), []byte(strings.TrimSpace(signature)))
}

// Webhook is what Meta sends.
type Webhook struct {
	Object string  `json:"object"`
	Entry  []Entry `json:"entry"`
}

// Entry is what concerns one business account.
type Entry struct {
	ID      string   `json:"id"`
	Time    int64    `json:"time,omitempty"`
	Changes []Change `json:"changes"`
}

// Change is one thing that happened.
type Change struct {
	Field string          `json:"field"`
	Value json.RawMessage `json:"value"`
}

// Messages is the value of the field messages.
type Messages struct {
	Product  string     `json:"messaging_product"`
	Metadata Metadata   `json:"metadata"`
	Contacts []Profile  `json:"contacts,omitempty"`
	Messages []Incoming `json:"messages,omitempty"`
	Statuses []Report   `json:"statuses,omitempty"`
	Errors   []Error    `json:"errors,omitempty"`
}

// Metadata names the number.
type Metadata struct {
	Display  string `json:"display_phone_number"`
	NumberID string `json:"phone_number_id"`
}

// Profile is who writes.
type Profile struct {
	Profile struct {
		Name string `json:"name"`
	} `json:"profile"`
	WaID string `json:"wa_id"`
}

// Incoming is a customer's message.
type Incoming struct {
	From        string       `json:"from"`
	ID          string       `json:"id"`
	Timestamp   string       `json:"timestamp"`
	Type        string       `json:"type"`
	Text        *Text        `json:"text,omitempty"`
	Image       *Media       `json:"image,omitempty"`
	Video       *Media       `json:"video,omitempty"`
	Audio       *Media       `json:"audio,omitempty"`
	Document    *Media       `json:"document,omitempty"`
	Sticker     *Media       `json:"sticker,omitempty"`
	Reaction    *Reaction    `json:"reaction,omitempty"`
	Button      *Button      `json:"button,omitempty"`
	Interactive *Interactive `json:"interactive,omitempty"`
	Location    *Location    `json:"location,omitempty"`
	Contacts    []Card       `json:"contacts,omitempty"`
	Errors      []Error      `json:"errors,omitempty"`
}

// Button is a tapped button of a template.
type Button struct {
	Payload string `json:"payload"`
	Text    string `json:"text"`
}

// Interactive is a choice.
type Interactive struct {
	Type   string  `json:"type"`
	Button *Choice `json:"button_reply,omitempty"`
	List   *Choice `json:"list_reply,omitempty"`
	Flow   *struct {
		Body string `json:"body"`
	} `json:"nfm_reply,omitempty"`
}

// Choice is what was chosen.
type Choice struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
}

// Location is a place.
type Location struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
	Name      string  `json:"name,omitempty"`
	Address   string  `json:"address,omitempty"`
}

// Card is somebody's contact data.
type Card struct {
	Name struct {
		Formatted string `json:"formatted_name"`
	} `json:"name"`
	Phones []struct {
		Phone string `json:"phone"`
	} `json:"phones,omitempty"`
	Emails []struct {
		Email string `json:"email"`
	} `json:"emails,omitempty"`
}

// Report is what became of a message of ours.
type Report struct {
	ID        string  `json:"id"`
	Status    string  `json:"status"`
	Timestamp string  `json:"timestamp"`
	Recipient string  `json:"recipient_id"`
	Mark      string  `json:"biz_opaque_callback_data,omitempty"`
	Errors    []Error `json:"errors,omitempty"`
}

// TemplateNews is the value of the fields that speak of templates.
type TemplateNews struct {
	Event    string `json:"event,omitempty"`
	ID       Number `json:"message_template_id"`
	Name     string `json:"message_template_name"`
	Language string `json:"message_template_language"`
	Reason   string `json:"reason,omitempty"`
	Category string `json:"message_template_category,omitempty"`
	Other    *struct {
		Title       string `json:"title"`
		Description string `json:"description"`
	} `json:"other_info,omitempty"`
	Rejection *struct {
		Reason         string `json:"reason"`
		Recommendation string `json:"recommendation"`
	} `json:"rejection_info,omitempty"`
	// Of message_template_quality_update and template_category_update.
	NewQuality  string `json:"new_quality_score,omitempty"`
	NewCategory string `json:"new_category,omitempty"`
}

// Number is an id that Meta writes as a number here and as text there.
type Number string

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(b []byte) error {
	*n = Number(strings.Trim(string(b), `"`))
	return nil
}

// QualityNews is the value of phone_number_quality_update.
type QualityNews struct {
	Display string `json:"display_phone_number"`
	Event   string `json:"event"`
	Limit   string `json:"current_limit"`
}

// Read implements channel.Provider. Fields that mean nothing to us are passed
// over.
func (c *Client) Read(body []byte) ([]channel.Call, error) {
	var hook Webhook
	if err := json.Unmarshal(body, &hook); err != nil {
		return nil, fmt.Errorf("whatsapp: webhook: %w", err)
	}
	out := []channel.Call{}
	for _, e := range hook.Entry {
		for _, ch := range e.Changes {
			calls, err := read(e.ID, ch)
			if err != nil {
				return nil, fmt.Errorf("whatsapp: webhook %s: %w", ch.Field, err)
			}
			out = append(out, calls...)
		}
	}
	return out, nil
}

func read(business string, ch Change) (out []channel.Call, err error) {
	switch ch.Field {
	case "messages":
		var v Messages
		if err := json.Unmarshal(ch.Value, &v); err != nil {
			return nil, err
		}
		for i := range v.Messages {
			out = append(out, channel.Call{NumberID: v.Metadata.NumberID, BusinessID: business, Message: received(&v.Messages[i], v.Contacts)})
		}
		for _, s := range v.Statuses {
			out = append(out, channel.Call{NumberID: v.Metadata.NumberID, BusinessID: business, Status: &channel.Status{
				MessageID: s.ID, Status: s.Status, Mark: s.Mark, Error: words(s.Errors),
			}})
		}
	case "message_template_status_update", "message_template_quality_update", "template_category_update":
		var v TemplateNews
		if err := json.Unmarshal(ch.Value, &v); err != nil {
			return nil, err
		}
		g := news(&v)
		out = append(out, channel.Call{BusinessID: business, Template: &g})
	case "phone_number_quality_update":
		var v QualityNews
		if err := json.Unmarshal(ch.Value, &v); err != nil {
			return nil, err
		}
		out = append(out, channel.Call{BusinessID: business, Number: &channel.NumberNews{Display: v.Display, Event: v.Event, Limit: v.Limit}})
	}
	return out, nil
}

func received(m *Incoming, people []Profile) *channel.Received {
	r := &channel.Received{ID: m.ID, From: m.From, Kind: m.Type}
	if n, err := strconv.ParseInt(m.Timestamp, 10, 64); err == nil {
		r.At = time.Unix(n, 0).UTC()
	}
	for _, p := range people {
		if p.WaID == m.From {
			r.Name = p.Profile.Name
		}
	}
	for _, f := range []*Media{m.Image, m.Video, m.Audio, m.Document, m.Sticker} {
		if f != nil {
			r.MediaID, r.MediaType, r.Filename, r.Text = f.ID, f.MimeType, f.Filename, f.Caption
		}
	}
	switch {
	case m.Text != nil:
		r.Text = m.Text.Body
	case m.Reaction != nil:
		r.ReactTo, r.Emoji = m.Reaction.MessageID, m.Reaction.Emoji
	case m.Button != nil:
		r.Text = m.Button.Text
	case m.Interactive != nil:
		r.Text = chosen(m.Interactive)
	case m.Location != nil:
		r.Text = place(m.Location)
	case len(m.Contacts) > 0:
		r.Text = cards(m.Contacts)
	case r.MediaID == "":
		r.Unsupported = true
	}
	return r
}

func chosen(i *Interactive) string {
	for _, c := range []*Choice{i.Button, i.List} {
		if c != nil {
			return strings.TrimSpace(c.Title + "\n" + c.Description)
		}
	}
	if i.Flow != nil {
		return i.Flow.Body
	}
	return i.Type
}

func place(l *Location) string {
	at := strconv.FormatFloat(l.Latitude, 'f', -1, 64) + "," + strconv.FormatFloat(l.Longitude, 'f', -1, 64)
	lines := []string{}
	for _, s := range []string{l.Name, l.Address, "https://maps.google.com/?q=" + at} {
		if s != "" {
			lines = append(lines, s)
		}
	}
	return strings.Join(lines, "\n")
}

func cards(list []Card) string {
	lines := []string{}
	for _, c := range list {
		line := c.Name.Formatted
		for _, p := range c.Phones {
			line += " " + p.Phone
		}
		for _, e := range c.Emails {
			line += " " + e.Email
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.Join(lines, "\n")
}

func words(list []Error) string {
	if len(list) == 0 {
		return ""
	}
	e := list[0]
	r := channel.Refusal{Code: e.Code, Message: e.Message, Title: e.Title}
	if e.Data != nil {
		r.Details = e.Data.Details
	}
	return r.Words()
}

func news(v *TemplateNews) template.Given {
	g := template.Given{ProviderID: string(v.ID), Name: v.Name, Language: v.Language, Status: v.Event, Category: v.Category, Reason: v.Reason}
	if v.Other != nil {
		g.Detail = strings.TrimSpace(v.Other.Title + ": " + v.Other.Description)
	}
	if v.Rejection != nil {
		g.Detail = strings.TrimSpace(v.Rejection.Reason + " " + v.Rejection.Recommendation)
	}
	if v.NewQuality != "" {
		g.Quality = quality(v.NewQuality)
	}
	if v.NewCategory != "" {
		g.Category = v.NewCategory
	}
	return g
}
