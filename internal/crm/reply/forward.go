package reply

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/mailer"
)

// Forwarded is a message that is forwarded to an outsider by e-mail.
type Forwarded struct {
	ConversationID uuid.UUID
	// MailboxID is the conversation's mailbox, nil if it has none.
	MailboxID *uuid.UUID
	To        []string
	Language  string // "tr" or "en"
	Subject   string
	Note      string // what the agent adds
	Agent     string // who forwards
	Author    string // who wrote the message
	At        clock.Time
	Body      string
	Files     []file.Outgoing
	// Override is the reason for sending it despite a rule's warning.
	Override string
}

// Forwarder sends forwarded messages. The transaction is the one that records the
// forwarding.
type Forwarder interface {
	Forward(tx *db.Tx, f Forwarded) error
	// Sender returns the address of the mailbox that sends a message, and false if the
	// service sends it in its own name.
	Sender(r *db.Reader, f Forwarded) (address string, mailbox bool, err error)
}

// PlainForwarder forwards as the service's own mail, for workspaces without a mailbox.
type PlainForwarder struct{ Mailer *mailer.Mailer }

// Forward implements Forwarder: each recipient gets a separate mail.
func (l PlainForwarder) Forward(tx *db.Tx, f Forwarded) error {
	mail := f.mail()
	for _, to := range f.To {
		mail.To = to
		if err := l.Mailer.Send(tx, mail); err != nil {
			return err
		}
	}
	return nil
}

// Sender implements Forwarder.
func (PlainForwarder) Sender(*db.Reader, Forwarded) (string, bool, error) { return "", false, nil }

// phrases are the texts around a forwarded message.
type phrases struct{ forwards, begins, from, date, subject, tooLarge, time string }

var forwarding = map[string]phrases{
	"tr": {
		"%s size bir ileti iletti.", "---------- İletilen ileti ----------", "Yazan: %s", "Tarih: %s", "Konu: %s",
		"Çok büyük olduğu için eklenmeyen dosya: %s", "02.01.2006 15:04 UTC",
	},
	"en": {
		"%s forwarded a message to you.", "---------- Forwarded message ----------", "From: %s", "Date: %s", "Subject: %s",
		"A file that was too large to send: %s", "2 Jan 2006 15:04 UTC",
	},
}

// Title returns the subject of the mail.
func (f *Forwarded) Title() string { return "Fwd: " + f.Subject }

// mostBytes is the total size of files that a mail can carry, leaving space for base64 and
// text.
const mostBytes = 18 << 20

// Fitting returns the files that a mail can carry, and a line for each that it cannot.
func (f *Forwarded) Fitting() (files []file.Outgoing, left []string) {
	space := int64(mostBytes)
	for _, file := range f.Files {
		if file.Size > space {
			left = append(left, fmt.Sprintf(forwarding[f.Language].tooLarge, file.Name))
			continue
		}
		space -= file.Size
		files = append(files, file)
	}
	return files, left
}

// Text returns the whole mail as a person would forward it.
func (f *Forwarded) Text() string {
	words := forwarding[f.Language]
	var out []string
	if f.Note != "" {
		out = append(out, f.Note)
	}
	out = append(out, strings.Join([]string{
		words.begins, fmt.Sprintf(words.from, f.Author), fmt.Sprintf(words.date, f.At.Format(words.time)), fmt.Sprintf(words.subject, f.Subject),
	}, "\n"))
	if f.Body != "" {
		out = append(out, strings.ReplaceAll(f.Body, "\r\n", "\n"))
	}
	_, left := f.Fitting()
	return strings.Join(append(out, left...), "\n\n")
}

func (f *Forwarded) mail() mailer.Mail {
	words := forwarding[f.Language]
	l := mailer.Mail{Language: f.Language, Subject: f.Title(), Greeting: fmt.Sprintf(words.forwards, f.Agent)}
	if f.Note != "" {
		l.Body = append(l.Body, paragraphs(f.Note)...)
		l.Body = append(l.Body, "—")
	}
	l.Body = append(l.Body, fmt.Sprintf(words.from, f.Author), fmt.Sprintf(words.date, f.At.Format(words.time)))
	l.Body = append(l.Body, paragraphs(f.Body)...)
	files, left := f.Fitting()
	for _, file := range files {
		l.Files = append(l.Files, mailer.File{Name: file.Name, Type: file.Type, Blob: file.BlobID})
	}
	l.After = left
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

// authorName returns the name of an item's author.
func (s *Service) authorName(r *db.Reader, c *conversation.Conversation, i *conversation.Item) (string, error) {
	switch {
	case i.AuthorKind == conversation.ByContact:
		return c.ContactName, nil
	case i.AuthorKind == conversation.ByAgent && i.AuthorID != nil:
		names, err := s.Agents.AgentNames(r, []uuid.UUID{*i.AuthorID})
		return names[*i.AuthorID], err
	}
	return "Konak", nil
}

// Forwarding is the answer to a forwarded message.
type Forwarding struct {
	To       []string `json:"to" nullable:"false" example:"[\"depo@kayamobilya.example\"]"`
	Delivery string   `json:"delivery" enum:"queued" example:"queued"`
}
