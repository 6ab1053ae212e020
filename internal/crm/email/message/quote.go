package message

import (
	"cmp"
	"regexp"
	"strings"
)

// Fresh returns what the writer of a mail added, without the quoted mail and the signature.
// If nothing would be left, or if answers are interleaved with the quoted lines, it returns
// the whole text: showing too much is better than losing a word.
func Fresh(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	lines := strings.Split(text, "\n")
	fresh := lines
	if at := quoteStart(lines); at >= 0 {
		fresh = answerBelow(lines, at)
	} else if at := trailingQuote(lines); at >= 0 {
		fresh = lines[:at]
	}
	fresh = withoutSignature(fresh)
	return cmp.Or(strings.TrimSpace(strings.Join(fresh, "\n")), text)
}

var (
	// attributionEnd matches the end of the lines that say who wrote the quoted text.
	attributionEnd = regexp.MustCompile(`(?i)(` +
		`\bwrote\s*:` +
		`|\s(şunu|şunları|şöyle)\s+yazd[ıi](\s*\([^)]*\))?\s*:` +
		`|\syazd[ıi]\s*:` +
		`)\s*$`)
	// attributionStart matches the first of those lines.
	attributionStart = regexp.MustCompile(`(?i)(^\s*On\b.{4,}|\d{4}.*\d{1,2}[:.]\d{2}|@[^\s>]+\.[^\s>]+|\d{1,2}\s+\p{L}{3,8}\s+\d{4}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|tarihinde)`)
	// originalLine matches the line above a quoted mail in Outlook and similar programs.
	originalLine = regexp.MustCompile(`(?i)^\s*[-_*]{2,}\s*(original message|original appointment|reply message|` +
		`[öÖ]zgün [iİ]leti|[öÖ]zgün mesaj|orijinal (mesaj|[iİ]leti)|asıl [iİ]leti|orjinal mesaj|yanıtlanan ileti)\s*[-_*]{2,}\s*$`)
	forwardedLine = regexp.MustCompile(`(?i)^\s*(-{2,}\s*(forwarded message|[iİ]letilmiş (mesaj|ileti|posta)|yönlendirilmiş (mesaj|ileti)|[iİ]letilen mesaj)\s*-*|begin forwarded message:|[iİ]letilen mesajın başlangıcı:)\s*$`)
	// headerLine matches one of the header lines that Outlook writes above a quoted mail.
	headerLine = regexp.MustCompile(`(?i)^\s*[>*_]*\s*(from|sent|to|cc|subject|date|importance|kimden|gönderen|gönderildi|gönderilen|gönderme tarihi|tarih|kime|alıcı|bilgi|konu|önem)\s*[*_]*\s*:\s*\S?`)
	senderLine = regexp.MustCompile(`(?i)^\s*[*_]*\s*(from|kimden|gönderen)\s*[*_]*\s*:`)
	topicLine  = regexp.MustCompile(`(?i)^\s*[*_]*\s*(subject|konu)\s*[*_]*\s*:`)
	ruleLine   = regexp.MustCompile(`^\s*[_-]{10,}\s*$`)
	// deviceLine matches the line that phones add below a mail.
	deviceLine = regexp.MustCompile(`(?i)^\s*(sent from (my|mail for|outlook)|get outlook for|iphone'?(um)?dan gönderildi|ipad'?(im)?den gönderildi|` +
		`(samsung|android|galaxy|huawei|xiaomi).{0,40}gönderildi|outlook for (android|ios)|.{0,30}(cihazımdan|telefonumdan|uygulamasından) gönderildi)`)
)

const attributionLines = 4 // mail programs wrap the sentence to at most this many lines

// quoteStart returns the line at which the quoted mail begins, -1 for none. A forwarded
// mail does not count as quoted: it is what the writer wants to show.
func quoteStart(lines []string) int {
	for i, l := range lines {
		if forwardedLine.MatchString(l) {
			return -1
		}
		if originalLine.MatchString(l) || outlookBlock(lines[i:]) {
			return i
		}
		if ruleLine.MatchString(l) && i+1 < len(lines) && outlookBlock(trimBlank(lines[i+1:])) {
			return i
		}
		if n := countAttribution(lines[i:]); n > 0 {
			return i
		}
	}
	return -1
}

