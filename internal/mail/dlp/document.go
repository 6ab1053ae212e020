package dlp

import (
	"bytes"
	"context"
	"path"
	"strings"
	"unicode/utf8"

	"konak/internal/kit/filetype"
	"konak/internal/mail/dlp/packing"
)

// documentLimits limit what is unpacked to read one document.
var documentLimits = Limits{Bytes: 32 << 20, Parts: 500, Depth: 1, Ratio: 200}

// documentMembers are the members of a Word file that contain its text.
var documentMembers = map[string]bool{"word/document.xml": true, "word/footnotes.xml": true, "word/endnotes.xml": true}

// ReadDocument returns the text that a reader of a document sees: of a PDF, a Word
// file (docx), or a plain text in any recognised encoding. It keeps the lines of the
// document if it has any, and cuts the text after most bytes.
//
// The second result is the reason, as in Unscanned, if there is no text: the file is of
// another kind, damaged, encrypted, or grows beyond the limits.
func ReadDocument(ctx context.Context, name string, content []byte, most int) (text, reason string) {
	s, err := Compile(nil, nil)
	if err != nil {
		return "", ReasonUnreadable
	}
	x := newExtractor(ctx, s, documentLimits)
	var out strings.Builder
	x.reading = true
	x.text.sink = func(piece string) {
		if room := most + utf8.UTFMax - out.Len(); room > 0 {
			out.WriteString(piece[:min(len(piece), room)])
		}
	}
	x.readDocument(name, content)
	text = strings.ToValidUTF8(out.String(), " ")
	for _, f := range x.c.failed { // the beginning of content that keeps growing is not a document
		if f.Reason == ReasonRatio || f.Reason == ReasonTooLarge && bytes.HasPrefix(content, []byte("PK")) {
			return "", f.Reason
		}
	}
	if len(x.c.failed) > 0 && strings.TrimSpace(text) == "" {
		return "", x.c.failed[0].Reason
	}
	return text, ""
}

func (x *extractor) readDocument(name string, content []byte) {
	spooled, err := x.readSpool(bytes.NewReader(content))
	defer spooled.close()
	where := Where{Field: FieldAttachment, Name: name}
	if err != nil {
		x.failRead(where, err)
		return
	}
	head := spooled.head(filetype.HeadSize)
	switch packing.Format(head, path.Ext(strings.ToLower(name))) {
	case "pdf":
		x.scanPDF(where, spooled, 0)
	case "zip":
		x.scanZip(where, spooled, 0)
		if x.parts == 0 {
			x.c.fail(where, ReasonUnsupported) // not a Word file
		}
	case "":
		if !looksLikeText(head) && !bytes.HasPrefix(head, []byte{0xFF, 0xFE}) && !bytes.HasPrefix(head, []byte{0xFE, 0xFF}) {
			x.c.fail(where, ReasonUnsupported)
			return
		}
		x.scanDecoded(part{where: where, name: name}, spooled, markupNone, 0)
	default:
		x.c.fail(where, ReasonUnsupported)
	}
}
