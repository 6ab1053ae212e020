package assistant

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const columns = `c.id, c.name, c.active, c.delay_s, c.max_answers, c.provisions, c.created_at, c.updated_at,
	c.model, c.address, c.key_sealed, c.input_price, c.output_price, c.daily_tokens, c.daily_money, c.daily_seconds,
	c.failure, c.failures, c.paused_until`

// withSpending reads configurations with their usage on day $2.
const withSpending = `SELECT ` + columns + `, coalesce(u.tokens, 0), coalesce(u.money, 0), coalesce(u.time_ms, 0)
	FROM assistant_configuration c LEFT JOIN assistant_spending u
	ON u.tenant_id = c.tenant_id AND u.configuration_id = c.id AND u.day = $2
	WHERE c.tenant_id = $1`

func scan(row db.Row) (Configuration, error) { return scanWith(row) }

func scanWith(row db.Row, more ...any) (c Configuration, err error) {
	var m ModelSettings
	var model *string
	var failure string
	err = row.Scan(append([]any{
		&c.ID, &c.Name, &c.Active, &c.Delay, &c.MaxAnswers, &c.Provisions, &c.CreatedAt, &c.UpdatedAt,
		&model, &m.Address, &m.sealed, &m.InputPrice, &m.OutputPrice, &m.DailyTokens, &m.DailyMoney, &m.DailySeconds,
		&failure, &m.failures, &m.PausedUntil,
	}, more...)...)
	c.Engine = Embedded
	if model != nil {
		m.Model, m.HasKey = *model, m.sealed != nil
		if failure != "" {
			m.Failure = &failure
		}
		c.Engine, c.Model.V = LanguageModel, &m
	}
	return c, err
}

func scanWithSpending(row db.Row) (Configuration, error) {
	var u usage
	c, err := scanWith(row, &u.tokens, &u.money, &u.timeMS)
	if c.Model.V != nil {
		c.Model.V.Spent = Spending{Tokens: u.tokens, Money: roundUp(u.money, moneyUnit), Seconds: roundUp(u.timeMS, 1000)}
	}
	return c, err
}

func roundUp(n, unit int64) int64 { return (n + unit - 1) / unit }

// list returns the configurations, oldest first.
func list(r *db.Reader, day int64, p db.Page) (db.List[Configuration], error) {
	rows, err := db.All(r, scanWithSpending, withSpending+` AND (c.created_at, c.id) > ($3, $4) ORDER BY c.created_at, c.id LIMIT $5`,
		r.Tenant(), day, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(c Configuration) db.Key { return db.Key{Sort: c.CreatedAt.UnixMicro(), ID: c.ID} }), err
}

func byID(r *db.Reader, day int64, id uuid.UUID) (Configuration, error) {
	return db.One(r, scanWithSpending, withSpending+` AND c.id = $3`, r.Tenant(), day, id)
}

// firstWithModel returns the oldest configuration that has a language model.
func firstWithModel(r *db.Reader, day int64) (Configuration, error) {
	return db.One(r, scanWithSpending, withSpending+` AND c.model IS NOT NULL ORDER BY c.created_at, c.id LIMIT 1`, r.Tenant(), day)
}

// lock returns a configuration and locks it against changes until the transaction ends.
func lock(tx *db.Tx, id uuid.UUID) (Configuration, error) {
	return db.One(&tx.Reader, scan, `SELECT `+columns+` FROM assistant_configuration c WHERE c.tenant_id = $1 AND c.id = $2`+
		tx.Dialect().ForUpdate("c"), tx.Tenant(), id)
}

