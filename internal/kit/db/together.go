package db

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// together is PostgreSQL's group commit. No connection waits for the disk when
// it commits, so that a transaction's locks end with its last statement. Its
// caller waits here until the disk has it: a group is a commit that does wait,
// and with it everything committed before it is written out. Who comes
// meanwhile is in the next group.
//
// Transactions that ask nothing (an event, a line of a log, a record that is
// simply there or is refused) have not been sent at all when they come here,
// and go in one exchange with their group. Each is a transaction of its own,
// which ends at its Sync: a failing one takes nobody along.
type together struct {
	pool  *pgxpool.Pool // the lanes
	alone *pgxpool.Pool // for who would hold up the others

	mu      sync.Mutex
	waiting []*pgMember
	running int
}

type pgMember struct {
	statements []statement
	queries    []pgx.ExtendedQueryBuilder
	plans      []*pgconn.StatementDescription
	err        error
	finished   chan struct{}
}

const (
	// lanes is how many groups are on their way at a time.
	lanes = 2
	// lockWait is for how long a member may hold up its group for the sake of
	// a row that somebody else is changing. Then it goes alone.
	lockWait = "20ms"
)

func newTogether(ctx context.Context, alone *pgxpool.Pool, cfg *pgxpool.Config) (*together, error) {
	cfg.MaxConns = lanes
	cfg.ConnConfig.RuntimeParams["lock_timeout"] = lockWait
	known := cfg.AfterConnect
	cfg.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if err := known(ctx, conn); err != nil {
			return err
		}
		conn.PgConn().CustomData()[laneKey] = &lane{stmts: map[string]*pgconn.StatementDescription{}}
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &together{pool: pool, alone: alone}, nil
}

// unhurried lets a connection commit without waiting for the disk, and notes
// how this installation waits for it.
func unhurried(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `SELECT set_config('konak.durable', current_setting('synchronous_commit'), false),
		set_config('synchronous_commit', 'off', false)`)
	return err
}

// commit waits until a transaction is durable or has failed: one that is still
// to be sent, or, without statements, one that the caller has committed.
func (t *together) commit(statements []statement) error {
	m := &pgMember{statements: statements, finished: make(chan struct{})}
	t.mu.Lock()
	t.waiting = append(t.waiting, m)
	if t.running < lanes {
		t.running++
		go t.run()
	}
	t.mu.Unlock()
	<-m.finished
	if pg, ok := errors.AsType[*pgconn.PgError](m.err); ok && pg.Code == lockNotAvailable {
		return t.byItself(statements)
	}
	return m.err
}

// run sends groups until nobody waits.
func (t *together) run() {
	for {
		t.mu.Lock()
		members := t.waiting
		if len(members) > groupMax {
			members = members[:groupMax:groupMax]
		}
		t.waiting = t.waiting[len(members):]
		if len(members) == 0 {
			t.waiting = nil
			t.running--
			t.mu.Unlock()
			return
		}
		t.mu.Unlock()
		if err := t.send(members); err != nil {
			for _, m := range members {
				if m.err == nil {
					m.err = fmt.Errorf("db: commit: %w", err)
				}
			}
		}
		for _, m := range members {
			close(m.finished)
		}
	}
}

// send commits a group. Its error is that of every member that has none of its
// own.
func (t *together) send(members []*pgMember) error {
	ctx, cancel := context.WithTimeout(context.Background(), txCap)
	defer cancel()
	conn, err := t.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	l := conn.Conn().PgConn().CustomData()[laneKey].(*lane)
	if len(l.stmts) > maxStmts { // queries are constants, unless one is built from data
		if err := conn.Conn().DeallocateAll(ctx); err != nil {
			return err
		}
		clear(l.stmts)
	}
	var group []*pgMember
	for _, m := range members {
		if m.err = l.plan(ctx, conn.Conn(), m); m.err == nil && len(m.statements) > 0 {
			group = append(group, m)
		}
	}
	flush := &pgMember{statements: []statement{{query: flushNow}}}
	if err := l.plan(ctx, conn.Conn(), flush); err != nil {
		return err
	}
	group = append(group, flush)
	pipe := conn.Conn().PgConn().StartPipeline(ctx)
	for _, m := range group {
		m.queue(pipe)
	}
	err = pipe.Flush()
	for _, m := range group {
		if err == nil {
			err = m.outcome(pipe)
		}
	}
	return errors.Join(err, pipe.Close(), flush.err)
}