// countAttribution returns the number of lines at the start that name the author of a
// quote.
func countAttribution(lines []string) int {
	if strings.HasPrefix(strings.TrimSpace(lines[0]), ">") || !attributionStart.MatchString(lines[0]) {
		return 0
	}
	joined := ""
	for n := 0; n < min(attributionLines, len(lines)); n++ {
		l := strings.TrimSpace(lines[n])
		if l == "" || strings.HasPrefix(l, ">") {
			return 0
		}
		joined += " " + l
		if len(joined) > 400 {
			return 0
		}
		if strings.HasSuffix(l, ":") && attributionEnd.MatchString(joined) && attributionStart.MatchString(joined) {
			return n + 1
		}
	}
	return 0
}

// outlookBlock reports whether the lines begin with Outlook's block of From, Sent, To and
// Subject.
func outlookBlock(lines []string) bool {
	if len(lines) < 3 || !senderLine.MatchString(lines[0]) {
		return false
	}
	n, topic := 0, false
	for _, l := range lines[:min(len(lines), 10)] {
		switch {
		case headerLine.MatchString(l):
			n++
			topic = topic || topicLine.MatchString(l)
		case strings.TrimSpace(l) == "":
			return n >= 3 && topic
		}
	}
	return n >= 3 && topic
}

func trimBlank(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	return lines
}

// answerBelow returns the lines without the quote that starts at a line: nothing may follow
// it, or one answer below it. If answers are interleaved with the quote, it returns all
// lines.
func answerBelow(lines []string, at int) []string {
	rest := lines[at:]
	skip := countAttribution(rest)
	if skip == 0 {
		return lines[:at]
	}
	runs, below := 0, -1
	in := false
	for i, l := range rest[skip:] {
		quoted := strings.HasPrefix(strings.TrimSpace(l), ">")
		switch {
		case quoted && !in:
			runs, in, below = runs+1, true, -1
		case !quoted && strings.TrimSpace(l) != "" && in:
			in, below = false, skip+i
		}
	}
	switch {
	case runs == 0 || below < 0 && runs == 1:
		return lines[:at]
	case runs == 1:
		return append(append([]string{}, lines[:at]...), rest[below:]...)
	}
	return lines
}

// trailingQuote returns the line from which all lines are quoted, -1 if the text does not
// end with a quote.
func trailingQuote(lines []string) int {
	at := -1
	for i := len(lines) - 1; i >= 0; i-- {
		l := strings.TrimSpace(lines[i])
		if strings.HasPrefix(l, ">") {
			at = i
		} else if l != "" {
			break
		}
	}
	for _, l := range lines[:max(at, 0)] {
		if strings.HasPrefix(strings.TrimSpace(l), ">") {
			return -1 // answers between quotes need the quotes
		}
	}
	return at
}

const signatureLines = 15

// withoutSignature removes a marked signature and the line that a phone adds. A name below
// the text stays, since nothing marks it.
func withoutSignature(lines []string) []string {
	for {
		for len(lines) > 0 && (strings.TrimSpace(lines[len(lines)-1]) == "" || deviceLine.MatchString(lines[len(lines)-1])) {
			lines = lines[:len(lines)-1]
		}
		at := signatureStart(lines)
		if at < 0 {
			return lines
		}
		lines = lines[:at]
	}
}

// signatureStart returns the line that marks a signature at the end, -1 for
// none.
func signatureStart(lines []string) int {
	for i := len(lines) - 1; i > 0 && i >= len(lines)-signatureLines; i-- {
		if l := strings.TrimSuffix(lines[i], "\r"); l == "-- " || l == "--" {
			return i
		}
	}
	return -1
}
