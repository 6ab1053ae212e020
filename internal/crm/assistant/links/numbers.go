package links

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// shortestNumber is how many digits a telephone number has at least, such as 444 1 234.
const shortestNumber = 7

// mostBeside is how many digits may stand beside a number that was given: its country's, or the
// number of a line in a list.
const mostBeside = 3

var (
	// run is digits with what people write between those of one number.
	run = regexp.MustCompile(`\p{Nd}(?:(?:[ \t\x{a0}]{0,2}[-–()]{0,2}[ \t\x{a0}]{0,2}|\.)\p{Nd})*`)
	// apart stands between two numbers of a run.
	apart = regexp.MustCompile(`[ \t\x{a0}]+[-–][ \t\x{a0}]+`)
	// dates are days, years and times of the day, at most two of them.
	dates = regexp.MustCompile(`^` + date + `(?:[ \x{a0}]?[-– \x{a0}][ \x{a0}]?` + date + `)?$`)
	// grouped is an amount with points between the thousands.
	grouped = regexp.MustCompile(`^[1-9][0-9]{0,2}(?:\.[0-9]{3})+$`)
	// amounts are one or two amounts, where a currency follows.
	amounts  = regexp.MustCompile(`^` + amount + `(?:[ \x{a0}]?[-–][ \x{a0}]?` + amount + `)?$`)
	currency = regexp.MustCompile(`(?i)^(?:,[0-9]{2})?[ \x{a0}]?(?:tl|try|lira|₺|€|eur|euro|usd|\$|dolar|dollars?|£|gbp)(?:$|\P{L})`)
)

const (
	date   = `(?:(?:0?[1-9]|[12][0-9]|3[01])[.-](?:0?[1-9]|1[0-2])[.-](?:19|20)[0-9]{2}|(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])|(?:19|20)[0-9]{2}|(?:[01]?[0-9]|2[0-4])\.[0-5][0-9])`
	amount = `(?:[1-9][0-9]{0,2}(?:[ .\x{a0}][0-9]{3})*|[1-9][0-9]{3,8})(?:\.[0-9]{2})?`
)

// numbersOnlyFrom says whether a text has no telephone number, IBAN or other long number that
// another has not. Signs and spaces do not count, and neither do dates, times and amounts of money.
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

// readable is a text as people see it, with the usual forms of its characters.
func readable(text string) string { return norm.NFKC.String(withoutHidden(text)) }

// longNumbers are the digits of the numbers of a text that may be given back.
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

// isGiven says whether a number is one of those that are known or a part of one, or has one and little beside it.
func isGiven(number string, known []string) bool {
	digits := strings.TrimLeft(digitsOf(number), "0")
	if len(digits) < shortestNumber-1 {
		return false
	}
	for _, k := range known {
		if strings.Contains(k, digits) || strings.Contains(digits, k) && len(digits)-len(k) <= mostBeside {
			return true
		}
	}
	return false
}

// digitsOf is a text without what is no digit.
func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}
