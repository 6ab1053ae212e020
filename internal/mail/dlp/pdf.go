package dlp

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"konak/internal/mail/dlp/packing"
	"konak/internal/mail/dlp/pdfdict"
)

// Limits for PDF files.
const (
	maxPDF       = 40 << 20 // of the file
	maxPDFStream = 32 << 20 // of one stream, unpacked
	maxPDFFonts  = 8        // fonts that share one name
	maxPDFText   = 32 << 20 // of the pages, as shown
)

// pdfFile is what is known about a PDF file. Objects are found by reading the file from
// front to back, not by its cross-reference table, so a damaged or forged table hides
// nothing.
type pdfFile struct {
	x     *extractor
	where Where
	// fonts maps the name by which pages use a font to the objects with that name; maps
	// holds the character tables by object.
	fonts map[string][]int
	uses  map[int]int // font object → object of its table of characters
	maps  map[int]*glyphMap
	// encodings maps a font object to the object with its list of glyphs.
	encodings map[int]int
	composite map[int]bool // fonts whose codes have two bytes
	used      map[int]*fontUse
	// values are the objects that may name a filter, as written; numbers are the objects
	// that are a number.
	values  map[int]string
	numbers map[int]int
	roles   map[int]pdfRole
	streams []pdfStream
	// content are the streams that may contain text. They are unpacked one by one, once all
	// fonts are known.
	content []pdfStream
	// dicts are the dictionaries that may lead from a page to its fonts, nil for an object
	// that occurs twice; pages maps a stream to its page.
	dicts    map[int][]byte
	pages    map[int]int
	pageFont map[int]map[string]int // of pages, once looked up
	texts    []pdfStream            // other texts: metadata, forms, scripts
	glyphs   int                    // characters in maps
	depth    int
	work     int // see spend
	shown    int // bytes of text
	failed   bool
}

// pdfRole is the purpose of an object, as given by references to it.
type pdfRole byte

const (
	rolePage pdfRole = iota + 1
	roleFile
	roleText
)

// rolesOf maps the names under which objects are referenced to their role.
var rolesOf = map[string]pdfRole{
	"Contents": rolePage, "EF": roleFile, "JS": roleText, "V": roleText, "DV": roleText, "RV": roleText, "RC": roleText, "XFA": roleText,
	"Metadata": roleText, "Desc": roleText,
}

type pdfStream struct {
	number     int
	dict, body []byte
}

// wordFinder finds the next occurrence of a word from increasing positions, in one pass
// over the file.
type wordFinder struct {
	raw  []byte
	word string
	at   int
}

// next returns the first position of the word at or after from, or the length of the file
// if there is none.
func (w *wordFinder) next(from int) int {
	if w.at < from {
		if i := bytes.Index(w.raw[from:], []byte(w.word)); i >= 0 {
			w.at = from + i
		} else {
			w.at = len(w.raw)
		}
	}
	return w.at
}

// scanPDF scans the text of a PDF file.
func (x *extractor) scanPDF(where Where, content *spool, depth int) {
	if content.size > maxPDF {
		x.c.fail(where, ReasonTooLarge)
		if !x.reading {
			x.scanBinary(where, content)
		}
		return
	}
	raw := make([]byte, content.size)
	if n, err := content.ReadAt(raw, 0); n < len(raw) && err != nil {
		x.c.fail(where, ReasonUnreadable)
		return
	}
	f := &pdfFile{
		x: x, where: where, fonts: map[string][]int{}, uses: map[int]int{}, encodings: map[int]int{}, maps: map[int]*glyphMap{},
		values: map[int]string{}, numbers: pdfdict.Numbers(raw), roles: map[int]pdfRole{},
		composite: map[int]bool{}, used: map[int]*fontUse{}, dicts: map[int][]byte{}, pages: map[int]int{}, pageFont: map[int]map[string]int{},
		depth: depth,
	}
	if pdfdict.IsEncrypted(raw) {
		x.c.fail(where, ReasonEncrypted)
		return
	}
	x.hidden.begin(where)
	f.readObjects(raw)
	f.writeTrailers(raw)
	f.readStreams()
	x.text.begin(where)
	for _, stream := range f.content {
		if x.ctx.Err() != nil || f.shown > maxPDFText {
			break
		}
		data, reason := f.unpack(pdfdict.Values(stream.dict), stream.body, maxPDFStream)
		f.fail(reason)
		f.writeText(data, f.fontsOf(stream))
	}
	if x.ctx.Err() != nil {
		x.c.fail(where, ReasonTime)
	}
	for _, use := range f.used {
		if use.isUnreadable() {
			f.fail(ReasonUnsupported)
		}
	}
	x.text.end()
	x.hidden.end()
	if x.reading {
		return
	}
	for _, stream := range f.texts {
		text, reason := f.unpack(pdfdict.Values(stream.dict), stream.body, maxPDFStream)
		f.fail(reason)
		m := markupNone
		if beginsTag(text) {
			m = markupXML
		}
		x.scanDecoded(part{where: where}, &spool{memory: text, size: int64(len(text))}, m, depth)
	}
	if end := bytes.LastIndex(raw, []byte("%%EOF")); end >= 0 {
		x.scanBinary(where, &spool{memory: raw[end:], size: int64(len(raw) - end)})
	}
}

