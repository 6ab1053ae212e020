package dlp

import (
	"bytes"
	"strings"

	"konak/internal/mail/dlp/pdfdict"
	"konak/internal/mail/dlp/pdffont"
)

const (
	maxUsed  = 1000    // fonts that are counted
	maxDicts = 200_000 // dictionaries that are kept
	maxDict  = 16 << 10
	maxUp    = 8 // levels of parents searched for the fonts of a page
)

// useOf returns the usage counts of a font.
func (f *pdfFile) useOf(object int, fresh *fontUse) *fontUse {
	if u := f.used[object]; u != nil {
		return u
	}
	if len(f.used) < maxUsed {
		f.used[object] = fresh
	}
	return fresh
}

// noteDict stores a dictionary that may lead from a page to its fonts.
func (f *pdfFile) noteDict(number int, dict []byte) {
	dict = bytes.TrimSpace(dict)
	if len(dict) > maxDict || !bytes.HasPrefix(dict, []byte("<<")) || !bytes.Contains(dict, []byte(" R")) {
		return
	}
	if before, ok := f.dicts[number]; ok && !bytes.Equal(before, dict) {
		dict = nil
	}
	if (len(f.dicts) < maxDicts || dict == nil) && f.spend(len(dict)) {
		f.dicts[number] = bytes.Clone(dict) // the slice around it can be large
	}
}

// entry returns the dictionary stored under a name of a dictionary, directly or in another
// object.
func (f *pdfFile) entry(dict []byte, name string) []byte {
	if !f.spend(len(dict)) {
		return nil
	}
	value := pdfdict.Values(dict)[name]
	if strings.HasPrefix(value, "<<") {
		return []byte(value)
	}
	if objects := pdfdict.References([]byte(value)); len(objects) == 1 {
		return f.dicts[objects[0]]
	}
	return nil
}

// fontsOf returns the fonts of a page or a form by name, empty if they are not known.
func (f *pdfFile) fontsOf(s pdfStream) map[string]int {
	if resources := f.entry(s.dict, "Resources"); resources != nil {
		return f.fontsIn(resources)
	}
	number := f.pages[s.number]
	if fonts, ok := f.pageFont[number]; ok {
		return fonts
	}
	var resources []byte
	page := f.dicts[number]
	for i := 0; resources == nil && page != nil && i < maxUp; i++ {
		resources = f.entry(page, "Resources")
		page = f.entry(page, "Parent")
	}
	f.pageFont[number] = f.fontsIn(resources)
	return f.pageFont[number]
}

// fontsIn returns the fonts that a resource dictionary names.
func (f *pdfFile) fontsIn(resources []byte) map[string]int {
	out := map[string]int{}
	for name, value := range pdfdict.Values(f.entry(resources, "Font")) {
		if objects := pdfdict.References([]byte(value)); len(objects) == 1 {
			out[name] = objects[0]
		}
	}
	return out
}

// fontMap returns the character table of a font, nil if it has none.
func (f *pdfFile) fontMap(object int) *glyphMap {
	if g := f.maps[f.uses[object]]; g != nil {
		return g
	}
	if encoding, ok := f.encodings[object]; ok && f.maps[-1-encoding] != nil {
		return f.maps[-1-encoding]
	}
	if f.composite[object] {
		return &glyphMap{wide: true} // its codes are not characters
	}
	return nil
}

// noteEncoding records the list of glyphs in a font or in its encoding. It is stored under
// a number that no object has.
func (f *pdfFile) noteEncoding(number int, dict []byte) {
	if n, ok := referenceAfter(dict, "/Encoding"); ok {
		f.encodings[number] = n
	}
	if bytes.Contains(dict, []byte("/Type0")) {
		f.composite[number] = true
	}
	_, list, ok := bytes.Cut(dict, []byte("/Differences"))
	if !ok {
		return
	}
	list = bytes.TrimLeft(list, " \t\r\n")
	end := bytes.IndexByte(list, ']')
	if end < 0 || list[0] != '[' {
		f.fail(ReasonUnsupported)
		return
	}
	g := &glyphMap{chars: map[uint32]string{}}
	pdffont.Differences(string(list[:min(end, 64<<10)]), func(code uint32, r rune) { g.chars[code] = string(r) })
	f.maps[-1-number] = g
	if _, ok := f.encodings[number]; !ok {
		f.encodings[number] = number
	}
	if f.glyphs += len(g.chars); f.glyphs >= maxGlyphs {
		f.fail(ReasonTooLarge)
		f.maps[-1-number] = nil
	}
}
