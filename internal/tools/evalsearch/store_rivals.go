package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // driver "pgx"
	_ "modernc.org/sqlite"             // driver "sqlite"

	"konak/internal/advisor"
	"konak/internal/kit/trtext"
)

// rival is the built-in full-text search of a database, used as its manual shows, over the
// same provisions in force.
type rival struct {
	name   string
	driver string
	source string
	schema []string
	insert string
	ready  []string
	search string
	query  func(text string) string
}

func rivals(dir string) []rival {
	list := []rival{{
		name: "SQLite FTS5 unicode61, bm25", driver: "sqlite", source: filepath.Join(dir, "rival.db"),
		schema: []string{"CREATE VIRTUAL TABLE provision USING fts5(id UNINDEXED, heading, path, title, body, tokenize = 'unicode61 remove_diacritics 2')"},
		insert: "INSERT INTO provision (id, heading, path, title, body) VALUES ($1, $2, $3, $4, $5)",
		search: "SELECT id FROM provision WHERE provision MATCH $1 ORDER BY bm25(provision, 0, 6, 3, 2, 1) LIMIT 100",
		query:  func(text string) string { return anyWord(text, `"`, " OR ") },
	}}
	if source := os.Getenv("KONAK_TEST_POSTGRES"); source != "" {
		list = append(list, rival{
			name: "PostgreSQL turkish, ts_rank", driver: "pgx", source: source,
			schema: []string{"CREATE TEMPORARY TABLE provision (id text, body tsvector)"},
			insert: "INSERT INTO provision (id, body) VALUES ($1, setweight(to_tsvector('turkish', $2), 'A') || setweight(to_tsvector('turkish', $3), 'B')" +
				" || setweight(to_tsvector('turkish', $4), 'C') || setweight(to_tsvector('turkish', left($5, 200000)), 'D'))",
			ready:  []string{"CREATE INDEX ON provision USING gin (body)", "ANALYZE provision"},
			search: "SELECT id FROM provision, to_tsquery('turkish', $1) q WHERE body @@ q ORDER BY ts_rank(body, q, 1) DESC, id LIMIT 100",
			query:  func(text string) string { return anyWord(text, "", " | ") },
		})
	}
	return list
}

// anyWord joins the words of a question, as written, with "or". Otherwise both databases
// would require all words in one provision and find next to nothing.
func anyWord(text, quote, or string) string {
	var scan trtext.Scanner
	scan.Reset(text)
	var words []string
	for scan.Next() {
		word := strings.TrimRight(text[scan.Start():scan.End()], ".")
		if cut := strings.IndexAny(word, "'’‘ʼ´`′"); cut > 0 {
			word = word[:cut]
		}
		word = strings.ReplaceAll(word, ".", "")
		words = append(words, quote+trtext.LowerString(word)+quote)
	}
	return strings.Join(words, or)
}

// rivalTable measures every rival that is at hand.
func rivalTable(ctx context.Context, out io.Writer, list []*advisor.Provision, questions []question) error {
	dir, err := os.MkdirTemp("", "evalsearch")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	fmt.Fprint(out, "\n| beside it | macro nDCG@10 | R@100 | people | without diacritics | p50 ms | p99 ms | built in s |\n|---|---|---|---|---|---|---|---|\n")
	for _, r := range rivals(dir) {
		if err := r.measure(ctx, out, list, questions); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return nil
}

func (r rival) measure(ctx context.Context, out io.Writer, list []*advisor.Provision, questions []question) error {
	pool, err := sql.Open(r.driver, r.source)
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }()
	db, err := pool.Conn(ctx) // one connection: the table may be temporary
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	began := time.Now()
	if err := r.fill(ctx, db, list); err != nil {
		return err
	}
	took := time.Since(began)
	fmt.Fprintf(os.Stderr, "%s: filled in %.0f s, %d questions to ask twice\n", r.name, took.Seconds(), len(questions))
	// The quality pass is the latency pass too: a rival may take a second a question.
	l := &latencies{}
	find := func(text string) ([]string, error) {
		t := time.Now()
		ids, err := r.find(ctx, db, text)
		l.each = append(l.each, time.Since(t))
		if n := len(l.each); n%100 == 0 {
			fmt.Fprintf(os.Stderr, "%s: asked %d\n", r.name, n)
		}
		return ids, err
	}
	asked, err := measureQuality(find, questions, same)
	if err != nil {
		return err
	}
	plain, err := measureQuality(find, questions, undiacritic)
	if err != nil {
		return err
	}
	slices.Sort(l.each)
	ndcg, recall := asked.macro()
	bare, _ := plain.macro()
	fmt.Fprintf(out, "| %s | %.3f | %.3f | %.3f | %.3f | %.1f | %.1f | %.0f |\n", r.name, ndcg, recall, asked.people.meanNDCG(), bare,
		float64(l.at(.5).Microseconds())/1000, float64(l.at(.99).Microseconds())/1000, took.Seconds())
	return nil
}

func (r rival) fill(ctx context.Context, db *sql.Conn, list []*advisor.Provision) error {
	for _, statement := range r.schema {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	insert, err := tx.PrepareContext(ctx, r.insert)
	if err != nil {
		return err
	}
	for _, p := range list {
		if p.Status != advisor.StatusInForce {
			continue
		}
		// unicode61 does not support the Turkish capital I; be fair to it.
		if _, err := insert.ExecContext(ctx, p.ID, trtext.LowerString(p.Heading), trtext.LowerString(strings.Join(p.Path, "\n")),
			trtext.LowerString(p.LawTitle), trtext.LowerString(p.Text)); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	for _, statement := range r.ready {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func (r rival) find(ctx context.Context, db *sql.Conn, text string) ([]string, error) {
	q := r.query(text)
	if q == "" {
		return nil, nil
	}
	rows, err := db.QueryContext(ctx, r.search, q)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
