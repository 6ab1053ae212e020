package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/secret"
	"konak/internal/kit/tenantrows"
)

// elsewhere lists the tables whose rows are useless in another installation, because they
// were made with a key of the original one: sign-in codes and signatures.
var elsewhere = []string{"recovery_code", "privacy_ledger_signature"}

// A help center is the channel account of this kind; its external_id is the short name of
// its workspace.
const (
	accountTable   = "channel_account"
	helpCenterKind = "help_center"
)

// Imported describes what an import wrote.
type Imported struct {
	Summary
	// Elsewhere is true if the archive comes from another installation.
	Elsewhere bool `json:"elsewhere"`
	People    int  `json:"people"` // people who got an account
	Joined    int  `json:"joined"` // people who already had one and keep their password
}

// Import reads an archive and writes its workspace, suspended, completely or not at all.
// The identity file is needed for an encrypted archive. It returns ErrDamaged, ErrRefused,
// ErrOtherSchema, ErrOtherInstallation or ErrTaken if it cannot.
func Import(ctx context.Context, c Config, name, identityFile string) (out Imported, err error) {
	tables, err := tenantrows.CopyTables(ctx, c.DB)
	if err != nil {
		return out, err
	}
	i := &importer{Config: c, source: source{name, identityFile}}
	if i.checker, err = check(ctx, i.source, tables); err != nil {
		return out, err
	}
	if i.found.Schema != c.Schema {
		return out, fmt.Errorf("%w (created by version %s)", ErrOtherSchema, i.found.Version)
	}
	i.before = i.tenant.Slug
	if c.Slug != "" {
		i.tenant.Slug = c.Slug
	}
	if c.Reserved != nil && c.Reserved(i.tenant.Slug) {
		return Imported{}, fmt.Errorf("%w: the short name %q is reserved by the installation; --slug NAME imports the workspace under another one", ErrTaken, i.tenant.Slug)
	}
	i.from, i.elsewhere = c.Box, i.found.Installation != c.Box.InstallationID()
	if i.found.Key != "" {
		if i.from, err = secret.ParseBox(i.found.Key); err != nil {
			return out, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	} else if i.elsewhere {
		return out, ErrOtherInstallation
	}
	h := c.DB.Tenant(i.tenant.ID)
	if err := h.Read(ctx, i.checkFree); err != nil {
		return out, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, i.removeFiles(context.WithoutCancel(ctx)))
		}
	}()
	if err := i.putFiles(ctx); err != nil {
		return out, err
	}
	err = h.Within(patience).InTx(ctx, func(tx *db.Tx) error {
		if err := i.checkFree(&tx.Reader); err != nil {
			return err
		}
		return i.insert(ctx, tx)
	})
	return i.Imported, err
}

// importer writes an archive that has been checked.
type importer struct {
	Config
	*checker
	Imported
	source    source
	from      *secret.Box // the box in which the archive's secrets are sealed
	elsewhere bool
	before    string      // the workspace's short name in the archive
	put       []uuid.UUID // files written so far

	persons map[uuid.UUID]uuid.UUID // people who have an account here, by their id in the archive
	secrets int64
}

// checkFree returns ErrTaken if the workspace's id or name is taken.
func (i *importer) checkFree(r *db.Reader) error {
	slug, taken, err := tenantrows.FindTenant(r, i.tenant.ID, i.tenant.Slug)
	if err == nil && taken {
		err = fmt.Errorf("%w: the workspace %q already exists; if it is a different one, --slug NAME imports this one under another short name", ErrTaken, slug)
	}
	return err
}

// putFiles writes the workspace's files, to which nothing refers yet.
func (i *importer) putFiles(ctx context.Context) error {
	return i.source.read(ctx, func(name string, _ int64, r io.Reader) error {
		text, ok := strings.CutPrefix(name, filesFolder)
		if !ok {
			return nil
		}
		id, err := uuid.Parse(text)
		if err != nil {
			return err
		}
		b, ok := i.blobs[id]
		if !ok {
			return fmt.Errorf("%w: it changed while it was read", ErrDamaged)
		}
		i.put = append(i.put, id)
		if err := i.Blobs.PutStored(ctx, b, r); err != nil {
			return fmt.Errorf("the file %s: %w", id, err)
		}
		return nil
	})
}

