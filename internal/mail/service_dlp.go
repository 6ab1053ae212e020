package mail

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/mail/dlp"
)

// Rules lists the rules, newest first, with their number of incidents in the last 30 days.
func (s *Service) Rules(ctx context.Context, p db.Page) (db.List[Rule], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[Rule], error) {
		list, err := listRules(r, p)
		if err != nil {
			return list, err
		}
		hits, err := hitsSince(r, s.db.Clock().Now().Add(-30*24*time.Hour))
		for i := range list.Rows {
			list.Rows[i].Hits30d = hits[list.Rows[i].ID]
		}
		return list, err
	})
}

// AddRule is the gate for a new rule. It returns validation_failed for an unusable pattern,
// conflict if the name is taken, and limit_reached if the workspace has too many rules or
// patterns.
func (s *Service) AddRule(ctx context.Context, r Rule) (Rule, error) {
	if err := checkRule(&r); err != nil {
		return Rule{}, err
	}
	err := idempotency.Do(ctx, s.db.TenantOf(ctx), &r, func(tx *db.Tx) error {
		r.ID, r.CreatedAt, r.CreatedBy = tx.NewID(), clock.At(tx.Now()), caller.From(ctx).Actor()
		if n, err := countRules(&tx.Reader); err != nil || n >= maxRules {
			return errors.Join(err, fault.New(fault.LimitReached, maxRules))
		}
		if err := putRule(tx, r, address.Fold(r.Name), fault.New(fault.Conflict).Because("rule_taken").Field("name", "taken")); err != nil {
			return fmt.Errorf("mail: put rule: %w", err)
		}
		if err := s.checkAllRules(tx); err != nil {
			return err
		}
		return announce(tx, RuleCreated, r.ID, r, ruleDetails(r))
	})
	return r, err
}

// checkRule fills in defaults and validates a single rule.
func checkRule(r *Rule) error {
	if r.Name = strings.TrimSpace(r.Name); r.Name == "" {
		return fault.Invalid("name", "required")
	}
	if r.Pattern = strings.TrimSpace(r.Pattern); r.Pattern == "" && dlp.NeedsPattern(r.PatternType) {
		return fault.Invalid("pattern", "required")
	}
	if !dlp.NeedsPattern(r.PatternType) && r.Pattern != "" {
		return fault.Invalid("pattern", "not_allowed")
	}
	if r.Options.MinCount == 0 {
		r.Options.MinCount = 1
	}
	if r.Options.Scope == "" {
		r.Options.Scope = "any"
	}
	if slices.ContainsFunc(r.Options.ProximityWords, func(w string) bool { return strings.TrimSpace(w) == "" || strings.ContainsFunc(w, unicode.IsControl) }) {
		return fault.Invalid("options.proximity_words", "invalid_format")
	}
	r.Options.ProximityWords, r.Options.Fields = db.OrEmpty(r.Options.ProximityWords), db.OrEmpty(r.Options.Fields)
	switch _, err := compileRules([]Rule{*r}, nil); {
	case errors.Is(err, dlp.ErrTooManyPatterns):
		return fault.Invalid("pattern", "too_long")
	case err != nil:
		return fault.Invalid("pattern", "invalid_pattern")
	}
	return nil
}

// checkAllRules returns limit_reached if the enabled rules are too large together.
func (s *Service) checkAllRules(tx *db.Tx) error {
	rules, err := enabledRules(&tx.Reader)
	if err != nil {
		return err
	}
	if _, err := compileRules(rules, nil); err != nil {
		return fault.New(fault.LimitReached, dlp.MaxKeywordBytes).Because("patterns").Wrap(err)
	}
	return nil
}

func ruleDetails(r Rule) map[string]any {
	return map[string]any{"name": r.Name, "pattern_type": r.PatternType, "action": r.Action, "enabled": r.Enabled}
}

// SetRuleEnabled is the gate for turning a rule on or off. Repeating a call changes
// nothing.
func (s *Service) SetRuleEnabled(ctx context.Context, id uuid.UUID, enabled bool) (r Rule, err error) {
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		was, err := findRule(&tx.Reader, id)
		if err != nil {
			return db.NotFound(err)
		}
		if r, err = setRuleEnabled(tx, id, enabled); err != nil {
			return db.NotFound(err)
		}
		hits, err := hitsSince(&tx.Reader, tx.Now().Add(-30*24*time.Hour))
		if r.Hits30d = hits[id]; err != nil || was.Enabled == enabled {
			return err
		}
		if err := s.checkAllRules(tx); err != nil {
			return err
		}
		return announce(tx, RuleUpdated, r.ID, r, ruleDetails(r))
	})
	return r, err
}

