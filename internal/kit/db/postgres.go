package db

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

func (d *DB) openPostgres(ctx context.Context, url, setting string, conns int) error {
	d.dialect = Postgres
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("%s: the PostgreSQL address cannot be read: %w", setting, err)
	}
	// Nothing else may be set for a session: behind PgBouncer the next transaction may run
	// in another one.
	cfg.ConnConfig.RuntimeParams["application_name"] = "konak"
	cfg.ConnConfig.RuntimeParams["timezone"] = "UTC"
	d.write = stdlib.OpenDB(*cfg.ConnConfig) // for migrations
	d.read = d.write
	cfg.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		conn.TypeMap().RegisterType(&pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: idCodec{}})
		return nil
	}
	cfg.MaxConns = int32(conns)
	cfg.MaxConnIdleTime = 5 * time.Minute
	if d.pg, err = pgxpool.NewWithConfig(ctx, cfg); err == nil {
		err = d.pg.Ping(ctx)
	}
	if err != nil {
		_ = d.Close()
		return connectError(setting, err)
	}
	return nil
}

// connectError describes in one line why PostgreSQL cannot be used. The driver repeats it
// for each address and each way to connect.
func connectError(setting string, err error) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return fmt.Errorf("cannot connect to %s: PostgreSQL refused: %s (%s)", setting, pg.Message, pg.Code)
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok {
		return fmt.Errorf("cannot connect to %s: %w; is PostgreSQL running there?", setting, dial)
	}
	return fmt.Errorf("cannot connect to %s: %w", setting, err)
}

// pgRetries limits the reruns after a deadlock or serialization failure.
const pgRetries = 5

func (h Handle) pgTx(ctx context.Context, fn func(*Tx) error) error {
	var err error
	for range pgRetries {
		if err = h.pgOnce(ctx, fn); !retryable(err) {
			return err
		}
	}
	return err
}

func (h Handle) pgOnce(ctx context.Context, fn func(*Tx) error) error {
	x := h.pgTransaction("BEGIN")
	defer x.end() // after a panic too
	defer time.AfterFunc(max(h.limit, h.db.cap), h.db.logStuck).Stop()
	tx := &Tx{
		Reader: Reader{ctx: context.WithoutCancel(ctx), q: x, tenant: h.tenant, dialect: Postgres},
		db:     h.db, now: h.db.clock.Now(),
	}
	if err := fn(tx); err != nil {
		return err
	}
	return x.commit()
}

func (h Handle) pgRead(ctx context.Context, fn func(*Reader) error) error {
	r := Reader{ctx: ctx, tenant: h.tenant, dialect: Postgres}
	if !h.db.rls {
		r.q = pgReader{h.db.pg}
		return fn(&r)
	}
	x := h.pgTransaction("BEGIN READ ONLY")
	defer x.end()
	r.q = x
	return fn(&r)
}

// setTenant tells PostgreSQL's row security which tenant's rows are visible.
func (h Handle) setTenant() statement {
	tenant, system := h.tenant.String(), ""
	if h.system {
		tenant, system = "", "on"
	}
	return statement{"SELECT set_config('app.tenant_id', $1, true), set_config('app.system', $2, true)", []any{tenant, system}}
}

// setTimeouts limits the duration of a statement, and the time that a transaction stays
// open after its node has vanished.
func setTimeouts(limit time.Duration) statement {
	return statement{query: fmt.Sprintf(`SELECT set_config('statement_timeout', '%d', true), set_config('idle_in_transaction_session_timeout', '%d', true)`,
		limit.Milliseconds(), 2*limit.Milliseconds())}
}

var usualTimeouts = setTimeouts(txCap)

// statement is a statement with its arguments whose result is not needed.
type statement struct {
	query string
	args  []any
}

// pgTransaction is a transaction on PostgreSQL with as few round trips as possible:
// deferred statements are sent together with the next one that is not deferred, BEGIN with
// the first statement, and remaining deferred ones with COMMIT.
type pgTransaction struct {
	pool    *pgxpool.Pool
	ctx     context.Context
	cancel  context.CancelFunc
	limit   time.Duration
	conn    *pgxpool.Conn
	opening []statement
	unsent  []statement // deferred statements
	settled bool
}

func (h Handle) pgTransaction(begin string) *pgTransaction {
	x := &pgTransaction{pool: h.db.pg, limit: txCap, opening: []statement{{query: begin}, usualTimeouts}}
	if h.limit > 0 {
		x.limit, x.opening[1] = h.limit, setTimeouts(h.limit)
	}
	if h.db.rls {
		x.opening = append(x.opening, h.setTenant())
	}
	return x
}

