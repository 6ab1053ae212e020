package engine

import (
	"context"
	"io"
	"os"
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/blob"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/smtpd"
	"konak/internal/kit/trtext"
	"konak/internal/mail"
	"konak/internal/mail/header"
	"konak/internal/mail/origin"
)

// receive accepts a sender's mail. When it returns nil the mail is durable for every
// recipient. Inboxes are served first: if a later step fails and the sender tries again,
// they recognise the mail.
func (c *session) receive(r io.Reader) error {
	text, release, err := c.s.Inbox.Spool(c.ctx, c.peer.Network, c.tenants(), r)
	if err != nil {
		return err
	}
	defer release()
	h, err := readHeader(text)
	if err == nil {
		err = c.checkLoop(h)
	}
	if err != nil {
		return c.asRefusal("a mail could not be read", err)
	}
	found, err := c.checkOrigin(h, text)
	if err != nil {
		return err
	}
	// From here on nothing depends on the connection.
	ctx := context.WithoutCancel(c.ctx)
	if err := c.deliver(ctx, h, found, text); err != nil {
		return c.asRefusal("a mail could not be delivered", err)
	}
	root := c.s.DB.Clock().NewID()
	for _, f := range c.forwards {
		if err := c.s.forward(ctx, f, root, c.from, h, found, text); err != nil {
			return c.asRefusal("a mail could not be sent on", err)
		}
	}
	for _, back := range c.returns {
		if err := c.s.sendBack(ctx, back, c.s.DB.Clock().NewID(), h, text); err != nil {
			return c.asRefusal("a bounce could not be sent on", err)
		}
	}
	for _, r := range c.unread {
		if err := c.s.takeUnread(ctx, r, c.s.DB.Clock().NewID(), c.from, h, text); err != nil {
			return c.asRefusal("a mail could not be kept for the journal", err)
		}
	}
	return nil
}

// takeUnread accepts a mail that nobody reads. It only writes a log line, and a journal
// item if the workspace keeps a journal.
func (s *Service) takeUnread(ctx context.Context, r unreadRecipient, id uuid.UUID, from string, h *header.Header, text *os.File) error {
	s.Log.Info("accepted a mail to a postmaster or with a report", "tenant", r.tenant, "to", r.addr, "from", from, "subject", trtext.Cut(h.Text("subject"), maxSubject))
	if r.tenant == uuid.Nil {
		return nil
	}
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: r.tenant})
	size, err := text.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	item := mail.NewJournalItem(mail.Inbound, from, []string{r.addr}, h, blob.Blob{Size: size})
	item.ID = id
	if item.BlobID, err = s.keepForJournal(ctx, io.NewSectionReader(text, 0, size)); err != nil {
		return err
	}
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error { return s.Mail.AddToJournal(tx, item) })
}

// checkLoop returns a refusal for a mail that loops. Mailboxes that have already forwarded
// it do not get it again; if that leaves no recipient, it is refused too.
func (c *session) checkLoop(h *header.Header) error {
	all := len(c.forwards)
	c.forwards = slices.DeleteFunc(c.forwards, func(f forward) bool { return c.s.hasPassed(h, f.box.Address) })
	left := len(c.forwards) + len(c.returns)
	if left > 0 && h.Count("received") > maxHops || all > 0 && left+len(c.inboxes)+len(c.unread) == 0 {
		return errLoop
	}
	return nil
}

// tenants returns the workspaces of the recipients.
func (c *session) tenants() (out []uuid.UUID) {
	for _, r := range c.inboxes {
		out = append(out, r.tenant)
	}
	for _, f := range c.forwards {
		out = append(out, f.tenant)
	}
	for _, r := range c.unread {
		if r.tenant != uuid.Nil {
			out = append(out, r.tenant)
		}
	}
	return out
}

// checkOrigin checks who a mail is from. It returns a refusal if the mail is not accepted.
func (c *session) checkOrigin(h *header.Header, text *os.File) (origin.Result, error) {
	size, err := text.Seek(0, io.SeekEnd)
	if err != nil {
		return origin.Result{}, c.deferMail("a mail could not be read", err)
	}
	m := origin.Mail{
		Address: c.peer.Address, Hello: c.hello, From: c.from, Header: h,
		Open: func() io.Reader { return io.NewSectionReader(text, 0, size) },
	}
	for _, r := range c.inboxes {
		m.To = append(m.To, r.addr)
	}
	for _, f := range c.forwards {
		m.To = append(m.To, f.box.Address)
	}
	found := c.s.Origin.Check(c.ctx, m)
	switch {
	case found.Action == origin.Reject && found.Reason == origin.ReasonDMARC:
		return found, errNotProven
	case found.Action == origin.Reject:
		return found, errJunk
	case found.Action == origin.Later:
		return found, errFiltered
	}
	return found, nil
}

// deliver hands a mail over to the inboxes.
func (c *session) deliver(ctx context.Context, h *header.Header, found origin.Result, text *os.File) error {
	if len(c.inboxes) == 0 {
		return nil
	}
	size, err := text.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	d := smtpd.Delivery{From: c.from, Auth: found.Summary}
	if found.Action == origin.Junk {
		d.Junk = found.Reason
	}
	if d.Head, err = c.s.headOf(h, found, text); err != nil {
		return err
	}
	for _, r := range c.inboxes {
		d.To, d.Body = r.addr, io.NewSectionReader(text, h.Size, size-h.Size)
		if err := c.s.Inbox.Deliver(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// headOf returns the header of a mail as it is stored: with the origin result in place of
// fields that pretend to be from this server.
func (s *Service) headOf(h *header.Header, found origin.Result, text *os.File) ([]byte, error) {
	head := make([]byte, h.Size)
	if _, err := text.ReadAt(head, 0); err != nil {
		return nil, err
	}
	return s.Origin.Mark(h, head, found), nil
}