// DeleteRule is the gate for removing a rule. Its incidents are kept.
func (s *Service) DeleteRule(ctx context.Context, id uuid.UUID) error {
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		r, err := dropRule(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		return announce(tx, RuleDeleted, r.ID, r, ruleDetails(r))
	})
}

// Incidents lists incidents, newest first; an empty status means all.
func (s *Service) Incidents(ctx context.Context, status string, p db.Page) (db.List[Incident], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[Incident], error) { return listIncidents(r, status, p) })
}

// ReviewIncident is the gate for the decision on a quarantined mail: it becomes released,
// rejected or false_positive. It returns conflict if the incident is not open: a decision
// is final, because the mail may have been sent.
func (s *Service) ReviewIncident(ctx context.Context, id uuid.UUID, status, note string) (i Incident, err error) {
	if status != IncidentRejected {
		if err := s.checkContent(ctx, id); err != nil {
			return i, err
		}
	}
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if i, err = reviewIncident(tx, id, status, strings.TrimSpace(note), caller.From(ctx).Actor()); db.IsNoRow(err) {
			if i, err = findIncident(&tx.Reader, id); err != nil {
				return db.NotFound(err)
			}
			return fault.New(fault.Conflict).Because(i.Status)
		}
		if err != nil {
			return err
		}
		return announce(tx, IncidentReviewed, i.ID, i, map[string]string{"status": i.Status, "note": i.Note})
	})
	return i, err
}

// ReasonContentGone is the reason of the conflict on releasing a mail whose content no
// longer exists.
const ReasonContentGone = "content_gone"

// checkContent returns conflict for an open incident whose mail can no longer be sent.
func (s *Service) checkContent(ctx context.Context, id uuid.UUID) error {
	i, err := db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (Incident, error) { return findIncident(r, id) })
	if err != nil || i.Status != IncidentOpen || s.CheckHeld == nil {
		return db.NotFound(err)
	}
	return s.CheckHeld(ctx, i.Source, i.QueueRef, i.job)
}

// RejectHeld closes the open incident of a quarantined mail that is removed from the queue.
func (s *Service) RejectHeld(tx *db.Tx, ref string) error {
	i, err := incidentByRef(&tx.Reader, ref)
	if err == nil {
		i, err = reviewIncident(tx, i.ID, IncidentRejected, "", caller.From(tx.Context()).Actor())
	}
	if err != nil {
		return db.IgnoreNoRow(err) // already decided
	}
	return announce(tx, IncidentReviewed, i.ID, i, map[string]string{"status": i.Status, "note": i.Note})
}

// CoveredSubject returns the subject of a mail with the rules' matches in it masked, and
// false if the mail has no incident.
func (s *Service) CoveredSubject(r *db.Reader, ref string) (string, bool, error) {
	i, err := incidentByRef(r, ref)
	return i.SubjectMasked, err == nil, db.IgnoreNoRow(err)
}

// Tested is the result of testing the rules on a text.
type Tested struct {
	Action    string      `json:"action" enum:"pass,block,quarantine,redact,warn,notify,log" example:"block" doc:"Strictest action of the matching rules"`
	Matches   []Match     `json:"matches" nullable:"false"`
	Unscanned []Unscanned `json:"unscanned" nullable:"false"`
	Redacted  string      `json:"redacted" example:"Kart ████" doc:"The text with all matches masked"`
}

// TestText returns what the enabled rules, or a single rule that is not stored yet, find in
// a text. Nothing is recorded.
func (s *Service) TestText(ctx context.Context, subject, text string, only *Rule) (Tested, error) {
	var rules []Rule
	if only != nil {
		if only.Name == "" {
			only.Name = "test"
		}
		if err := checkRule(only); err != nil {
			return Tested{}, err
		}
		rules = []Rule{*only}
	} else {
		var err error
		if rules, err = db.Read(ctx, s.db.TenantOf(ctx), enabledRules); err != nil {
			return Tested{}, err
		}
	}
	scanner, err := compileRules(rules, s.key)
	if err != nil {
		return Tested{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, scanTime)
	defer cancel()
	var i Incident
	if !i.applyReport(rules, scanner.ScanMessage(ctx, dlp.Message{Subject: subject, Text: text}, s.limits), true) {
		i.ActionTaken = "pass"
	}
	return Tested{Action: i.ActionTaken, Matches: i.Matches, Unscanned: i.Unscanned, Redacted: scanner.Redact(text, nil)}, nil
}
