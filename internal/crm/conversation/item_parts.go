package conversation

import (
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/conversation/file"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
)

// writeItemParts writes the parts of a newly written item: its files, its e-mail, its
// mentions and the sources of the assistant.
func (s *Service) writeItemParts(tx *db.Tx, item *Item) error {
	if err := file.Attach(tx, item.ID, item.Test, item.Attachments); err != nil {
		return err
	}
	if item.Original != nil {
		if err := s.KeepEmail(tx, item.ID, *item.Original); err != nil {
			return err
		}
	}
	if err := s.addMentions(tx, item, item.Mentions); err != nil {
		return err
	}
	return putSources(tx, item.ID, item.Sources)
}

// FillItem is FillItems for one item.
func FillItem(r *db.Reader, item *Item) error {
	one := []Item{*item}
	err := FillItems(r, one)
	*item = one[0]
	return err
}

// FillItems reads the files, reactions and mentions of items.
func FillItems(r *db.Reader, list []Item) error {
	ids, notes := make([]uuid.UUID, 0, len(list)), []uuid.UUID{}
	for _, i := range list {
		if i.Kind != Event {
			ids = append(ids, i.ID)
		}
		if i.Kind == Note {
			notes = append(notes, i.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	files, err := file.OfItems(r, ids)
	if err != nil {
		return err
	}
	reactions, err := reactionsTo(r, ids)
	if err != nil {
		return err
	}
	mentions, err := mentionsIn(r, notes)
	if err != nil {
		return err
	}
	for n := range list {
		i := &list[n]
		i.Attachments, i.Reactions, i.Mentions = db.OrEmpty(files[i.ID]), db.OrEmpty(reactions[i.ID]), db.OrEmpty(mentions[i.ID])
	}
	return nil
}

// SetPreview sets what lists show of a message: its text and its author.
func (c *Conversation) SetPreview(i *Item) {
	kind := i.AuthorKind
	c.Preview, c.PreviewAuthorKind, c.PreviewAuthorID = previewOf(i), &kind, i.AuthorID
}

// previewOf returns what lists show of a message: its text, or else the names of its files.
func previewOf(i *Item) string {
	if i.Body != "" || len(i.Attachments) == 0 {
		return preview(i.PlainBody())
	}
	names := each.Map(i.Attachments, func(a file.Attachment) string { return a.Name })
	return preview("📎 " + strings.Join(names, ", "))
}
