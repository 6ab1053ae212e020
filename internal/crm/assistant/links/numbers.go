package links

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// shortestNumber is the minimum number of digits of a telephone number, such as 444 1 234.
const shortestNumber = 7

// mostBeside is the number of extra digits allowed next to a given number: a country code,
// or the number of a line in a list.
const mostBeside = 3

var (
	// run matches digits with the separators that people write within one number.
	run = regexp.MustCompile(`\p{Nd}(?:(?:[ \t\x{a0}]{0,2}[-–()]{0,2}[ \t\x{a0}]{0,2}|\.)\p{Nd})*`)
	// apart matches a separator between two numbers of a run.
	apart = regexp.MustCompile(`[ \t\x{a0}]+[-–][ \t\x{a0}]+`)
	// dates matches one or two days, years or times of day.
	dates = regexp.MustCompile(`^` + date + `(?:[ \x{a0}]?[-– \x{a0}][ \x{a0}]?` + date + `)?$`)
	// grouped matches an amount with dots between the thousands.
	grouped = regexp.MustCompile(`^[1-9][0-9]{0,2}(?:\.[0-9]{3})+$`)
	// amounts matches one or two amounts, which must be followed by a currency.
	amounts  = regexp.MustCompile(`^` + amount + `(?:[ \x{a0}]?[-–][ \x{a0}]?` + amount + `)?$`)
	currency = regexp.MustCompile(`(?i)^(?:,[0-9]{2})?[ \x{a0}]?(?:tl|try|lira|₺|€|eur|euro|usd|\$|dolar|dollars?|£|gbp)(?:$|\P{L})`)
)

const (
	date   = `(?:(?:0?[1-9]|[12][0-9]|3[01])[.-](?:0?[1-9]|1[0-2])[.-](?:19|20)[0-9]{2}|(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])|(?:19|20)[0-9]{2}|(?:[01]?[0-9]|2[0-4])\.[0-5][0-9])`
	amount = `(?:[1-9][0-9]{0,2}(?:[ .\x{a0}][0-9]{3})*|[1-9][0-9]{3,8})(?:\.[0-9]{2})?`
)

// numbersOnlyFrom reports whether all telephone numbers, IBANs and other long numbers of a
// text also occur in the given text. Punctuation and spaces are ignored; dates, times and
// amounts of money are always allowed.
func numbersOnlyFrom(text, given string) bool {
	text = readable(text)
	var known []string
	for _, at := range run.FindAllStringIndex(text, -1) {
		number := text[at[0]:at[1]]
		if len(digitsOf(number)) < shortestNumber || dates.MatchString(number) || grouped.MatchString(number) ||
			amounts.MatchString(number) && currency.MatchString(text[at[1]:]) {
			continue
		}
		if known == nil {
			known = longNumbers(given)
		}
		if isGiven(number, known) {
			continue
		}
		parts := apart.Split(number, -1)
		for _, part := range parts {
			if len(parts) == 1 || !isGiven(part, known) {
				return false
			}
		}
	}
	return true
}

// readable returns a text as people see it, with its characters normalized.
func readable(text string) string { return norm.NFKC.String(withoutHidden(text)) }

// longNumbers returns the digits of all long numbers of a text.
func longNumbers(text string) []string {
	out := []string{}
	for _, number := range run.FindAllString(readable(text), -1) {
		for _, part := range append(apart.Split(number, -1), number) {
			if d := strings.TrimLeft(digitsOf(part), "0"); len(d) >= shortestNumber-1 {
				out = append(out, d)
			}
		}
	}
	return out
}

// isGiven reports whether a number equals a known one, is part of one, or contains one and
// few other digits.
func isGiven(number string, known []string) bool {
	digits := strings.TrimLeft(digitsOf(number), "0")
	if len(digits) < shortestNumber-1 {
		return false
	}
	return slices.ContainsFunc(known, func(k string) bool {
		return strings.Contains(k, digits) || strings.Contains(digits, k) && len(digits)-len(k) <= mostBeside
	})
}

// digitsOf returns only the digits of a text.
func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}
