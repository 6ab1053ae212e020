package block

import (
	"regexp"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
)

// maxEntries is the maximum number of entries of a workspace.
const maxEntries = 10_000

// Entry is a blocked number or number prefix.
type Entry struct {
	ID        uuid.UUID  `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	E164      *string    `json:"e164" nullable:"true" example:"+908501234567" doc:"The blocked number; null if a prefix is blocked"`
	Prefix    *string    `json:"prefix" nullable:"true" example:"+90850" doc:"Start of the blocked numbers; null if one number is blocked"`
	Note      string     `json:"note" example:"Reklam"`
	CreatedAt clock.Time `json:"created_at"`
}

// pattern returns what the entry blocks, and whether it is a prefix.
func (e Entry) pattern() (text string, isPrefix bool) {
	if e.Prefix != nil {
		return *e.Prefix, true
	}
	return *e.E164, false
}

var prefixForm = regexp.MustCompile(`^\+[1-9][0-9]{0,13}$`)

// newEntry checks what a person typed. Exactly one of number and prefix must be
// given.
func newEntry(e164, prefix, note string) (Entry, error) {
	e := Entry{Note: note}
	switch {
	case (e164 == "") == (prefix == ""):
		return e, fault.Invalid("e164", "one_of_e164_and_prefix")
	case prefix != "":
		if !prefixForm.MatchString(prefix) {
			return e, fault.Invalid("prefix", "invalid_prefix")
		}
		e.Prefix = &prefix
		return e, nil
	}
	number, ok := address.ParsePhone(e164)
	if !ok {
		return e, fault.Invalid("e164", "invalid_phone")
	}
	e.E164 = &number
	return e, nil
}
