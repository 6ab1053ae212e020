package contact

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/jobs"
)

// ImportJob is the kind of the jobs that carry out an import.
const ImportJob = "contact.import"

// importSlice is the number of rows that one job imports, well within its lease; the next
// job continues from there. A batch in the database has the same size, so that a job's work
// does not grow with the file.
const importSlice = 200

type importTask struct {
	ImportID uuid.UUID `json:"import_id"`
}

// Import accepts a CSV file; jobs import it row by row.
func (s *Service) Import(ctx context.Context, filename, content string) (out Import, err error) {
	t, err := parseCSV(content)
	if err != nil {
		return out, err
	}
	err = idempotency.Do(ctx, s.db.TenantOf(ctx), &out, func(tx *db.Tx) error {
		out = Import{
			ID: tx.NewID(), Filename: path.Base(filename), Status: "queued", Total: len(t.rows),
			CreatedBy: callerID(ctx), CreatedAt: clock.At(tx.Now()),
		}
		if err := putImport(tx, out, t); err != nil {
			return fmt.Errorf("contact: put import: %w", err)
		}
		if err := audit.Write(tx, "contact.import_started", out.ID.String(), map[string]any{"rows": out.Total}); err != nil {
			return err
		}
		_, err := jobs.Enqueue(tx, ImportJob, tx.Now(), importTask{out.ID})
		return err
	})
	return out, err
}

// Jobs returns the kind of the jobs that import contacts.
func (s *Service) Jobs() []jobs.Kind {
	return []jobs.Kind{{Name: ImportJob, Handler: jobs.WithPayload(s.RunImport), PerNode: 4, PerTenant: 1, MaxAttempts: 20}}
}

// RunImport is the job's handler. Each row is imported in one transaction with the
// progress, so a crash neither repeats nor loses a row.
func (s *Service) RunImport(ctx context.Context, _ *jobs.Job, task importTask) error {
	var imp Import
	var t table
	err := s.db.TenantOf(ctx).Read(ctx, func(r *db.Reader) (err error) {
		imp, t, err = importBatch(r, task.ImportID)
		return err
	})
	if db.IsNoRow(err) || err == nil && imp.Status == "done" {
		return nil
	}
	if err != nil {
		return err
	}
	ctx = actingFor(ctx, imp.CreatedBy)
	number, done := imp.Processed/importSlice, imp.Processed%importSlice
	for n := done; n < len(t.rows); n++ {
		if err := s.importRow(ctx, imp.ID, number*importSlice+n, t.input(t.rows[n])); err != nil {
			return err
		}
	}
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if err := dropBatch(tx, imp.ID, number); err != nil {
			return err
		}
		if number*importSlice+len(t.rows) >= imp.Total {
			return finishImport(tx, imp.ID)
		}
		_, err := jobs.Enqueue(tx, ImportJob, tx.Now(), task)
		return err
	})
}

// actingFor makes the uploader of the file the author of the records.
func actingFor(ctx context.Context, who *uuid.UUID) context.Context {
	if who == nil {
		return ctx
	}
	c := *caller.From(ctx)
	c.Kind, c.ID = caller.Agent, *who
	return caller.With(ctx, &c)
}

func (s *Service) importRow(ctx context.Context, id uuid.UUID, index int, in Input) error {
	err := s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		made, err := s.upsert(tx, in)
		if err != nil {
			return err
		}
		counter := "updated"
		if made {
			counter = "created"
		}
		return stepImport(tx, id, index, counter)
	})
	f, ok := fault.As(conflict(err))
	if !ok {
		return err
	}
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if err := stepImport(tx, id, index, "failed"); err != nil {
			return err
		}
		return putImportErrors(tx, id, index+2, f)
	})
}