// readObjects finds the objects in raw and records streams and fonts.
func (f *pdfFile) readObjects(raw []byte) {
	begins := wordFinder{raw: raw, word: "obj", at: -1}
	ends := wordFinder{raw: raw, word: "endobj", at: -1}
	streams := wordFinder{raw: raw, word: "stream", at: -1}
	streamEnds := wordFinder{raw: raw, word: "endstream", at: -1}
	for at := 0; ; {
		i := begins.next(at)
		if i == len(raw) || f.isOver() {
			return
		}
		at = i + len("obj")
		number, ok := objectNumber(raw[:i])
		if !ok && bytes.HasSuffix(raw[:i], []byte("end")) {
			continue
		}
		end, stream := f.dictEnd(raw, at, ends.next(at), streams.next(at))
		dict := pdfdict.Plain(raw[at:min(end, stream)])
		f.noteObject(number, dict)
		f.writeStrings(dict)
		if stream >= end {
			at = end
			continue
		}
		body := stream + len("stream")
		body += len(raw[body:]) - len(bytes.TrimPrefix(bytes.TrimPrefix(raw[body:], []byte("\r")), []byte("\n")))
		// The bytes of a stream may contain "endstream" by chance, so its length is used
		// first if it is correct.
		stop := streamEnds.next(body)
		if length, ok := f.number(pdfdict.Values(dict)["Length"]); ok && length <= len(raw)-body {
			rest := raw[body+length : min(len(raw), body+length+20)]
			if bytes.HasPrefix(bytes.TrimLeft(rest, "\r\n \t"), []byte("endstream")) {
				stop = body + length
			}
		}
		f.streams = append(f.streams, pdfStream{number, dict, raw[body:stop]})
		at = stop
	}
}

// writeTrailers passes the strings of the trailers to the scanner.
func (f *pdfFile) writeTrailers(raw []byte) {
	word := []byte("trailer")
	for range 100 {
		_, after, ok := bytes.Cut(raw, word)
		if !ok {
			return
		}
		raw = after
		end := bytes.Index(raw, []byte("startxref"))
		if end < 0 {
			end = len(raw)
		}
		f.writeStrings(pdfdict.Plain(raw[:min(end, 64<<10)]))
	}
}

// dictEnd returns the end of an object and the start of its stream, ignoring words inside a
// string or a comment.
func (f *pdfFile) dictEnd(raw []byte, at, end, stream int) (objectEnd, streamStart int) {
	objectEnd, streamStart = end, stream
	next := func(from int, word string) int {
		if i := bytes.Index(raw[from:], []byte(word)); i >= 0 {
			return from + i
		}
		return len(raw)
	}
	for range 16 {
		first := min(objectEnd, streamStart)
		if first-at > 1<<20 || !pdfdict.IsOpen(raw[at:first]) {
			return objectEnd, streamStart
		}
		if first == len(raw) || !f.spend(first-at) {
			break
		}
		if first == objectEnd {
			objectEnd = next(first+1, "endobj")
		} else {
			streamStart = next(first+1, "stream")
		}
		f.spend((max(objectEnd, streamStart) - first) / searchRate)
	}
	f.fail(ReasonDamaged)
	return end, stream
}

