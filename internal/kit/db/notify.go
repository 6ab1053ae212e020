package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// NotifyLimit is the maximum size of a PostgreSQL notification in bytes.
const NotifyLimit = 7999

// Notify sends notifications to all listeners of a channel of this database, including this
// process. It is for PostgreSQL only.
func (d *DB) Notify(ctx context.Context, channel string, payloads []string) error {
	batch := &pgx.Batch{}
	for _, p := range payloads {
		batch.Queue("SELECT pg_notify($1, $2)", channel, p)
	}
	return d.pg.SendBatch(ctx, batch).Close()
}

// Hear calls fn with each notification on a channel, on its own connection, and returns the
// error that ended it: ctx's or a lost connection. It calls ready once it is listening. It
// is for PostgreSQL only.
func (d *DB) Hear(ctx context.Context, channel string, ready func(), fn func(payload string)) error {
	conn, err := pgx.ConnectConfig(ctx, d.pg.Config().ConnConfig)
	if err != nil {
		return connectError("--db", err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing)
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return err
	}
	ready()
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		fn(n.Payload)
	}
}
