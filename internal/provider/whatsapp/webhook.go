package whatsapp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	channel "konak/internal/crm/channel/whatsapp"
	"konak/internal/crm/template"
	"konak/internal/kit/secret"
	"konak/internal/kit/trtext"
	"konak/internal/provider/graph"
)

// Signed implements channel.Provider.
func (c *Client) Signed(appSecret secret.Text, body []byte, signature string) bool {
	return graph.Signed(appSecret, body, signature)
}

// Webhook is the body that Meta sends.
type Webhook struct {
	Object string  `json:"object"`
	Entry  []Entry `json:"entry"`
}

// Entry holds the changes of one business account.
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

// Metadata identifies the number.
type Metadata struct {
	Display  string `json:"display_phone_number"`
	NumberID string `json:"phone_number_id"`
}

// Profile describes the sender.
type Profile struct {
	Profile struct {
		Name     string `json:"name"`
		Username string `json:"username,omitempty"`
	} `json:"profile"`
	WaID string `json:"wa_id"`
	// UserID is the person's id towards this business. For a person with a user name it may
	// be the only id.
	UserID string `json:"user_id,omitempty"`
}

// Incoming is a customer's message.
type Incoming struct {
	From        string       `json:"from,omitempty"`
	FromUserID  string       `json:"from_user_id,omitempty"`
	To          string       `json:"to,omitempty"` // of an echo
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
	Order       *Order       `json:"order,omitempty"`
	System      *System      `json:"system,omitempty"`
	Context     *Context     `json:"context,omitempty"`
	Referral    *Referral    `json:"referral,omitempty"`
	Errors      []Error      `json:"errors,omitempty"`
}

// Order is what a customer put into the basket of a catalogue.
type Order struct {
	CatalogID string `json:"catalog_id"`
	Text      string `json:"text,omitempty"`
	Items     []struct {
		Product  string      `json:"product_retailer_id"`
		Quantity json.Number `json:"quantity"`
		Price    json.Number `json:"item_price"`
		Currency string      `json:"currency"`
	} `json:"product_items"`
}

// System means that something about the customer changed, such as the number.
type System struct {
	Type     string `json:"type"`
	Body     string `json:"body"`
	NewWaID  string `json:"new_wa_id,omitempty"`
	WaID     string `json:"wa_id,omitempty"`
	UserID   string `json:"user_id,omitempty"`
	Customer string `json:"customer,omitempty"`
}

// Context is what a message answers.
type Context struct {
	From      string `json:"from,omitempty"`
	ID        string `json:"id,omitempty"`
	Forwarded bool   `json:"forwarded,omitempty"`
	Often     bool   `json:"frequently_forwarded,omitempty"`
	Product   *struct {
		CatalogID string `json:"catalog_id"`
		Product   string `json:"product_retailer_id"`
	} `json:"referred_product,omitempty"`
}

// Referral is the advertisement that brought the customer.
type Referral struct {
	URL      string `json:"source_url"`
	Type     string `json:"source_type"`
	ID       string `json:"source_id"`
	Headline string `json:"headline,omitempty"`
	Body     string `json:"body,omitempty"`
	Click    string `json:"ctwa_clid,omitempty"`
}

// Button is a tapped button of a template.
type Button struct {
	Payload string `json:"payload"`
	Text    string `json:"text"`
}

// Interactive is the customer's choice in an interactive message.
type Interactive struct {
	Type   string  `json:"type"`
	Button *Choice `json:"button_reply,omitempty"`
	List   *Choice `json:"list_reply,omitempty"`
	Flow   *struct {
		Name     string `json:"name,omitempty"`
		Body     string `json:"body"`
		Response string `json:"response_json,omitempty"`
	} `json:"nfm_reply,omitempty"`
	Call *CallAnswer `json:"call_permission_reply,omitempty"`
}

// CallAnswer is a customer's answer to a request to call them.
type CallAnswer struct {
	Response  string `json:"response"` // accept or reject
	Permanent bool   `json:"is_permanent,omitempty"`
}

// Choice is the option that was chosen.
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

// Report is the status of a message that we sent.
type Report struct {
	ID        string  `json:"id"`
	Status    string  `json:"status"`
	Timestamp string  `json:"timestamp"`
	Recipient string  `json:"recipient_id"`
	Mark      string  `json:"biz_opaque_callback_data,omitempty"`
	Errors    []Error `json:"errors,omitempty"`
}

// TemplateNews is the value of the fields about templates.
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
	// These are set in message_template_quality_update and template_category_update.
	NewQuality  string `json:"new_quality_score,omitempty"`
	NewCategory string `json:"new_category,omitempty"`
}

// QualityNews is the value of phone_number_quality_update.
type QualityNews struct {
	Display string `json:"display_phone_number"`
	Event   string `json:"event"`
	Limit   string `json:"current_limit"`
}

// Read implements channel.Provider. Unknown fields are skipped.
func (c *Client) Read(body []byte) ([]channel.Call, error) {
	var hook Webhook
	if err := json.Unmarshal(trtext.WithoutNUL(body), &hook); err != nil {
		return nil, fmt.Errorf("whatsapp: webhook: %w", err)
	}
	out := []channel.Call{}
	for _, e := range hook.Entry {
		for _, ch := range e.Changes {
			calls, err := parseChange(e.ID, ch)
			if err != nil {
				return nil, fmt.Errorf("whatsapp: webhook %s: %w", ch.Field, err)
			}
			out = append(out, calls...)
		}
	}
	return out, nil
}

