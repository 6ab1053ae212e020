package conversation

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/mailer"
)

// Forwarded is a message that goes to somebody outside by e-mail.
type Forwarded struct {
	To       []string
	Language string // "tr" or "en"
	Subject  string
	Note     string // what the agent adds
	Agent    string // who forwards
	Author   string // who wrote the message
	At       clock.Time
	Body     string
	Files    []OutgoingFile
}

// Forwarder sends forwarded messages. The transaction is the one that writes
// down that it was forwarded.
type Forwarder interface {
	Forward(tx *db.Tx, f Forwarded) error
}

// Letters forwards as the service's own mail, for workspaces without a mailbox
// of their own.
type Letters struct{ Mailer *mailer.Mailer }

// mostBytes is what a mail server takes, base64 and text included.
const mostBytes = 18 << 20

// Forward implements Forwarder: each recipient gets a letter of their own.
func (l Letters) Forward(tx *db.Tx, f Forwarded) error {
	letter := f.letter()
	for _, to := range f.To {
		letter.To = to
		if err := l.Mailer.Send(tx, letter); err != nil {
			return err
		}
	}
	return nil
}

func (f *Forwarded) letter() mailer.Letter {
	words := map[string][5]string{
		"tr": {"%s size bir ileti iletti.", "Yazan: %s", "Tarih: %s", "Çok büyük olduğu için eklenmeyen dosya: %s", "02.01.2006 15:04 UTC"},
		"en": {"%s forwarded a message to you.", "From: %s", "Date: %s", "A file that was too large to send: %s", "2 Jan 2006 15:04 UTC"},
	}[f.Language]
	l := mailer.Letter{Language: f.Language, Subject: "Fwd: " + f.Subject, Greeting: fmt.Sprintf(words[0], f.Agent)}
	if f.Note != "" {
		l.Body = append(l.Body, paragraphs(f.Note)...)
		l.Body = append(l.Body, "—")
	}
	l.Body = append(l.Body, fmt.Sprintf(words[1], f.Author), fmt.Sprintf(words[2], f.At.Format(words[4])))
	l.Body = append(l.Body, paragraphs(f.Body)...)
	room := int64(mostBytes)
	for _, file := range f.Files {
		if file.Size > room {
			l.After = append(l.After, fmt.Sprintf(words[3], file.Name))
			continue
		}
		room -= file.Size
		l.Files = append(l.Files, mailer.File{Name: file.Name, Type: file.Type, Blob: file.BlobID})
	}
	return l
}

func paragraphs(text string) []string {
	var out []string
	for p := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// authorName finds how to call the author of an item.
func (s *Service) authorName(r *db.Reader, c *Conversation, i *Item) (string, error) {
	switch {
	case i.AuthorKind == ByContact:
		return c.ContactName, nil
	case i.AuthorKind == ByAgent && i.AuthorID != nil:
		names, err := s.agents.AgentNames(r, []uuid.UUID{*i.AuthorID})
		return names[*i.AuthorID], err
	}
	return "Konak", nil
}
