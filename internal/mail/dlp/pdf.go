package dlp

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"io"
	"slices"
	"strconv"
	"strings"

	"konak/internal/mail/dlp/pdfdict"
)

// Bounds of a PDF file.
const (
	maxPDF       = 40 << 20 // of the file
	maxPDFStream = 32 << 20 // of one stream, unpacked
	maxPDFFonts  = 8        // fonts that share one name
)

// pdfFile is what is known of a PDF file. Objects are found by reading the file
// from front to back, not by its table of contents: a damaged or dishonest
// table hides nothing.
type pdfFile struct {
	x     *extractor
	where Where
	// fonts maps the name under which pages use a font to the objects that have
	// it; maps holds the tables of characters by object.
	fonts map[string][]int
	uses  map[int]int // font object → object of its table of characters
	maps  map[int]*glyphMap
	// values are the objects that may name a filter, as they are written.
	values  map[int]string
	streams []pdfStream
	// content are the streams that may hold text. They are unpacked one by one,
	// once all fonts are known.
	content  []pdfStream
	embedded []embeddedFile
	failed   bool
}

type pdfStream struct {
	number     int
	dict, body []byte
}

type embeddedFile struct {
	where Where
	data  []byte
}

// wordFinder finds the next place of a word from rising positions on, in one
// pass over the file.
type wordFinder struct {
	raw  []byte
	word string
	at   int
}

// next is the first place of the word at or after from, the length of the file
// where there is none.
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
	f := &pdfFile{x: x, where: where, fonts: map[string][]int{}, uses: map[int]int{}, maps: map[int]*glyphMap{}, values: map[int]string{}}
	if pdfdict.IsEncrypted(raw) {
		x.c.fail(where, ReasonEncrypted)
		return
	}
	x.hidden.begin(where)
	f.readObjects(raw)
	f.readStreams()
	x.hidden.end()
	x.text.begin(where)
	for _, stream := range f.content {
		if x.ctx.Err() != nil {
			x.c.fail(where, ReasonTime)
			break
		}
		data, reason := f.unpack(pdfdict.Values(stream.dict), stream.body, maxPDFStream)
		f.fail(reason)
		f.writeText(data)
	}
	x.text.end()
	if x.reading {
		return
	}
	for _, e := range f.embedded {
		x.scanPart(part{where: e.where}, bytes.NewReader(e.data), depth+1)
	}
}

// readObjects finds the objects in raw and notes streams and fonts.
func (f *pdfFile) readObjects(raw []byte) {
	begins := wordFinder{raw: raw, word: "obj", at: -1}
	ends := wordFinder{raw: raw, word: "endobj", at: -1}
	streams := wordFinder{raw: raw, word: "stream", at: -1}
	streamEnds := wordFinder{raw: raw, word: "endstream", at: -1}
	for at := 0; ; {
		i := begins.next(at)
		if i == len(raw) || f.x.ctx.Err() != nil {
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
		// The bytes of a stream may hold "endstream" by chance, so its length
		// counts first, where it is true.
		stop := streamEnds.next(body)
		if length, ok := intAfter(dict, "/Length"); ok && length <= len(raw)-body {
			rest := raw[body+length : min(len(raw), body+length+20)]
			if bytes.HasPrefix(bytes.TrimLeft(rest, "\r\n \t"), []byte("endstream")) {
				stop = body + length
			}
		}
		f.streams = append(f.streams, pdfStream{number, dict, raw[body:stop]})
		at = stop
	}
}

// dictEnd is where an object and its dictionary end: not at a word within a string or a
// comment.
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
		if first == len(raw) {
			break
		}
		if first == objectEnd {
			objectEnd = next(first+1, "endobj")
		} else {
			streamStart = next(first+1, "stream")
		}
	}
	f.fail(ReasonDamaged)
	return end, stream
}

// noteObject notes the fonts in an object, and what it says where it may be a filter.
func (f *pdfFile) noteObject(number int, dict []byte) {
	f.noteFonts(number, dict)
	text := strings.TrimSpace(string(dict[:min(len(dict), 256)]))
	if text == "" || text[0] != '/' && text[0] != '[' {
		return
	}
	if before, ok := f.values[number]; ok && before != text {
		text = "/" + pdfdict.Unknown
	}
	f.values[number] = text
}

// readStreams reads the streams, first those that hold objects.
func (f *pdfFile) readStreams() {
	for _, packed := range []bool{true, false} {
		for _, s := range f.streams {
			values := pdfdict.Values(s.dict)
			_, first := values["First"]
			if (values["Type"] == "/ObjStm" || first) == packed && f.x.ctx.Err() == nil {
				f.readStream(s, values, packed)
			}
		}
	}
}

// objectNumber reads "12 0 " before the word obj.
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

// intAfter is the number after a name, where it is not a reference.
func intAfter(dict []byte, name string) (int, bool) {
	i := bytes.Index(dict, []byte(name))
	if i < 0 {
		return 0, false
	}
	fields := strings.Fields(strings.NewReplacer("/", " /", ">", " >", "[", " ", "]", " ").Replace(string(dict[i+len(name) : min(len(dict), i+len(name)+60)])))
	if len(fields) == 0 || len(fields) >= 3 && fields[2] == "R" {
		return 0, false
	}
	n, err := strconv.Atoi(fields[0])
	return n, err == nil && n >= 0
}

// referenceAfter is the object that a name refers to.
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

