package call

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const columns = `id, direction, via, state, disposition, from_e164, to_e164, number_id, contact_id, conversation_id, item_id, agent_id, bridge_id,
	ended_by, cause, started_at, ringing_at, answered_at, held_at, ended_at, hold_us, billed_s, cost, recording_id, recording_ms, voicemail,
	heard_at, heard_by, dismissed_at, to_return, callback, plan, due_at, keep_until, channel_account_id, voicemail_at, quality`

func scanCall(row db.Row) (c Call, err error) {
	var hold int64
	var voicemail bool
	var heardAt *clock.Time
	var heardBy *uuid.UUID
	err = row.Scan(&c.ID, &c.Direction, &c.Via, &c.State, &c.Disposition, &c.From, &c.To, &c.NumberID, &c.ContactID, &c.ConversationID, &c.item,
		&c.AgentID, &c.bridge, &c.EndedBy, &c.Cause, &c.StartedAt, &c.RingingAt, &c.AnsweredAt, &c.heldAt, &c.EndedAt, &hold, &c.BilledSeconds,
		&c.Cost, &c.recording, &c.RecordingMS, &voicemail, &heardAt, &heardBy, &c.DismissedAt, &c.ToReturn, &c.Callback, db.FromJSON(&c.plan), &c.dueAt, &c.keepUntil, &c.ChannelID, &c.mailAt, db.FromJSON(&c.Quality.V))
	c.held, c.Legs = time.Duration(hold)*time.Microsecond, []Leg{}
	if voicemail {
		c.Message.V = &Message{HeardAt: heardAt, By: heardBy}
	}
	c.setTimes()
	return c, err
}

// arguments returns the values of the columns.
func (c *Call) arguments(tenant uuid.UUID) []any {
	heard := Message{}
	if c.Message.V != nil {
		heard = *c.Message.V
	}
	return []any{
		tenant, c.ID, c.Direction, c.Via, string(c.State), c.Disposition, c.From, c.To, c.NumberID, c.ContactID, c.ConversationID, c.item,
		c.AgentID, c.bridge, c.EndedBy, c.Cause, c.StartedAt, c.RingingAt, c.AnsweredAt, c.heldAt, c.EndedAt, c.held.Microseconds(), c.BilledSeconds,
		c.Cost, c.recording, c.RecordingMS, c.Message.V != nil, heard.HeardAt, heard.By, c.DismissedAt, c.ToReturn, c.Callback, db.AsJSON(c.plan), c.dueAt,
		c.keepUntil, c.ChannelID, c.mailAt, db.AsJSON(c.Quality.V), c.State != Ended,
	}
}

func insertCall(tx *db.Tx, c *Call) error {
	return tx.Exec(`INSERT INTO phone_call (tenant_id, `+columns+`, open) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
		$16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39)`, c.arguments(tx.Tenant())...)
}

func saveCall(tx *db.Tx, c *Call) error {
	return tx.Exec(`UPDATE phone_call SET direction = $3, via = $4, state = $5, disposition = $6, from_e164 = $7, to_e164 = $8, number_id = $9,
		contact_id = $10, conversation_id = $11, item_id = $12, agent_id = $13, bridge_id = $14, ended_by = $15, cause = $16, started_at = $17,
		ringing_at = $18, answered_at = $19, held_at = $20, ended_at = $21, hold_us = $22, billed_s = $23, cost = $24, recording_id = $25,
		recording_ms = $26, voicemail = $27, heard_at = $28, heard_by = $29, dismissed_at = $30, to_return = $31, callback = $32, plan = $33, due_at = $34, keep_until = $35,
		channel_account_id = $36, voicemail_at = $37, quality = $38, open = $39
		WHERE tenant_id = $1 AND id = $2`, c.arguments(tx.Tenant())...)
}

const legColumns = `id, role, state, open, agent_id, device, trunk_id, number, created_at, ringing_at, answered_at, ended_at, cause, last_n, last_at,
	rate, paid_s, paid_until, max_s, warned, billed_s, cost`

func scanLeg(row db.Row) (l Leg, err error) {
	err = row.Scan(&l.ID, &l.Role, &l.State, &l.open, &l.AgentID, &l.device, &l.trunk, &l.Number, &l.createdAt, &l.RingingAt, &l.AnsweredAt, &l.EndedAt,
		&l.Cause, &l.lastN, &l.lastAt, db.FromJSON(&l.rate), &l.paid, &l.paidUntil, &l.max, &l.warned, &l.Billed, &l.Cost)
	return l, err
}

func insertLeg(tx *db.Tx, call uuid.UUID, l *Leg) error {
	return tx.Exec(`INSERT INTO phone_leg (tenant_id, call_id, `+legColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
		$15, $16, $17, $18, $19, $20, $21, $22, $23, $24)`, tx.Tenant(), call, l.ID, l.Role, l.State, l.open, l.AgentID, l.device, l.trunk, l.Number,
		l.createdAt, l.RingingAt, l.AnsweredAt, l.EndedAt, l.Cause, l.lastN, l.lastAt, db.AsJSON(l.rate), l.paid, l.paidUntil, l.max, l.warned, l.Billed, l.Cost)
}

func saveLeg(tx *db.Tx, l *Leg) error {
	return tx.Exec(`UPDATE phone_leg SET role = $3, state = $4, open = $5, ringing_at = $6, answered_at = $7, ended_at = $8, cause = $9, last_n = $10,
		last_at = $11, paid_s = $12, paid_until = $13, warned = $14, billed_s = $15, cost = $16 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), l.ID, l.Role, l.State, l.open, l.RingingAt, l.AnsweredAt, l.EndedAt, l.Cause, l.lastN, l.lastAt, l.paid, l.paidUntil, l.warned,
		l.Billed, l.Cost)
}

