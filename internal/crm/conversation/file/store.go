package file

import (
	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/filetype"
)

const columns = `id, name, declared_type, type, size, blob_id, blocked, pending, content_id, uploader_id, test, created_at`

func scan(row db.Row) (a Attachment, err error) {
	err = row.Scan(&a.ID, &a.Name, &a.declared, &a.Type, &a.Size, &a.BlobID, &a.Blocked, &a.Pending, &a.ContentID, &a.uploader, &a.test, &a.CreatedAt)
	a.Shown = a.Blocked == nil && !a.Pending && filetype.Shown(a.Type)
	return a, err
}

func put(tx *db.Tx, a *Attachment, item *uuid.UUID) error {
	return tx.Exec(`INSERT INTO attachment (tenant_id, id, item_id, name, declared_type, type, size, blob_id, blocked,
			content_id, uploader_id, test, created_at, pending)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		tx.Tenant(), a.ID, item, a.Name, a.declared, a.Type, a.Size, a.BlobID, a.Blocked, a.ContentID, a.uploader, a.test, a.CreatedAt, a.Pending)
}

// Fill fills in a pending file and reports whether it was still pending.
func Fill(tx *db.Tx, id, item uuid.UUID, a *Attachment) (bool, error) {
	return tx.ExecAny(`UPDATE attachment SET name = $4, type = $5, size = $6, blob_id = $7, blocked = $8, pending = false
		WHERE tenant_id = $1 AND id = $2 AND item_id = $3 AND pending`,
		tx.Tenant(), id, item, a.Name, a.Type, a.Size, a.BlobID, a.Blocked)
}

// lockUnattached locks and returns the uploads among ids that belong to no item yet.
func lockUnattached(tx *db.Tx, ids []uuid.UUID, uploader uuid.UUID) ([]Attachment, error) {
	in, arg := db.In(tx.Dialect(), 3, ids)
	return db.All(&tx.Reader, scan, `SELECT `+columns+` FROM attachment
		WHERE tenant_id = $1 AND uploader_id = $2 AND item_id IS NULL AND scheduled_id IS NULL AND id `+in+
		tx.Dialect().ForUpdate("attachment"), tx.Tenant(), uploader, arg)
}

func claim(tx *db.Tx, id, item uuid.UUID) error {
	return tx.Exec(`UPDATE attachment SET item_id = $3, scheduled_id = NULL, draft_id = NULL WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id, item)
}

// OfItems returns the files of several items at once, each item's in the order of arrival.
func OfItems(r *db.Reader, items []uuid.UUID) (map[uuid.UUID][]Attachment, error) {
	type row struct {
		item uuid.UUID
		Attachment
	}
	in, arg := db.In(r.Dialect(), 2, items)
	rows, err := db.All(r, func(s db.Row) (o row, err error) {
		o.Attachment, err = scan(prefixed{s, &o.item})
		return o, err
	}, `SELECT item_id, `+columns+` FROM attachment WHERE tenant_id = $1 AND item_id `+in+` ORDER BY id`,
		r.Tenant(), arg)
	out := map[uuid.UUID][]Attachment{}
	for _, o := range rows {
		out[o.item] = append(out[o.item], o.Attachment)
	}
	return out, err
}

// prefixed scans a column that precedes those of a record.
type prefixed struct {
	db.Row
	first any
}

func (p prefixed) Scan(dest ...any) error { return p.Row.Scan(append([]any{p.first}, dest...)...) }

// byID returns a file that the caller can see: their own upload, or a file of an item and a
// conversation that are not deleted and are in the caller's environment.
func byID(r *db.Reader, id, uploader uuid.UUID) (Attachment, error) {
	return db.One(r, scan, `SELECT `+columns+` FROM attachment a
		WHERE tenant_id = $1 AND id = $2 AND (uploader_id = $3 AND item_id IS NULL OR EXISTS (
			SELECT 1 FROM conversation_item i JOIN conversation c ON c.tenant_id = i.tenant_id AND c.id = i.conversation_id
			WHERE i.tenant_id = a.tenant_id AND i.id = a.item_id AND i.deleted_at IS NULL AND c.deleted_at IS NULL`+
		caller.OnlyVisible(r.Context(), "c.test")+`))`, r.Tenant(), id, uploader)
}

// drop removes rows and returns their blobs.
func drop(tx *db.Tx, ids []uuid.UUID) ([]uuid.UUID, error) {
	in, arg := db.In(tx.Dialect(), 2, ids)
	list, err := db.All(&tx.Reader, db.Scalar[*uuid.UUID], `DELETE FROM attachment
		WHERE tenant_id = $1 AND item_id IS NULL AND id `+in+` RETURNING blob_id`, tx.Tenant(), arg)
	var blobs []uuid.UUID
	for _, id := range list {
		if id != nil {
			blobs = append(blobs, *id)
		}
	}
	return blobs, err
}

