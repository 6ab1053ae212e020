package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-msgauth/dkim"
	"github.com/google/uuid"

	"konak/internal/kit/blob"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/policy"
	"konak/internal/kit/trtext"
	"konak/internal/mail"
	"konak/internal/mail/domain"
	"konak/internal/mail/header"
)

// submit accepts a mail of the signed-in mailbox. When it returns nil the mail is in the
// queue.
func (c *session) submit(r io.Reader) error {
	text, release, err := c.s.Inbox.Spool(c.ctx, c.peer.Network, []uuid.UUID{c.who.tenant}, r)
	if err != nil {
		return err
	}
	defer release()
	h, err := readHeader(text)
	if err != nil {
		return c.asRefusal("a mail could not be read", err)
	}
	if err := c.checkFrom(h); err != nil {
		return err
	}
	if err := asLimit(c.s.Domains.CheckSending(c.ctx, c.who.tenant, c.who.box.ID, len(c.to))); err != nil {
		return c.asRefusal("a mail could not be counted", err)
	}
	// From here on nothing depends on the connection.
	ctx := caller.With(context.WithoutCancel(c.ctx), &caller.Caller{Kind: caller.System, TenantID: c.who.tenant})
	return c.asRefusal("a mail could not be taken", c.s.submit(ctx, c.who, c.from, c.to, h, text))
}

// asLimit maps the errors of a mailbox that may not send to SMTP answers; other errors are
// returned unchanged.
func asLimit(err error) error {
	switch {
	case errors.Is(err, domain.ErrSuspended):
		return errSuspended
	case errors.Is(err, domain.ErrSentEnough):
		return errSentEnough
	}
	return err
}

// readHeader reads the header of a mail. It returns errHeader if the header is too long.
func readHeader(text *os.File) (*header.Header, error) {
	h, err := header.Read(io.NewSectionReader(text, 0, header.MaxSize+4))
	if errors.Is(err, header.ErrTooLong) {
		return nil, errHeader
	}
	return h, err
}

// checkFrom returns a refusal if the mailbox may not send as an address in From or Sender.
func (c *session) checkFrom(h *header.Header) error {
	from, ok := h.Addresses("from")
	sender, readable := h.Addresses("sender")
	if h.Count("from") != 1 || h.Count("sender") > 1 || !ok || !readable || len(from) == 0 {
		return errNoFrom
	}
	for _, addr := range slices.Concat(from, sender) {
		if err := c.checkSender(addr, errFrom); err != nil {
			return err
		}
	}
	return nil
}

// submit asks the policy about a mail and accepts it.
func (s *Service) submit(ctx context.Context, who *account, from string, to []string, h *header.Header, text *os.File) error {
	size, err := text.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	id := s.DB.Clock().NewID()
	m := queued{
		ID: id, root: id, MailboxID: &who.box.ID, Origin: OriginSubmission, Sender: from, ReportTo: from,
		MessageID: trtext.Cut(h.Value("message-id"), maxMessageID), Subject: trtext.Shorten(h.Text("subject"), maxSubject), State: StateQueued, CreatedAt: clock.At(s.DB.Clock().Now()),
	}
	if m.MessageID == "" {
		m.MessageID = "<" + m.ID.String() + "@" + s.Host + ">"
	}
	verdict, err := s.askPolicy(ctx, &m, from, to, io.NewSectionReader(text, 0, size), size)
	if err != nil {
		return err
	}
	if verdict.Refused != "" {
		return errPolicy
	}
	err = s.take(ctx, who, &m, from, to, h, text, size, verdict)
	if err != nil && verdict.Hold {
		// Nobody should have to review a mail that was not accepted.
		err = errors.Join(err, s.DB.Tenant(who.tenant).InTx(ctx, func(tx *db.Tx) error { return s.Mail.RejectHeld(tx, m.ID.String()) }))
	}
	return err
}

// take counts a mail that may be sent or is held, and puts it into the queue and the
// journal.
func (s *Service) take(ctx context.Context, who *account, m *queued, from string, to []string, h *header.Header, text *os.File, size int64, verdict policy.MailVerdict) error {
	// Copies refused by a rule are not sent, so they are not counted.
	if err := asLimit(s.Domains.CountSending(ctx, who.tenant, who.box.ID, len(to)-len(verdict.RefusedRecipients))); err != nil {
		return err
	}
	held, exempt := splitHeld(m, to, verdict)
	kept, err := s.keepSigned(ctx, m, h, text, size)
	if err != nil {
		return err
	}
	m.blob = kept
	item := mail.NewJournalItem(mail.Outbound, from, to, h, blob.Blob{Size: size})
	item.MessageID = m.MessageID // the one that it is sent with
	if item.BlobID, err = s.keepForJournal(ctx, io.NewSectionReader(text, 0, size)); err != nil {
		return err
	}
	refused, err := s.prepareReport(ctx, m, refusedByPolicy(verdict.RefusedRecipients))
	if err != nil {
		return err
	}
	var warning *queued
	if verdict.Warned {
		if warning, err = s.prepareWarning(ctx, m); err != nil {
			return err
		}
	}
	return s.DB.Tenant(who.tenant).InTx(ctx, func(tx *db.Tx) error {
		if err := s.Mail.AddToJournal(tx, item); err != nil {
			return err
		}
		if _, err := s.enqueue(tx, *m, held); err != nil {
			return err
		}
		if len(exempt) > 0 {
			if _, err := s.enqueue(tx, m.exemptCopy(m.Sender), exempt); err != nil {
				return err
			}
		}
		if warning != nil {
			if _, err := s.enqueue(tx, *warning, []string{from}); err != nil {
				return err
			}
		}
		return s.storeOutcomes(tx, m, refused)
	})
}