// removeFiles removes what putFiles wrote, unless somebody else has imported the workspace
// in the meantime and the files now belong to that import.
func (i *importer) removeFiles(ctx context.Context) error {
	err := i.DB.Tenant(i.tenant.ID).Read(ctx, i.checkFree)
	if errors.Is(err, ErrTaken) {
		return nil
	}
	for _, id := range i.put {
		err = errors.Join(err, i.Blobs.RemoveStored(ctx, i.tenant.ID, id))
	}
	return err
}

// insert writes all rows and the audit line. It may run more than once.
func (i *importer) insert(ctx context.Context, tx *db.Tx) error {
	i.Imported = Imported{Summary: i.found.Summary, Elsewhere: i.elsewhere}
	i.Workspace = i.tenant
	i.persons, i.secrets = map[uuid.UUID]uuid.UUID{}, 0
	err := i.source.read(ctx, func(name string, _ int64, r io.Reader) error {
		at := slices.IndexFunc(i.tables, func(t tenantrows.CopyTable) bool { return t.Name == tableName(name) })
		if at < 0 {
			return nil
		}
		return i.insertTable(tx, &i.tables[at], r)
	})
	if err != nil {
		return err
	}
	if i.secrets != i.found.Secrets {
		return fmt.Errorf("%w: %d of its %d secrets cannot be decrypted; if the master key was changed since, export it again", ErrRefused, i.found.Secrets-i.secrets, i.found.Secrets)
	}
	tx.Wake(db.TopicSuspended)
	return audit.Write(tx, "workspace.imported_by_operator", i.tenant.ID.String(), map[string]any{
		"rows": i.Rows, "files": i.Files, "people": i.People, "joined": i.Joined,
		"made_at": i.MadeAt, "version": i.found.Version, "elsewhere": i.elsewhere,
	})
}

func (i *importer) insertTable(tx *db.Tx, t *tenantrows.CopyTable, r io.Reader) error {
	var batch []tenantrows.Row
	flush := func() error {
		err := t.Insert(tx, batch)
		batch = batch[:0]
		if errors.Is(err, tenantrows.ErrExists) {
			return fmt.Errorf("%w: %w", ErrTaken, err)
		}
		return err
	}
	n, sum, err := eachRow(t, r, func(row tenantrows.Row) error {
		i.secrets += transfer(i.from, i.Box, t, row)
		if wanted, err := i.prepare(tx, t, row); err != nil || !wanted {
			return err
		}
		if batch = append(batch, row); len(batch) < tenantrows.InsertBatch {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(i.seen, func(s Table) bool { return s.Name == t.Name && s.Rows == n && s.SHA256 == sum }) {
		return fmt.Errorf("%w: it changed while it was read", ErrDamaged)
	}
	return nil
}

// prepare changes a row into the form to be written here, and reports whether to write it.
func (i *importer) prepare(tx *db.Tx, t *tenantrows.CopyTable, row tenantrows.Row) (bool, error) {
	if i.elsewhere && slices.Contains(elsewhere, t.Name) {
		return false, nil
	}
	if t.Name == accountTable && row[t.Index("kind")] == any(helpCenterKind) && row[t.Index("external_id")] == any(i.before) {
		row[t.Index("external_id")] = i.tenant.Slug
	}
	switch t.Kind {
	case tenantrows.Tenant:
		row[t.Index("slug")] = i.tenant.Slug
		row[t.Index("suspended_at")], row[t.Index("deleting")] = clock.At(tx.Now()).UnixMicro(), false
	case tenantrows.People:
		id, joined, err := tenantrows.PersonByEmail(&tx.Reader, row[t.Index("email_key")].(string))
		if err != nil {
			return false, err
		}
		if !joined {
			i.People++
			return true, nil
		}
		i.Joined++
		i.persons[row[t.Index("id")].(uuid.UUID)] = id
		return false, nil
	case tenantrows.OfPerson:
		_, joined := i.persons[row[t.Index("user_id")].(uuid.UUID)]
		return !joined, nil
	case tenantrows.OfMembership:
		if user, ok := row[t.Index("user_id")].(uuid.UUID); ok {
			if here, joined := i.persons[user]; joined {
				row[t.Index("user_id")] = here
			}
		}
	}
	return true, nil
}
