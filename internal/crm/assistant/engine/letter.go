package engine

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Limits for the parts of a letter.
const (
	greetingWords = 5 // in the greeting line
	closingWords  = 6 // in the closing line
	belowClosing  = 8 // lines: names, companies, telephone numbers
	nameWords     = 3
)

// closings are the folded phrases that end a letter. devices are those with which a device
// names itself as the sender.
var (
	closings = phraseWords("kind regards,best regards,warm regards,regards,best wishes,best,sincerely,yours sincerely,cheers,many thanks,thanks,thank you,thanks in advance," +
		"saygilarimla,saygilarimizla,saygilar,sevgiler,selamlar,iyi gunler,iyi calismalar,iyi aksamlar,kolay gelsin,tesekkurler,tesekkur ederim,simdiden tesekkurler")
	devices = phraseWords("sent from my,get outlook for")
)

func phraseWords(list string) (out [][]string) {
	for phrase := range strings.SplitSeq(list, ",") {
		out = append(out, strings.Fields(phrase))
	}
	return out
}

// introduction matches the words with which a writer introduces themselves.
var introduction = regexp.MustCompile(`\b(?i:i am|i'm|i’m|my name is|this is|ben|benim adım|adım)\s+\p{Lu}\p{Ll}+(\s+\p{Lu}\p{Ll}+)?\s*[.,!\n]`)

// withoutLetter removes the parts of a message that any letter has: the greeting, the
// writer's introduction, the closing and the names below it. These words occur in no text
// and say nothing about the question.
func withoutLetter(message string) string {
	lines := strings.Split(strings.TrimSpace(message), "\n")
	if len(lines) > 1 && isGreetingLine(lines[0]) {
		lines = lines[1:]
	}
	for i := max(1, len(lines)-belowClosing); i < len(lines); i++ {
		if isClosingLine(lines[i]) {
			lines = lines[:i]
			break
		}
	}
	if n := len(lines); n > 1 && isName(lines[n-1]) && endsSentence(lines[n-2]) {
		lines = lines[:n-1]
	}
	rest := introduction.ReplaceAllString(strings.Join(lines, "\n"), "")
	if strings.TrimSpace(rest) == "" {
		return message
	}
	return rest
}

func isGreetingLine(line string) bool {
	words := foldedWords(line)
	return len(words) > 0 && len(words) <= greetingWords && (greetings[words[0]] || words[0] == "sayin") && endsWith(line, ",!:")
}

// isClosingLine reports whether a line is a closing: a closing phrase and at most a name,
// or a line added by a device.
func isClosingLine(line string) bool {
	words := foldedWords(line)
	if len(words) == 0 || len(words) > closingWords {
		return false
	}
	begins := func(phrase []string) bool {
		return len(words) >= len(phrase) && slices.Equal(words[:len(phrase)], phrase)
	}
	if slices.ContainsFunc(devices, begins) || words[len(words)-1] == "gonderildi" {
		return true
	}
	return slices.ContainsFunc(closings, func(phrase []string) bool {
		rest := strings.Fields(line)
		if !begins(phrase) || len(rest) < len(phrase) {
			return false
		}
		rest = rest[len(phrase):]
		return len(rest) == 0 || isName(strings.Join(rest, " "))
	})
}

// isName reports whether a line is a name: a few capitalised words and nothing else.
func isName(line string) bool {
	words := strings.Fields(line)
	return len(words) > 0 && len(words) <= nameWords && !slices.ContainsFunc(words, func(w string) bool {
		return !unicode.IsUpper([]rune(w)[0]) || strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && r != '.' && r != '-' })
	})
}

// endsSentence reports whether a sentence ends with the line.
func endsSentence(line string) bool {
	return strings.TrimSpace(line) == "" || endsWith(line, ".?!,")
}

func endsWith(line, signs string) bool {
	line = strings.TrimSpace(line)
	return line != "" && strings.Contains(signs, line[len(line)-1:])
}
