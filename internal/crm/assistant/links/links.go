// Package links finds the links in a text: links with and without a scheme, domains,
// IP addresses and e-mail addresses. It also checks telephone numbers and IBANs. A
// language model may write only those that it was given.
//
// The check is rather too strict: customers' apps turn more than links with a scheme
// into links, and a text that is refused goes to a person.
package links

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/unicode/norm"
)

// OnlyFrom reports whether a text has no links other than those in the given text. A host
// on its own is allowed if a link or an address with it was given. Characters that are
// invisible or change the order of others count as links that were not given.
func OnlyFrom(text, given string) bool {
	if !hiddenOnlyFrom(text, given) || !numbersOnlyFrom(text, given) {
		return false
	}
	found := Find(text)
	if len(found) == 0 {
		return true
	}
	known := map[string]bool{}
	for _, l := range Find(given) {
		known[l] = true
		known[hostOf(l)] = true
	}
	return !slices.ContainsFunc(found, func(l string) bool { return !known[l] })
}

// Find returns the links of a text in a canonical form: without http or https, "www." and a
// trailing slash, the host in lower case.
func Find(text string) (out []string) {
	text = strings.ReplaceAll(norm.NFKC.String(withoutHidden(text)), "。", ".")
	for _, word := range strings.FieldsFunc(text, isBreak) {
		word = strings.TrimRight(strings.TrimLeft(word, "*_~.…·•-–—+="), ".:!?*_~…-–—")
		out = append(out, inWord(word)...)
	}
	return out
}

// isBreak reports whether a character separates words and is not part of a link.
func isBreak(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("<>\"'`()[]{}«»“”„‘’‚|,;^", r)
}

var (
	// withSlashes matches a link with any scheme.
	withSlashes = regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*:[/\\]{2}.+`)
	// withScheme matches a link with a scheme that programs follow even without slashes.
	withScheme = regexp.MustCompile(`(?i)(?:^|[^\p{L}\p{N}])((?:https?|ftps?|wss?|mailto|tel|sms|smsto|mms|callto|facetime|skype|whatsapp|viber|tg|line|weixin|fb-messenger|` +
		`sips?|xmpp|ircs?|geo|maps|intent|market|itms-apps|itms|magnet|bitcoin|ethereum|javascript|vbscript|blob|urn|view-source):[^\s:].*)`)
	data = regexp.MustCompile(`(?i)(?:^|[^\p{L}\p{N}])(data:[a-z]+/.+)`)
	// withoutScheme matches a link that uses the page's scheme.
	withoutScheme = regexp.MustCompile(`(?:^|[^:/\\\p{L}\p{N}])([/\\]{2}[\p{L}\p{N}\[].*)`)
	mail          = regexp.MustCompile(`[^\s@/:=]+@(?:[\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]{2,}`)
	domain        = regexp.MustCompile(`(?:[\p{L}\p{N}_][\p{L}\p{N}\p{M}_-]{0,62}\.)+[\p{L}][\p{L}\p{N}\p{M}-]{1,62}`)
	address       = regexp.MustCompile(`(?:^|[^\p{L}\p{N}.,])([0-9]{1,3}(?:\.[0-9]{1,3}){3})(?:$|[^\p{N}.,])`)
)

// inWord returns the links in a word.
func inWord(word string) (out []string) {
	if at := withSlashes.FindStringIndex(word); at != nil {
		return append(inWord(word[:at[0]]), canonical(word[at[0]:]))
	}
	for _, form := range []*regexp.Regexp{withScheme, data, withoutScheme} {
		if at := form.FindStringSubmatchIndex(word); at != nil {
			return append(inWord(word[:at[2]]), canonical(word[at[2]:]))
		}
	}
	if found := mail.FindAllString(word, -1); found != nil {
		for _, m := range found {
			out = append(out, strings.ToLower(m))
		}
		return out
	}
	if at := address.FindStringSubmatchIndex(word); at != nil {
		if _, err := netip.ParseAddr(word[at[2]:at[3]]); err == nil {
			return []string{canonical(word[at[2]:])}
		}
	}
	if strings.Count(word, ":") > 1 {
		host, _, _ := strings.Cut(word, "/")
		if ip, err := netip.ParseAddr(host); err == nil && ip.Is6() {
			return []string{canonical(word)}
		}
	}
	for _, at := range domain.FindAllStringIndex(word, -1) {
		if !isDomain(word[at[0]:at[1]]) {
			continue
		}
		if rest := word[at[1]:]; rest != "" && strings.ContainsAny(rest[:1], ":/?#\\") {
			return append(out, canonical(word[at[0]:])) // the rest is its path
		}
		out = append(out, canonical(word[at[0]:at[1]]))
	}
	return out
}

// isDomain reports whether a name with dots ends like a name on the internet.
func isDomain(name string) bool {
	ascii, err := idna.Punycode.ToASCII(strings.ToLower(name))
	if err != nil {
		return true // an unreadable name is not trusted
	}
	suffix, icann := publicsuffix.PublicSuffix(ascii)
	return icann || strings.Contains(suffix, ".")
}

// canonical returns the canonical form of a link.
func canonical(link string) string {
	scheme, rest, ok := strings.Cut(link, ":")
	switch scheme = strings.ToLower(scheme); {
	case ok && (scheme == "http" || scheme == "https"):
		link = rest
	case ok && scheme == "mailto" && mail.FindString(rest) == rest:
		return strings.ToLower(rest)
	case ok && strings.HasPrefix(rest, "//"):
		return scheme + ":" + rest
	}
	link = strings.TrimLeft(link, `/\`)
	end := strings.IndexAny(link, `/?#\`)
	if end < 0 {
		end = len(link)
	}
	host, path := strings.TrimPrefix(strings.ToLower(link[:end]), "www."), link[end:]
	if path == "/" {
		path = ""
	}
	return host + path
}

// hostOf returns the host of a web link or of an e-mail address.
func hostOf(link string) string {
	if _, host, ok := strings.Cut(link, "@"); ok && !strings.ContainsAny(link, "/:") {
		return host
	}
	if end := strings.IndexAny(link, `/?#\`); end >= 0 {
		link = link[:end]
	}
	return link
}
