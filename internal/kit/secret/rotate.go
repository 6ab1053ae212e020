package secret

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/db"
)

// BeginRotation stores the keys of the database sealed with the master key next in addition
// to old, with a new key that seals from now on. Both master keys open everything until
// FinishRotation. It does nothing if next already opens the keys, so it can be repeated
// after a crash. No server may be running: it would not know the new key.
func BeginRotation(ctx context.Context, d *db.DB, old, next *Box) error {
	if err := next.CheckKey(ctx, d); !errors.Is(err, ErrOtherKey) {
		return err
	}
	generation, keys, err := old.openNewest(ctx, d)
	if err != nil {
		return err
	}
	box, err := boxOf(keys)
	if err != nil {
		return err
	}
	fresh := box.current + 1
	keys[fresh] = newKey()
	return d.System("master key").InTx(ctx, func(tx *db.Tx) error {
		// A newer generation was sealed with a master key that was lost before it was used.
		if err := tx.Exec(`DELETE FROM installation_key WHERE generation > $1`, generation); err != nil {
			return err
		}
		for id, key := range keys {
			if err := next.putKey(tx, generation+1, id, key); err != nil {
				return err
			}
		}
		return old.putKey(tx, generation, fresh, keys[fresh])
	})
}

// RotationOpen reports whether a rotation was begun but not finished.
func RotationOpen(ctx context.Context, d *db.DB) (bool, error) {
	rows, err := readKeys(ctx, d)
	return slices.ContainsFunc(rows, func(k keyRow) bool { return k.generation != rows[0].generation }), err
}

const (
	// batchSize is the number of values that one transaction reseals.
	batchSize = 500
	// resealPasses limits how often a column is read again for values written with an older
	// key meanwhile.
	resealPasses = 10
	// resealTime limits one transaction: a large table without sealed values is read
	// completely.
	resealTime = time.Hour
)

// FinishRotation reseals everything that is sealed with an older key than the newest,
// and then removes the older master key's generation and the sealing keys that were old
// before this rotation. It returns the number of values it resealed. It can be repeated
// after a crash, and run while a server uses the new master key. It returns ErrOtherKey
// if master is not the newest: that one was lost, and BeginRotation sets another.
//
// The previous sealing key is kept, under the new master key only, until the next
// rotation, so that values sealed with it at the last moment can still be read.
func FinishRotation(ctx context.Context, d *db.DB, master *Box) (int, error) {
	generation, keys, err := master.openNewest(ctx, d)
	if err != nil {
		return 0, err
	}
	if rows, err := readKeys(ctx, d); err != nil || rows[0].generation != generation {
		return 0, cmp.Or(err, ErrOtherKey)
	}
	box, err := boxOf(keys)
	if err != nil {
		return 0, err
	}
	columns, err := d.Columns(ctx)
	if err != nil {
		return 0, err
	}
	total := 0
	for id := range box.wraps {
		if id == box.current {
			continue
		}
		for _, c := range columns {
			sealed, err := box.resealColumn(ctx, d, c, id)
			total += sealed
			if err != nil {
				return total, fmt.Errorf("secret: re-encrypt %s.%s: %w", c.Table, c.Name, err)
			}
		}
	}
	err = d.System("master key").InTx(ctx, func(tx *db.Tx) error {
		err := tx.Exec(`DELETE FROM installation_key WHERE generation < $1 OR id > 0 AND id < $2`, generation, int64(box.current)-1)
		if err != nil {
			return err
		}
		return audit.Write(tx, "master_key.changed_by_operator", "", map[string]any{"sealed": total})
	})
	return total, err
}

// jobPayload is the only text column that holds sealed values, as base64 in JSON.
var jobPayload = db.Column{Table: "job", Name: "payload", Type: "text"}

// resealColumn reseals the values of one column that were sealed with the key id, and
// returns the number changed. Bytes that merely start like a sealed value are left alone:
// answers of peers are stored, too.
func (b *Box) resealColumn(ctx context.Context, d *db.DB, c db.Column, id uint32) (total int, err error) {
	if c.Table == KeyTable || c.Type != "bytea" && c != jobPayload {
		return 0, nil
	}
	for range resealPasses {
		// A row that a server changed meanwhile was left alone, and is checked again.
		found, after := 0, ""
		for {
			part, err := b.resealBatch(ctx, d, c, id, after)
			if err != nil {
				return total, err
			}
			found, total, after = found+part.found, total+part.changed, part.last
			if after == "" {
				break
			}
		}
		if found == 0 {
			break
		}
	}
	return total, nil
}

// resealed is the result of one resealing transaction.
type resealed struct {
	found, changed int
	last           string // the last row of the batch, "" at the end of the table
}

