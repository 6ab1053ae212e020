package dlp

import (
	"mime"
	"path"
	"slices"
	"strings"

	"konak/internal/kit/filetype"
)

// checkFileType matches the attachment_type rules against the file extension, the declared
// type and the content.
func (x *extractor) checkFileType(where Where, content *spool, declared string) {
	if len(x.c.s.files) == 0 {
		return
	}
	name := strings.ToLower(strings.TrimRight(where.Name, ". "))
	sniffed := x.sniff(content, path.Ext(name))
	disguised := disguisedEndings(sniffed, path.Ext(name))
	declared, _, _ = mime.ParseMediaType(declared)
	matched := map[int]bool{}
	for _, f := range x.c.s.files {
		hit := f.ending != "" && (strings.HasSuffix(name, f.ending) || slices.Contains(disguised, f.ending)) ||
			f.kind != "" && (matchesKind(f.kind, sniffed) || matchesKind(f.kind, declared))
		if hit && !matched[f.rule] && x.c.s.wantsField(f.rule, FieldAttachment) {
			matched[f.rule] = true
			value := f.kind
			if f.ending != "" {
				value = f.ending
			}
			x.c.add(f.rule, where, value)
		}
	}
}

// sniff returns the type of content. A zip file counts as an office document only if it has
// a part that all of them have.
func (x *extractor) sniff(content *spool, ending string) string {
	kind := filetype.Sniff(content.head(filetype.HeadSize))
	if kind == "application/zip" && ending != ".zip" && slices.Contains(filetype.Endings(kind), ending) &&
		!x.contains(content, "[Content_Types].xml") && !x.contains(content, "mimetype") && !x.contains(content, "META-INF/") {
		return plainZip
	}
	return kind
}

// plainZip is the type of a zip file that is named like a document but is none.
const plainZip = "application/zip; plain"

// disguisedEndings returns the file extensions of a type of content. It returns none if the
// name has one of them: then the name already shows the type.
func disguisedEndings(kind, ending string) []string {
	endings := filetype.Endings(kind)
	switch {
	case kind == plainZip:
		return []string{".zip"}
	case slices.Contains(endings, ending):
		return nil
	case kind == "application/zip":
		return endings[:1] // those made of one are other types
	}
	return endings
}

func matchesKind(pattern, kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	if family, ok := strings.CutSuffix(pattern, "/*"); ok {
		return strings.HasPrefix(kind, family+"/")
	}
	return pattern == kind || filetype.Same(pattern, kind)
}
