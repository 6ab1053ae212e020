package engine

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/blob"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/smtpd"
	"konak/internal/kit/trtext"
	"konak/internal/mail"
	"konak/internal/mail/domain"
	"konak/internal/mail/header"
	"konak/internal/mail/origin"
)

// maxHops is the maximum number of servers that a mail may have passed.
const maxHops = 30

// forward is a mailbox that forwards its mail.
type forward struct {
	tenant uuid.UUID
	box    domain.Mailbox
}

// sentOn is a mail that a mailbox is about to forward.
type sentOn struct {
	forward
	mail queued
	// to are the targets; exempt are those whose copies are sent even though the mail is
	// held.
	to, exempt []string
	item       mail.JournalItem
	refused    report
}

// forward puts a mail into the queue for the targets of a mailbox, and into the journal.
// The policy checks it as a mail of the mailbox. It is forwarded and checked only once,
// even if it reaches the mailbox from its root in several ways.
func (s *Service) forward(ctx context.Context, f forward, root uuid.UUID, from string, h *header.Header, found origin.Result, text *os.File) error {
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: f.tenant})
	id := uuid.NewSHA1(root, f.box.ID[:])
	_, err := db.Read(ctx, s.DB.Tenant(f.tenant), func(r *db.Reader) (queued, error) { return findMail(r, id) })
	if !db.IsNoRow(err) {
		return err // nil if it was forwarded before
	}
	m := queued{
		ID: id, root: root, MailboxID: &f.box.ID, Origin: OriginForward, Sender: s.returnAddress(id, f.box.Address), ReportTo: from,
		MessageID: trtext.Cut(h.Value("message-id"), maxSubject), Subject: trtext.Shorten(h.Text("subject"), maxSubject), State: StateQueued, CreatedAt: clock.At(s.DB.Clock().Now()),
	}
	if from == "" {
		m.Sender = "" // reports are not reported on
	}
	on, err := s.prepareForward(ctx, f, m, from, h, found, text)
	if err != nil {
		return err
	}
	return s.takeForward(ctx, on)
}

// prepareForward asks the policy about a forwarded mail and stores its text.
func (s *Service) prepareForward(ctx context.Context, f forward, m queued, from string, h *header.Header, found origin.Result, text *os.File) (on sentOn, err error) {
	size, err := text.Seek(0, io.SeekEnd)
	if err != nil {
		return on, err
	}
	forbidden, err := db.Read(ctx, s.DB.Tenant(f.tenant), func(r *db.Reader) ([]string, error) { return s.Domains.ForbiddenTargets(r, f.box.Targets) })
	if err != nil {
		return on, err
	}
	if len(forbidden) == len(f.box.Targets) {
		return on, errForwarding
	}
	verdict, err := s.askPolicy(ctx, &m, f.box.Address, f.box.Targets, io.NewSectionReader(text, 0, size), size)
	if err != nil {
		return on, err
	}
	if verdict.Refused != "" {
		return on, errPolicy
	}
	verdict.ExemptRecipients = slices.DeleteFunc(verdict.ExemptRecipients, func(addr string) bool { return slices.Contains(forbidden, addr) })
	on = sentOn{forward: f}
	on.to, on.exempt = splitHeld(&m, f.box.Targets, verdict)
	if m.blob, err = s.keepTraced(ctx, m.ID, f.box.Address, h, found, text, size); err != nil {
		return on, err
	}
	on.item = mail.NewJournalItem(mail.Inbound, from, []string{f.box.Address}, h, blob.Blob{Size: size})
	for _, addr := range f.box.Targets {
		on.item.Recipients = append(on.item.Recipients, mail.JournalRecipient{Address: addr, Kind: "expanded"})
	}
	if on.item.BlobID, err = s.keepForJournal(ctx, io.NewSectionReader(text, 0, size)); err != nil {
		return on, err
	}
	outcomes := refusedByPolicy(verdict.RefusedRecipients)
	maps.Copy(outcomes, outcomeOfAll(forbidden, StateFailed, ownAnswer(errForwarding)))
	on.mail = m
	on.refused, err = s.prepareReport(ctx, &m, outcomes)
	return on, err
}

