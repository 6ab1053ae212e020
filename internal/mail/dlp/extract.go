package dlp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"konak/internal/kit/filetype"
	"konak/internal/mail/dlp/cms"
	"konak/internal/mail/dlp/packing"
	"konak/internal/mail/dlp/sheets"
)

// Limits limit what a scan reads. The time is limited by the context.
type Limits struct {
	Bytes   int64  // content of all parts together, unpacked
	Parts   int    // parts of a mail and members of archives together
	Depth   int    // of nested mails and archives
	Ratio   int64  // unpacked bytes per packed byte, above 1 MiB
	TempDir string // for parts above 1 MiB; "" means the system's
}

// DefaultLimits fit a mail of 50 MB.
func DefaultLimits() Limits { return Limits{Bytes: 128 << 20, Parts: 2000, Depth: 12, Ratio: 200} }

// Message is a message given in fields.
type Message struct {
	Subject, Text, HTML string
	Files               []File
}

// File is an attachment. Open is called once, when the file is scanned.
type File struct {
	Name string
	Kind string // the declared media type, "" if unknown
	Open func() (io.ReadCloser, error)
}

// ScanMessage scans a message given in fields.
func (s *Scanner) ScanMessage(ctx context.Context, m Message, l Limits) Report {
	x := newExtractor(ctx, s, l)
	x.text.scanText(Where{Field: FieldSubject}, m.Subject)
	x.text.scanText(Where{Field: FieldBody}, m.Text)
	if m.HTML != "" {
		x.scanMarkup(Where{Field: FieldBody}, strings.NewReader(m.HTML), markupHTML, 0)
	}
	for _, f := range m.Files {
		p := part{where: Where{Field: FieldAttachment, Name: f.Name}, name: f.Name, kind: f.Kind}
		x.checkFileName(p.where, f.Name)
		r, err := f.Open()
		if err != nil {
			x.c.fail(p.where, ReasonUnreadable)
			continue
		}
		x.scanPart(p, r, 0)
		_ = r.Close()
	}
	return x.c.report()
}

// ScanMail scans a raw mail.
func (s *Scanner) ScanMail(ctx context.Context, raw io.Reader, l Limits) Report {
	x := newExtractor(ctx, s, l)
	x.scanMail(Where{Field: FieldBody}, raw, 0)
	return x.c.report()
}

// extractor splits a message into its parts and passes their texts to the scanner.
type extractor struct {
	ctx    context.Context
	limits Limits
	c      *collector
	text   *textScanner
	hidden *textScanner   // for text other than the visible one
	spare  []*textScanner // currently unused
	bytes  int64
	parts  int
	// reading is true if only the visible text of one document is wanted.
	reading bool
}

func newExtractor(ctx context.Context, s *Scanner, l Limits) *extractor {
	c := newCollector(s)
	return &extractor{ctx: ctx, limits: l, c: c, text: newTextScanner(c), hidden: newTextScanner(c)}
}

// part is a leaf of a mail, a file, or a member of an archive.
type part struct {
	where   Where
	name    string // "" for a part without one
	kind    string // declared media type
	charset string // declared
	flowed  bool   // lines that end in a space continue
	office  bool   // a member of an office document
}

// Errors that end the reading of a part.
var (
	errTooLarge = errors.New("dlp: too large")
	errRatio    = errors.New("dlp: compression ratio too high")
	errTime     = errors.New("dlp: out of time")
)

// failRead records why a part could not be read to its end.
func (x *extractor) failRead(where Where, err error) {
	switch {
	case err == nil:
	case errors.Is(err, errTooLarge):
		x.c.fail(where, ReasonTooLarge)
	case errors.Is(err, errRatio):
		x.c.fail(where, ReasonRatio)
	case errors.Is(err, errTime), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		x.c.fail(where, ReasonTime)
	default:
		x.c.fail(where, ReasonDamaged)
	}
}

// countPart counts a part. It returns false, and records the reason, if there are too many
// parts or no time is left.
func (x *extractor) countPart(where Where) bool {
	if x.ctx.Err() != nil {
		x.c.fail(where, ReasonTime)
		return false
	}
	if x.parts++; x.parts > x.limits.Parts {
		x.c.fail(where, ReasonTooMany)
		return false
	}
	return true
}

// scanPart reads a part and scans it according to its type.
func (x *extractor) scanPart(p part, r io.Reader, depth int) {
	if !x.countPart(p.where) {
		return
	}
	content, err := x.readSpool(r)
	defer content.close()
	x.failRead(p.where, err) // what was read is scanned anyway
	x.scanContent(p, content, depth)
}