// resealBatch reseals the values of one column that were sealed with the key id, in a batch
// of rows after the given one.
func (b *Box) resealBatch(ctx context.Context, d *db.DB, c db.Column, id uint32, after string) (out resealed, err error) {
	row := "rowid"
	if d.Dialect() == db.Postgres {
		row = "ctid"
	}
	column, table, typ := `"`+c.Name+`"`, `"`+c.Table+`"`, rowType(d.Dialect())
	find, change := `substr(`+column+`, 1, $2) = $1`, b.Rewrap
	arg, length := any(header(id)), headerSize
	if c == jobPayload {
		text := base64.StdEncoding.EncodeToString(header(id))
		find, arg, length = column+` LIKE '%' || $1 || '%' AND $2 > 0`, text, len(text)
		change = func(value []byte) ([]byte, error) { return b.rewrapText(b, value) }
	}
	args := []any{arg, length}
	if after != "" {
		find, args = find+` AND `+row+` > CAST($3 AS `+typ+`)`, append(args, after)
	}
	err = d.System("master key").Within(resealTime).InTx(ctx, func(tx *db.Tx) error {
		values, err := db.All(&tx.Reader, func(r db.Row) (v [2][]byte, err error) {
			err = r.Scan(&v[0], &v[1])
			return v, err
		}, `SELECT CAST(`+row+` AS text), `+column+` FROM `+table+` WHERE `+find+` ORDER BY `+row+` LIMIT `+fmt.Sprint(batchSize), slices.Clone(args)...)
		if err != nil {
			return err
		}
		out = resealed{}
		if len(values) == batchSize {
			out.last = string(values[len(values)-1][0])
		}
		for _, v := range values {
			anew, err := change(v[1])
			if err != nil {
				continue // not sealed with one of our keys
			}
			out.found++
			old, value := any(v[1]), any(anew)
			if c == jobPayload {
				old, value = string(v[1]), string(anew)
			}
			// It may be a different row by now: a deleted row's position can be reused.
			changed, err := tx.ExecCount(`UPDATE `+table+` SET `+column+` = $1 WHERE `+row+` = CAST($2 AS `+typ+`) AND `+column+` = $3`, value, string(v[0]), old)
			if err != nil {
				return err
			}
			out.changed += int(changed)
		}
		return nil
	})
	return out, err
}

// rowType returns the type of a row's position.
func rowType(d db.Dialect) string {
	if d == db.Postgres {
		return "tid"
	}
	return "integer"
}

// base64Text is a run of base64.
var base64Text = regexp.MustCompile(`[A-Za-z0-9+/]+={0,2}`)

// errNotSealed reports that a text contains no sealed value.
var errNotSealed = errors.New("secret: the text does not contain a sealed value")

// rewrapText rewraps the sealed values that a text contains as base64 for target. It
// returns errNotSealed if there is none that the box can open.
func (b *Box) rewrapText(target *Box, text []byte) ([]byte, error) {
	found := false
	out := base64Text.ReplaceAllFunc(text, func(run []byte) []byte {
		sealed, err := base64.StdEncoding.AppendDecode(nil, run)
		if err != nil || !bytes.HasPrefix(sealed, []byte(mark)) {
			return run
		}
		anew, err := b.rewrapFor(target, sealed)
		if err != nil {
			return run
		}
		found = true
		return base64.StdEncoding.AppendEncode(nil, anew)
	})
	if !found {
		return nil, errNotSealed
	}
	return out, nil
}

// Rewrap returns a sealed value wrapped with the newest key. Its content, and the place
// where it opens, do not change.
func (b *Box) Rewrap(sealed []byte) ([]byte, error) { return b.rewrapFor(b, sealed) }

// rewrapFor returns a value sealed by b as target would have sealed it.
func (b *Box) rewrapFor(target *Box, sealed []byte) ([]byte, error) {
	key, rest, err := b.unwrap(sealed)
	if err != nil {
		return nil, err
	}
	return append(target.wrap(key), rest...), nil
}

// Transfer returns the value of a column with everything that b sealed in it sealed by
// target, and whether there was anything. It still opens only for the same tenant and in
// the same place.
func (b *Box) Transfer(target *Box, c db.Column, value []byte) ([]byte, bool) {
	var anew []byte
	err := errNotSealed
	switch {
	case c == jobPayload:
		anew, err = b.rewrapText(target, value)
	case c.Type == jobPayload.Type || !bytes.HasPrefix(value, []byte(mark)):
	default:
		anew, err = b.rewrapFor(target, value)
	}
	if err != nil {
		return value, false
	}
	return anew, true
}

// InstallationID returns the id of the installation whose keys the box holds. It does not
// change with a rotation and reveals nothing about the keys.
func (b *Box) InstallationID() string { return hex.EncodeToString(b.Derive("installation id")[:16]) }

// boundTo binds a sealed value to its tenant and purpose.
func boundTo(tenant uuid.UUID, name string) []byte { return append(tenant[:], name...) }
