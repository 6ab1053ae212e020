package api

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// qualified matches package and type in a Go type's name, e.g. in
// "Envelope[[]konak/internal/mail.Exception]".
var qualified = regexp.MustCompile(`(?:[\w.-]+/)*(\w+)\.(\w+)`)

// schemaName names a type in the document. Modules have records with equal names, so a name
// begins with its module: mail.Exception is MailException, and its envelope
// MailExceptionEnvelope. Types of this kit get no prefix. A body without a named type is
// named after its input, without a prefix: if another package has an input of that name,
// give the body a named type.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	outer, arg, generic := strings.Cut(t.Name(), "[")
	if generic {
		arg = strings.TrimSuffix(arg, "]")
		suffix := ""
		if rest, ok := strings.CutPrefix(arg, "[]"); ok {
			arg, suffix = rest, "Array"
		}
		if m := qualified.FindStringSubmatch(arg); m != nil {
			arg = prefix(m[1]) + m[2]
		}
		return capital(arg) + suffix + outer
	}
	if i := strings.LastIndex(t.PkgPath(), "/"); t.Name() != "" && i >= 0 {
		return prefix(t.PkgPath()[i+1:]) + capital(name)
	}
	return name
}

// documentedAs names the module under which a package is documented, if that is not the
// package itself: the names of records are part of the API and do not change when a module
// is split into packages.
var documentedAs = map[string]string{
	"airecord": "conversation",
	"card":     "conversation",
	"count":    "conversation",
	"draft":    "conversation",
	"edit":     "conversation",
	"export":   "conversation",
	"file":     "conversation",
	"group":    "conversation",
	"hours":    "channel",
	"inbound":  "conversation",
	"inboxapi": "conversation",
	"later":    "conversation",
	"reply":    "conversation",
	"survey":   "conversation",
	"whole":    "conversation",
}

// prefix returns the prefix of a package's record names.
func prefix(pkg string) string {
	if pkg == "api" {
		return ""
	}
	if module, ok := documentedAs[pkg]; ok {
		pkg = module
	}
	return capital(pkg)
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
