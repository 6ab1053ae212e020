package engine

import (
	"context"
	"errors"
	"net/url"
	"os"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/mtasts"
	"konak/internal/kit/outbound"
	"konak/internal/mail/domain"
	"konak/internal/mail/header"
	"konak/internal/mail/origin"
)

// ForwardTwice forwards a mail that reaches a mailbox in two ways at the same time: both
// are prepared before either is in the queue.
func (s *Service) ForwardTwice(ctx context.Context, tenant uuid.UUID, box domain.Mailbox, from, mail string) error {
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: tenant})
	text, h, err := received(mail)
	if err != nil {
		return err
	}
	defer func() { _ = text.Close(); _ = os.Remove(text.Name()) }()
	m := queued{ID: uuid.New(), root: uuid.New(), MailboxID: &box.ID, Origin: OriginForward, Sender: from, ReportTo: from, State: StateQueued}
	var ways []sentOn
	for range 2 {
		on, err := s.prepareForward(ctx, forward{tenant, box}, m, from, h, origin.Result{}, text)
		if err != nil {
			return err
		}
		ways = append(ways, on)
	}
	for _, on := range ways {
		if err := s.takeForward(ctx, on); err != nil {
			return err
		}
	}
	return nil
}

// SubmitUncounted submits a mail that was within the limits when they were checked but no
// longer is.
func (s *Service) SubmitUncounted(ctx context.Context, tenant uuid.UUID, box domain.Mailbox, mail, to string) error {
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: tenant})
	text, h, err := received(mail)
	if err != nil {
		return err
	}
	defer func() { _ = text.Close(); _ = os.Remove(text.Name()) }()
	return s.submit(ctx, &account{tenant, box}, box.Address, []string{to}, h, text)
}

// PostReport posts a report to a web address with a client that may reach every address.
func (s *Service) PostReport(ctx context.Context, to *url.URL, report []byte) error {
	own := *s
	own.Out = outbound.New(outbound.Options{Operator: true})
	return own.postTLSReport(ctx, to, report)
}

// CountSession counts a session with a server of a destination.
func (s *Service) CountSession(ctx context.Context, sender, destination, server, failure string, p *mtasts.Policy) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		return addTLSSession(tx, sender, destination, tlsSession{p, server, failure})
	})
}

// received returns a mail as a file, as after receiving it, and its header.
func received(mail string) (*os.File, *header.Header, error) {
	text, err := os.CreateTemp("", "mail")
	if err != nil {
		return nil, nil, err
	}
	_, err = text.WriteString(mail)
	h, unread := header.Read(strings.NewReader(mail))
	return text, h, errors.Join(err, unread)
}