// scanContent scans the content of a part. Its type is decided by its first bytes, then by
// its name and declared type.
func (x *extractor) scanContent(p part, content *spool, depth int) {
	head := content.head(filetype.HeadSize)
	kind := strings.ToLower(p.kind)
	ending := path.Ext(strings.ToLower(strings.TrimRight(p.name, ". ")))
	if p.where.Field == FieldAttachment {
		x.checkFileType(p.where, content, kind)
	}
	if reason := opaqueReason(&p, kind, ending, head); reason != "" && !(isSealed(kind, ending) && x.scanSigned(p.where, content, depth)) {
		x.c.fail(p.where, reason)
	}
	format := packing.Format(head, ending)
	if format == "" || format == "pdf" || format == "compound" {
		x.scanHiddenZip(p, content, depth)
	}
	isMail := kind == "message/rfc822" || kind == "message/global" || ending == ".eml"
	if format == "" && !isMail && beginsMail(head) {
		defer x.scanMailFile(p.where, content, depth)()
	}
	switch {
	case format != "":
		if depth >= x.limits.Depth {
			x.c.fail(p.where, ReasonTooDeep)
			return
		}
		x.scanPacked(p, format, content, depth)
	case isMail:
		x.scanMails(p.where, content, depth)
	case ending == ".ics" || ending == ".vcf" || kind == "text/calendar" || kind == "text/vcard" || kind == "text/x-vcard" || beginsLines(head):
		x.scanLines(p, content, depth)
	case kind == "text/html" || kind == "application/xhtml+xml" || ending == ".html" || ending == ".htm":
		x.scanDecoded(p, content, markupHTML, depth)
	case kind == "image/svg+xml" || ending == ".svg" || filetype.Sniff(head) == "image/svg+xml":
		x.scanDecoded(p, content, markupSVG, depth)
	case isXML(head) || ending == ".xml" || p.office && beginsTag(head):
		if p.office {
			x.scanDecoded(p, content, markupOffice, depth)
		} else {
			x.scanDecoded(p, content, xmlKind(head), depth)
		}
	case strings.HasPrefix(string(head), `{\rtf`):
		x.scanRTF(p.where, content.reader(), depth)
	case strings.HasPrefix(kind, "text/") || looksLikeText(head):
		x.scanDecoded(p, content, markupNone, depth)
	default:
		if strings.HasPrefix(string(head), "\x89PNG") {
			x.scanPackedTexts(p, content, depth)
		}
		if p.office && ending == ".bin" && strings.Contains(p.name, "sheets/") {
			x.scanNumbers(p.where, func(found func(float64)) error { return sheets.ReadBinary(content.reader(), found) })
		}
		x.scanBinary(p.where, content)
	}
}

// scanSigned scans the signed content of a cryptographic message. It returns false for one
// that is encrypted or too long.
func (x *extractor) scanSigned(where Where, content *spool, depth int) bool {
	if content.size > maxToken || depth >= x.limits.Depth {
		return false
	}
	raw, err := io.ReadAll(content.reader())
	if err != nil {
		return false
	}
	signed, ok := cms.Signed(raw)
	if ok {
		x.scanMail(where, bytes.NewReader(signed), depth+1)
	}
	return ok
}

// scanOldOffice scans the cells of an old office file, all readable text in it, and the
// files in it, and records if it has a password.
func (x *extractor) scanOldOffice(where Where, content *spool, depth int) {
	before := slices.Clone(x.c.counts)
	x.scanNumbers(where, func(found func(float64)) error {
		encrypted, err := sheets.ReadOffice(content, content.size, found, func(text string) { x.text.write(text + "\f") })
		if encrypted {
			x.c.fail(where, ReasonEncrypted)
		}
		return err
	})
	between := slices.Clone(x.c.counts)
	x.scanBinary(where, content)
	x.c.keepMost(where, before, between)
	// Zip files in it are found by their end records; other files may be stored in pieces.
	sheets.EachStream(content, content.size, func(name string, data []byte) bool {
		head := data[:min(len(data), 1024)]
		switch packing.Format(head, "") {
		case "pdf", "gzip", "compound":
		default:
			if !bytes.HasPrefix(head, []byte(`{\rtf`)) {
				return true
			}
		}
		x.scanPart(part{where: inside(where, strings.TrimLeft(name, "\x01\x03\x05"))}, bytes.NewReader(data), depth+1)
		return x.parts <= x.limits.Parts && x.ctx.Err() == nil
	})
}

// scanNumbers scans numbers from cells, each separately.
func (x *extractor) scanNumbers(where Where, read func(found func(float64)) error) {
	x.text.begin(where)
	err := read(func(v float64) {
		if v > -1e20 && v < 1e20 {
			x.text.write(strconv.FormatFloat(v, 'f', -1, 64) + "\f")
		}
	})
	x.text.end()
	x.failRead(where, err)
}

// checkFileName scans a file's name as text.
func (x *extractor) checkFileName(where Where, name string) {
	if name != "" {
		x.text.scanText(where, name)
	}
}