// splitHeld marks a mail that must wait as held, and returns the recipients whose copies
// wait and those whose copies do not.
func splitHeld(m *queued, to []string, v policy.MailVerdict) (held, exempt []string) {
	if !v.Hold {
		return to, nil
	}
	m.State = StateHeld
	for _, addr := range to {
		if slices.Contains(v.ExemptRecipients, addr) {
			exempt = append(exempt, addr)
		} else {
			held = append(held, addr)
		}
	}
	return held, exempt
}

// exemptID returns the id of the mail that goes to exempt recipients at once.
func (m *queued) exemptID() uuid.UUID { return uuid.NewSHA1(m.ID, []byte("exempt")) }

// exemptCopy returns the mail for recipients whose copies do not wait.
func (m *queued) exemptCopy(sender string) queued {
	out := *m
	out.ID, out.State, out.Sender = m.exemptID(), StateQueued, sender
	return out
}

// maxSubject is the maximum number of bytes of a subject that the queue shows.
const maxSubject = 200

// maxMessageID is the maximum number of bytes kept of a Message-ID.
const maxMessageID = 1000

// refusedByPolicy returns the outcomes of recipients to whom a rule does not let a mail go.
func refusedByPolicy(addresses []string) map[string]outcome {
	out := map[string]outcome{}
	for _, addr := range addresses {
		out[addr] = outcome{State: StateFailed, Answer: ownAnswer(errPolicy)}
	}
	return out
}

// askPolicy asks the policy whether a mail may be sent.
func (s *Service) askPolicy(ctx context.Context, m *queued, sender string, to []string, text io.ReadSeeker, size int64) (policy.MailVerdict, error) {
	return s.Mail.CheckMail(ctx, policy.Mail{
		Ref: m.ID.String(), Source: policy.SourceSMTP, MessageID: m.MessageID, Sender: sender, Recipients: to, Subject: m.Subject, Size: size,
		Open: func() io.Reader {
			_, _ = text.Seek(0, io.SeekStart) // the scan notices a mail that cannot be read
			return text
		},
	})
}

// keepForJournal stores a mail if the workspace keeps a journal, and otherwise returns the
// zero id.
func (s *Service) keepForJournal(ctx context.Context, text io.Reader) (uuid.UUID, error) {
	tenant := caller.From(ctx).TenantID
	journals, err := db.Read(ctx, s.DB.Tenant(tenant), s.Mail.Journals)
	if err != nil || !journals {
		return uuid.Nil, err
	}
	kept, err := s.Blobs.PutWithin(ctx, tenant, blob.Workspace, text, s.MaxSize)
	return kept.ID, err
}

// hidden are the header fields that are removed before sending.
var hidden = []string{"bcc", "resent-bcc", "return-path", "x-spam-flag"}

// keepSigned stores a mail as it is sent: without hidden fields, with missing fields added,
// and signed by its domain.
func (s *Service) keepSigned(ctx context.Context, m *queued, h *header.Header, text *os.File, size int64) (blob.Blob, error) {
	var head strings.Builder
	for _, f := range h.Fields {
		if !slices.Contains(hidden, f.Name) && !s.Origin.IsRecord(f) {
			head.WriteString(strings.TrimRight(f.Raw, "\r\n") + "\r\n")
		}
	}
	now := s.DB.Clock().Now()
	if h.Count("date") == 0 {
		fmt.Fprintf(&head, "Date: %s\r\n", now.Format(time.RFC1123Z))
	}
	if h.Count("message-id") == 0 {
		fmt.Fprintf(&head, "Message-ID: %s\r\n", m.MessageID)
	}
	head.WriteString("\r\n")
	open := func() io.Reader {
		return io.MultiReader(strings.NewReader(head.String()), io.NewSectionReader(text, h.Size, size-h.Size))
	}
	from, _ := h.Addresses("from")
	signatures, err := s.sign(ctx, from[0], open)
	if err != nil {
		return blob.Blob{}, err
	}
	trace := fmt.Sprintf("Received: by %s (Konak) with ESMTPSA id %s;\r\n\t%s\r\n", s.Host, m.ID, now.Format(time.RFC1123Z))
	whole := io.MultiReader(strings.NewReader(signatures+trace), open())
	return s.Blobs.PutWithin(ctx, caller.From(ctx).TenantID, blob.Workspace, whole, s.MaxSize+header.MaxSize)
}

// signedFields are the fields that a signature covers. For a field listed twice, another
// one cannot be added later without breaking the signature.
var signedFields = []string{
	"From", "From", "Sender", "Reply-To", "To", "To", "Cc", "Cc", "Subject", "Subject", "Date", "Date", "Message-ID", "In-Reply-To", "References",
	"MIME-Version", "Content-Type", "Content-Type", "Content-Transfer-Encoding", "List-Unsubscribe", "List-Unsubscribe-Post",
}

// sign returns the DKIM signatures of a mail for the domain of an address.
func (s *Service) sign(ctx context.Context, from string, open func() io.Reader) (string, error) {
	name := destinationOf(from)
	keys, err := db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) ([]domain.SigningKey, error) {
		return s.Domains.SigningKeys(r, name)
	})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, k := range keys {
		signer, err := dkim.NewSigner(&dkim.SignOptions{
			Domain: name, Selector: k.Selector, Signer: k.Key, HeaderKeys: signedFields,
			HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed,
		})
		if err != nil {
			return "", fmt.Errorf("engine: sign: %w", err)
		}
		_, err = io.Copy(signer, open())
		if err = errors.Join(err, signer.Close()); err != nil {
			return "", fmt.Errorf("engine: sign: %w", err)
		}
		out.WriteString(signer.Signature())
	}
	return out.String(), nil
}
