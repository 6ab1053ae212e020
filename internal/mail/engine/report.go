package engine

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/quotedprintable"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/mail/header"
)

// report holds the outcomes for copies of a mail, and the mail that notifies the sender of
// failed ones; mail is nil if nobody is notified.
type report struct {
	outcomes map[string]outcome
	mail     *queued
}

// prepareReport builds the report on copies of a mail. The stored report is used only if
// settle finds a new failure.
func (s *Service) prepareReport(ctx context.Context, m *queued, known map[string]outcome) (report, error) {
	out := report{outcomes: known}
	var failed []string
	for _, addr := range slices.Sorted(maps.Keys(known)) {
		if known[addr].State == StateFailed {
			failed = append(failed, addr)
		}
	}
	if len(failed) == 0 || m.ReportTo == "" {
		return out, nil
	}
	if m.Origin == OriginSubmission {
		// If another workspace now owns the domain, its mailboxes belong to strangers.
		owner, err := s.Domains.FindOwner(ctx, destinationOf(m.ReportTo))
		if err != nil || owner != caller.From(ctx).TenantID {
			return out, err
		}
	}
	id := uuid.NewSHA1(m.ID, []byte("report "+strings.Join(failed, " ")))
	if !slices.ContainsFunc(failed, func(addr string) bool { return known[addr].Answer != ownAnswer(errLoop) }) {
		id = uuid.NewSHA1(m.root, []byte("loop")) // one report is enough, however many ways lead back
	}
	text, err := s.composeReport(ctx, m, id, known, failed)
	if err != nil {
		return out, err
	}
	r := queued{ID: id, MailboxID: m.MailboxID, Origin: OriginReport, MessageID: reportID(id, s.Host), Subject: reportSubject, State: StateQueued}
	// The sender was told that the mail was accepted, so the report is stored even if
	// storage is full.
	if r.blob, err = s.Blobs.Put(ctx, caller.From(ctx).TenantID, bytes.NewReader(text), int64(len(text))); err != nil {
		return out, fmt.Errorf("engine: keep report: %w", err)
	}
	out.mail = &r
	return out, nil
}

const warningSubject = "A rule warns about your mail / Bir kural postanız için uyarıyor"

// prepareWarning builds the mail that notifies a sender that a rule warns about a mail,
// which was sent anyway.
func (s *Service) prepareWarning(ctx context.Context, m *queued) (*queued, error) {
	id := uuid.NewSHA1(m.ID, []byte("warning"))
	text := composeWarning(m, reportID(id, s.Host), s.Host, s.DB.Clock().Now())
	w := queued{ID: id, MailboxID: m.MailboxID, Origin: OriginReport, MessageID: reportID(id, s.Host), Subject: warningSubject, State: StateQueued}
	var err error
	if w.blob, err = s.Blobs.Put(ctx, caller.From(ctx).TenantID, strings.NewReader(text), int64(len(text))); err != nil {
		return nil, fmt.Errorf("engine: keep warning: %w", err)
	}
	return &w, nil
}

// composeWarning builds the text of a warning, in ASCII like composeReport.
func composeWarning(m *queued, messageID, host string, now time.Time) string {
	head := []string{
		"From: Mail Delivery System <mailer-daemon@" + host + ">", "To: <" + m.Sender + ">", "Subject: " + mime.BEncoding.Encode("utf-8", warningSubject),
		"Date: " + now.Format(time.RFC1123Z), "Message-ID: " + messageID, "Auto-Submitted: auto-generated",
		"MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: quoted-printable",
	}
	if isASCII(m.MessageID) {
		head = append(head, "References: "+m.MessageID)
	}
	text := []string{
		"Your mail was sent, but a data-loss-prevention rule of your company warns about what it holds. An administrator can see it.",
		"Postanız gönderildi, ama şirketinizin bir veri sızıntısı önleme kuralı içeriği için uyarıyor. Bir yönetici bunu görebilir.", "",
		"Subject / Konu: " + m.Subject, "",
	}
	return strings.Join(head, "\r\n") + "\r\n\r\n" + quote(strings.Join(text, "\r\n"))
}

const reportSubject = "Undelivered mail / Teslim edilemeyen posta"

