// Package audit writes the lines that record who changed what. A line is written in the
// transaction of the change, never after it.
package audit

import (
	"fmt"
	"maps"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/obs"
)

// Write adds a line: an action such as "webhook.rotated", the record it was done to, and
// what changed. The details must not contain secrets.
func Write(tx *db.Tx, action, object string, details any) error {
	return WriteAs(tx, caller.From(tx.Context()), action, object, details)
}

// WriteAs adds a line for an actor that is not in the context yet, such as a person who is
// about to enter another workspace.
func WriteAs(tx *db.Tx, who *caller.Caller, action, object string, details any) error {
	err := tx.ExecDeferred(`INSERT INTO audit_log
		(tenant_id, id, at, actor_kind, actor_id, ip, trace_id, action, object, details)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		tx.Tenant(), tx.NewID(), clock.At(tx.Now()), string(who.Kind), who.Actor(), who.IP,
		obs.TraceID(tx.Context()), action, object, db.AsJSON(nameApp(who, details)))
	if err != nil {
		return fmt.Errorf("audit: %s: %w", action, err)
	}
	return nil
}

// nameApp adds the name of the app that acts for a person to the details, so that a reader
// can distinguish several apps of one person.
func nameApp(who *caller.Caller, details any) any {
	changed, ok := details.(map[string]any)
	if who.App == "" || !ok && details != nil {
		return details
	}
	out := map[string]any{"app": who.App}
	maps.Copy(out, changed)
	return out
}