// takeForward puts a forwarded mail into the queue, unless it reached the mailbox in
// another way at the same time.
func (s *Service) takeForward(ctx context.Context, on sentOn) error {
	return s.DB.Tenant(on.tenant).InTx(ctx, func(tx *db.Tx) error {
		fresh, err := s.enqueue(tx, on.mail, on.to)
		if err != nil || !fresh {
			return err
		}
		if err := s.forwardExempt(tx, &on.mail, on.box.Address, on.exempt); err != nil {
			return err
		}
		if err := s.Mail.AddToJournal(tx, on.item); err != nil {
			return err
		}
		return s.storeOutcomes(tx, &on.mail, on.refused)
	})
}

// forwardExempt forwards a held mail to targets whose copies do not wait.
func (s *Service) forwardExempt(tx *db.Tx, m *queued, mailbox string, exempt []string) error {
	if len(exempt) == 0 {
		return nil
	}
	sender := m.Sender
	if sender != "" {
		sender = s.returnAddress(m.exemptID(), mailbox)
	}
	_, err := s.enqueue(tx, m.exemptCopy(sender), exempt)
	return err
}

// sendBack sends another server's report on a forwarded mail to the sender of that mail.
func (s *Service) sendBack(ctx context.Context, back queued, id uuid.UUID, h *header.Header, text *os.File) error {
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: back.tenant})
	size, err := text.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	m := queued{ID: id, Origin: OriginReturn, MessageID: trtext.Cut(h.Value("message-id"), maxSubject), Subject: trtext.Shorten(h.Text("subject"), maxSubject), State: StateQueued}
	if m.blob, err = s.keepTraced(ctx, id, back.Sender, h, origin.Result{}, text, size); err != nil {
		return err
	}
	return s.DB.Tenant(back.tenant).InTx(ctx, func(tx *db.Tx) error {
		_, err := s.enqueue(tx, m, []string{back.ReportTo})
		return err
	})
}

// keepTraced stores a mail with a Received line of this server and with the origin result.
func (s *Service) keepTraced(ctx context.Context, id uuid.UUID, addr string, h *header.Header, found origin.Result, text *os.File, size int64) (blob.Blob, error) {
	trace := fmt.Sprintf("Received: by %s (Konak) with ESMTP id %s\r\n\tfor <%s>;\r\n\t%s\r\n", s.Host, id, addr, s.DB.Clock().Now().Format(time.RFC1123Z))
	head, err := s.headOf(h, found, text)
	if err != nil {
		return blob.Blob{}, err
	}
	whole := io.MultiReader(strings.NewReader(trace), bytes.NewReader(head), io.NewSectionReader(text, h.Size, size-h.Size))
	return s.Blobs.PutWithin(ctx, caller.From(ctx).TenantID, blob.Workspace, whole, s.MaxSize+header.MaxSize)
}

// hasPassed reports whether a mailbox here has already forwarded a mail: the mail then has
// the line of keepTraced.
func (s *Service) hasPassed(h *header.Header, addr string) bool {
	return slices.ContainsFunc(h.Values("received"), func(line string) bool {
		return strings.HasPrefix(line, "by "+s.Host+" (Konak) ") && strings.Contains(line, " for <"+addr+">;")
	})
}

// deliverHere delivers a queued mail to addresses of this installation.
func (s *Service) deliverHere(ctx context.Context, m *queued, to []string, text *os.File) map[string]outcome {
	out := map[string]outcome{}
	for _, addr := range to {
		err := s.deliverHereTo(ctx, m, addr, text)
		said, refused := errors.AsType[*smtpd.Error](err)
		o := outcome{State: StateDelivered, Answer: "250", Here: true}
		switch {
		case refused && said.Code >= 500:
			o.State, o.Answer = StateFailed, ownAnswer(said)
		case refused:
			o.State, o.Answer = StateQueued, ownAnswer(said)
		case err != nil:
			s.Log.Warn("a mail to a local mailbox has to wait", "mail", m.ID, "error", err)
			o.State, o.Answer = StateQueued, answerNotStored
		}
		out[addr] = o
	}
	return out
}

