package main

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// fillInbox writes contacts and conversations with two messages each, in parts. It returns
// the contacts, and a map from some conversations to their contacts.
func fillInbox(ctx context.Context, d *db.DB, tenant uuid.UUID, size int) (contacts []uuid.UUID, contactOf map[uuid.UUID]uuid.UUID, err error) {
	id := `gen_random_uuid()`
	if d.Dialect() == db.SQLite {
		id = `randomblob(16)`
	}
	now := clock.At(d.Clock().Now()).UnixMicro()
	run := func(query string, args ...any) error {
		return d.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
			return tx.Exec(query, args...)
		})
	}
	numbers := func(first, last int) string {
		return fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT CAST(%d AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < %d)`, first, last)
	}
	if err := run(fmt.Sprintf(`INSERT INTO contact (tenant_id, id, kind, name, first_name, last_name, company, language, timezone, country,
			tags, custom_attributes, created_at, updated_at)
		%s SELECT %s, %s, 'customer', 'Elif Kaya', 'Elif', 'Kaya', '', 'tr', '', 'TR', '[]', '{}', %d + i, %d + i FROM n`,
		numbers(1, 1000), d.Dialect().Literal(tenant), id, now, now)); err != nil {
		return nil, nil, err
	}
	if contacts, err = db.Read(ctx, d.Tenant(tenant), func(r *db.Reader) ([]uuid.UUID, error) {
		return db.All(r, db.Scalar[uuid.UUID], `SELECT id FROM contact WHERE tenant_id = $1 LIMIT 1000`, r.Tenant())
	}); err != nil {
		return nil, nil, err
	}
	const part = 2_000
	for first := 1; first <= size; first += part {
		if err := run(fmt.Sprintf(`INSERT INTO conversation (tenant_id, id, state, ai_state, channel, single_thread, talep, contact_id,
				contact_name, subject, preview, priority, tags, waiting_since, test, last_activity_at, last_item_at, created_at, updated_at)
			%s SELECT %s, %s, CASE WHEN i %% 4 = 0 THEN 'open' ELSE 'closed' END, 'off', 'api', false, true, c.id, 'Elif Kaya',
				'Teslimat', 'Merhaba, siparişim ne zaman gelir?', 1, '[]', CASE WHEN i %% 4 = 0 THEN %d + i ELSE NULL END, false,
				%d + i, %d + i, %d + i, %d + i FROM n
				JOIN (SELECT id, row_number() OVER (ORDER BY id) AS k FROM contact WHERE tenant_id = $1) c ON c.k = n.i %% %d + 1`,
			numbers(first, min(first+part-1, size)), d.Dialect().Literal(tenant), id, now, now, now, now, now, len(contacts)), tenant); err != nil {
			return nil, nil, err
		}
	}
	for _, author := range []string{"contact", "agent"} {
		for first := 0; first < size; first += 5 * part {
			if err := run(fmt.Sprintf(`INSERT INTO conversation_item (tenant_id, id, conversation_id, at, kind, author_kind, body, detail, test)
				SELECT tenant_id, %s, id, last_item_at, 'message', '%s', 'Merhaba, siparişim ne zaman gelir?', '{}', false
				FROM conversation WHERE tenant_id = $1 AND created_at > %d AND created_at <= %d`,
				id, author, now+int64(first), now+int64(first+5*part)), tenant); err != nil {
				return nil, nil, err
			}
		}
	}
	// This is not done on SQLite: with samples of the data it prepares a statement again
	// for every execution, to look at the values.
	if d.Dialect() == db.Postgres {
		if err := run(`ANALYZE`); err != nil {
			return nil, nil, err
		}
	}
	contactOf = map[uuid.UUID]uuid.UUID{}
	_, err = db.Read(ctx, d.Tenant(tenant), func(r *db.Reader) ([]struct{}, error) {
		return db.All(r, func(row db.Row) (struct{}, error) {
			var id, contact uuid.UUID
			err := row.Scan(&id, &contact)
			contactOf[id] = contact
			return struct{}{}, err
		}, `SELECT id, contact_id FROM conversation WHERE tenant_id = $1 LIMIT 2000`, r.Tenant())
	})
	return contacts, contactOf, err
}

// fillTexts writes conversations of one contact; text returns the subject and the body of
// the messages.
func fillTexts(ctx context.Context, d *db.DB, tenant uuid.UUID, size int, text func() (subject, body string)) error {
	const part = 500
	at := clock.At(d.Clock().Now())
	for first := 0; first < size; first += part {
		err := d.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
			var talks, items [][]any
			who := tx.NewID()
			for range part {
				id := tx.NewID()
				subject, body := text()
				_, second := text()
				talks = append(talks, []any{tenant, id, who, subject, at})
				items = append(items, []any{tenant, tx.NewID(), id, at, body}, []any{tenant, tx.NewID(), id, at, second})
			}
			_, err := db.Each(tx, db.Scalar[int], []string{"uuid", "uuid", "uuid", "text", "bigint"}, talks, func(source string) string {
				return `WITH m(tenant_id, id, contact_id, subject, at) AS (` + source + `)
					INSERT INTO conversation (tenant_id, id, state, ai_state, channel, single_thread, talep, contact_id,
						contact_name, subject, preview, priority, tags, test, last_activity_at, last_item_at, created_at, updated_at)
					SELECT tenant_id, id, 'open', 'off', 'api', false, true, contact_id, 'Elif Kaya', subject, '', 1, '[]', false, at, at, at, at FROM m`
			})
			if err != nil {
				return err
			}
			_, err = db.Each(tx, db.Scalar[int], []string{"uuid", "uuid", "uuid", "bigint", "text"}, items, func(source string) string {
				return `WITH m(tenant_id, id, conversation_id, at, body) AS (` + source + `)
					INSERT INTO conversation_item (tenant_id, id, conversation_id, at, kind, author_kind, body, detail, test)
					SELECT tenant_id, id, conversation_id, at, 'message', 'contact', body, '{}', false FROM m`
			})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