const (
	// waitForDisk has a transaction end when the disk has it.
	waitForDisk = `SELECT set_config('synchronous_commit', current_setting('konak.durable'), true)`
	// flushNow commits something, if only a message to nobody.
	flushNow = waitForDisk + `, pg_logical_emit_message(true, 'konak', '')`
	// planned has statements planned for what they are run with: those that go
	// by themselves have lists of values, and a plan from when the table was
	// empty goes through all of it until PostgreSQL has counted it.
	planned = waitForDisk + `, set_config('plan_cache_mode', 'force_custom_plan', true)`
)

// queue adds the transaction to what is sent.
func (m *pgMember) queue(pipe *pgconn.Pipeline) {
	for i := range m.queries {
		q := &m.queries[i]
		pipe.SendQueryStatement(m.plans[i], q.ParamValues, q.ParamFormats, q.ResultFormats)
	}
	pipe.SendPipelineSync()
}

// outcome reads the answers of a member. Its error is that of the connection.
func (m *pgMember) outcome(pipe *pgconn.Pipeline) error {
	for i := 0; ; {
		results, err := pipe.GetResults()
		if answer, ok := results.(*pgconn.ResultReader); ok {
			_, err = answer.Close()
		}
		switch _, refused := errors.AsType[*pgconn.PgError](err); {
		case refused && m.err == nil:
			m.err = err
			if i < len(m.statements) {
				m.err = m.statements[i].failure(err)
			}
		case err != nil:
			return err
		case results == nil:
			return errors.New("db: an answer is missing")
		}
		if _, end := results.(*pgconn.PipelineSync); end {
			return nil
		}
		i++
	}
}

// byItself runs a transaction on a connection where it may wait, for rows and
// for the disk.
func (t *together) byItself(statements []statement) error {
	ctx, cancel := context.WithTimeout(context.Background(), txCap)
	defer cancel()
	statements = append([]statement{{query: planned}}, statements...)
	batch := &pgx.Batch{}
	for _, s := range statements {
		batch.Queue(s.query, s.args...)
	}
	results := t.alone.SendBatch(ctx, batch)
	for _, s := range statements {
		if _, err := results.Exec(); err != nil {
			_ = results.Close()
			return s.failure(err)
		}
	}
	return results.Close()
}

const laneKey = "konak"

// lane is what a connection of a group remembers.
type lane struct {
	stmts map[string]*pgconn.StatementDescription
}

// plan prepares and encodes the statements of a member.
func (l *lane) plan(ctx context.Context, conn *pgx.Conn, m *pgMember) error {
	m.plans = make([]*pgconn.StatementDescription, len(m.statements))
	m.queries = make([]pgx.ExtendedQueryBuilder, len(m.statements))
	for i, s := range m.statements {
		plan, err := l.prepare(ctx, conn, s.query)
		if err != nil {
			return err
		}
		if err := m.queries[i].Build(conn.TypeMap(), plan, s.args); err != nil {
			return err
		}
		m.plans[i] = plan
	}
	return nil
}

func (l *lane) prepare(ctx context.Context, conn *pgx.Conn, query string) (*pgconn.StatementDescription, error) {
	if s, ok := l.stmts[query]; ok {
		return s, nil
	}
	s, err := conn.Prepare(ctx, query, query)
	if err != nil {
		return nil, err
	}
	l.stmts[query] = s
	return s, nil
}
