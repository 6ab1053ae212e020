package whatsapp

import (
	"encoding/json"
	"strings"

	"konak/internal/crm/template"
	"konak/internal/provider/graph"
)

// The types that all of the Graph API shares.
type (
	ErrorBody = graph.ErrorBody
	Error     = graph.Error
	ErrorData = graph.ErrorData
	Success   = graph.Success
	Paging    = graph.Paging
	Cursors   = graph.Cursors
	Number    = graph.Number
)

// PhoneNumber is a number of a business.
type PhoneNumber struct {
	ID           string `json:"id"`
	Display      string `json:"display_phone_number"`
	VerifiedName string `json:"verified_name"`
	Quality      string `json:"quality_rating,omitempty"`
	Limit        string `json:"messaging_limit_tier,omitempty"`
	NameStatus   string `json:"name_status,omitempty"`
	Mode         string `json:"account_mode,omitempty"`
	// Platform is CLOUD_API for a number that can send, and NOT_APPLICABLE for one that
	// was never registered.
	Platform string `json:"platform_type,omitempty"`
	// OnApp means that the owner also uses the number in the WhatsApp Business app.
	OnApp bool `json:"is_on_biz_app,omitempty"`
}

// NumberFields are the fields requested of a number.
const NumberFields = "id,display_phone_number,verified_name,quality_rating,messaging_limit_tier,name_status,account_mode,platform_type,is_on_biz_app"

// Registration makes a number ready to send; it changes nothing if the number is ready
// already.
type Registration struct {
	Product string `json:"messaging_product"`
	PIN     string `json:"pin,omitempty"`
}

// Outgoing is the body of a message.
type Outgoing struct {
	Product       string `json:"messaging_product"`
	RecipientType string `json:"recipient_type,omitempty"`
	// To is a number; Recipient is used instead for a person who shows none.
	To        string    `json:"to,omitempty"`
	Recipient string    `json:"recipient,omitempty"`
	Type      string    `json:"type,omitempty"`
	Text      *Text     `json:"text,omitempty"`
	Image     *Media    `json:"image,omitempty"`
	Video     *Media    `json:"video,omitempty"`
	Audio     *Media    `json:"audio,omitempty"`
	Document  *Media    `json:"document,omitempty"`
	Sticker   *Media    `json:"sticker,omitempty"`
	Template  *Template `json:"template,omitempty"`
	Reaction  *Reaction `json:"reaction,omitempty"`
	// Interactive is a question with the answers that the app offers.
	Interactive *Question `json:"interactive,omitempty"`
	Location    *Location `json:"location,omitempty"`
	Contacts    Cards     `json:"contacts,omitempty"`
	Mark        string    `json:"biz_opaque_callback_data,omitempty"`
	// These belong to the call that marks a message as read.
	Status    string `json:"status,omitempty"`
	MessageID string `json:"message_id,omitempty"`
}

// Cards are the contact cards of a message. The Graph API accepts a list, and also text
// that is the JSON of a list, which some clients send.
type Cards []Card

// UnmarshalJSON implements json.Unmarshaler.
func (c *Cards) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		b = []byte(text)
	}
	var list []Card
	err := json.Unmarshal(b, &list)
	*c = list
	return err
}

// Question asks a customer for permission to call them, or to choose one of the offered
// answers.
type Question struct {
	Type   string `json:"type"`
	Action struct {
		Name     string            `json:"name,omitempty"`
		Button   string            `json:"button,omitempty"`
		Buttons  []json.RawMessage `json:"buttons,omitempty"`
		Sections []json.RawMessage `json:"sections,omitempty"`
	} `json:"action"`
	Body struct {
		Text string `json:"text"`
	} `json:"body"`
}

// Text is a text.
type Text struct {
	Body    string `json:"body"`
	Preview bool   `json:"preview_url,omitempty"`
}

