package source

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	styleComment = regexp.MustCompile(`(?s)/\*.*?(\*/|$)`)
	styleLength  = regexp.MustCompile(`^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)(px|em|rem|ex|ch|pt|vw|vh|%|)$`)
)

// farOff is how many pixels before the screen's edge nobody sees what stands there.
const farOff = -999

// hiddenStyle says whether a style attribute keeps what is in its tag from being seen.
// Style sheets are not read.
func hiddenStyle(attribute string) bool {
	s := readStyle(attribute)
	switch {
	case s["display"] == "none", s["visibility"] == "hidden", s["visibility"] == "collapse",
		isZero(s["opacity"]), isZero(s["font-size"]), zeroFont(s["font"]), isFarOff(s["text-indent"]), emptyClipPath(s["clip-path"]):
		return true
	case s["position"] == "absolute" || s["position"] == "fixed":
		return isFarOff(s["left"]) || isFarOff(s["top"]) || isFarOff(s["right"]) || isFarOff(s["bottom"]) || emptyClip(s["clip"])
	case s["position"] == "relative":
		return isFarOff(s["left"]) || isFarOff(s["top"])
	}
	return false
}

// readStyle reads what a style attribute declares. The last of a name counts, and one that is
// important before those that are not.
func readStyle(attribute string) map[string]string {
	out, important := map[string]string{}, map[string]bool{}
	for declaration := range strings.SplitSeq(styleComment.ReplaceAllString(strings.ToLower(attribute), " "), ";") {
		name, value, _ := strings.Cut(declaration, ":")
		value, mark, _ := strings.Cut(value, "!")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if matters := strings.TrimSpace(mark) == "important"; value != "" && (matters || !important[name]) {
			out[name], important[name] = value, matters
		}
	}
	return out
}

// pixels is a length in pixels, about; parts of the whole count as they stand.
func pixels(value string) (n float64, unit string, ok bool) {
	m := styleLength.FindStringSubmatch(value)
	if m == nil {
		return 0, "", false
	}
	n, err := strconv.ParseFloat(m[1], 64)
	switch m[2] {
	case "em", "rem":
		n *= 16
	case "ex", "ch":
		n *= 8
	case "vw", "vh":
		n *= 10
	}
	return n, m[2], err == nil
}

func isZero(value string) bool {
	n, _, ok := pixels(value)
	return ok && n == 0
}

func isFarOff(value string) bool {
	n, unit, ok := pixels(value)
	return ok && unit != "%" && n <= farOff // a slide beside the one that is shown is no trick
}

// zeroFont says whether the size among the words of a font is nothing: it stands alone, or before the
// height of a line.
func zeroFont(value string) bool {
	for word := range strings.FieldsSeq(value) {
		if size, _, _ := strings.Cut(word, "/"); isZero(size) {
			return true
		}
	}
	return false
}

// arguments are what a function of a style is given; nil for another function.
func arguments(value, function string) []string {
	rest, ok := strings.CutPrefix(value, function+"(")
	if !ok {
		return nil
	}
	rest, _, _ = strings.Cut(rest, ")")
	return strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
}

// emptyClip says whether a rectangle shows nothing of its tag: no height or no width, but for a pixel.
func emptyClip(value string) bool {
	list := arguments(value, "rect")
	if len(list) != 4 {
		return false
	}
	thin := func(from, to string) bool {
		a, _, known := pixels(from)
		b, _, ends := pixels(to)
		return known && ends && b-a <= 1
	}
	return thin(list[0], list[2]) || thin(list[3], list[1])
}

// emptyClipPath says whether a path shows nothing of its tag.
func emptyClipPath(value string) bool {
	if list := arguments(value, "circle"); len(list) > 0 {
		return isZero(list[0])
	}
	list := arguments(value, "inset")
	if len(list) == 0 {
		return false
	}
	for _, edge := range list[:min(len(list), 4)] {
		if n, unit, ok := pixels(edge); !ok || unit != "%" || n < 50 {
			return false
		}
	}
	return true
}