// noteObject records the fonts in an object, and its value if it may name a filter.
func (f *pdfFile) noteObject(number int, dict []byte) {
	f.noteFonts(number, dict)
	f.noteDict(number, dict)
	text := strings.TrimSpace(string(dict[:min(len(dict), 256)]))
	if text == "" || text[0] != '/' && text[0] != '[' && !strings.Contains(text, "/Predictor") {
		return
	}
	if before, ok := f.values[number]; ok && before != text {
		text = "/" + pdfdict.Unknown
	}
	if f.spend(keptSize) {
		f.values[number] = text
	}
}

// readStreams reads the streams, those that contain objects first.
func (f *pdfFile) readStreams() {
	for _, packed := range []bool{true, false} {
		f.spreadRoles()
		for _, s := range f.streams {
			values := pdfdict.Values(s.dict)
			_, first := values["First"]
			if (values["Type"] == "/ObjStm" || first) == packed && !f.isOver() {
				f.readStream(s, values, packed)
			}
		}
	}
}

// objectNumber parses "12 0 " before the word obj.
func objectNumber(before []byte) (int, bool) {
	before = bytes.TrimRight(before[max(0, len(before)-40):], " \t\r\n")
	i := bytes.LastIndexAny(before, " \t\r\n")
	if i < 0 || i == len(before)-1 {
		return 0, false
	}
	if _, err := strconv.Atoi(string(before[i+1:])); err != nil {
		return 0, false
	}
	before = bytes.TrimRight(before[:i], " \t\r\n")
	j := len(before)
	for j > 0 && isDigit(before[j-1]) {
		j--
	}
	n, err := strconv.Atoi(string(before[j:]))
	return n, err == nil
}

// number returns a value that is a whole number, or a reference to one.
func (f *pdfFile) number(value string) (int, bool) {
	if objects := pdfdict.References([]byte(value)); len(objects) == 1 {
		n, ok := f.numbers[objects[0]]
		return n, ok
	}
	n, err := strconv.Atoi(value)
	return n, err == nil && n >= 0
}

// referenceAfter returns the object that the value of a name refers to.
func referenceAfter(dict []byte, name string) (int, bool) {
	i := bytes.Index(dict, []byte(name))
	if i < 0 {
		return 0, false
	}
	fields := strings.Fields(strings.NewReplacer("[", " ", "]", " ", "R", " R ").Replace(string(dict[i+len(name) : min(len(dict), i+len(name)+40)])))
	if len(fields) < 3 || fields[2] != "R" {
		return 0, false
	}
	n, err := strconv.Atoi(fields[0])
	return n, err == nil
}

// noteFonts records the names of fonts in a resource dictionary, and the character table of
// a font.
func (f *pdfFile) noteFonts(number int, dict []byte) {
	if n, ok := referenceAfter(dict, "/ToUnicode"); ok {
		f.uses[number] = n
	}
	f.noteEncoding(number, dict)
	// "/F1 12 0 R" anywhere may name a font; other names do no harm.
	for rest := dict; ; {
		i := bytes.IndexByte(rest, '/')
		if i < 0 {
			return
		}
		rest = rest[i+1:]
		name, after := pdfName(rest)
		if role := rolesOf[name]; role != 0 {
			end := min(len(after), pdfdict.ValueEnd(after))
			if !f.spend(end) {
				return
			}
			f.setRoles(number, after[:end], role)
		}
		fields := strings.Fields(string(after[:min(len(after), 24)]))
		if len(fields) < 3 || !strings.HasPrefix(fields[2], "R") {
			continue
		}
		if n, err := strconv.Atoi(fields[0]); err == nil && len(f.fonts[name]) < maxPDFFonts && !slices.Contains(f.fonts[name], n) {
			if !f.spend(keptSize) {
				return
			}
			f.fonts[name] = append(f.fonts[name], n)
		}
	}
}