// Media is a file, by its id or by its address.
type Media struct {
	ID       string `json:"id,omitempty"`
	Link     string `json:"link,omitempty"`
	Caption  string `json:"caption,omitempty"`
	Filename string `json:"filename,omitempty"`
	// These are set in incoming messages.
	MimeType string `json:"mime_type,omitempty"`
	SHA256   string `json:"sha256,omitempty"`
}

// Reaction is an emoji on a message.
type Reaction struct {
	MessageID string `json:"message_id"`
	Emoji     string `json:"emoji"`
}

// Template is a template with its parameters.
type Template struct {
	Name       string              `json:"name"`
	Language   Language            `json:"language"`
	Components []TemplateComponent `json:"components,omitempty"`
}

// Language is the language of a template.
type Language struct {
	Code string `json:"code"`
}

// TemplateComponent fills in a part of a template.
type TemplateComponent struct {
	Type       string      `json:"type"`
	SubType    string      `json:"sub_type,omitempty"`
	Index      string      `json:"index,omitempty"`
	Parameters []Parameter `json:"parameters"`
}

// Parameter is the value of one placeholder.
type Parameter struct {
	Type       string `json:"type"`
	Name       string `json:"parameter_name,omitempty"`
	Text       string `json:"text,omitempty"`
	CouponCode string `json:"coupon_code,omitempty"`
	Image      *Media `json:"image,omitempty"`
	Video      *Media `json:"video,omitempty"`
	Document   *Media `json:"document,omitempty"`
}

// Accepted is the answer to a message.
type Accepted struct {
	Product  string            `json:"messaging_product"`
	Contacts []AcceptedContact `json:"contacts"`
	Messages []AcceptedMessage `json:"messages"`
}

// AcceptedContact is the recipient of an accepted message.
type AcceptedContact struct {
	Input string `json:"input"`
	WaID  string `json:"wa_id"`
}

// AcceptedMessage is the id of an accepted message.
type AcceptedMessage struct {
	ID     string `json:"id"`
	Status string `json:"message_status,omitempty"`
}

// MediaInfo is a file that can be fetched.
type MediaInfo struct {
	Product  string `json:"messaging_product"`
	URL      string `json:"url"`
	MimeType string `json:"mime_type"`
	SHA256   string `json:"sha256"`
	Size     int64  `json:"file_size"`
	ID       string `json:"id"`
}

// ID is the answer to a call that creates something.
type ID struct {
	ID string `json:"id"`
}

// Subscription is the body of a subscription.
type Subscription struct {
	Callback string `json:"override_callback_uri,omitempty"`
	Token    string `json:"verify_token,omitempty"`
}

// TemplateRecord is a template as Meta stores it.
type TemplateRecord struct {
	ID              string               `json:"id,omitempty"`
	Name            string               `json:"name"`
	Language        string               `json:"language"`
	Category        string               `json:"category,omitempty"`
	Status          string               `json:"status,omitempty"`
	Reason          string               `json:"rejected_reason,omitempty"`
	Quality         *Quality             `json:"quality_score,omitempty"`
	ParameterFormat string               `json:"parameter_format,omitempty"`
	Components      []template.Component `json:"components,omitempty"`
}

// Quality is Meta's quality score of a template.
type Quality struct {
	Score string `json:"score"`
}

// TemplateFields are the fields requested of a template.
const TemplateFields = "id,name,language,category,status,rejected_reason,quality_score,parameter_format,components"

// TemplateEdit is the body of an edit.
type TemplateEdit struct {
	Category   string               `json:"category,omitempty"`
	Components []template.Component `json:"components,omitempty"`
}

// TemplatePage is a page of templates.
type TemplatePage = graph.Page[TemplateRecord]

// UploadHandle is the answer to a sample file.
type UploadHandle struct {
	Handle string `json:"h"`
}

// isUserID reports whether an address is a person's id towards a business, such as
// TR.4823907452, and not a number.
func isUserID(address string) bool {
	return strings.ContainsFunc(address, func(r rune) bool { return r < '0' || r > '9' })
}
