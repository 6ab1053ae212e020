package engine

import (
	"slices"
	"strings"
	"unicode"

	"konak/internal/kit/trtext"
)

// Authors of the lines of a conversation.
const (
	ByCustomer = "customer"
	ByTeam     = "team"
	// ByAssistant is an answer of the assistant.
	ByAssistant = "assistant"
	AsNote      = "note"
)

// Line is a message or a note of a conversation.
type Line struct {
	By   string
	Body string
}

var summaryWords = map[string]struct{ customer, team, note, waiting, answered, automatic string }{
	Turkish: {"Müşteri: ", "Yanıt: ", "Not: ", "Müşteri yanıt bekliyor.", "Son sözü ekip söyledi.", "Son sözü asistan söyledi."},
	English: {"Customer: ", "Answer: ", "Note: ", "The customer waits for an answer.", "The team wrote last.", "The assistant wrote last."},
}

// Limits of a summary.
const (
	sentenceBytes = 240
	perPerson     = 2 // sentences
)

// Summarize builds a summary of a conversation from its own sentences: what the customer
// wrote, what the team answered, the last note, and whose turn it is: if the customer waits
// although the assistant wrote last, it is a person's. It also returns the language of the
// summary.
func Summarize(lines []Line, waiting bool, otherwise string) (text, language string) {
	var all strings.Builder
	for _, l := range lines {
		all.WriteString(l.Body + "\n")
	}
	language = DetectLanguage(all.String(), otherwise)
	if language != Turkish && language != English {
		language = Turkish
	}
	counts := map[string]int{}
	for _, l := range lines {
		for _, w := range subjectWords(l.Body, language) {
			counts[stemOf(w, language)]++
		}
	}
	words := summaryWords[language]
	var out []string
	for _, part := range []struct{ by, label string }{{ByCustomer, words.customer}, {ByTeam, words.team}} {
		if best := bestSentences(lines, part.by, counts, language); len(best) > 0 {
			out = append(out, part.label+strings.Join(best, " "))
		}
	}
	last := ""
	for _, l := range lines {
		if l.By == AsNote {
			last = l.Body
		}
	}
	if list := sentences(last); len(list) > 0 {
		out = append(out, words.note+list[0])
	}
	switch by := lastBy(lines); {
	case by == ByCustomer, by == ByAssistant && waiting:
		out = append(out, words.waiting)
	case by == ByAssistant:
		out = append(out, words.automatic)
	case by == ByTeam:
		out = append(out, words.answered)
	}
	return strings.Join(out, "\n"), language
}

// lastBy returns the author of the last message; "" if there is none.
func lastBy(lines []Line) string {
	for _, l := range slices.Backward(lines) {
		if l.By != AsNote {
			return l.By
		}
	}
	return ""
}

// bestSentences returns the sentences of one side that say most about the conversation's
// subject, in their order.
func bestSentences(lines []Line, by string, counts map[string]int, language string) []string {
	var list []string
	for _, l := range lines {
		if l.By == by || by == ByTeam && l.By == ByAssistant {
			list = append(list, sentences(l.Body)...)
		}
	}
	taken := make([]bool, len(list))
	for range perPerson {
		best, most := -1, 0
		for i, s := range list {
			score := 0
			for _, w := range subjectWords(s, language) {
				score += counts[stemOf(w, language)]
			}
			if strings.HasSuffix(s, "?") {
				score += 2
			}
			if !taken[i] && score > most {
				best, most = i, score
			}
		}
		if best < 0 {
			break
		}
		taken[best] = true
	}
	var out []string
	for i, s := range list {
		if taken[i] {
			out = append(out, s)
		}
	}
	return out
}

// sentences splits a text at the ends of sentences and lines.
func sentences(text string) (out []string) {
	begin := 0
	add := func(end int) {
		if s := strings.TrimSpace(text[begin:end]); s != "" {
			if cut := trtext.Cut(s, sentenceBytes); cut != s {
				s = strings.TrimSpace(cut) + "…"
			}
			out = append(out, s)
		}
		begin = end
	}
	for i, r := range text {
		switch {
		case r == '\n':
			add(i)
		case r == ' ' && i > 0 && strings.ContainsRune(".?!…", rune(text[i-1])) && nextIsUpper(text[i+1:]):
			add(i)
		}
	}
	add(len(text))
	return out
}

// nextIsUpper reports whether the text continues with a capital letter, so that "14. gün"
// is not split.
func nextIsUpper(text string) bool {
	for _, r := range text {
		if !unicode.IsSpace(r) {
			return unicode.IsUpper(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}
	}
	return false
}
