package dlp

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"slices"
	"strings"

	"konak/internal/mail/dlp/zipcheck"
	"konak/internal/mail/header"
)

// opaqueKinds maps declared media types whose content cannot be scanned to the reason.
var opaqueKinds = map[string]string{
	"application/pkcs7-mime":    ReasonEncrypted,
	"application/x-pkcs7-mime":  ReasonEncrypted,
	"application/pgp-encrypted": ReasonEncrypted,
	"multipart/encrypted":       ReasonEncrypted,
	"message/partial":           ReasonUnsupported,
	"message/external-body":     ReasonUnsupported,
	"application/ms-tnef":       ReasonUnsupported,
	"application/vnd.ms-tnef":   ReasonUnsupported,
	"application/mac-binhex40":  ReasonUnsupported,
	"application/x-uuencode":    ReasonUnsupported,
	"text/x-uuencode":           ReasonUnsupported,
	"text/enriched":             ReasonUnsupported, // commands stand in the middle of words
	"text/richtext":             ReasonUnsupported,
}

// opaqueEndings does the same for file extensions.
var opaqueEndings = map[string]string{
	".p7m": ReasonEncrypted, ".gpg": ReasonEncrypted, ".pgp": ReasonEncrypted, ".age": ReasonEncrypted, ".kdbx": ReasonEncrypted,
	".hqx": ReasonUnsupported, ".uue": ReasonUnsupported, ".uu": ReasonUnsupported,
}

// encryptedHeads are the first bytes of encrypted files: of age, OpenSSL (also in base64)
// and KeePass.
var encryptedHeads = []string{"age-encryption.org/", "Salted__", "U2FsdGVkX1", "\x03\xD9\xA2\x9A\x67\xFB\x4B\xB5", "\x03\xD9\xA2\x9A\x65\xFB\x4B\xB5"}

// opaqueReason returns why a part cannot be scanned because of its type, or "" if it can.
func opaqueReason(p *part, kind, ending string, head []byte) string {
	switch {
	case opaqueKinds[kind] != "":
		return opaqueKinds[kind]
	case opaqueEndings[ending] != "":
		return opaqueEndings[ending]
	case strings.EqualFold(p.name, "winmail.dat"), bytes.HasPrefix(head, []byte("\x78\x9F\x3E\x22")):
		return ReasonUnsupported
	case slices.ContainsFunc(encryptedHeads, func(s string) bool { return bytes.HasPrefix(head, []byte(s)) }):
		return ReasonEncrypted
	}
	return ""
}

// isSealed reports whether content is signed or encrypted, or both, as a whole.
func isSealed(kind, ending string) bool {
	return kind == "application/pkcs7-mime" || kind == "application/x-pkcs7-mime" || ending == ".p7m"
}

// opaqueMarks are the beginnings, in folded text, of embedded content that cannot be
// scanned.
var opaqueMarks = []struct {
	text   []byte
	reason string
}{
	{[]byte("-----begin pgp message-----"), ReasonEncrypted},
	{[]byte("-----begin age encrypted file-----"), ReasonEncrypted},
	{[]byte("(this file must be converted with binhex"), ReasonUnsupported},
}

// encodedFile matches the first line of a uuencoded file.
var encodedFile = regexp.MustCompile(`(?:^|[\r\n])begin(?:-base64)? [0-7]{3,4} [^\r\n]+[\r\n]`)

// checkMarks records content in a text that cannot be scanned.
func (t *textScanner) checkMarks(folded []byte) {
	for _, m := range opaqueMarks {
		if bytes.Contains(folded, m.text) {
			t.c.fail(t.where, m.reason)
		}
	}
	if bytes.Contains(folded, []byte("begin")) && encodedFile.Match(folded) {
		t.c.fail(t.where, ReasonUnsupported)
	}
}

// transferEncoding returns the encoding name in a Content-Transfer-Encoding field.
func transferEncoding(value string) string {
	return strings.ToLower(strings.Trim(header.WithoutComments(value), " \t\";"))
}

// isIdentity reports whether a content-transfer-encoding leaves content unchanged.
func isIdentity(encoding string) bool {
	switch encoding {
	case "", "7bit", "8bit", "binary":
		return true
	}
	return false
}

// maxAgain is the number of repeated content fields at which a header counts as ambiguous.
const maxAgain = 8