// Exec implements querier.
func (x *pgTransaction) Exec(_ context.Context, query string, args ...any) (int64, error) {
	tag, err := x.exec(query, args...)
	return tag.RowsAffected(), err
}

func (x *pgTransaction) exec(query string, args ...any) (pgconn.CommandTag, error) {
	if x.conn != nil && len(x.unsent) == 0 {
		return x.conn.Exec(x.ctx, query, args...)
	}
	results, err := x.send(query, args)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := results.Exec()
	return tag, errors.Join(err, results.Close())
}

// Query implements querier.
func (x *pgTransaction) Query(_ context.Context, query string, args ...any) (Answer, error) {
	if x.conn != nil && len(x.unsent) == 0 {
		rows, err := x.conn.Query(x.ctx, query, args...)
		return pgRows{Rows: rows}, err
	}
	results, err := x.send(query, args)
	if err != nil {
		return nil, err
	}
	rows, err := results.Query()
	return pgRows{rows, results}, err
}

// send sends the deferred statements and one more in one exchange, and reads the results of
// all but the last.
func (x *pgTransaction) send(query string, args []any) (pgx.BatchResults, error) {
	unsent := x.unsent
	x.unsent = nil
	if x.conn == nil {
		var err error
		x.ctx, x.cancel = context.WithTimeout(context.Background(), x.limit)
		if x.conn, err = x.pool.Acquire(x.ctx); err != nil {
			return nil, fmt.Errorf("db: begin: %w", err)
		}
		unsent = append(x.opening, unsent...)
	}
	batch := &pgx.Batch{}
	for _, s := range unsent {
		batch.Queue(s.query, s.args...)
	}
	batch.Queue(query, args...)
	results := x.conn.SendBatch(x.ctx, batch)
	for range unsent {
		if _, err := results.Exec(); err != nil {
			_ = results.Close()
			return nil, err
		}
	}
	return results, nil
}

// errRolledBack is the error of a COMMIT after a statement has failed: PostgreSQL answers
// it with ROLLBACK and no error.
var errRolledBack = errors.New("PostgreSQL rolled the transaction back, because one of its statements had failed")

// commit ends the transaction and returns once it is durable. It does nothing if no
// statement was run.
func (x *pgTransaction) commit() error {
	if x.conn == nil && len(x.unsent) == 0 {
		return nil
	}
	tag, err := x.exec("COMMIT")
	if err != nil {
		return fmt.Errorf("db: commit: %w", err)
	}
	x.settled = true
	if tag.String() != "COMMIT" {
		return fmt.Errorf("db: commit: %w", errRolledBack)
	}
	return nil
}

// end rolls back uncommitted statements and releases the connection.
func (x *pgTransaction) end() {
	if x.conn == nil {
		return
	}
	if !x.settled {
		_, _ = x.conn.Exec(x.ctx, "ROLLBACK")
	}
	x.conn.Release()
	x.cancel()
}

// pgRows are the rows of a query, and the exchange in which they were received.
type pgRows struct {
	pgx.Rows
	results pgx.BatchResults
}

// Close implements Answer.
func (r pgRows) Close() error {
	r.Rows.Close()
	err := r.Err()
	if r.results != nil {
		err = errors.Join(err, r.results.Close())
	}
	return err
}

// pgReader reads outside any transaction.
type pgReader struct{ pool *pgxpool.Pool }

// Query implements querier.
func (p pgReader) Query(ctx context.Context, query string, args ...any) (Answer, error) {
	rows, err := p.pool.Query(ctx, query, args...)
	return pgRows{Rows: rows}, err
}

// Exec implements querier.
func (pgReader) Exec(context.Context, string, ...any) (int64, error) { return 0, errReader }

// idCodec reads ids in binary form, without converting them to their 36 characters.
type idCodec struct{ pgtype.UUIDCodec }

// PlanScan implements pgtype.Codec.
func (c idCodec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if _, ok := target.(*uuid.UUID); ok && format == pgtype.BinaryFormatCode {
		return scanID{}
	}
	return c.UUIDCodec.PlanScan(m, oid, format, target)
}

type scanID struct{}

// Scan implements pgtype.ScanPlan.
func (scanID) Scan(src []byte, target any) error {
	if len(src) != len(uuid.UUID{}) {
		return fmt.Errorf("db: an id of %d bytes", len(src))
	}
	copy(target.(*uuid.UUID)[:], src)
	return nil
}
