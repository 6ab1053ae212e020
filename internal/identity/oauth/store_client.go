package oauth

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const clientColumns = `id, client_id, name, redirect_uris, scopes, created_at`

// scanClient reads a client as an app that every workspace may let in.
func scanClient(row db.Row) (App, error) {
	a := App{Public: true, selfRegistered: true}
	err := row.Scan(&a.ID, &a.ClientID, &a.Name, db.FromJSON(&a.RedirectURIs), db.FromJSON(&a.Scopes), &a.CreatedAt)
	return a, err
}

func putClient(tx *db.Tx, a App) error {
	return tx.Exec(`INSERT INTO oauth_client (id, client_id, name, redirect_uris, scopes, created_at, used_at) VALUES ($1, $2, $3, $4, $5, $6, $6)`,
		a.ID, a.ClientID, a.Name, db.AsJSON(a.RedirectURIs), db.AsJSON(a.Scopes), a.CreatedAt)
}

// markClientUsed records that a client got a token.
func markClientUsed(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`UPDATE oauth_client SET used_at = $2 WHERE id = $1`, id, clock.At(tx.Now()))
}

// deleteUnusedClients deletes a batch of clients that got no token since a time.
func deleteUnusedClients(tx *db.Tx, before time.Time, limit int) (int64, error) {
	return tx.ExecCount(`DELETE FROM oauth_client WHERE id IN (SELECT id FROM oauth_client WHERE used_at < $1 ORDER BY used_at LIMIT $2)`, clock.At(before), limit)
}
