package limit

import (
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// useOne counts one use if the policy allows it, and returns the time until which the uses
// are spread out.
func useOne(tx *db.Tx, at slot, now time.Time, pace, window time.Duration) (until time.Time, ok bool, err error) {
	next, err := db.One(&tx.Reader, db.Scalar[clock.Time], `INSERT INTO limit_use (policy, holder, used_until) VALUES ($1, $2, $3)
		ON CONFLICT (policy, holder) DO UPDATE SET
			used_until = CASE WHEN limit_use.used_until > $4 THEN limit_use.used_until ELSE $4 END + $5
		WHERE limit_use.used_until <= $6
		RETURNING used_until`,
		at.policy, at.key[:], clock.At(now.Add(pace)), clock.At(now), pace.Microseconds(), clock.At(now.Add(window-pace)))
	if db.IsNoRow(err) {
		until, err = usedUntil(tx, at, now.Add(window))
		return until, false, err
	}
	return next.Time, true, err
}

// usedUntil returns the time until which a holder's uses are spread out, limited to latest.
// If a clock was set back, the row is limited too.
func usedUntil(tx *db.Tx, at slot, latest time.Time) (time.Time, error) {
	until, err := db.One(&tx.Reader, db.Scalar[clock.Time],
		`SELECT used_until FROM limit_use WHERE policy = $1 AND holder = $2`, at.policy, at.key[:])
	if err != nil || !until.After(latest) {
		return until.Time, err
	}
	err = tx.Exec(`UPDATE limit_use SET used_until = $3 WHERE policy = $1 AND holder = $2 AND used_until > $3`, at.policy, at.key[:], clock.At(latest))
	return latest, err
}

// addUses records uses that were already allowed, up to the full window, and returns the
// time until which the uses of all nodes are spread out.
func addUses(tx *db.Tx, at slot, now time.Time, u uses) (time.Time, error) {
	until, err := db.One(&tx.Reader, db.Scalar[clock.Time], `INSERT INTO limit_use (policy, holder, used_until) VALUES ($1, $2, $3)
		ON CONFLICT (policy, holder) DO UPDATE SET used_until = CASE
			WHEN limit_use.used_until > $4 THEN $5
			WHEN limit_use.used_until > $6 THEN limit_use.used_until + $7
			ELSE $3 END
		RETURNING used_until`,
		at.policy, at.key[:], clock.At(now.Add(u.spent)), clock.At(now.Add(u.window-u.spent)), clock.At(now.Add(u.window)),
		clock.At(now), u.spent.Microseconds())
	return until.Time, err
}

func putAct(tx *db.Tx, name string, k Key, expires time.Time) error {
	return tx.Exec(`INSERT INTO limit_act (id, name, holder, at, expires_at) VALUES ($1, $2, $3, $4, $5)`,
		tx.NewID(), name, k[:], clock.At(tx.Now()), clock.At(expires))
}

func countActs(r *db.Reader, name string, k Key, after time.Time, most int) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM (
		SELECT 1 AS one FROM limit_act WHERE name = $1 AND holder = $2 AND at > $3 LIMIT $4) AS acts`,
		name, k[:], clock.At(after), most)
}

func dropOld(tx *db.Tx, now time.Time, batch int) (int64, error) {
	acts, err := tx.ExecCount(`DELETE FROM limit_act WHERE id IN (
		SELECT id FROM limit_act WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`, clock.At(now), batch)
	if err != nil {
		return 0, err
	}
	uses, err := tx.ExecCount(`DELETE FROM limit_use WHERE (policy, holder) IN (
		SELECT policy, holder FROM limit_use WHERE used_until < $1 ORDER BY used_until LIMIT $2)`, clock.At(now), batch)
	return acts + uses, err
}