func lockCall(tx *db.Tx, id uuid.UUID) (Call, error) {
	return db.One(&tx.Reader, scanCall, `SELECT `+columns+` FROM phone_call c WHERE tenant_id = $1 AND id = $2`+tx.Dialect().ForUpdate("c"), tx.Tenant(), id)
}

func findCall(r *db.Reader, id uuid.UUID) (Call, error) {
	c, err := db.One(r, scanCall, `SELECT `+columns+` FROM phone_call WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
	if err != nil {
		return c, err
	}
	c.Legs, err = legsOf(r, id)
	return c, err
}

func legsOf(r *db.Reader, call uuid.UUID) ([]Leg, error) {
	return db.All(r, scanLeg, `SELECT `+legColumns+` FROM phone_leg WHERE tenant_id = $1 AND call_id = $2 ORDER BY created_at, id`, r.Tenant(), call)
}

// callOfLeg returns the call that a leg belongs to; db.ErrNoRow if it belongs to none.
func callOfLeg(r *db.Reader, leg uuid.UUID) (uuid.UUID, error) {
	return db.One(r, db.Scalar[uuid.UUID], `SELECT call_id FROM phone_leg WHERE tenant_id = $1 AND id = $2`, r.Tenant(), leg)
}

// callOfRecording returns the call that a recording belongs to.
func callOfRecording(r *db.Reader, recording uuid.UUID) (uuid.UUID, error) {
	return db.One(r, db.Scalar[uuid.UUID], `SELECT id FROM phone_call WHERE tenant_id = $1 AND recording_id = $2`, r.Tenant(), recording)
}

// placed is the id of a call or a leg, and its workspace.
type placed struct{ tenant, id uuid.UUID }

func scanPlaced(row db.Row) (p placed, err error) {
	err = row.Scan(&p.tenant, &p.id)
	return p, err
}

// dueCalls lists the calls that are due.
func dueCalls(r *db.Reader, now clock.Time, limit int) ([]placed, error) {
	return db.All(r, scanPlaced, `SELECT tenant_id, id FROM phone_call WHERE due_at <= $1 ORDER BY due_at LIMIT $2`, now, limit)
}

// oldRecordings lists calls whose recording has passed its retention time.
func oldRecordings(r *db.Reader, now clock.Time, limit int) ([]placed, error) {
	return db.All(r, scanPlaced, `SELECT tenant_id, id FROM phone_call WHERE keep_until <= $1 ORDER BY keep_until LIMIT $2`, now, limit)
}

// unpaidCalls lists calls with a leg whose credit ends soon.
func unpaidCalls(r *db.Reader, before clock.Time, limit int) ([]placed, error) {
	return db.All(r, scanPlaced, `SELECT tenant_id, call_id FROM phone_leg WHERE open AND paid_until IS NOT NULL AND paid_until <= $1
		ORDER BY paid_until LIMIT $2`, before, limit)
}

// openLegs lists the open legs that the exchange should know and that were last heard of
// before a time.
func openLegs(r *db.Reader, before clock.Time, limit int) ([]placed, error) {
	return db.All(r, scanPlaced, `SELECT tenant_id, id FROM phone_leg WHERE open AND state <> 'planned' AND last_at <= $1 ORDER BY created_at LIMIT $2`, before, limit)
}

func readCursor(r *db.Reader) (int64, error) {
	return db.OrZero(db.One(r, db.Scalar[int64], `SELECT cursor FROM phone_cursor WHERE id = 1`))
}

func saveCursor(tx *db.Tx, cursor int64) error {
	return tx.Exec(`INSERT INTO phone_cursor (id, cursor) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET cursor = $1`, cursor)
}

// toOutside counts outside legs: dialled customers, forwarding targets and agents' outside
// phones, but not callers.
const toOutside = `SELECT COUNT(*) FROM phone_call c JOIN phone_leg l ON l.tenant_id = c.tenant_id AND l.call_id = c.id
	WHERE c.tenant_id = $1 AND l.trunk_id IS NOT NULL AND NOT (l.role = 'customer' AND c.direction = 'inbound')`

// countOpenOutside counts the outside legs that have not ended.
func countOpenOutside(r *db.Reader) (int64, error) {
	return db.One(r, db.Scalar[int64], toOutside+` AND c.open AND l.open`, r.Tenant())
}

// countOutsideSince counts the outside legs of calls that began since a time.
func countOutsideSince(r *db.Reader, since clock.Time) (int64, error) {
	return db.One(r, db.Scalar[int64], toOutside+` AND c.started_at >= $2`, r.Tenant(), since)
}

// clearToReturn marks the calls from a number as returned.
func clearToReturn(tx *db.Tx, e164 string) error {
	return tx.Exec(`UPDATE phone_call SET to_return = $3 WHERE tenant_id = $1 AND from_e164 = $2 AND to_return`, tx.Tenant(), e164, false)
}