// setRoles records the role of the objects that a value refers to.
func (f *pdfFile) setRoles(owner int, value []byte, role pdfRole) {
	for _, object := range pdfdict.References(value) {
		if f.roles[object] == 0 && !f.spend(keptSize) {
			return
		}
		if role == rolePage {
			if before, ok := f.pages[object]; ok && before != owner {
				owner = 0 // several pages
			}
			f.pages[object] = owner
		}
		if f.roles[object] == 0 || role == rolePage {
			f.roles[object] = role
		}
	}
}

// spreadRoles sets the role of streams that a page names through a list in another object.
func (f *pdfFile) spreadRoles() {
	for object, role := range f.roles {
		if list := f.values[object]; role == rolePage && strings.HasPrefix(list, "[") {
			f.setRoles(f.pages[object], []byte(list), role)
		}
	}
}

// pdfName splits a name from the text that follows it.
func pdfName(b []byte) (string, []byte) {
	i := 0
	for i < len(b) && i < 128 && !bytes.ContainsRune([]byte(" \t\r\n/<>[]()%"), rune(b[i])) {
		i++
	}
	return string(b[:i]), b[i:]
}

// pictureFilters are the filters of streams without text.
var pictureFilters = []string{"DCTDecode", "DCT", "JPXDecode", "CCITTFaxDecode", "CCF", "JBIG2Decode"}

// readStream unpacks a stream and stores it according to its kind.
func (f *pdfFile) readStream(s pdfStream, values map[string]string, packed bool) {
	role := f.roles[s.number]
	if slices.ContainsFunc(f.filters(values), func(n string) bool { return slices.Contains(pictureFilters, n) }) {
		return
	}
	data, reason := f.unpack(values, s.body, 4096)
	if values["Subtype"] == "/Image" && role != rolePage && !looksLikePage(data) {
		return
	}
	whole := func() []byte {
		data, reason = f.unpack(values, s.body, maxPDFStream)
		return data
	}
	switch {
	case packed:
		f.readPackedObjects(s.dict, whole())
	case bytes.Contains(s.dict, []byte("/EmbeddedFile")), role == roleFile, role != rolePage && isPackedFile(data):
		if !f.x.reading {
			f.x.scanInner(f.where, part{name: "file" + strconv.Itoa(s.number)}, bytes.NewReader(whole()), f.depth)
		}
	case bytes.Contains(data, []byte("begincmap")):
		g := readGlyphMap(whole(), maxGlyphs-f.glyphs)
		f.maps[s.number] = g
		if f.glyphs += len(g.chars); f.glyphs >= maxGlyphs || g.cut {
			reason = ReasonTooLarge
		}
	case values["Type"] == "/XRef", values["Length1"] != "" && role == 0:
	case role == roleText, values["Type"] == "/Metadata", values["Subtype"] == "/XML", beginsTag(data):
		f.texts = append(f.texts, s)
		reason = ""
	default:
		f.content = append(f.content, s)
		reason = ""
	}
	f.fail(reason)
}

// looksLikePage reports whether a stream declared as a picture begins like a page.
func looksLikePage(head []byte) bool {
	return printable(head) && (bytes.Contains(head, []byte("BT")) || bytes.Contains(head, []byte("Tf")))
}

// isPackedFile reports whether a stream begins like a file that contains others.
func isPackedFile(head []byte) bool {
	switch packing.Format(head, "") {
	case "zip", "gzip", "pdf", "compound":
		return true
	}
	return false
}

// beginsTag reports whether a stream is XML.
func beginsTag(head []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte{0xEF, 0xBB, 0xBF}), " \t\r\n")
	return len(text) > 1 && text[0] == '<' && (text[1] == '?' || text[1] == '!' || isLetter(text[1]|0x20))
}

// filters returns the filters of a stream.
func (f *pdfFile) filters(values map[string]string) []string {
	return pdfdict.Filters(values["Filter"], f.value)
}

// value returns an object that may name a filter, "" if it is not known.
func (f *pdfFile) value(object int) string {
	if !f.spend(lookupCost) {
		return ""
	}
	return f.values[object]
}

// fail records the first reason why the file could not be read completely.
func (f *pdfFile) fail(reason string) {
	if reason != "" && !f.failed {
		f.failed = true
		f.x.c.fail(f.where, reason)
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' }
