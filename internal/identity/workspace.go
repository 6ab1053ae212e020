package identity

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Workspace is a tenant as its members see it.
type Workspace struct {
	ID   uuid.UUID `json:"id"`
	Slug string    `json:"slug" example:"demo"`
	Name string    `json:"name" example:"Demo A.Ş."`
}

// Membership is a person in a workspace.
type Membership struct {
	ID   uuid.UUID `json:"id"`
	Role string    `json:"role" example:"owner"`
}

var ascii = strings.NewReplacer(
	"ç", "c", "ğ", "g", "ı", "i", "ö", "o", "ş", "s", "ü", "u",
	"Ç", "c", "Ğ", "g", "İ", "i", "Ö", "o", "Ş", "s", "Ü", "u", "I", "i",
)

// slugOf derives the label of a workspace's host from its name.
func slugOf(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(ascii.Replace(name)) {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == 40 {
			break
		}
	}
	if slug := strings.Trim(b.String(), "-"); len(slug) >= 2 {
		return slug
	}
	return "workspace"
}

var slugFormat = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ValidSlug reports whether a short name has a valid form: 2 to 40 lower-case letters and
// digits, in words with a hyphen between them.
func ValidSlug(slug string) bool {
	return len(slug) >= 2 && len(slug) <= 40 && slugFormat.MatchString(slug)
}

// reservedSlugs are labels of hosts that the installation uses itself or that look as if it
// did: of its modules, of mail and telephone servers, and of those that browsers and mail
// programs look up by themselves. No workspace has one.
var reservedSlugs = []string{
	"admin", "api", "app", "assets", "auth", "autoconfig", "autodiscover", "cdn", "commerce", "crm", "dashboard", "dav", "dns", "docs",
	"erp", "ftp", "help", "imap", "konak", "ldap", "localhost", "login", "mail", "media", "metrics", "mta-sts", "musavir", "mx", "mx1", "mx2",
	"ns", "ns1", "ns2", "oauth", "panel", "pop", "pop3", "postmaster", "root", "sip", "sips", "smtp", "sso", "static", "status", "stun",
	"support", "system", "telephony", "turn", "webmail", "widget", "wpad", "www",
}

// ReservedSlug reports whether a short name is reserved for the installation.
func ReservedSlug(slug string) bool { return slices.Contains(reservedSlugs, slug) }

// anotherSlug returns a different slug for a workspace whose name is already used.
func anotherSlug(base string, id uuid.UUID) string {
	return base + "-" + strings.ReplaceAll(id.String(), "-", "")[26:]
}
