package identity

import (
	"strings"
	"time"

	"github.com/google/uuid"
)

// verifyFor is how long the link that proves an address is good.
const verifyFor = 24 * time.Hour

// SignUpRequest is what somebody who wants an account tells.
type SignUpRequest struct {
	Email, Password, Name, WorkspaceName, Captcha string
	Language, IP                                  string
}

// AddressRequest is a wish for mail to an address.
type AddressRequest struct{ Email, Captcha, IP string }

// pending is a sign-up that waits for the proof of its address.
type pending struct {
	user          User
	emailKey      string
	workspaceName string
	passwordHash  string
}

// Verified is the account that a proven address opened.
type Verified struct {
	Email     string    `json:"email" example:"ayse@example.com"`
	Workspace Workspace `json:"workspace"`
}

var ascii = strings.NewReplacer(
	"ç", "c", "ğ", "g", "ı", "i", "ö", "o", "ş", "s", "ü", "u",
	"Ç", "c", "Ğ", "g", "İ", "i", "Ö", "o", "Ş", "s", "Ü", "u", "I", "i",
)

// slugOf makes the label of a workspace's host out of its name.
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

// anotherSlug tells workspaces of the same name apart.
func anotherSlug(base string, id uuid.UUID) string {
	return base + "-" + strings.ReplaceAll(id.String(), "-", "")[26:]
}
