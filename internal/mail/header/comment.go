package header

import "strings"

// WithoutComments removes the comments from a structured field (RFC 5322). Comments may be
// nested and contain quoted pairs.
func WithoutComments(value string) string {
	if !strings.Contains(value, "(") {
		return value
	}
	var out strings.Builder
	depth, quoted := 0, false
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case c == '\\' && i+1 < len(value):
			if depth == 0 {
				out.WriteString(value[i : i+2])
			}
			i++
			continue
		case c == '"' && depth == 0:
			quoted = !quoted
		case c == '(' && !quoted:
			depth++
			continue
		case c == ')' && !quoted && depth > 0:
			if depth--; depth == 0 {
				out.WriteByte(' ')
			}
			continue
		}
		if depth == 0 {
			out.WriteByte(c)
		}
	}
	return out.String()
}