func reportID(id uuid.UUID, host string) string { return "<" + id.String() + "@" + host + ">" }

// composeReport builds a delivery status notification (RFC 3464), in ASCII so that every
// server accepts it.
func (s *Service) composeReport(ctx context.Context, m *queued, id uuid.UUID, known map[string]outcome, failed []string) ([]byte, error) {
	head, err := s.readOriginalHead(ctx, m)
	if err != nil {
		return nil, err
	}
	now := s.DB.Clock().Now().Format(time.RFC1123Z)
	boundary := "report-" + m.ID.String()
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\r\n", args...) }
	line("From: Mail Delivery System <mailer-daemon@%s>", s.Host)
	line("To: <%s>", m.ReportTo)
	line("Subject: %s", reportSubject)
	line("Date: %s", now)
	line("Message-ID: %s", reportID(id, s.Host))
	if m.MessageID != "" && isASCII(m.MessageID) {
		line("References: %s", m.MessageID)
	}
	line("Auto-Submitted: auto-replied")
	line("MIME-Version: 1.0")
	line("Content-Type: multipart/report; report-type=delivery-status; boundary=%q", boundary)
	line("")
	line("--%s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n", boundary)
	text := "Your mail could not be delivered to these recipients:\r\nPostanız şu alıcılara teslim edilemedi:\r\n\r\n"
	for _, addr := range failed {
		text += fmt.Sprintf("<%s>: %s\r\n", addr, known[addr].Answer)
	}
	b.WriteString(quote(text))
	line("\r\n--%s\r\nContent-Type: message/delivery-status\r\n", boundary)
	line("Reporting-MTA: dns; %s", s.Host)
	line("Arrival-Date: %s", m.CreatedAt.Format(time.RFC1123Z))
	for _, addr := range failed {
		line("\r\nFinal-Recipient: %s", typedAddress(addr))
		line("Action: failed")
		line("Status: %s", statusOf(known[addr].Answer))
		line("Diagnostic-Code: smtp; %s", strings.Map(func(r rune) rune {
			if r > unicode.MaxASCII {
				return '?'
			}
			return r
		}, known[addr].Answer))
		line("Last-Attempt-Date: %s", now)
	}
	encoding, original := "7bit", string(head)
	if !isASCII(original) {
		encoding, original = "quoted-printable", quote(original)
	}
	line("\r\n--%s\r\nContent-Type: text/rfc822-headers\r\nContent-Transfer-Encoding: %s\r\n", boundary, encoding)
	b.WriteString(original)
	line("\r\n--%s--", boundary)
	return b.Bytes(), nil
}

// quote encodes a text as quoted-printable.
func quote(text string) string {
	var b strings.Builder
	w := quotedprintable.NewWriter(&b)
	_, _ = io.WriteString(w, text) // a strings.Builder never fails
	_ = w.Close()
	return b.String()
}

// typedAddress returns an address in the form of a delivery status, in ASCII (RFC 6533, 3).
func typedAddress(addr string) string {
	if isASCII(addr) {
		return "rfc822; " + addr
	}
	var b strings.Builder
	for _, r := range addr {
		if r > unicode.MaxASCII || strings.ContainsRune(`+=\`, r) {
			fmt.Fprintf(&b, `\x{%02X}`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return "utf-8; " + b.String()
}

// statusOf returns the enhanced status code in a server's answer, or 5.0.0 if it has none.
func statusOf(answer string) string {
	for word := range strings.FieldsSeq(answer) {
		if len(word) >= 5 && (word[0] == '4' || word[0] == '5') && strings.Count(word, ".") == 2 && strings.Trim(word, "0123456789.") == "" {
			return word
		}
	}
	return "5.0.0"
}

// maxOriginalHead is the maximum number of bytes of the original's header that a report
// shows.
const maxOriginalHead = 32 << 10

// readOriginalHead returns the header of a mail that is in the queue or about to be.
func (s *Service) readOriginalHead(ctx context.Context, m *queued) ([]byte, error) {
	f, err := s.Blobs.Open(ctx, caller.From(ctx).TenantID, m.blob.ID)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxOriginalHead))
	if err != nil {
		return nil, err
	}
	h, _ := header.Parse(text)
	return bytes.TrimRight(text[:h.Size], "\r\n"), nil
}