func parseChange(business string, ch Change) (out []channel.Call, err error) {
	switch ch.Field {
	case "messages":
		var v Messages
		if err := json.Unmarshal(ch.Value, &v); err != nil {
			return nil, err
		}
		for i := range v.Messages {
			out = append(out, channel.Call{NumberID: v.Metadata.NumberID, BusinessID: business, Message: parseMessage(&v.Messages[i], v.Contacts)})
		}
		for _, s := range v.Statuses {
			out = append(out, channel.Call{NumberID: v.Metadata.NumberID, BusinessID: business, Status: &channel.Status{
				MessageID: s.ID, Status: s.Status, At: parseTime(s.Timestamp), Mark: s.Mark, Error: errorText(s.Errors),
			}})
		}
		if len(v.Messages)+len(v.Statuses) == 0 {
			out = append(out, channel.Call{NumberID: v.Metadata.NumberID, BusinessID: business})
		}
	case "smb_message_echoes":
		return parseEchoes(business, ch.Value)
	case "history":
		return parseHistory(business, ch.Value)
	case SyncContacts:
		return parseAppState(business, ch.Value)
	case "message_template_status_update", "message_template_quality_update", "template_category_update":
		var v TemplateNews
		if err := json.Unmarshal(ch.Value, &v); err != nil {
			return nil, err
		}
		g := parseTemplateNews(&v)
		out = append(out, channel.Call{BusinessID: business, Template: &g})
	case "phone_number_quality_update":
		var v QualityNews
		if err := json.Unmarshal(ch.Value, &v); err != nil {
			return nil, err
		}
		out = append(out, channel.Call{BusinessID: business, Number: &channel.NumberNews{Display: v.Display, Event: v.Event, Limit: v.Limit}})
	default:
		// A call with an unknown field is still from the provider: it is answered with
		// success if it was signed for one of our accounts.
		out = append(out, channel.Call{BusinessID: business})
	}
	return out, nil
}

func parseMessage(m *Incoming, people []Profile) *channel.Received {
	r := &channel.Received{ID: m.ID, From: m.From, UserID: m.FromUserID, Kind: m.Type, At: parseTime(m.Timestamp), Detail: detail(m)}
	for _, p := range people {
		if p.WaID != "" && p.WaID == m.From || p.UserID != "" && p.UserID == m.FromUserID {
			r.Name, r.Username = p.Profile.Name, p.Profile.Username
			r.From, r.UserID = cmp.Or(r.From, p.WaID), cmp.Or(r.UserID, p.UserID)
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
		// The app itself writes the answer to a request for calls; it does not open a
		// window.
		r.Text, r.System = choiceText(m.Interactive), m.Interactive.Call != nil
	case m.Location != nil:
		r.Text = locationText(m.Location)
	case len(m.Contacts) > 0:
		r.Text = cards(m.Contacts)
	case m.Order != nil:
		r.Text = orderText(m.Order)
	case m.System != nil:
		r.Text, r.System = m.System.Body, true
		r.NewNumber = cmp.Or(m.System.NewWaID, m.System.WaID)
	case r.MediaID == "":
		r.Unsupported = true
	}
	return r
}

// parseTime parses a time in seconds; it returns the zero time if there is none.
func parseTime(seconds string) time.Time {
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}

// detail returns what a message contains in addition to its text.
func detail(m *Incoming) map[string]any {
	out := map[string]any{}
	if c := m.Context; c != nil {
		if c.ID != "" {
			out["quoted"] = c.ID
		}
		if c.Forwarded || c.Often {
			out["forwarded"] = true
		}
		if c.Product != nil {
			out["product"] = map[string]any{"catalog_id": c.Product.CatalogID, "product_id": c.Product.Product}
		}
	}
	if r := m.Referral; r != nil {
		out["referral"] = map[string]any{"url": r.URL, "type": r.Type, "id": r.ID, "headline": r.Headline, "body": r.Body, "click_id": r.Click}
	}
	if m.Order != nil {
		out["order"] = m.Order
	}
	if i := m.Interactive; i != nil && i.Call != nil {
		out["calls"] = "refused"
		if i.Call.Response == "accept" {
			out["calls"] = "allowed"
		}
	}
	if i := m.Interactive; i != nil && i.Flow != nil {
		form := map[string]any{"name": i.Flow.Name}
		var answers map[string]any
		if json.Unmarshal([]byte(i.Flow.Response), &answers) == nil {
			form["answers"] = answers
		}
		out["form"] = form
	}
	return out
}

// orderText returns an order as text, one line per product.
func orderText(o *Order) string {
	lines := []string{}
	if o.Text != "" {
		lines = append(lines, o.Text)
	}
	for _, i := range o.Items {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s × %s  %s %s", i.Quantity, i.Product, i.Price, i.Currency)))
	}
	return strings.Join(lines, "\n")
}

// answers returns the fields of a form as text, one line per field.
func answers(response string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(response), &fields) != nil {
		return ""
	}
	lines := []string{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "flow_token" {
			lines = append(lines, fmt.Sprintf("%s: %v", name, fields[name]))
		}
	}
	return strings.Join(lines, "\n")
}

func choiceText(i *Interactive) string {
	for _, c := range []*Choice{i.Button, i.List} {
		if c != nil {
			return strings.TrimSpace(c.Title + "\n" + c.Description)
		}
	}
	if i.Call != nil && i.Call.Response == "accept" {
		return "📞 Aramaya izin verdi. / Allows calls."
	}
	if i.Call != nil {
		return "📞 Aramaya izin vermedi. / Does not allow calls."
	}
	if i.Flow != nil {
		return strings.TrimSpace(i.Flow.Body + "\n" + answers(i.Flow.Response))
	}
	return i.Type
}

func locationText(l *Location) string {
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

func errorText(list []Error) string {
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

func parseTemplateNews(v *TemplateNews) template.Given {
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
