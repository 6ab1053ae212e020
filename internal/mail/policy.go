package mail

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/fault"
	"konak/internal/kit/policy"
	"konak/internal/kit/trtext"
	"konak/internal/mail/dlp"
)

// scanTime limits the scan of one message.
const scanTime = 30 * time.Second

// maxScanners limits the number of cached scanners.
const maxScanners = 128

var _ policy.Policy = (*Service)(nil)

type cachedScanner struct {
	rules   string // the ids of the rules in it; a rule never changes
	scanner *dlp.Scanner
}

// scanner returns the enabled rules of a workspace and their scanner, nil if it has none.
func (s *Service) scanner(r *db.Reader) ([]Rule, *dlp.Scanner, error) {
	rules, err := enabledRules(r)
	if err != nil || len(rules) == 0 {
		return nil, nil, err
	}
	var ids strings.Builder
	for _, r := range rules {
		ids.WriteString(r.ID.String())
	}
	s.mu.Lock()
	kept := s.scanners[r.Tenant()]
	s.mu.Unlock()
	if kept.rules == ids.String() {
		return rules, kept.scanner, nil
	}
	made, err := compileRules(rules, append(slices.Clone(s.key), r.Tenant().String()...))
	if err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.scanners) >= maxScanners {
		clear(s.scanners)
	}
	s.scanners[r.Tenant()] = cachedScanner{rules: ids.String(), scanner: made}
	return rules, made, nil
}

// audience is the recipients for whom a message is scanned.
type audience struct {
	skip     bool     // the sender is exempt, or every recipient is
	scanned  []string // recipients without an exception
	exempt   []string // the others
	external bool     // a scanned recipient is outside the sender's domain
}

func findAudience(r *db.Reader, sender string, recipients []string) (a audience, err error) {
	keys := each.Map(append([]string{sender}, recipients...), address.Fold)
	exempt, err := exemptKeys(r, keys)
	if err != nil {
		return a, err
	}
	_, home, _ := strings.Cut(keys[0], "@")
	for i, to := range recipients {
		if exempt[keys[i+1]] {
			a.exempt = append(a.exempt, to)
			continue
		}
		a.scanned = append(a.scanned, to)
		_, domain, _ := strings.Cut(keys[i+1], "@")
		a.external = a.external || domain != home
	}
	a.skip = sender != "" && exempt[keys[0]] || len(recipients) > 0 && len(a.scanned) == 0
	return a, nil
}

// foundIncident is wrapped by the faults of CheckText: it is the incident to record.
type foundIncident struct{ incident Incident }

// Error implements error.
func (f *foundIncident) Error() string { return "mail: a rule stopped the message" }

// CheckText implements policy.Policy. What must be quarantined is left to CheckMail, unless
// the text is final.
func (s *Service) CheckText(tx *db.Tx, t policy.Text) (v policy.TextVerdict, err error) {
	v.Body, v.Subject = t.Body, t.Subject
	if t.Messaging {
		set, err := findSettings(&tx.Reader)
		if err != nil || !set.DLP.Messaging {
			return v, err
		}
	}
	rules, scanner, err := s.scanner(&tx.Reader)
	if err != nil || scanner == nil {
		return v, err
	}
	who, err := findAudience(&tx.Reader, t.Sender, t.Recipients)
	if err != nil || who.skip {
		return v, err
	}
	who.external = who.external || t.Messaging
	ctx, cancel := context.WithTimeout(tx.Context(), scanTime)
	defer cancel()
	report := scanner.ScanMessage(ctx, dlp.Message{Subject: t.Subject, Text: t.Body}, s.limits)
	if t.Unscanned {
		report.Unscanned = append(report.Unscanned, dlp.Unscanned{Where: dlp.FieldAttachment, Reason: dlp.ReasonUnsupported})
	}
	i := s.newIncident(tx, scanner, t.Sender, t.Recipients, t.Subject)
	i.Size = int64(len(t.Body))
	if !i.applyReport(rules, report, who.external) {
		return v, nil
	}
	reason := i.reason(rules)
	switch action := i.ActionTaken; {
	case action == ActionBlock, action == ActionQuarantine && t.Final, action == ActionRedact && t.Fixed:
		i.ActionTaken = ActionBlock
		return v, fault.New(fault.DLPBlocked).Because(reason).Found(i.matches()).Wrap(&foundIncident{i})
	case action == ActionWarn && t.Override == "":
		return v, fault.New(fault.DLPWarning).Because(reason).Found(i.matches()).Wrap(&foundIncident{i})
	case action == ActionWarn:
		i.Note = t.Override
	case action == ActionRedact:
		ids := redacting(rules, who.external)
		v.Body, v.Subject = scanner.Redact(t.Body, ids), scanner.Redact(t.Subject, ids)
	case !t.Final:
		return v, nil // CheckMail checks it again, together with the files
	}
	v.Incident = i
	return v, nil
}

// redacting returns the ids of the rules that redact their matches.
func redacting(rules []Rule, external bool) []string {
	out := []string{}
	for _, r := range rules {
		if r.Action == ActionRedact && (external || r.Options.Scope != ScopeExternal) {
			out = append(out, r.ID.String())
		}
	}
	return out
}