func (s *Service) deliverHereTo(ctx context.Context, m *queued, addr string, text *os.File) error {
	h, err := readHeader(text)
	if err != nil {
		return err
	}
	if h.Count("received") > maxHops {
		return errLoop
	}
	if back, ok, err := s.findReturn(ctx, addr); err != nil || ok {
		if err == nil && (m.Sender != "" || back.ReportTo == "") {
			err = errUnknown
		}
		if err != nil {
			return err
		}
		return s.sendBack(ctx, back, uuid.NewSHA1(m.ID, []byte(address.Fold(addr))), h, text) // the same in every attempt
	}
	// The origin result of a forwarded mail also applies to its recipients.
	found := origin.Result{Action: origin.Accept}
	if m.Origin == OriginForward {
		found = s.Origin.Recorded(h)
	}
	tenant, box, err := s.Domains.FindMailbox(ctx, addr)
	if fault.Is(err, fault.NotFound) {
		role, at, known, err := s.findRole(ctx, addr)
		switch {
		case err != nil:
			return err
		case known && at == "":
			return s.takeUnread(ctx, unreadRecipient{role, addr}, uuid.NewSHA1(m.ID, []byte("journal "+address.Fold(addr))), m.Sender, h, text)
		case known:
			return s.deliverHereTo(ctx, m, at, text)
		}
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	if err == nil && box.Kind == domain.KindForward {
		if box.State == domain.MailboxSuspended {
			return errPaused
		}
		if s.hasPassed(h, box.Address) {
			return errLoop
		}
		return s.forward(ctx, forward{tenant, box}, m.root, m.Sender, h, found, text)
	}
	head, err := s.headOf(h, found, text)
	if err != nil {
		return err
	}
	d := smtpd.Delivery{From: m.Sender, To: addr, Key: uuid.NewSHA1(m.root, []byte(address.Fold(addr))).String(), Head: head, Body: io.NewSectionReader(text, h.Size, m.blob.Size-h.Size)}
	if found.Action == origin.Junk {
		d.Junk = found.Reason
	}
	return s.Inbox.Deliver(ctx, d)
}

// returnPrefix is the prefix of the addresses that bounces of forwarded mail return to.
const returnPrefix = "fwd-"

// macSize is the number of bytes of the signature in such an address.
const macSize = 8

var returnEncoding = base32.HexEncoding.WithPadding(base32.NoPadding)

// returnAddress returns the envelope sender of a forwarded mail: an address at the
// mailbox's domain, so that receivers hold this server responsible, which identifies the
// mail when a bounce arrives.
func (s *Service) returnAddress(id uuid.UUID, mailbox string) string {
	name := destinationOf(mailbox)
	return returnPrefix + strings.ToLower(returnEncoding.EncodeToString(append(id[:], s.signReturn(id, name)...))) + "@" + name
}

func (s *Service) signReturn(id uuid.UUID, name string) []byte {
	mac := hmac.New(sha256.New, s.Key)
	mac.Write(id[:])
	mac.Write([]byte(name))
	return mac.Sum(nil)[:macSize]
}

// findReturn returns the forwarded mail that a return address identifies, and false if addr
// is not a return address. If the mail is no longer known, the returned one has an empty
// ReportTo.
func (s *Service) findReturn(ctx context.Context, addr string) (m queued, ok bool, err error) {
	local, _, _ := strings.Cut(address.Fold(strings.TrimSpace(addr)), "@")
	code, ok := strings.CutPrefix(local, returnPrefix)
	if !ok {
		return m, false, nil
	}
	text, err := returnEncoding.DecodeString(strings.ToUpper(code))
	if err != nil || len(text) != len(uuid.UUID{})+macSize {
		return m, false, nil
	}
	id, name := uuid.UUID(text[:16]), destinationOf(addr)
	if !hmac.Equal(text[16:], s.signReturn(id, name)) {
		return m, false, nil
	}
	tenant, err := s.Domains.FindOwner(ctx, name)
	if err != nil || tenant == uuid.Nil {
		return m, true, err
	}
	m, err = db.Read(ctx, s.DB.Tenant(tenant), func(r *db.Reader) (queued, error) { return findMail(r, id) })
	if db.IsNoRow(err) {
		return queued{}, true, nil
	}
	m.tenant = tenant
	return m, true, err
}
