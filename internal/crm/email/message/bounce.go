package message

import (
	"bufio"
	"bytes"
	"cmp"
	"net/textproto"
	"regexp"
	"strconv"
	"strings"

	"konak/internal/kit/trtext"
)

// Bounce is a report about a mail that did not arrive, or not yet.
type Bounce struct {
	// Final means that the mail will not arrive; otherwise it is late and delivery is still
	// being tried.
	Final bool
	// Recipient is the address that was not reached, "" if the report does not name it.
	Recipient string
	// Status is the enhanced status code, such as 5.1.1.
	Status string
	Reason string
	// MessageIDs are the candidates for the mail that the report is about, most likely
	// first.
	MessageIDs []string

	read int // parts and groups of fields that were read
}

// Limits on how much of a report is read.
const (
	maxReportRead = 100      // parts and groups of fields
	maxReport     = 64 << 10 // of each part
	maxMentions   = 1 << 20  // of a mail that may quote Message-IDs
)

// readBounce recognises a report by its type, which most servers set, by a header that
// names failed recipients, or by a daemon's address together with words of failure; nil for
// any other mail. The mail begins at start.
func readBounce(root *part, h header, m *Mail, start int64) *Bounce {
	b := &Bounce{}
	_, params, _, _ := mediaType(h.get("Content-Type"))
	report := kindOf(root) == "multipart/report" && strings.EqualFold(params["report-type"], "delivery-status")
	found := b.readPart(root)
	failed := h.get("X-Failed-Recipients")
	switch {
	case report || found:
	case failed != "":
		b.Final = true
	case fromDaemon(m) && saysFailed.MatchString(m.Subject+"\n"+trtext.Cut(m.Text, 4000)):
		b.Final = true
	default:
		return nil
	}
	if report && !found {
		b.Final = true // the part that says so is broken or missing
	}
	b.Recipient = cmp.Or(b.Recipient, bareAddress(strings.TrimSpace(strings.Split(failed, ",")[0])))
	if len(b.MessageIDs) == 0 {
		b.MessageIDs = append(b.MessageIDs, m.AnsweredIDs()...)
		b.MessageIDs = append(b.MessageIDs, quotedMessageIDs(root.src.read(start, maxMentions), m.MessageID)...)
	}
	if b.Reason == "" {
		b.Reason = strings.Join(strings.Fields(trtext.Cut(m.Text, 500)), " ")
	}
	return b
}

func fromDaemon(m *Mail) bool {
	local, _, _ := strings.Cut(strings.ToLower(m.From.Email), "@")
	return m.From.Email == "" || local == "mailer-daemon" || local == "postmaster" || local == "mail-daemon"
}

var saysFailed = regexp.MustCompile(`(?i)undeliver|not delivered|delivery (status|failure|has failed)|could not be delivered|` +
	`returned mail|failure notice|teslim edilemedi|iletilemedi|gönderilemedi|ulaştırılamadı`)

var mentionedID = regexp.MustCompile(`(?im)^[> \t]*Message-ID:\s*<([^<>\s]{3,300})>`)

// quotedMessageIDs returns the Message-IDs quoted in an unstructured report.
func quotedMessageIDs(raw []byte, own string) []string {
	var out []string
	for _, m := range mentionedID.FindAllSubmatch(raw, maxIDs) {
		if id := clean(string(m[1])); id != own {
			out = append(out, id)
		}
	}
	return out
}

// readPart reads a part and its child parts, and reports whether one of them is a delivery
// status.
func (b *Bounce) readPart(p *part) (found bool) {
	if b.read >= maxReportRead {
		return false
	}
	switch kindOf(p) {
	case "message/delivery-status":
		found = true
		b.status(decodePart(p, maxReport))
	case "message/rfc822", "text/rfc822-headers", "message/rfc822-headers", "message/global", "message/global-headers":
		b.read++
		if id := headerID(decodePart(p, maxReport)); id != "" {
			b.MessageIDs = append(b.MessageIDs, id)
		}
	}
	for _, child := range p.children {
		found = b.readPart(child) || found
	}
	return found
}

// status reads the field groups of a delivery status; the first recipient with a permanent
// failure takes precedence.
func (b *Bounce) status(content []byte) {
	groups := strings.Split(strings.ReplaceAll(text(content, ""), "\n\n\n", "\n\n"), "\n\n")
	for _, g := range groups {
		if b.read++; b.read > maxReportRead {
			return
		}
		f := fields(g)
		action := strings.ToLower(strings.TrimSpace(f.Get("Action")))
		if action == "" {
			continue
		}
		final := action == "failed" || action == "expired"
		if b.Final || b.Status != "" && !final {
			continue
		}
		b.Final = final
		b.Status = strings.TrimSpace(strings.SplitN(f.Get("Status"), " ", 2)[0])
		b.Recipient = cmp.Or(bareAddress(plainUTF8(lastOf(f.Get("Final-Recipient"), ";"))), bareAddress(plainUTF8(lastOf(f.Get("Original-Recipient"), ";"))))
		b.Reason = trtext.Cut(strings.Join(strings.Fields(clean(lastOf(f.Get("Diagnostic-Code"), ";"))), " "), 500)
	}
}

var quotedRune = regexp.MustCompile(`\\x\{([0-9A-Fa-f]{2,6})\}`)

// plainUTF8 decodes the ASCII form of an address with non-ASCII characters (RFC 6533, 3).
func plainUTF8(s string) string {
	return quotedRune.ReplaceAllStringFunc(s, func(q string) string {
		n, _ := strconv.ParseInt(quotedRune.FindStringSubmatch(q)[1], 16, 32) // it has digits only
		return string(rune(n))
	})
}

func lastOf(s, sep string) string {
	if _, rest, ok := strings.Cut(s, sep); ok {
		return strings.TrimSpace(rest)
	}
	return strings.TrimSpace(s)
}

func fields(block string) textproto.MIMEHeader {
	r := textproto.NewReader(bufio.NewReader(strings.NewReader(strings.TrimSpace(block) + "\r\n\r\n")))
	h, _ := r.ReadMIMEHeader()
	if h == nil {
		h = textproto.MIMEHeader{}
	}
	return h
}

func headerID(content []byte) string {
	head, _, _ := bytes.Cut(bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n")), []byte("\n\n"))
	if m := mentionedID.FindSubmatch(head); m != nil {
		return clean(string(m[1]))
	}
	return ""
}