// plainType matches types of text that every program shows unchanged.
var plainType = regexp.MustCompile(`^text/plain(; *charset="?(utf-8|us-ascii)"?)?$`)

// isAmbiguous reports whether programs that use the last field of a name see other content
// than those that use the first. Exact repetitions are allowed, and so is a repeated
// content type of plain text, as some programs add it to a multipart: it reveals nothing
// more to anybody.
func (h *mailHeader) isAmbiguous() bool {
	for _, f := range h.again {
		if f.name != "content-type" && f.name != "content-transfer-encoding" {
			continue
		}
		again := strings.ToLower(strings.TrimSpace(header.WithoutComments(f.value.String())))
		first := strings.ToLower(strings.TrimSpace(header.WithoutComments(h.get(f.name))))
		if again != first && !(f.name == "content-type" && plainType.MatchString(again)) {
			return true
		}
	}
	return len(h.again) >= maxAgain
}

// checkStructure records a header that mail programs understand in more than one way, or
// that makes the content unreadable.
func (x *extractor) checkStructure(where Where, h *mailHeader, kind string, params map[string]string) {
	encoding := transferEncoding(h.get("Content-Transfer-Encoding"))
	multipart := strings.HasPrefix(kind, "multipart/")
	switch {
	case h.isAmbiguous(),
		multipart && !isIdentity(encoding),
		multipart && params["boundary"] == "",
		multipart && strings.Contains(params["boundary"], `\`),
		multipart && strings.Count(strings.ToLower(header.WithoutComments(h.get("Content-Type"))), "boundary") > 1:
		x.c.fail(where, ReasonDamaged)
	case !isIdentity(encoding) && encoding != "base64" && encoding != "quoted-printable":
		x.c.fail(where, ReasonUnsupported)
	}
	if multipart && opaqueKinds[kind] != "" {
		x.c.fail(where, opaqueKinds[kind])
	}
}

// unquotePairs reads \B as B, as RFC 2045 does.
func unquotePairs(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// shownFields are header fields that people read, or that programs show on request.
var shownFields = map[string]bool{
	"subject": true, "from": true, "sender": true, "reply-to": true, "to": true, "cc": true, "comments": true, "keywords": true,
	"thread-topic": true, "organization": true,
}

// isShown reports whether a field is scanned. X- fields are included because they can
// contain anything.
func isShown(name string) bool { return shownFields[name] || strings.HasPrefix(name, "x-") }

// addressInText matches an address in a field, which is not scanned as text.
var addressInText = regexp.MustCompile(`<[^<>\s]*>|[^\s,;<>"()]+@[^\s,;<>"()]+`)

// scanShown scans the fields of a header that people read; of addresses only the names.
func (x *extractor) scanShown(where Where, h *mailHeader) {
	subject := Where{Field: FieldSubject}
	if where.Field != FieldBody {
		subject = where
	}
	for _, f := range h.shown {
		place := where
		if f.name == "subject" {
			place = subject
		}
		text := x.decodeWords(place, f.value.String())
		switch f.name {
		case "subject", "comments", "keywords", "thread-topic":
		default:
			text = addressInText.ReplaceAllString(text, ",")
		}
		x.text.scanText(place, text)
	}
}

// zipEnd is the start of the record at the end of a zip file.
var zipEnd = []byte("PK\x05\x06")

// scanHiddenZip scans a zip file inside or after other content, as in a self-extracting
// archive.
func (x *extractor) scanHiddenZip(p part, content *spool, depth int) {
	at, many := findZipEnd(content)
	if at < 0 || x.reading {
		return
	}
	if depth >= x.limits.Depth {
		x.c.fail(p.where, ReasonTooDeep)
		return
	}
	if many {
		x.c.fail(p.where, ReasonUnsupported)
	}
	record := make([]byte, 22)
	if n, _ := content.ReadAt(record, at); n < len(record) {
		x.c.fail(p.where, ReasonDamaged)
		return
	}
	end := at + int64(len(record)) + int64(binary.LittleEndian.Uint16(record[20:]))
	x.scanZip(p.where, &spool{memory: content.memory, file: content.file, size: min(end, content.size)}, depth)
}

// findZipEnd returns the position of the last zip end record, -1 for none, and whether
// there are several.
func findZipEnd(content *spool) (at int64, many bool) {
	at = -1
	for found := range zipcheck.Find(content.reader(), zipEnd) {
		many = at >= 0
		at = found
	}
	return at, many
}