func count(r *db.Reader) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM assistant_configuration WHERE tenant_id = $1`, r.Tenant())
}

// modelValues returns the values of the language model's columns, from model to
// paused_until.
func (c *Configuration) modelValues() []any {
	m := c.Model.V
	if m == nil {
		return []any{nil, "", nil, 0, 0, 0, 0, 0, "", 0, nil}
	}
	var failure string
	if m.Failure != nil {
		failure = *m.Failure
	}
	return []any{m.Model, m.Address, m.sealed, m.InputPrice, m.OutputPrice, m.DailyTokens, m.DailyMoney, m.DailySeconds, failure, m.failures, m.PausedUntil}
}

// put inserts a configuration, and reports whether its name was free.
func put(tx *db.Tx, c Configuration) (bool, error) {
	return tx.ExecAny(`INSERT INTO assistant_configuration (tenant_id, id, name, name_key, active, delay_s, max_answers, created_at, updated_at,
			model, address, key_sealed, input_price, output_price, daily_tokens, daily_money, daily_seconds, failure, failures, paused_until, provisions)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) ON CONFLICT DO NOTHING`,
		append([]any{tx.Tenant(), c.ID, c.Name, nameKey(c.Name), c.Active, c.Delay, c.MaxAnswers, c.CreatedAt}, append(c.modelValues(), c.Provisions)...)...)
}

// save updates a configuration, and reports whether its name was free.
func save(tx *db.Tx, c Configuration) (bool, error) {
	return tx.ExecAny(`UPDATE assistant_configuration SET name = $3, name_key = $4, active = $5, delay_s = $6, max_answers = $7, updated_at = $8,
			model = $9, address = $10, key_sealed = $11, input_price = $12, output_price = $13, daily_tokens = $14, daily_money = $15,
			daily_seconds = $16, failure = $17, failures = $18, paused_until = $19, provisions = $20
		WHERE tenant_id = $1 AND id = $2 AND NOT EXISTS (SELECT 1 FROM assistant_configuration o
			WHERE o.tenant_id = $1 AND o.name_key = $4 AND o.id <> $2)`,
		append([]any{tx.Tenant(), c.ID, c.Name, nameKey(c.Name), c.Active, c.Delay, c.MaxAnswers, c.UpdatedAt}, append(c.modelValues(), c.Provisions)...)...)
}

func drop(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`DELETE FROM assistant_configuration WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id)
}

// claimMessage reports whether a customer's message was still unanswered, and marks it as
// handled.
func claimMessage(tx *db.Tx, message, conversation uuid.UUID) (bool, error) {
	return tx.ExecAny(`INSERT INTO assistant_answer (tenant_id, in_answer_to, conversation_id, at) VALUES ($1, $2, $3, $4)
		ON CONFLICT DO NOTHING`, tx.Tenant(), message, conversation, clock.At(tx.Now()))
}

// setOutcome records the outcome of a claimed message, and whether it counts as an answer.
func setOutcome(tx *db.Tx, message uuid.UUID, item *uuid.UUID, reason *string, counted bool) error {
	return tx.Exec(`UPDATE assistant_answer SET item_id = $3, reason = $4, counted = $5 WHERE tenant_id = $1 AND in_answer_to = $2`,
		tx.Tenant(), message, item, reason, counted)
}

// countAnswers returns the number of answers in a conversation since it was last opened.
func countAnswers(r *db.Reader, conversation uuid.UUID) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM assistant_answer WHERE tenant_id = $1 AND conversation_id = $2 AND counted`,
		r.Tenant(), conversation)
}

// countAnew excludes the answers before a time from the count, because the conversation was
// reopened.
func countAnew(tx *db.Tx, conversation uuid.UUID, before clock.Time) error {
	return tx.Exec(`UPDATE assistant_answer SET counted = false WHERE tenant_id = $1 AND conversation_id = $2 AND counted AND at < $3`,
		tx.Tenant(), conversation, before)
}

// reserve adds to a day's usage. It returns false and adds nothing if one of the budgets
// does not have that much left.
func reserve(tx *db.Tx, c Configuration, day int64, u usage) (bool, error) {
	if err := tx.Exec(`INSERT INTO assistant_spending (tenant_id, configuration_id, day, tokens, money, time_ms)
		VALUES ($1, $2, $3, 0, 0, 0) ON CONFLICT DO NOTHING`, tx.Tenant(), c.ID, day); err != nil {
		return false, err
	}
	limit := c.Model.V.limit()
	return tx.ExecAny(`UPDATE assistant_spending SET tokens = tokens + $4, money = money + $5, time_ms = time_ms + $6
		WHERE tenant_id = $1 AND configuration_id = $2 AND day = $3 AND tokens + $4 <= $7 AND money + $5 <= $8 AND time_ms + $6 <= $9`,
		tx.Tenant(), c.ID, day, u.tokens, u.money, u.timeMS, limit.tokens, limit.money, limit.timeMS)
}

// giveBack subtracts from a day's usage what a call reserved but did not use.
func giveBack(tx *db.Tx, configuration uuid.UUID, day int64, u usage) error {
	return tx.Exec(`UPDATE assistant_spending SET tokens = tokens - $4, money = money - $5, time_ms = time_ms - $6
		WHERE tenant_id = $1 AND configuration_id = $2 AND day = $3`, tx.Tenant(), configuration, day, u.tokens, u.money, u.timeMS)
}

// setFailure records why a server did not answer; "" means that it did.
func setFailure(tx *db.Tx, configuration uuid.UUID, failure string, failures int, until *clock.Time) error {
	return tx.Exec(`UPDATE assistant_configuration SET failure = $3, failures = $4, paused_until = $5 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), configuration, failure, failures, until)
}
