package wallet

import (
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"konak/internal/kit/fault"
)

// Card is a payment card on its way to the bank. It is printed, logged and encoded as stars
// only.
type Card struct {
	Holder string `json:"holder" minLength:"2" maxLength:"100" example:"Elif Kaya" writeOnly:"true"`
	Number string `json:"number" minLength:"12" maxLength:"23" example:"5528790000000008" writeOnly:"true" doc:"Digits; spaces between them are ignored. Passed to the bank, never stored or logged"`
	Month  int    `json:"expiry_month" minimum:"1" maximum:"12" example:"12" writeOnly:"true"`
	Year   int    `json:"expiry_year" minimum:"2000" maximum:"2100" example:"2030" writeOnly:"true"`
	CVC    string `json:"cvc" pattern:"^[0-9]{3,4}$" example:"123" writeOnly:"true"`
}

// Format implements fmt.Formatter for every verb.
func (Card) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "***") }

// LogValue implements slog.LogValuer.
func (Card) LogValue() slog.Value { return slog.StringValue("***") }

// MarshalJSON implements json.Marshaler.
func (Card) MarshalJSON() ([]byte, error) { return []byte(`"***"`), nil }

// check removes the spaces from the number and refuses a card that no bank would accept:
// one whose number fails its check digit, or one that has expired.
func (c *Card) check(now time.Time) error {
	c.Number = strings.ReplaceAll(c.Number, " ", "")
	wrong := fault.New(fault.ValidationFailed)
	if !validNumber(c.Number) {
		wrong.Field("card.number", "invalid_card")
	}
	// A card is valid until the end of its month.
	if !now.Before(time.Date(c.Year, time.Month(c.Month)+1, 1, 0, 0, 0, 0, time.UTC)) {
		wrong.Field("card.expiry_year", "expired")
	}
	return wrong.OrNil()
}

// validNumber checks the length and the check digit (Luhn) of a card number.
func validNumber(number string) bool {
	if len(number) < 12 || len(number) > 19 {
		return false
	}
	sum := 0
	for i := range len(number) {
		d := int(number[len(number)-1-i]) - '0'
		if d < 0 || d > 9 {
			return false
		}
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// longNumber matches what may be a card number in a text, with or without separators
// between its digits.
var longNumber = regexp.MustCompile(`\d(?:[ -]?\d){11,}`)

// maxDetail is the number of bytes kept of a bank's message.
const maxDetail = 300

// cleanDetail removes possible card numbers from a bank's message.
func cleanDetail(text string) string {
	text = longNumber.ReplaceAllString(text, "***")
	if len(text) > maxDetail {
		text = strings.ToValidUTF8(text[:maxDetail], "")
	}
	return text
}

// Buyer is the person who pays, with the data that banks require.
type Buyer struct {
	Name           string `json:"name" minLength:"1" maxLength:"100" example:"Elif"`
	Surname        string `json:"surname" minLength:"1" maxLength:"100" example:"Kaya"`
	Email          string `json:"email" minLength:"3" maxLength:"254" example:"elif@kayamobilya.example"`
	Phone          string `json:"phone" minLength:"3" maxLength:"40" example:"+905321234567"`
	IdentityNumber string `json:"identity_number" minLength:"5" maxLength:"50" example:"11111111110" doc:"National identity or passport number"`
	Address        string `json:"address" minLength:"1" maxLength:"500" example:"Bağdat Caddesi 12"`
	City           string `json:"city" minLength:"1" maxLength:"100" example:"İstanbul"`
	Country        string `json:"country" minLength:"1" maxLength:"100" example:"Türkiye"`
	PostalCode     string `json:"postal_code,omitempty" maxLength:"20" example:"34710"`
}
