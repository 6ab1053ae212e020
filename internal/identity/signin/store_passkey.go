package signin

import (
	"time"

	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func credentialsOf(r *db.Reader, user uuid.UUID) ([]webauthn.Credential, error) {
	return db.All(r, func(row db.Row) (c webauthn.Credential, err error) {
		err = row.Scan(db.FromJSON(&c))
		return c, err
	}, `SELECT credential FROM passkey WHERE user_id = $1 ORDER BY created_at, id LIMIT $2`, user, maxPasskeys)
}

func listPasskeys(r *db.Reader, user uuid.UUID, p db.Page) (db.List[Passkey], error) {
	rows, err := db.All(r, func(row db.Row) (k Passkey, err error) {
		var c webauthn.Credential
		err = row.Scan(&k.ID, &k.Name, db.FromJSON(&c), &k.LastUsedAt, &k.CreatedAt)
		k.Synced = c.Flags.BackupState
		return k, err
	}, `SELECT id, name, credential, last_used_at, created_at FROM passkey
		WHERE user_id = $1 AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4`,
		user, p.After.Sort, p.After.ID, p.Limit+1)
	if err != nil {
		return db.List[Passkey]{}, err
	}
	return db.Cut(rows, p, func(k Passkey) db.Key { return db.Key{Sort: k.CreatedAt.UnixMicro(), ID: k.ID} }), nil
}

// putPasskey stores a passkey; it returns false if it is known already.
func putPasskey(tx *db.Tx, user uuid.UUID, k Passkey, c webauthn.Credential) (bool, error) {
	return tx.ExecAny(`INSERT INTO passkey (id, user_id, credential_id, credential, name, created_at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`, k.ID, user, c.ID, db.AsJSON(c), k.Name, k.CreatedAt)
}

func touchPasskey(tx *db.Tx, c webauthn.Credential) error {
	return tx.Exec(`UPDATE passkey SET credential = $2, last_used_at = $3 WHERE credential_id = $1`,
		c.ID, db.AsJSON(c), clock.At(tx.Now()))
}

func dropPasskey(tx *db.Tx, user, id uuid.UUID) (string, error) {
	return db.One(&tx.Reader, db.Scalar[string],
		`DELETE FROM passkey WHERE user_id = $1 AND id = $2 RETURNING name`, user, id)
}

func putChallenge(tx *db.Tx, id uuid.UUID, user *uuid.UUID, data webauthn.SessionData, expires time.Time) error {
	return tx.Exec(`INSERT INTO passkey_challenge (id, user_id, data, expires_at) VALUES ($1, $2, $3, $4)`,
		id, user, db.AsJSON(data), clock.At(expires))
}

// takeChallenge returns a challenge once, to the person it was made for.
func takeChallenge(tx *db.Tx, id uuid.UUID, user *uuid.UUID) (webauthn.SessionData, error) {
	scan := func(row db.Row) (d webauthn.SessionData, err error) {
		err = row.Scan(db.FromJSON(&d))
		return d, err
	}
	if user == nil {
		return db.One(&tx.Reader, scan, `DELETE FROM passkey_challenge
			WHERE id = $1 AND user_id IS NULL AND expires_at > $2 RETURNING data`, id, clock.At(tx.Now()))
	}
	return db.One(&tx.Reader, scan, `DELETE FROM passkey_challenge
		WHERE id = $1 AND user_id = $2 AND expires_at > $3 RETURNING data`, id, *user, clock.At(tx.Now()))
}
