package dlp

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
)

// contentField matches a header line that describes the encoding of the content.
var contentField = regexp.MustCompile(`(?im)^(?:mime-version|content-type|content-transfer-encoding)[ \t]*:`)

// headerLines matches header lines at the beginning of a text, optionally after a multipart
// boundary or the first line of a mailbox file.
var headerLines = regexp.MustCompile(`(?i)^\s*(?:(?:--|From )[^\r\n]*\r?\n)?((?:[!-9;-~]+[ \t]*:[^\r\n]*(?:\r?\n|$)(?:[ \t][^\r\n]*(?:\r?\n|$))*)+)`)

// beginsMail reports whether content begins with the header of a mail or of a mail part, as
// web archives do.
func beginsMail(head []byte) bool {
	lines := headerLines.FindSubmatch([]byte(strings.TrimPrefix(string(head), "\uFEFF")))
	return lines != nil && (contentField.Match(lines[1]) || isMailbox(head) && nextMail.Match(head))
}

// scanMailFile scans a file whose content is a mail, whatever its name. The caller must
// call done after scanning the file by its name as well.
func (x *extractor) scanMailFile(where Where, content *spool, depth int) (done func()) {
	before := slices.Clone(x.c.counts)
	x.scanMails(where, content, depth)
	between := slices.Clone(x.c.counts)
	return func() { x.c.keepMost(where, before, between) }
}

// nextMail matches the start of a mail in a mailbox file: a separator line before the
// header.
var nextMail = regexp.MustCompile(`(?m)^From [^\r\n]*\r?\n[!-9;-~]+[ \t]*:`)

// isMailbox reports whether content may be a mailbox file, judging by its beginning.
func isMailbox(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, "\uFEFF \t\r\n"), []byte("From "))
}

// scanMails scans a mail, or each mail in a mailbox file.
func (x *extractor) scanMails(where Where, content *spool, depth int) {
	if !isMailbox(content.head(64)) {
		x.scanMail(where, withoutLead(content), depth)
		return
	}
	begins := append(findAll(nextMail, content), content.size)
	if begins[0] > 0 {
		begins = append([]int64{0}, begins...)
	}
	for i, at := range begins[:len(begins)-1] {
		if !x.countPart(where) {
			return
		}
		x.scanMail(where, io.NewSectionReader(content, at, begins[i+1]-at), depth)
	}
}

// withoutLead returns content from its first header line on. Content that begins with a
// boundary is read as the body of a multipart.
func withoutLead(content *spool) io.Reader {
	head := string(content.head(4096))
	text := strings.TrimLeft(strings.TrimPrefix(head, "\uFEFF"), " \t\r\n\f\v")
	from := int64(len(head) - len(text))
	rest := io.NewSectionReader(content, from, content.size-from)
	line, _, _ := strings.Cut(text, "\n")
	boundary, ok := strings.CutPrefix(strings.TrimRight(line, " \t\r"), "--")
	if !ok || boundary == "" || strings.ContainsAny(boundary, `"\`) {
		return rest
	}
	return io.MultiReader(strings.NewReader("Content-Type: multipart/mixed; boundary=\""+boundary+"\"\r\n\r\n"), rest)
}

// encodedPart matches a header line that announces a part in base64 or quoted-printable.
var encodedPart = regexp.MustCompile(`(?im)^content-transfer-encoding[ \t]*:(?:\s|\([^)]*\))*"?(?:base64|quoted-printable)`)

// scanLoose scans the text before and after the parts of a multipart: as text, and
// as parts where some programs would show one.
func (x *extractor) scanLoose(where Where, r io.Reader, depth int) {
	content, err := x.readSpool(r)
	defer content.close()
	x.failRead(where, err)
	x.scanReader(where, content.reader())
	x.scanEncoded(where, content, depth)
}

// scanEncoded scans the parts in base64 and quoted-printable that begin anywhere in
// content.
func (x *extractor) scanEncoded(where Where, content *spool, depth int) {
	if content.size == 0 {
		return
	}
	begins := findAll(encodedPart, content)
	for i, at := range begins {
		end := content.size
		if i+1 < len(begins) {
			end = begins[i+1]
		}
		if !x.countPart(where) {
			return
		}
		x.scanMail(where, io.NewSectionReader(content, at, end-at), depth+1)
	}
}

// findAll returns the positions of an expression's matches in content.
func findAll(re *regexp.Regexp, content *spool) (places []int64) {
	raw, err := io.ReadAll(content.reader())
	if err != nil {
		return []int64{0}
	}
	for _, m := range re.FindAllIndex(raw, -1) {
		places = append(places, int64(m[0]))
	}
	return places
}
