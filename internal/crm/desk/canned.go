package desk

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/trtext"
)

// CannedReply is a prepared text for agents' answers.
type CannedReply struct {
	ID       uuid.UUID  `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Shared   bool       `json:"shared" doc:"Whether it is shared with the whole workspace"`
	OwnerID  *uuid.UUID `json:"owner_id" nullable:"true" format:"uuid" doc:"Agent it belongs to; null if shared"`
	Shortcut string     `json:"shortcut" example:"kargo" doc:"Text agents type to find it"`
	Title    string     `json:"title" example:"Kargo ne zaman gelir"`
	Body     string     `json:"body" example:"Merhaba {{contact.first_name}}, siparişiniz kargoya verildi."`
	// Assistant means that the assistant may answer customers with it.
	Assistant bool       `json:"assistant" doc:"Whether the assistant can answer customers with it"`
	CreatedAt clock.Time `json:"created_at"`
	UpdatedAt clock.Time `json:"updated_at"`
}

// shortcut is one word, so that it can be typed into a text.
var shortcut = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,39}$`)

// words splits text into folded words, including single letters, because a word being typed
// begins with one.
func words(text string) []string {
	out := strings.FieldsFunc(trtext.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range out {
		out[i] = trtext.Cut(w, 64)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// terms returns the words by which a canned reply is found: its shortcut, as a whole and in
// parts, and its title.
func (c *CannedReply) terms() []string {
	out := append(words(c.Shortcut+" "+c.Title), nameKey(c.Shortcut))
	slices.Sort(out)
	return slices.Compact(out)
}

// searchWords returns the words to search for; a text that looks like a shortcut is
// searched for as a whole.
func searchWords(q string) []string {
	q = strings.TrimPrefix(strings.TrimSpace(q), "/")
	if shortcut.MatchString(q) {
		return []string{nameKey(q)}
	}
	list := words(q)
	return list[:min(len(list), 4)]
}

// Rendered is a canned reply with its placeholders filled in.
type Rendered struct {
	Body  string   `json:"body" example:"Merhaba Elif, siparişiniz kargoya verildi."`
	Empty []string `json:"empty" nullable:"false" example:"[\"contact.company\"]" doc:"Placeholders without a value; they are left empty in the text"`
}
