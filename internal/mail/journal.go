package mail

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/blob"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/trtext"
	"konak/internal/mail/header"
)

// The directions of a mail in the journal.
const (
	Inbound  = "inbound"
	Outbound = "outbound"
)

// JournalRecipient is a recipient of a mail's envelope.
type JournalRecipient struct {
	Address string `json:"address" example:"elif@example.com"`
	Kind    string `json:"kind" enum:"to,cc,bcc,expanded" example:"bcc" doc:"Header that names the recipient; bcc if none does, expanded for a target that a mailbox forwards to"`
}

// LegalHold keeps a journal mail until somebody removes the hold.
type LegalHold struct {
	Reason string     `json:"reason" example:"Case 2026/114"`
	By     *uuid.UUID `json:"by" nullable:"true" format:"uuid" doc:"Member who placed it"`
	At     clock.Time `json:"at"`
}

// JournalItem is a mail in the journal.
type JournalItem struct {
	ID             uuid.UUID          `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	At             clock.Time         `json:"at"`
	Direction      string             `json:"direction" enum:"inbound,outbound" example:"outbound"`
	Sender         string             `json:"sender" example:"destek@kaya.example" doc:"Envelope sender; empty for a mail server's report"`
	Recipients     []JournalRecipient `json:"recipients" nullable:"false"`
	Subject        string             `json:"subject" example:"Teklif"`
	MessageID      string             `json:"message_id" example:"<a1b2@kaya.example>"`
	Size           int64              `json:"size" example:"2048" doc:"Size of the mail in bytes"`
	RetentionUntil clock.Time         `json:"retention_until" doc:"When the mail is deleted, unless it has a legal hold"`
	LegalHold      *LegalHold         `json:"legal_hold,omitempty" doc:"Keeps the mail past its retention; absent if there is none"`

	// BlobID is the blob with the mail as it was handed over.
	BlobID uuid.UUID `json:"-"`
}

// ErrNotKept means that a mail must go into the journal but has no blob.
var ErrNotKept = errors.New("mail: the mail was not stored in the journal")

// Journals reports whether the workspace keeps a journal.
func (s *Service) Journals(r *db.Reader) (bool, error) {
	set, err := findSettings(r)
	return set.Journaling.Enabled, err
}

// AddToJournal adds a mail to the journal, in the transaction that accepts the mail. It
// does nothing if the workspace keeps no journal. If it keeps one and the item has no blob,
// it returns ErrNotKept: the mail must not be accepted then. An item whose id is already in
// the journal is not added again.
func (s *Service) AddToJournal(tx *db.Tx, i JournalItem) error {
	set, err := findSettings(&tx.Reader)
	if err != nil || !set.Journaling.Enabled {
		return err
	}
	if i.BlobID == uuid.Nil {
		return ErrNotKept
	}
	if i.ID == uuid.Nil {
		i.ID = tx.NewID()
	}
	i.At = clock.At(tx.Now())
	i.RetentionUntil = clock.At(tx.Now().Add(time.Duration(set.Journaling.RetentionDays) * 24 * time.Hour))
	fresh, err := putJournalItem(tx, i)
	if err != nil || !fresh {
		return err
	}
	return blob.Hold(tx, i.BlobID)
}

// RecordInbound adds an incoming mail to the workspace's journal, in the transaction that
// accepts it. head is the beginning of the mail.
func (s *Service) RecordInbound(tx *db.Tx, from string, to []string, head []byte, kept blob.Blob) error {
	h, _ := header.Parse(head)
	return s.AddToJournal(tx, NewJournalItem(Inbound, from, to, h, kept))
}

// RecordOutbound adds a mail to the journal before it is handed over to a mail server. A
// ref is recorded only once.
func (s *Service) RecordOutbound(ctx context.Context, ref uuid.UUID, from string, to []string, raw []byte) error {
	journals, err := db.Read(ctx, s.db.TenantOf(ctx), s.Journals)
	if err != nil || !journals {
		return err
	}
	kept, err := s.blobs.Put(ctx, caller.From(ctx).TenantID, bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return fmt.Errorf("mail: keep for the journal: %w", err)
	}
	h, _ := header.Parse(raw[:min(len(raw), header.MaxSize)])
	i := NewJournalItem(Outbound, from, to, h, kept)
	i.ID = ref
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error { return s.AddToJournal(tx, i) })
}

// NewJournalItem builds an item from a mail and its envelope.
func NewJournalItem(direction, from string, to []string, h *header.Header, kept blob.Blob) JournalItem {
	i := JournalItem{
		Direction: direction, Sender: strings.Trim(from, "<>"), Subject: trtext.Shorten(h.Text("subject"), maxSubject),
		MessageID: trtext.Cut(h.Value("message-id"), maxJournalText), Size: kept.Size, BlobID: kept.ID,
	}
	for _, addr := range to {
		i.Recipients = append(i.Recipients, JournalRecipient{addr, cmp.Or(h.Names(addr), "bcc")})
	}
	return i
}

// maxJournalText is the maximum number of bytes of a Message-ID that the journal keeps.
const maxJournalText = 1000

// JournalItems lists the journal, newest first.
func (s *Service) JournalItems(ctx context.Context, p db.Page) (db.List[JournalItem], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[JournalItem], error) { return listJournal(r, p) })
}

// HoldJournalItem is the gate for a legal hold: it keeps a journal mail past its retention.
// An existing hold gets the new reason.
func (s *Service) HoldJournalItem(ctx context.Context, id uuid.UUID, reason string) (i JournalItem, err error) {
	if reason = strings.TrimSpace(reason); reason == "" {
		return i, fault.Invalid("reason", "required")
	}
	return s.setHold(ctx, id, &LegalHold{Reason: reason, By: caller.From(ctx).Actor(), At: clock.At(s.db.Clock().Now())}, "mail.journal.held")
}

// ReleaseJournalItem is the gate for the end of a legal hold. A mail whose retention is
// over is deleted soon after.
func (s *Service) ReleaseJournalItem(ctx context.Context, id uuid.UUID) (JournalItem, error) {
	return s.setHold(ctx, id, nil, "mail.journal.released")
}

// setHold stores a changed hold with its audit entry; a nil hold removes it. It returns
// not_found if the journal has no such mail.
func (s *Service) setHold(ctx context.Context, id uuid.UUID, hold *LegalHold, action string) (i JournalItem, err error) {
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if i, err = lockJournalItem(tx, id); err != nil {
			return db.NotFound(err)
		}
		details := map[string]string{"sender": i.Sender}
		switch {
		case hold != nil:
			details["reason"] = hold.Reason
		case i.LegalHold == nil:
			return nil // there is no hold to remove
		default:
			details["reason"] = i.LegalHold.Reason
		}
		i.LegalHold = hold
		if err := updateHold(tx, i); err != nil {
			return err
		}
		return audit.Write(tx, action, id.String(), details)
	})
	return i, err
}

// OpenJournalItem returns a journal mail as a report: its sender and recipients, with the
// mail itself attached. The access is recorded in the audit log.
func (s *Service) OpenJournalItem(ctx context.Context, id uuid.UUID) (i JournalItem, report io.ReadSeekCloser, err error) {
	tenant := caller.From(ctx).TenantID
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if i, err = findJournalItem(&tx.Reader, id); err != nil {
			return db.NotFound(err)
		}
		return audit.Write(tx, "mail.journal.read", id.String(), map[string]string{"sender": i.Sender})
	})
	if err != nil {
		return i, nil, err
	}
	original, err := s.blobs.Open(ctx, tenant, i.BlobID)
	if err != nil {
		return i, nil, err
	}
	defer func() { _ = original.Close() }()
	boundary := "journal-" + i.ID.String()
	f, err := s.blobs.Spool(io.MultiReader(bytes.NewReader(i.reportHead(s.host, boundary)), original, strings.NewReader("\r\n--"+boundary+"--\r\n")), i.Size+maxReport)
	return i, f, err
}

// maxReport is the maximum size of a report without its mail.
const maxReport = 1 << 20

// reportHead returns the report, written by the server at host, up to the start of the
// original mail.
func (i *JournalItem) reportHead(host, boundary string) []byte {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\r\n", args...) }
	line("From: <journal@%s>", host)
	line("Date: %s", i.At.Format(time.RFC1123Z))
	line("Message-ID: <%s@%s>", i.ID, host)
	line("Subject: Journal report")
	line("MIME-Version: 1.0")
	line("Content-Type: multipart/mixed; boundary=%q", boundary)
	line("")
	line("--%s", boundary)
	line("Content-Type: text/plain; charset=utf-8")
	line("Content-Transfer-Encoding: 8bit")
	line("")
	line("Sender: %s", i.Sender)
	line("Subject: %s", i.Subject)
	line("Message-Id: %s", i.MessageID)
	for _, r := range i.Recipients {
		line("%s: %s", strings.ToUpper(r.Kind[:1])+r.Kind[1:], r.Address)
	}
	line("")
	line("--%s", boundary)
	line("Content-Type: message/rfc822")
	line("Content-Disposition: attachment; filename=\"original.eml\"")
	line("")
	return b.Bytes()
}

// cleanBatch is the number of journal mails that one call of CleanJournal deletes at most.
const cleanBatch = 100

// CleanJournal deletes journal mails whose retention is over and that have no legal hold,
// and returns how many it went through.
func (s *Service) CleanJournal(ctx context.Context) (n int, err error) {
	list, err := db.Read(ctx, s.db.System("janitor"), func(r *db.Reader) ([]endedItem, error) {
		return endedItems(r, clock.At(s.db.Clock().Now()), cleanBatch)
	})
	if err != nil {
		return 0, err
	}
	for _, e := range list {
		err := s.db.Tenant(e.tenant).InTx(ctx, func(tx *db.Tx) error {
			// The retention may have been extended, or a hold added, in the meantime.
			i, err := deleteEndedItem(tx, e.id, clock.At(tx.Now()))
			if err != nil {
				return db.IgnoreNoRow(err)
			}
			return blob.Drop(tx, i.BlobID)
		})
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