// listForgotten lists old uploads of any tenant that were never attached.
func listForgotten(r *db.Reader, before clock.Time, limit int) ([]forgottenUpload, error) {
	return db.All(r, func(row db.Row) (d forgottenUpload, err error) {
		err = row.Scan(&d.tenant, &d.id)
		return d, err
	}, `SELECT tenant_id, id FROM attachment WHERE item_id IS NULL AND scheduled_id IS NULL AND draft_id IS NULL AND created_at < $1
		ORDER BY created_at LIMIT $2`, before, limit)
}

type forgottenUpload struct{ tenant, id uuid.UUID }

// stillWaiting locks an upload and reports whether it is still unattached.
func stillWaiting(tx *db.Tx, id uuid.UUID) (bool, error) {
	_, err := db.One(&tx.Reader, db.Scalar[uuid.UUID], `SELECT id FROM attachment
		WHERE tenant_id = $1 AND id = $2 AND item_id IS NULL AND scheduled_id IS NULL AND draft_id IS NULL`+tx.Dialect().ForUpdate("attachment"), tx.Tenant(), id)
	return db.Found(err)
}

// OfDraft returns the uploads of a draft.
func OfDraft(r *db.Reader, draft uuid.UUID) ([]Attachment, error) {
	list, err := db.All(r, scan, `SELECT `+columns+` FROM attachment
		WHERE tenant_id = $1 AND draft_id = $2 ORDER BY id`, r.Tenant(), draft)
	return db.OrEmpty(list), err
}

// HoldForDraft assigns exactly these uploads to a draft; each keeps its creation time.
func HoldForDraft(tx *db.Tx, draft uuid.UUID, list []Attachment) error {
	if err := ReleaseFromDraft(tx, draft); err != nil {
		return err
	}
	for _, a := range list {
		if err := tx.Exec(`UPDATE attachment SET draft_id = $3, created_at = $4 WHERE tenant_id = $1 AND id = $2`,
			tx.Tenant(), a.ID, draft, a.CreatedAt); err != nil {
			return err
		}
	}
	return nil
}

// ReleaseFromDraft releases a draft's uploads. They count as uploaded now: a retried
// message may still name them.
func ReleaseFromDraft(tx *db.Tx, draft uuid.UUID) error {
	return tx.Exec(`UPDATE attachment SET draft_id = NULL, created_at = $3 WHERE tenant_id = $1 AND draft_id = $2`,
		tx.Tenant(), draft, clock.At(tx.Now()))
}

// ReleaseFromScheduled releases the files of a cancelled message. They count as uploaded
// now.
func ReleaseFromScheduled(tx *db.Tx, scheduled uuid.UUID) error {
	return tx.Exec(`UPDATE attachment SET scheduled_id = NULL, created_at = $3 WHERE tenant_id = $1 AND scheduled_id = $2`,
		tx.Tenant(), scheduled, clock.At(tx.Now()))
}

// HoldForScheduled assigns an upload to a scheduled message.
func HoldForScheduled(tx *db.Tx, attachment, scheduled uuid.UUID) error {
	return tx.Exec(`UPDATE attachment SET scheduled_id = $3, draft_id = NULL WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), attachment, scheduled)
}

// OfScheduled returns the files of scheduled messages.
func OfScheduled(r *db.Reader, ids []uuid.UUID) (map[uuid.UUID][]Attachment, error) {
	out := map[uuid.UUID][]Attachment{}
	in, arg := db.In(r.Dialect(), 2, ids)
	_, err := db.All(r, func(s db.Row) (Attachment, error) {
		var of uuid.UUID
		a, err := scan(prefixed{s, &of})
		out[of] = append(out[of], a)
		return a, err
	}, `SELECT scheduled_id, `+columns+` FROM attachment WHERE tenant_id = $1 AND scheduled_id `+in+` ORDER BY id`,
		r.Tenant(), arg)
	return out, err
}

// attachedOn reports whether a file belongs to a message that went over one channel
// account, in the given conversation unless it is nil.
func attachedOn(r *db.Reader, account uuid.UUID, conversation *uuid.UUID, attachment uuid.UUID) (bool, error) {
	args, within := []any{r.Tenant(), attachment, account}, ``
	if conversation != nil {
		args, within = append(args, *conversation), ` AND i.conversation_id = $4`
	}
	return db.One(r, db.Scalar[bool], `SELECT EXISTS (SELECT 1 FROM attachment a
		JOIN conversation_item i ON i.tenant_id = a.tenant_id AND i.id = a.item_id
		WHERE a.tenant_id = $1 AND a.id = $2 AND i.channel_account_id = $3 AND i.kind = 'message' AND i.deleted_at IS NULL`+
		caller.OnlyVisible(r.Context(), "i.test")+within+`)`, args...)
}
