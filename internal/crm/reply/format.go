package reply

import (
	"strings"

	"konak/internal/crm/conversation"
	"konak/internal/kit/db"
	"konak/internal/kit/markdown"
)

// signatureBreak separates a mail from its signature; mail programs recognise it.
const signatureBreak = "\n\n-- \n"

// completeBody prepares the text of a message for its route. In an e-mail it keeps its
// markup, which the item then records, and ends with the author's signature if that was
// requested; elsewhere it is sent without either.
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
	signature, err := s.Signatures.Signature(r, *item.AuthorID)
	if err != nil || signature == "" {
		return err
	}
	if !marked {
		signature = markdown.Text(signature)
	}
	item.Body = strings.TrimSpace(item.Body + signatureBreak + signature)
	return nil
}

// dropMarks removes the markup from a text if it has any. A text of nothing but markup
// stays.
func dropMarks(item *conversation.Item, marked bool) {
	if !marked {
		return
	}
	if plain := markdown.Text(item.Body); plain != "" {
		item.Body = plain
	}
}