func (s *Service) newIncident(tx *db.Tx, scanner *dlp.Scanner, sender string, recipients []string, subject string) Incident {
	return Incident{
		ID: tx.NewID(), At: clock.At(tx.Now()), Source: policy.SourceCRM, Direction: "outbound", Sender: sender, Recipients: db.OrEmpty(recipients),
		SubjectMasked: trtext.Shorten(scanner.Redact(subject, nil), maxSubject), Status: IncidentOpen, CreatedBy: caller.From(tx.Context()).Actor(),
	}
}

// maxSubject is the maximum number of bytes of a subject that lists show.
const maxSubject = 200

// RecordText implements policy.Policy.
func (s *Service) RecordText(tx *db.Tx, found policy.Incident, ref string) error {
	i, ok := found.(Incident)
	if !ok {
		return nil
	}
	i.ref = textRef + ref
	return record(tx, &i)
}

// RecordRefusal implements policy.Policy.
func (s *Service) RecordRefusal(ctx context.Context, err error) error {
	refused, ok := errors.AsType[*foundIncident](err)
	if !ok {
		return nil
	}
	i := refused.incident
	i.ref = refusedRef + i.ID.String()
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error { return record(tx, &i) })
}

// record stores an incident with its event. Incidents that need no decision are stored as
// released or rejected.
func record(tx *db.Tx, i *Incident) error {
	switch i.ActionTaken {
	case ActionQuarantine:
	case ActionBlock:
		i.Status = IncidentRejected
	case ActionWarn:
		i.Status = IncidentRejected
		if i.Note != "" || !strings.HasPrefix(i.ref, refusedRef) {
			i.Status = IncidentReleased
		}
	default:
		i.Status = IncidentReleased
	}
	i.showRef()
	fresh, err := putIncident(tx, *i)
	if err != nil || !fresh {
		return err
	}
	counted := map[uuid.UUID]bool{}
	for _, m := range i.Matches {
		if !counted[m.RuleID] {
			counted[m.RuleID] = true
			if err := addHit(tx, m.RuleID); err != nil {
				return err
			}
		}
	}
	return announce(tx, IncidentCreated, i.ID, *i, map[string]string{"action": i.ActionTaken, "sender": i.Sender})
}

// CheckMail implements policy.Policy. A mail that has been reviewed is not scanned again.
func (s *Service) CheckMail(ctx context.Context, m policy.Mail) (v policy.MailVerdict, err error) {
	var rules []Rule
	var scanner *dlp.Scanner
	var who audience
	var known, text Incident
	err = s.db.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		if known, err = incidentByRef(r, m.Ref); err != nil && !db.IsNoRow(err) {
			return err
		}
		if text, err = incidentByRef(r, textRef+m.Ref); err != nil && !db.IsNoRow(err) {
			return err
		}
		if rules, scanner, err = s.scanner(r); err != nil {
			return err
		}
		who, err = findAudience(r, m.Sender, m.Recipients)
		return err
	})
	switch {
	case err != nil:
		return v, err
	case known.ActionTaken == ActionQuarantine && known.Status == IncidentOpen:
		return policy.MailVerdict{Hold: true, ExemptRecipients: who.exempt}, s.holdWith(ctx, known, m.Job)
	case known.ActionTaken == ActionQuarantine && known.Status == IncidentRejected:
		return policy.MailVerdict{Refused: policy.Rejected}, nil
	case known.ActionTaken == ActionQuarantine || scanner == nil || who.skip:
		return v, nil
	}
	hash := sha256.New()
	scan, cancel := context.WithTimeout(ctx, scanTime)
	report := scanner.ScanMail(scan, io.TeeReader(m.Open(), hash), s.limits)
	cancel()
	if ctx.Err() != nil {
		return v, ctx.Err() // the caller is stopping; the next attempt checks the mail
	}
	var i Incident
	if !i.applyReport(rules, report, who.external) {
		return v, nil
	}
	if i.ActionTaken == ActionRedact {
		// The text was redacted when it was written; a file cannot be.
		i.ActionTaken = ActionQuarantine
	}
	switch {
	case i.ActionTaken == ActionQuarantine:
		v.Hold, v.ExemptRecipients = true, who.exempt
	case i.ActionTaken == ActionBlock && len(who.scanned) == len(m.Recipients):
		v.Refused = policy.Blocked
	case i.ActionTaken == ActionBlock:
		v.RefusedRecipients = who.scanned
	case i.ActionTaken == ActionWarn && text.ActionTaken == "":
		v.Warned = true
	case text.ActionTaken != "":
		return v, nil // recorded when a person gave the reason
	}
	return v, s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		recipients := m.Recipients
		if v.Hold && m.Source == policy.SourceSMTP {
			recipients = who.scanned // the copies of the others are not held
		}
		found := s.newIncident(tx, scanner, m.Sender, recipients, m.Subject)
		found.Matches, found.Unscanned, found.ActionTaken, found.Severity = i.Matches, i.Unscanned, i.ActionTaken, i.Severity
		found.Source = m.Source
		if m.Job != uuid.Nil {
			found.job = &m.Job
		}
		found.ref, found.MessageID, found.Size, found.SHA256 = m.Ref, scanner.Redact(m.MessageID, nil), m.Size, hex.EncodeToString(hash.Sum(nil))
		return record(tx, &found)
	})
}

// holdWith makes sure that an incident names the job that holds its mail: a mail that is
// sent again has a different job.
func (s *Service) holdWith(ctx context.Context, i Incident, job uuid.UUID) error {
	if job == uuid.Nil || i.job != nil && *i.job == job {
		return nil
	}
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error { return setIncidentJob(tx, i.ID, &job) })
}
