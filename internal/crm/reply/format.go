package reply

import (
	"strings"

	"konak/internal/crm/conversation"
	"konak/internal/kit/db"
	"konak/internal/kit/markdown"
)

// signatureBreak stands between a mail and its signature; mail programs know it.
const signatureBreak = "\n\n-- \n"

// completeBody makes the text of a message ready for its route. By e-mail it keeps
// its marks, which the item then says, and ends with the author's signature where
// that is asked for; elsewhere it goes without either.
func (s *Service) completeBody(r *db.Reader, item *conversation.Item, route *conversation.Route, marked, signed bool) error {
	if route == nil || route.Channel != conversation.Mail {
		dropMarks(item, marked)
		return nil
	}
	if marked {
		item.Detail = map[string]any{conversation.DetailFormat: conversation.FormatMarkdown}
	}
	if !signed || item.AuthorKind != conversation.ByAgent || item.AuthorID == nil {
		return nil
	}
	signature, err := s.signatures.Signature(r, *item.AuthorID)
	if err != nil || signature == "" {
		return err
	}
	if !marked {
		signature = markdown.Text(signature)
	}
	item.Body = strings.TrimSpace(item.Body + signatureBreak + signature)
	return nil
}

// dropMarks takes the marks out of a text that is written with them. One that
// consists of marks alone stays.
func dropMarks(item *conversation.Item, marked bool) {
	if !marked {
		return
	}
	if plain := markdown.Text(item.Body); plain != "" {
		item.Body = plain
	}
}
