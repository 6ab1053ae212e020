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

// farOff is the position in pixels beyond the screen's edge at which content is considered
// invisible.
const farOff = -999

// hiddenStyle reports whether a style attribute hides the content of its tag. Style sheets
// are not read.
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

// readStyle parses the declarations of a style attribute. The last one of a name wins;
// important ones win over others.
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

// pixels returns a length in approximate pixels; a percentage is returned as its number.
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
	return ok && unit != "%" && n <= farOff // slides next to the visible one are legitimate
}

// zeroFont reports whether the font shorthand has a size of zero, alone or before a line
// height.
func zeroFont(value string) bool {
	for word := range strings.FieldsSeq(value) {
		if size, _, _ := strings.Cut(word, "/"); isZero(size) {
			return true
		}
	}
	return false
}

// arguments returns the arguments of a style function; nil if value is another function.
func arguments(value, function string) []string {
	rest, ok := strings.CutPrefix(value, function+"(")
	if !ok {
		return nil
	}
	rest, _, _ = strings.Cut(rest, ")")
	return strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
}

// emptyClip reports whether a clip rectangle shows nothing: at most one pixel in height or
// width.
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

// emptyClipPath reports whether a clip path shows nothing.
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
