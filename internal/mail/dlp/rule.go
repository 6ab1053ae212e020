package dlp

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"konak/internal/mail/dlp/numbers"
	"konak/internal/mail/dlp/prefilter"
)

// The pattern types.
const (
	Keyword        = "keyword"
	Regex          = "regex"
	CreditCard     = "credit_card"
	IBAN           = "iban"
	TCKN           = "tckn"
	VKN            = "vkn"
	Phone          = "phone"
	Email          = "email"
	AttachmentType = "attachment_type"
)

// Types lists the pattern types.
func Types() []string {
	return []string{Keyword, Regex, CreditCard, IBAN, TCKN, VKN, Phone, Email, AttachmentType}
}

// NeedsPattern reports whether a rule of this type must have a pattern.
func NeedsPattern(patternType string) bool {
	return patternType == Keyword || patternType == Regex || patternType == AttachmentType
}

// The fields of a message.
const (
	FieldSubject    = "subject"
	FieldBody       = "body"
	FieldAttachment = "attachment" // a file's content and name
)

// Fields lists the fields of a message.
func Fields() []string { return []string{FieldSubject, FieldBody, FieldAttachment} }

// Rule defines what to look for.
type Rule struct {
	// ID identifies the rule in the report.
	ID   string
	Type string
	// Pattern is, for a keyword rule, one keyword or phrase per line, where a final
	// * matches any ending of the word; for a regex rule, an expression in RE2
	// syntax; for an attachment_type rule, file extensions ("exe") or media types
	// ("image/*"), separated by commas, spaces or lines.
	Pattern string
	// MinCount is the number of matches that the message must have; 0 means 1.
	MinCount int
	// Words, if set, restrict the rule to matches within 300 characters of one of them.
	Words []string
	// Fields are the fields that the rule checks; none means all.
	Fields []string
}

// Limits of a set of rules.
const (
	MaxKeywordBytes = 64 << 10 // keywords and context words of all rules together
	MaxRegexes      = 50
	MaxRegexLength  = 1000
)

// Errors of Compile.
var (
	ErrEmptyPattern    = errors.New("dlp: the pattern is empty")
	ErrBadPattern      = errors.New("dlp: the pattern is not valid")
	ErrTooManyPatterns = errors.New("dlp: the patterns of all rules together are too long")
)

// vknWords are the words that must be near a ten-digit number for it to count as a tax
// number: one random number in ten has a valid check digit.
var vknWords = []string{"vergi*", "vkn", "v.k.n", "tax id*", "tax no*", "tax number*"}

// Scanner searches for the patterns of a set of rules. It is safe for concurrent use.
type Scanner struct {
	rules    []Rule
	keywords *keywordSet
	regexes  []compiledRegex
	files    []filePattern
	numbers  numbers.Rules
	key      []byte
}

type compiledRegex struct {
	rule    int
	re      *regexp.Regexp
	program *prefilter.Program // nil if it is too large
}

// filePattern is one entry of an attachment_type rule: a file extension, or a media type
// that may end in /*.
type filePattern struct {
	rule   int
	ending string
	kind   string
}

// Compile builds a scanner from rules. The key is used for the hashes of matched values. It
// returns ErrEmptyPattern, ErrBadPattern or ErrTooManyPatterns.
func Compile(rules []Rule, key []byte) (*Scanner, error) {
	s := &Scanner{rules: slices.Clone(rules), key: slices.Clone(key)}
	b := newKeywordBuilder()
	for i := range s.rules {
		r := &s.rules[i]
		r.MinCount = max(r.MinCount, 1)
		if err := s.addRule(b, i, r); err != nil {
			return nil, err
		}
		words := r.Words
		if len(words) == 0 && r.Type == VKN {
			words = vknWords
		}
		for _, w := range words {
			b.add(w, i, true)
		}
	}
	if b.bytes > MaxKeywordBytes || len(s.regexes) > MaxRegexes {
		return nil, ErrTooManyPatterns
	}
	s.keywords = b.build(len(s.rules))
	return s, nil
}

func (s *Scanner) addRule(b *keywordBuilder, i int, r *Rule) error {
	switch r.Type {
	case Keyword:
		added := false
		for line := range strings.Lines(r.Pattern) {
			added = b.add(line, i, false) || added
		}
		if !added {
			return ErrEmptyPattern
		}
	case Regex:
		if strings.TrimSpace(r.Pattern) == "" {
			return ErrEmptyPattern
		}
		if len(r.Pattern) > MaxRegexLength {
			return ErrBadPattern
		}
		re, err := regexp.Compile(r.Pattern)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrBadPattern, err)
		}
		s.regexes = append(s.regexes, compiledRegex{i, re, prefilter.NewProgram(re)})
	case AttachmentType:
		before := len(s.files)
		for _, f := range strings.FieldsFunc(r.Pattern, func(c rune) bool { return c == ',' || c == '\n' || c == '\r' || c == ' ' }) {
			f = strings.ToLower(f)
			if strings.Contains(f, "/") {
				s.files = append(s.files, filePattern{rule: i, kind: f})
			} else if f = strings.Trim(f, "*."); f != "" {
				s.files = append(s.files, filePattern{rule: i, ending: "." + f})
			}
		}
		if len(s.files) == before {
			return ErrEmptyPattern
		}
	case CreditCard:
		s.numbers.Card = append(s.numbers.Card, i)
	case IBAN:
		s.numbers.IBAN = append(s.numbers.IBAN, i)
	case TCKN:
		s.numbers.TCKN = append(s.numbers.TCKN, i)
	case VKN:
		s.numbers.VKN = append(s.numbers.VKN, i)
	case Phone:
		s.numbers.Phone = append(s.numbers.Phone, i)
	case Email:
		s.numbers.Email = append(s.numbers.Email, i)
	default:
		return fmt.Errorf("%w: unknown type %q", ErrBadPattern, r.Type)
	}
	return nil
}

// wantsField reports whether rule i checks a field.
func (s *Scanner) wantsField(i int, field string) bool {
	f := s.rules[i].Fields
	return len(f) == 0 || slices.Contains(f, field)
}
