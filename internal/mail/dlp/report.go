package dlp

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"
)

// Where is a place in a message.
type Where struct {
	Field string
	// Name is the file's name if the field is an attachment. Names inside an archive follow
	// after "/".
	Name string
}

// String returns subject, body or attachment:<name>.
func (w Where) String() string {
	if w.Field == FieldAttachment {
		return FieldAttachment + ":" + w.Name
	}
	return w.Field
}

// Match is the number of matches of a rule in one place.
type Match struct {
	RuleID  string
	Type    string
	Where   string
	Count   int
	Samples []Sample
}

// Sample represents a matched value without revealing it.
type Sample struct {
	Masked string
	// Hash is the HMAC of the value, in hex, so that equal values can be recognised.
	Hash string
}

// Reasons why a part could not be scanned.
const (
	ReasonEncrypted   = "encrypted"
	ReasonDamaged     = "damaged"
	ReasonUnsupported = "unsupported"
	ReasonTooLarge    = "too_large"
	ReasonTooDeep     = "too_deep"
	ReasonTooMany     = "too_many_parts"
	ReasonRatio       = "compression_ratio"
	ReasonTime        = "time_limit"
	ReasonUnreadable  = "unreadable" // the storage failed
)

// Unscanned is a part that was not scanned, or not to its end.
type Unscanned struct {
	Where  string
	Reason string
}

// Report is the result of a scan.
type Report struct {
	// Matches are those of the rules that reached their MinCount, in the order of the
	// rules.
	Matches   []Match
	Unscanned []Unscanned
	// Bytes is the amount of text scanned.
	Bytes int64
}

// Limits of a report.
const (
	maxSamples   = 5   // of a rule in one place
	maxPlaces    = 100 // in which one rule matched
	maxUnscanned = 100
)

// mask shows enough of a value to recognise it and too little to use it.
func mask(patternType, value string) string {
	keepEnd := func(n int) string {
		runes := []rune(value)
		n = min(n, len(runes)/3)
		return strings.Repeat("*", len(runes)-n) + string(runes[len(runes)-n:])
	}
	switch patternType {
	case CreditCard:
		return keepEnd(4)
	case IBAN:
		return strings.ToUpper(value[:2]) + keepEnd(4)[2:]
	case TCKN, VKN, Phone:
		return keepEnd(2)
	case Email:
		if i := strings.LastIndexByte(value, '@'); i > 0 {
			_, first := utf8.DecodeRuneInString(value)
			return value[:first] + "***" + value[i:]
		}
	}
	_, first := utf8.DecodeRuneInString(value)
	return value[:first] + "***"
}

// collector collects the matches of a scan.
type collector struct {
	s      *Scanner
	counts []int           // rule → matches
	places []map[Where]int // rule → place → index of matches
	found  []foundMatch
	failed []Unscanned
	bytes  int64
}

type foundMatch struct {
	rule    int
	where   Where
	count   int
	samples []Sample
}

func newCollector(s *Scanner) *collector {
	return &collector{s: s, counts: make([]int, len(s.rules)), places: make([]map[Where]int, len(s.rules))}
}

// add counts one match.
func (c *collector) add(rule int, where Where, value string) {
	c.counts[rule]++
	if c.places[rule] == nil {
		c.places[rule] = map[Where]int{}
	}
	i, ok := c.places[rule][where]
	if !ok {
		if len(c.places[rule]) == maxPlaces {
			return
		}
		i = len(c.found)
		c.places[rule][where] = i
		c.found = append(c.found, foundMatch{rule: rule, where: where})
	}
	m := &c.found[i]
	m.count++
	if len(m.samples) == maxSamples {
		return
	}
	sample := Sample{Masked: mask(c.s.rules[rule].Type, value), Hash: c.s.Hash(value)}
	if !slices.Contains(m.samples, sample) {
		m.samples = append(m.samples, sample)
	}
}

// fail records a part that could not be scanned, once for each reason.
func (c *collector) fail(where Where, reason string) {
	u := Unscanned{Where: c.safeWhere(where), Reason: reason}
	if len(c.failed) < maxUnscanned && !slices.Contains(c.failed, u) {
		c.failed = append(c.failed, u)
	}
}

// report returns the collected results.
func (c *collector) report() Report {
	r := Report{Unscanned: c.failed, Bytes: c.bytes}
	slices.SortStableFunc(c.found, func(a, b foundMatch) int { return a.rule - b.rule })
	for _, m := range c.found {
		rule := &c.s.rules[m.rule]
		if c.counts[m.rule] < rule.MinCount || m.count == 0 {
			continue
		}
		r.Matches = append(r.Matches, Match{RuleID: rule.ID, Type: rule.Type, Where: c.safeWhere(m.where), Count: m.count, Samples: m.samples})
	}
	return r
}

// safeWhere returns the text of a place with the rules' matches masked: a file name may
// contain some.
func (c *collector) safeWhere(w Where) string {
	if w.Field == FieldAttachment {
		w.Name = c.s.Redact(w.Name, nil)
	}
	return w.String()
}

// Hash returns the HMAC-SHA256 of a value under the scanner's key, in hex.
func (s *Scanner) Hash(value string) string {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte(value))
	return hex.EncodeToString(h.Sum(nil))
}
