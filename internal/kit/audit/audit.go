// Package audit writes the line that says who changed what. A line is written
// in the transaction of the change, never after it.
package audit

import (
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/obs"
)

// Write adds a line: an action such as "webhook.rotated", the record it was
// done to, and what changed. Secrets have no place in details.
func Write(tx *db.Tx, action, object string, details any) error {
	who := caller.From(tx.Context())
	var actor *uuid.UUID
	if who.ID != uuid.Nil {
		actor = &who.ID
	}
	_, err := tx.Exec(`INSERT INTO audit_log
		(tenant_id, id, at, actor_kind, actor_id, ip, trace_id, action, object, details)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		tx.Tenant(), tx.NewID(), clock.At(tx.Now()), string(who.Kind), actor, who.IP,
		obs.TraceID(tx.Context()), action, object, db.AsJSON(details))
	if err != nil {
		return fmt.Errorf("audit: %s: %w", action, err)
	}
	return nil
}