// noteFonts notes the names of fonts in a dictionary of resources, and the
// table of characters of a font.
func (f *pdfFile) noteFonts(number int, dict []byte) {
	if n, ok := referenceAfter(dict, "/ToUnicode"); ok {
		f.uses[number] = n
	}
	// "/F1 12 0 R" anywhere may name a font; names that are not fonts do no harm.
	for rest := dict; ; {
		i := bytes.IndexByte(rest, '/')
		if i < 0 {
			return
		}
		rest = rest[i+1:]
		name, after := pdfName(rest)
		fields := strings.Fields(string(after[:min(len(after), 24)]))
		if len(fields) < 3 || !strings.HasPrefix(fields[2], "R") {
			continue
		}
		if n, err := strconv.Atoi(fields[0]); err == nil && len(f.fonts[name]) < maxPDFFonts {
			f.fonts[name] = append(f.fonts[name], n)
		}
	}
}

// pdfName cuts a name from what follows it.
func pdfName(b []byte) (string, []byte) {
	i := 0
	for i < len(b) && i < 128 && !bytes.ContainsRune([]byte(" \t\r\n/<>[]()%"), rune(b[i])) {
		i++
	}
	return string(b[:i]), b[i:]
}

// pictureFilters are those of streams that hold no text.
var pictureFilters = []string{"DCTDecode", "DCT", "JPXDecode", "CCITTFaxDecode", "CCF", "JBIG2Decode"}

// readStream unpacks a stream and keeps it for what it is.
func (f *pdfFile) readStream(s pdfStream, values map[string]string, packed bool) {
	if values["Subtype"] == "/Image" || slices.ContainsFunc(f.filters(values), func(n string) bool { return slices.Contains(pictureFilters, n) }) {
		return
	}
	data, reason := f.unpack(values, s.body, 4096)
	switch {
	case packed:
		data, reason = f.unpack(values, s.body, maxPDFStream)
		f.readPackedObjects(s.dict, data)
	case bytes.Contains(s.dict, []byte("/EmbeddedFile")):
		data, reason = f.unpack(values, s.body, maxPDFStream)
		f.embedded = append(f.embedded, embeddedFile{where: inside(f.where, "file"+strconv.Itoa(s.number)), data: data})
	case bytes.Contains(data, []byte("begincmap")):
		data, reason = f.unpack(values, s.body, maxPDFStream)
		f.maps[s.number] = readGlyphMap(data)
	case values["Type"] == "/XRef", values["Length1"] != "":
	default:
		f.content = append(f.content, s)
		reason = ""
	}
	f.fail(reason)
}

// filters are the filters of a stream.
func (f *pdfFile) filters(values map[string]string) []string {
	return pdfdict.Filters(values["Filter"], func(object int) string { return f.values[object] })
}

// fail notes, once, why a stream could not be read.
func (f *pdfFile) fail(reason string) {
	if reason != "" && !f.failed {
		f.failed = true
		f.x.c.fail(f.where, reason)
	}
}

// unpack undoes the filters of a stream. It returns what it got and, where that
// is not all, why. A limit below maxPDFStream asks for the beginning only.
func (f *pdfFile) unpack(values map[string]string, body []byte, limit int64) ([]byte, string) {
	data := body
	for _, name := range f.filters(values) {
		var reason string
		switch name {
		case "FlateDecode", "Fl":
			data, reason = f.inflate(data, limit)
		case "ASCIIHexDecode", "AHx":
			data = decodeHex(data)
		case "ASCII85Decode", "A85":
			data = decode85(data)
		default:
			return nil, ReasonUnsupported
		}
		if reason != "" {
			return data, reason
		}
	}
	return data, ""
}

func (f *pdfFile) inflate(data []byte, limit int64) ([]byte, string) {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, ReasonDamaged
	}
	whole := limit == maxPDFStream
	if whole {
		limit = max(0, min(limit, max(1<<20, int64(len(data))*f.x.limits.Ratio), f.x.limits.Bytes-f.x.bytes))
	}
	out, err := io.ReadAll(io.LimitReader(z, limit+1))
	if whole {
		f.x.bytes += int64(len(out))
	}
	if int64(len(out)) > limit {
		if whole {
			return out, ReasonTooLarge
		}
		return out[:limit], ""
	}
	if err != nil && len(out) == 0 {
		return nil, ReasonDamaged
	}
	return out, "" // readers show what they get of a stream that breaks off
}

func decodeHex(data []byte) []byte {
	out := make([]byte, 0, len(data)/2)
	high := -1
	for _, c := range data {
		if c == '>' {
			break
		}
		v := hexValue(c)
		switch {
		case v < 0:
		case high < 0:
			high = v
		default:
			out = append(out, byte(high<<4|v))
			high = -1
		}
	}
	if high >= 0 {
		out = append(out, byte(high<<4))
	}
	return out
}

func decode85(data []byte) []byte {
	if i := bytes.Index(data, []byte("~>")); i >= 0 {
		data = data[:i]
	}
	out := make([]byte, len(data)*4+4)
	n, _, _ := ascii85.Decode(out, data, true)
	return out[:n]
}

// readPackedObjects reads a stream that holds objects.
func (f *pdfFile) readPackedObjects(dict, data []byte) {
	first, ok := intAfter(dict, "/First")
	if !ok || first > len(data) {
		return
	}
	head := strings.Fields(string(data[:first]))
	for i := 0; i+1 < len(head); i += 2 {
		number, err1 := strconv.Atoi(head[i])
		offset, err2 := strconv.Atoi(head[i+1])
		if err1 != nil || err2 != nil || offset < 0 || first+offset > len(data) {
			continue
		}
		end := len(data)
		if i+3 < len(head) {
			if next, err := strconv.Atoi(head[i+3]); err == nil && next >= offset && first+next <= len(data) {
				end = first + next
			}
		}
		f.noteObject(number, pdfdict.Plain(data[first+offset:end]))
	}
	f.writeStrings(pdfdict.Plain(data[first:]))
}
