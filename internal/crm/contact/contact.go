package contact

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
	"konak/internal/kit/trtext"
)

// Kinds of contact.
const (
	Lead     = "lead"
	Customer = "customer"
)

// Contact is a person or a company that a workspace talks to.
type Contact struct {
	ID               uuid.UUID      `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	ExternalID       *string        `json:"external_id" nullable:"true" example:"crm-4711" doc:"The contact's id in another system"`
	Kind             string         `json:"kind" enum:"lead,customer" example:"customer"`
	Name             string         `json:"name" example:"Elif Kaya"`
	FirstName        string         `json:"first_name" example:"Elif"`
	LastName         string         `json:"last_name" example:"Kaya"`
	Emails           []Email        `json:"emails" nullable:"false"`
	Phones           []Phone        `json:"phones" nullable:"false"`
	Identities       []Identity     `json:"identities" nullable:"false"`
	Claims           []Claim        `json:"claims" nullable:"false" doc:"Addresses and numbers that the contact gave; not verified while proof is null"`
	Company          string         `json:"company" example:"Kaya Mobilya"`
	OwnerID          *uuid.UUID     `json:"owner_id" nullable:"true" format:"uuid" doc:"Member who owns the contact"`
	Language         string         `json:"language" example:"tr"`
	Timezone         string         `json:"timezone" example:"Europe/Istanbul"`
	Country          string         `json:"country" example:"TR"`
	Tags             []string       `json:"tags" nullable:"false" example:"[\"vip\"]"`
	CustomAttributes map[string]any `json:"custom_attributes" example:"{\"plan\":\"pro\"}"`
	Consents         []Consent      `json:"consents" nullable:"false"`
	Blocked          bool           `json:"blocked"`
	LastSeenAt       *clock.Time    `json:"last_seen_at" nullable:"true"`
	LastContactedAt  *clock.Time    `json:"last_contacted_at" nullable:"true"`
	LastRepliedAt    *clock.Time    `json:"last_replied_at" nullable:"true"`
	MergedIntoID     *uuid.UUID     `json:"merged_into_id" nullable:"true" format:"uuid"`
	Test             bool           `json:"test" doc:"Created with a key of the test environment"`
	CreatedAt        clock.Time     `json:"created_at"`
	UpdatedAt        clock.Time     `json:"updated_at"`
}

// Email is an address of a contact.
type Email struct {
	Address string `json:"address" example:"elif@kayamobilya.example"`
	Primary bool   `json:"primary"`
	Bounced bool   `json:"bounced"`
}

// Phone is a number of a contact.
type Phone struct {
	E164    string `json:"e164" example:"+905321234567"`
	Primary bool   `json:"primary"`
}

// Identity is a contact's identity on a channel.
type Identity struct {
	ChannelAccountID *uuid.UUID  `json:"channel_account_id" nullable:"true" format:"uuid"`
	Channel          string      `json:"channel" example:"whatsapp"`
	ExternalID       string      `json:"external_id" example:"905321234567"`
	Username         string      `json:"username" example:"elifkaya"`
	Reachable        bool        `json:"reachable"`
	WindowExpiresAt  *clock.Time `json:"window_expires_at" nullable:"true" doc:"When the window for free text ends"`
}

// Consent says whether a contact may be written to on a channel for a purpose.
type Consent struct {
	Channel  string     `json:"channel" example:"whatsapp"`
	Purpose  string     `json:"purpose" example:"marketing"`
	Status   string     `json:"status" enum:"granted,revoked"`
	Source   string     `json:"source" example:"checkout form"`
	Evidence string     `json:"evidence" example:"https://example.com/consents/4711"`
	At       clock.Time `json:"at"`
}

// Note is an agent's note about a contact.
type Note struct {
	ID        uuid.UUID  `json:"id" format:"uuid"`
	Body      string     `json:"body" example:"Prefers to be called after 17:00"`
	AuthorID  *uuid.UUID `json:"author_id" nullable:"true" format:"uuid"`
	CreatedAt clock.Time `json:"created_at"`
}

// Input holds what a caller may set. A nil field stays unchanged.
type Input struct {
	ExternalID       *string         `json:"external_id,omitempty" maxLength:"200" example:"crm-4711"`
	Kind             *string         `json:"kind,omitempty" enum:"lead,customer"`
	Name             *string         `json:"name,omitempty" maxLength:"200" example:"Elif Kaya"`
	FirstName        *string         `json:"first_name,omitempty" maxLength:"100" example:"Elif"`
	LastName         *string         `json:"last_name,omitempty" maxLength:"100" example:"Kaya"`
	Emails           *[]string       `json:"emails,omitempty" maxItems:"20" nullable:"false" doc:"The first one is primary" example:"[\"elif@kayamobilya.example\"]"`
	Phones           *[]string       `json:"phones,omitempty" maxItems:"20" nullable:"false" doc:"The first one is primary" example:"[\"+905321234567\"]"`
	Company          *string         `json:"company,omitempty" maxLength:"200" example:"Kaya Mobilya"`
	OwnerID          *uuid.UUID      `json:"owner_id,omitempty" format:"uuid" doc:"The nil UUID removes the owner"`
	Language         *string         `json:"language,omitempty" maxLength:"20" example:"tr"`
	Timezone         *string         `json:"timezone,omitempty" maxLength:"64" example:"Europe/Istanbul"`
	Country          *string         `json:"country,omitempty" maxLength:"2" example:"TR"`
	Tags             *[]string       `json:"tags,omitempty" maxItems:"50" nullable:"false" example:"[\"vip\"]"`
	CustomAttributes *map[string]any `json:"custom_attributes,omitempty" doc:"Text, numbers and booleans; null removes an attribute" example:"{\"plan\":\"pro\"}"`
}

const (
	maxAttributes     = 100
	maxAttributeBytes = 16 << 10
	maxTag            = 60
	maxTags           = 50
)

// apply validates the input and applies it to c.
func (in *Input) apply(c *Contact) error {
	f := fault.New(fault.ValidationFailed)
	set := func(to *string, from *string) {
		if from != nil {
			*to = strings.TrimSpace(trtext.Plain(*from))
		}
	}
	set(&c.Kind, in.Kind)
	set(&c.FirstName, in.FirstName)
	set(&c.LastName, in.LastName)
	if in.FirstName != nil || in.LastName != nil {
		c.Name = strings.TrimSpace(c.FirstName + " " + c.LastName)
	}
	set(&c.Name, in.Name)
	set(&c.Company, in.Company)
	set(&c.Language, in.Language)
	set(&c.Timezone, in.Timezone)
	set(&c.Country, in.Country)
	if in.ExternalID != nil {
		c.ExternalID = nil
		if id := strings.TrimSpace(*in.ExternalID); id != "" {
			c.ExternalID = &id
		}
	}
	if in.OwnerID != nil {
		c.OwnerID = nil
		if *in.OwnerID != uuid.Nil {
			c.OwnerID = in.OwnerID
		}
	}
	if in.Emails != nil {
		c.Emails = readEmails(*in.Emails, c.Emails, f)
	}
	if in.Phones != nil {
		c.Phones = readPhones(*in.Phones, f)
	}
	if in.Tags != nil {
		tags, ok := Tags(*in.Tags)
		if !ok {
			f.Field("tags", "too_long")
		}
		c.Tags = tags
	}
	if in.CustomAttributes != nil {
		c.CustomAttributes = mergeAttributes(c.CustomAttributes, *in.CustomAttributes, f)
	}
	if c.Name == "" {
		c.Name = fallbackName(c)
	}
	if c.Name == "" {
		f.Field("name", "required")
	}
	return f.OrNil()
}

// fallbackName returns a name for a contact without one: an address, a number or the
// company.
func fallbackName(c *Contact) string {
	if len(c.Emails) > 0 {
		return c.Emails[0].Address
	}
	if len(c.Phones) > 0 {
		return c.Phones[0].E164
	}
	return c.Company
}

func readEmails(list []string, old []Email, f *fault.Fault) []Email {
	out := []Email{}
	for _, s := range list {
		e, ok := address.ParseEmail(s)
		if !ok {
			f.Field("emails", "invalid_address")
			return old
		}
		same := func(o Email) bool { return address.Fold(o.Address) == e.Key }
		if slices.ContainsFunc(out, same) {
			continue
		}
		i := slices.IndexFunc(old, same)
		out = append(out, Email{Address: e.Address, Primary: len(out) == 0, Bounced: i >= 0 && old[i].Bounced})
	}
	return out
}

func readPhones(list []string, f *fault.Fault) []Phone {
	out := []Phone{}
	for _, s := range list {
		n, ok := address.ParsePhone(s)
		if !ok {
			f.Field("phones", "invalid_phone")
			return out
		}
		if !slices.ContainsFunc(out, func(p Phone) bool { return p.E164 == n }) {
			out = append(out, Phone{E164: n, Primary: len(out) == 0})
		}
	}
	return out
}

// Tags trims tags and drops empty and repeated ones; false if one is too long. Tags that
// differ only in case are the same, and the first spelling stays. They are sorted, so equal
// sets look equal.
func Tags(list []string) ([]string, bool) {
	out, seen := []string{}, map[string]bool{}
	for _, t := range list {
		t = strings.TrimSpace(t)
		if utf8.RuneCountInString(t) > maxTag {
			return nil, false
		}
		if key := TagKey(t); t != "" && !seen[key] {
			seen[key], out = true, append(out, t)
		}
	}
	slices.Sort(out)
	return out, true
}

// TagKey returns the key that equal tags share: their letters regardless of case, with the
// four Turkish i's as one, because it depends on the keyboard which of them is typed.
func TagKey(tag string) string {
	return strings.ReplaceAll(trtext.LowerString(strings.TrimSpace(tag)), "ı", "i")
}

// WithoutTags returns the tags that are not among others, ignoring case.
func WithoutTags(has, others []string) []string {
	gone := map[string]bool{}
	for _, t := range others {
		gone[TagKey(t)] = true
	}
	return slices.DeleteFunc(slices.Clone(has), func(t string) bool { return gone[TagKey(t)] })
}

func mergeAttributes(old, set map[string]any, f *fault.Fault) map[string]any {
	out := maps.Clone(old)
	if out == nil {
		out = map[string]any{}
	}
	for k, v := range set {
		if k = strings.TrimSpace(k); k == "" || len(k) > 64 {
			f.Field("custom_attributes", "invalid_name")
			continue
		}
		switch v.(type) {
		case nil:
			delete(out, k)
		case string, float64, bool:
			out[k] = v
		default:
			f.Field("custom_attributes."+k, "wrong_type")
		}
	}
	if text, err := json.Marshal(out); err != nil || len(text) > maxAttributeBytes || len(out) > maxAttributes {
		f.Field("custom_attributes", "too_large")
	}
	return out
}

// Terms splits text into the normalised words under which it is found: lower case, without
// marks, and with every i of the two alphabets alike.
func Terms(texts ...string) []string {
	var out []string
	for _, text := range texts {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if w := trtext.Fold(word); len(w) > 1 {
				out = append(out, trtext.Cut(w, 64))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// terms returns the search words of a contact: name, company, addresses whole and in parts,
// numbers with and without the country code.
func (c *Contact) terms() []string {
	texts := []string{c.Name, c.FirstName, c.LastName, c.Company}
	var whole []string
	for _, e := range c.Emails {
		texts = append(texts, e.Address)
		whole = append(whole, address.Fold(e.Address))
	}
	for _, p := range c.Phones {
		texts = append(texts, p.E164)
		if n, ok := strings.CutPrefix(p.E164, "+90"); ok {
			whole = append(whole, "0"+n, n)
		}
	}
	if c.ExternalID != nil {
		whole = append(whole, trtext.Fold(*c.ExternalID))
	}
	out := append(Terms(texts...), whole...)
	slices.Sort(out)
	return slices.Compact(out)
}
