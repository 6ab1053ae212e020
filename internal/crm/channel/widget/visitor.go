package widget

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// VisitorInfo is what is known about a visitor besides their messages.
type VisitorInfo struct {
	Page        string     `json:"page" example:"https://www.example.com/urunler" doc:"Page that the visitor last wrote from"`
	Origin      string     `json:"origin" example:"https://www.example.com"`
	Browser     string     `json:"browser" example:"Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/141.0" doc:"The browser's user agent"`
	Language    string     `json:"language" example:"tr"`
	FirstSeenAt clock.Time `json:"first_seen_at"`
	LastSeenAt  clock.Time `json:"last_seen_at"`
}

// VisitorOf returns the visitor of a conversation, or not_found.
func (s *Service) VisitorOf(ctx context.Context, id uuid.UUID) (VisitorInfo, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (VisitorInfo, error) {
		v, err := ofConversation(r, id)
		return VisitorInfo{
			Page: v.Page, Origin: v.Origin, Browser: v.Browser, Language: v.Language, FirstSeenAt: v.FirstSeenAt, LastSeenAt: v.SeenAt,
		}, db.NotFound(err)
	})
}

// maxBrowser is the maximum length of a stored user agent, in bytes.
const maxBrowser = 400

// guestWords are the names of visitors who have not given theirs, so that agents can
// distinguish them: a colour and a bird.
var guestWords = map[bool]struct {
	visitor        string
	colours, birds []string
}{
	true: {
		"Ziyaretçi",
		[]string{"Mavi", "Yeşil", "Sarı", "Mor", "Turuncu", "Lacivert", "Gümüş", "Altın", "Bordo", "Turkuaz", "Bakır", "Kehribar", "Leylak", "Mercan", "Zümrüt", "Kar"},
		[]string{"Kartal", "Martı", "Serçe", "Leylek", "Kırlangıç", "Baykuş", "Şahin", "Turna", "Kumru", "Saka", "Ördek", "Kuğu", "Doğan", "Sığırcık", "Bülbül", "Balıkçıl"},
	},
	false: {
		"Visitor",
		[]string{"Blue", "Green", "Yellow", "Purple", "Orange", "Navy", "Silver", "Golden", "Crimson", "Teal", "Copper", "Amber", "Lilac", "Coral", "Emerald", "Snow"},
		[]string{"Eagle", "Gull", "Sparrow", "Stork", "Swallow", "Owl", "Hawk", "Crane", "Dove", "Finch", "Duck", "Swan", "Falcon", "Starling", "Nightingale", "Heron"},
	},
}

// guestName returns a visitor's name in their language, derived from their id, so always
// the same.
func guestName(v Visitor) string {
	w := guestWords[strings.HasPrefix(v.Language, "tr")]
	return w.visitor + " " + w.colours[int(v.ID[14])%len(w.colours)] + " " + w.birds[int(v.ID[15])%len(w.birds)]
}
