package helpcenter

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

// Events of the help center.
const (
	ArticlePublished   = "article.published"
	ArticleUnpublished = "article.unpublished"
)

// PublicText is a text that became public or is no longer public, without its body.
type PublicText struct {
	ID          uuid.UUID  `json:"id" format:"uuid" doc:"ID of the article"`
	CategoryID  uuid.UUID  `json:"category_id" format:"uuid"`
	Language    string     `json:"language" example:"tr"`
	Version     int        `json:"version" example:"3"`
	Title       string     `json:"title" example:"Siparişim ne zaman gelir?"`
	Summary     string     `json:"summary" example:"Kargo süreleri ve takip."`
	URL         string     `json:"url" example:"https://ada.help.example.com/tr/a/0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c-kargo"`
	PublishedAt clock.Time `json:"published_at"`
}

// Events returns the events of this module.
func Events() event.Catalog {
	id := uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c")
	example := PublicText{
		ID: id, CategoryID: id, Language: "tr", Version: 3, Title: "Siparişim ne zaman gelir?", Summary: "Kargo süreleri ve takip.",
		URL:         "https://ada.help.example.com" + articlePath("tr", id, "Siparişim ne zaman gelir?"),
		PublishedAt: clock.At(time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)),
	}
	return event.Catalog{
		{
			Name: ArticlePublished, Module: "crm", Permission: perm.ArticlesView, Example: example,
			Description: "A version of a help article was published in one language.",
			Turkish:     "Bir yardım makalesinin bir sürümü bir dilde yayımlandı.",
		},
		{
			Name: ArticleUnpublished, Module: "crm", Permission: perm.ArticlesView, Example: example,
			Description: "A help article was unpublished in one language.",
			Turkish:     "Bir yardım makalesi bir dilde yayından kaldırıldı.",
		},
	}
}

func announce(tx *db.Tx, name string, p PublicText) error {
	_, err := event.Emit(tx, event.Change{Type: name, Object: p})
	return err
}
