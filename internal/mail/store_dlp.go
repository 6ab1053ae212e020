package mail

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
)

const ruleColumns = `id, name, pattern_type, pattern, options, action, severity, enabled, created_by, created_at`

func scanRule(row db.Row) (r Rule, err error) {
	err = row.Scan(&r.ID, &r.Name, &r.PatternType, &r.Pattern, db.FromJSON(&r.Options), &r.Action, &r.Severity, &r.Enabled, &r.CreatedBy, &r.CreatedAt)
	return r, err
}

func listRules(r *db.Reader, p db.Page) (db.List[Rule], error) {
	rows, err := db.All(r, scanRule, `SELECT `+ruleColumns+` FROM dlp_rule
		WHERE tenant_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`, r.Tenant(), p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(e Rule) db.Key { return db.Key{ID: e.ID} }), err
}

// enabledRules returns all enabled rules, oldest first.
func enabledRules(r *db.Reader) ([]Rule, error) {
	return db.All(r, scanRule, `SELECT `+ruleColumns+` FROM dlp_rule WHERE tenant_id = $1 AND enabled ORDER BY id`, r.Tenant())
}

func countRules(r *db.Reader) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM dlp_rule WHERE tenant_id = $1`, r.Tenant())
}

// putRule returns taken if another rule has the name.
func putRule(tx *db.Tx, r Rule, key string, taken error) error {
	n, err := tx.ExecCount(`INSERT INTO dlp_rule (tenant_id, id, name, name_key, pattern_type, pattern, options, action, severity, enabled, created_by, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (tenant_id, name_key) DO NOTHING`,
		tx.Tenant(), r.ID, r.Name, key, r.PatternType, r.Pattern, db.AsJSON(r.Options), r.Action, r.Severity, r.Enabled, r.CreatedBy, r.CreatedAt)
	if err == nil && n == 0 {
		err = taken
	}
	return err
}

func setRuleEnabled(tx *db.Tx, id uuid.UUID, enabled bool) (Rule, error) {
	return db.One(&tx.Reader, scanRule, `UPDATE dlp_rule SET enabled = $3 WHERE tenant_id = $1 AND id = $2 RETURNING `+ruleColumns,
		tx.Tenant(), id, enabled)
}

func findRule(r *db.Reader, id uuid.UUID) (Rule, error) {
	return db.One(r, scanRule, `SELECT `+ruleColumns+` FROM dlp_rule WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

func dropRule(tx *db.Tx, id uuid.UUID) (Rule, error) {
	if err := tx.Exec(`DELETE FROM dlp_rule_hit WHERE tenant_id = $1 AND rule_id = $2`, tx.Tenant(), id); err != nil {
		return Rule{}, err
	}
	return db.One(&tx.Reader, scanRule, `DELETE FROM dlp_rule WHERE tenant_id = $1 AND id = $2 RETURNING `+ruleColumns, tx.Tenant(), id)
}

func dayOf(t time.Time) int64 { return t.Unix() / 86400 }

// addHit counts an incident for a rule.
func addHit(tx *db.Tx, rule uuid.UUID) error {
	return tx.Exec(`INSERT INTO dlp_rule_hit (tenant_id, rule_id, day, hits) VALUES ($1, $2, $3, 1)
		ON CONFLICT (tenant_id, rule_id, day) DO UPDATE SET hits = dlp_rule_hit.hits + 1`, tx.Tenant(), rule, dayOf(tx.Now()))
}

// hitsSince returns the number of incidents of each rule since a time.
func hitsSince(r *db.Reader, from time.Time) (map[uuid.UUID]int64, error) {
	return db.Map[uuid.UUID, int64](r, `SELECT rule_id, CAST(sum(hits) AS bigint) FROM dlp_rule_hit WHERE tenant_id = $1 AND day > $2 GROUP BY rule_id`, r.Tenant(), dayOf(from))
}

// exemptKeys reports for each of the keys whether it has an exception.
func exemptKeys(r *db.Reader, keys []string) (map[string]bool, error) {
	out := map[string]bool{}
	for _, key := range keys {
		var err error
		if out[key], err = db.One(r, db.Scalar[bool],
			`SELECT EXISTS (SELECT 1 FROM dlp_exception WHERE tenant_id = $1 AND email_key = $2)`, r.Tenant(), key); err != nil {
			return nil, err
		}
	}
	return out, nil
}

const incidentColumns = `id, at, source, ref, message_id, sender, recipients, subject_masked, size, sha256, matches, unscanned,
	action_taken, severity, status, note, created_by, reviewed_by, reviewed_at, job_id`

func scanIncident(row db.Row) (Incident, error) {
	i := Incident{Direction: "outbound"}
	var matches []storedMatch
	err := row.Scan(&i.ID, &i.At, &i.Source, &i.ref, &i.MessageID, &i.Sender, db.FromJSON(&i.Recipients), &i.SubjectMasked, &i.Size, &i.SHA256,
		db.FromJSON(&matches), db.FromJSON(&i.Unscanned), &i.ActionTaken, &i.Severity, &i.Status, &i.Note, &i.CreatedBy, &i.ReviewedBy, &i.ReviewedAt, &i.job)
	i.Recipients, i.Unscanned, i.Matches = db.OrEmpty(i.Recipients), db.OrEmpty(i.Unscanned), []Match{}
	for _, m := range matches {
		m.SampleHashes = m.Hashes
		i.Matches = append(i.Matches, m.Match)
	}
	i.showRef()
	return i, err
}

// listIncidents lists incidents, newest first; an empty status means all.
func listIncidents(r *db.Reader, status string, p db.Page) (db.List[Incident], error) {
	query := `SELECT ` + incidentColumns + ` FROM dlp_incident WHERE tenant_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`
	args := []any{r.Tenant(), p.After.ID, p.Limit + 1}
	if status != "" {
		query = `SELECT ` + incidentColumns + ` FROM dlp_incident WHERE tenant_id = $1 AND status = $4 AND id < $2 ORDER BY id DESC LIMIT $3`
		args = append(args, status)
	}
	rows, err := db.All(r, scanIncident, query, args...)
	return db.Cut(rows, p, func(i Incident) db.Key { return db.Key{ID: i.ID} }), err
}

func incidentByRef(r *db.Reader, ref string) (Incident, error) {
	return db.One(r, scanIncident, `SELECT `+incidentColumns+` FROM dlp_incident WHERE tenant_id = $1 AND ref = $2`, r.Tenant(), ref)
}

func findIncident(r *db.Reader, id uuid.UUID) (Incident, error) {
	return db.One(r, scanIncident, `SELECT `+incidentColumns+` FROM dlp_incident WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

// putIncident returns false if the mail already has an incident.
func putIncident(tx *db.Tx, i Incident) (bool, error) {
	matches := each.Map(i.Matches, func(m Match) storedMatch { return storedMatch{Match: m, Hashes: m.SampleHashes} })
	return tx.ExecAny(`INSERT INTO dlp_incident (tenant_id, id, at, source, ref, message_id, sender, recipients, subject_masked, size, sha256,
			matches, unscanned, action_taken, severity, status, note, created_by, reviewed_by, reviewed_at, job_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, NULL, NULL, $19) ON CONFLICT (tenant_id, ref) DO NOTHING`,
		tx.Tenant(), i.ID, i.At, i.Source, i.ref, i.MessageID, i.Sender, db.AsJSON(i.Recipients), i.SubjectMasked, i.Size, i.SHA256,
		db.AsJSON(matches), db.AsJSON(i.Unscanned), i.ActionTaken, i.Severity, i.Status, i.Note, i.CreatedBy, i.job)
}

// setIncidentJob records which job now holds the mail of an incident.
func setIncidentJob(tx *db.Tx, id uuid.UUID, job *uuid.UUID) error {
	return tx.Exec(`UPDATE dlp_incident SET job_id = $3 WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id, job)
}

// reviewIncident returns no row if the incident is not open.
func reviewIncident(tx *db.Tx, id uuid.UUID, status, note string, by *uuid.UUID) (Incident, error) {
	return db.One(&tx.Reader, scanIncident, `UPDATE dlp_incident SET status = $3, note = CASE WHEN $4 = '' THEN note ELSE $4 END, reviewed_by = $5, reviewed_at = $6
		WHERE tenant_id = $1 AND id = $2 AND status = 'open' RETURNING `+incidentColumns, tx.Tenant(), id, status, note, by, clock.At(tx.Now()))
}