// upsert updates the contact that a row refers to, or creates it.
func (s *Service) upsert(tx *db.Tx, in Input) (made bool, err error) {
	if in.Kind != nil && *in.Kind != Lead && *in.Kind != Customer {
		return false, fault.Invalid("kind", "not_allowed")
	}
	id, err := s.findExisting(tx, in)
	if db.IsNoRow(err) {
		_, err = s.create(tx, in)
		return true, err
	}
	if err != nil {
		return false, err
	}
	_, err = s.changeIn(tx, id, func(tx *db.Tx, c *Contact) error {
		// A file adds addresses and tags but never removes any.
		in.Emails = union(addresses(c), in.Emails)
		in.Phones = union(numbers(c), in.Phones)
		in.Tags = union(c.Tags, in.Tags)
		in.CustomAttributes = changedAttributes(c.CustomAttributes, in.CustomAttributes)
		if err := in.apply(c); err != nil {
			return err
		}
		return s.check(tx, c, in)
	})
	return false, err
}

func union(has []string, more *[]string) *[]string {
	if more == nil {
		return nil
	}
	all := append(slices.Clone(has), *more...)
	return &all
}

func (s *Service) findExisting(tx *db.Tx, in Input) (uuid.UUID, error) {
	if in.ExternalID != nil {
		if id, err := holderOfExternal(&tx.Reader, *in.ExternalID, inTest(&tx.Reader)); err == nil || !db.IsNoRow(err) {
			return id, err
		}
	}
	if in.Emails != nil {
		for _, s := range *in.Emails {
			if e, ok := address.ParseEmail(s); ok {
				if ref, err := refByEmail(&tx.Reader, e.Key); err == nil || !db.IsNoRow(err) {
					return ref.ID, err
				}
			}
		}
	}
	if in.Phones != nil {
		for _, s := range *in.Phones {
			if n, ok := address.ParsePhone(s); ok {
				if ref, err := refByPhone(&tx.Reader, n); err == nil || !db.IsNoRow(err) {
					return ref.ID, err
				}
			}
		}
	}
	return uuid.Nil, db.ErrNoRow
}

// GetImport returns an import with its progress.
func (s *Service) GetImport(ctx context.Context, id uuid.UUID) (Import, error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (Import, error) {
		out, err := importByID(r, id)
		return out, db.NotFound(err)
	})
}

// ImportErrors lists the errors of rows that could not be imported, in the file's order.
func (s *Service) ImportErrors(ctx context.Context, id uuid.UUID, p db.Page) (db.List[ImportError], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (out db.List[ImportError], err error) {
		if _, err := importByID(r, id); err != nil {
			return out, db.NotFound(err)
		}
		return importErrors(r, id, p)
	})
}

// Export writes every contact that matches the filter as CSV, page by page. It is limited
// to the caller's environment, so that a file carries nothing from one into the other.
func (s *Service) Export(ctx context.Context, f Filter, w io.Writer) error {
	test := caller.From(ctx).Test
	f.Test = &test
	var names []string
	err := s.db.TenantOf(ctx).Read(ctx, func(r *db.Reader) (err error) {
		names, err = attributeNames(r, f)
		return err
	})
	if err != nil {
		return fmt.Errorf("contact: attributes of an export: %w", err)
	}
	header := slices.Clone(Columns)
	for _, n := range names {
		header = append(header, harmless(attrPrefix+n))
	}
	out := csv.NewWriter(w)
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return err
	}
	if err := out.Write(header); err != nil {
		return err
	}
	p := db.Page{Limit: 500, After: db.First}
	for {
		page, err := s.List(ctx, f, p)
		if err != nil {
			return err
		}
		for i := range page.Rows {
			if err := out.Write(page.Rows[i].cells(names)); err != nil {
				return err
			}
		}
		out.Flush()
		if err := out.Error(); err != nil || page.Next == nil {
			return err
		}
		p.After = *page.Next
	}
}

// Exported writes the audit line that shows who exported the address book.
func (s *Service) Exported(ctx context.Context) error {
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error { return audit.Write(tx, "contact.exported", "contacts", nil) })
}
