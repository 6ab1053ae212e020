package archive

import (
	"archive/tar"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"filippo.io/age"
	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/backup"
	"konak/internal/kit/blob"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/secret"
	"konak/internal/kit/tenantrows"
)

// Export writes a workspace into a new file, NAME.tar, or NAME.tar.age which only the
// recipients can read. All rows are from one moment. The file gets its name when it is
// complete. The audit line about the export is written first, so the archive contains it
// too.
func Export(ctx context.Context, c Config, w Workspace, target string, to []age.Recipient) (s Summary, err error) {
	if _, err := os.Lstat(target); err == nil {
		return s, fmt.Errorf("the archive needs a new file: %s already exists", target)
	}
	f, err := os.CreateTemp(filepath.Dir(target), ".export-*")
	if err != nil {
		return s, err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	out, err := backup.Encrypt(f, target, to)
	if err != nil {
		return s, errors.Join(err, f.Close())
	}
	if err := c.recordExport(ctx, w.ID, len(to) > 0); err != nil {
		return s, errors.Join(err, f.Close())
	}
	e := &export{Config: c, tar: tar.NewWriter(out), folder: filepath.Dir(target), seal: c.Box}
	e.Summary = Summary{
		Format: format, Version: c.Version, Schema: c.Schema, MadeAt: clock.At(c.DB.Clock().Now()),
		Installation: c.Box.InstallationID(), Workspace: w,
	}
	if len(to) > 0 {
		e.seal, e.Key = secret.NewMaster()
	}
	err = e.write(ctx)
	err = errors.Join(err, e.tar.Close(), out.Close(), f.Sync(), f.Close())
	if err != nil {
		return s, err
	}
	return e.Summary, os.Link(f.Name(), target) // fails if the file was created meanwhile
}

func (c *Config) recordExport(ctx context.Context, tenant uuid.UUID, encrypted bool) error {
	return c.DB.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		return audit.Write(tx, "workspace.exported_by_operator", tenant.String(), map[string]any{"encrypted": encrypted})
	})
}

// export is an archive that is being written.
type export struct {
	Config
	manifest
	tar    *tar.Writer
	folder string      // for data that is too large for the memory
	seal   *secret.Box // seals the archive's secrets
	blobs  []blob.Stored
}

// write writes the tables, the files and the manifest.
func (e *export) write(ctx context.Context) error {
	tables, err := tenantrows.CopyTables(ctx, e.DB)
	if err != nil {
		return err
	}
	err = e.DB.Tenant(e.Workspace.ID).Within(patience).ReadSnapshot(ctx, func(r *db.Reader) error {
		for i := range tables {
			if err := errors.Join(ctx.Err(), e.addTable(r, &tables[i])); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, b := range e.blobs {
		if err := errors.Join(ctx.Err(), e.addFile(ctx, b)); err != nil {
			return fmt.Errorf("the file %s: %w", b.Name, err)
		}
	}
	text, err := json.MarshalIndent(e.manifest, "", " ")
	if err != nil {
		return err
	}
	if err := e.begin(manifestName, int64(len(text))); err != nil {
		return err
	}
	_, err = e.tar.Write(text)
	return err
}

func (e *export) begin(name string, size int64) error {
	return e.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: e.MadeAt.Time, Format: tar.FormatPAX})
}

// addTable adds the rows of a table, if there are any. They are written to a separate file
// first, because a tar has the size of a file before its content.
func (e *export) addTable(r *db.Reader, t *tenantrows.CopyTable) error {
	f, err := os.CreateTemp(e.folder, ".export-*")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := os.Remove(f.Name()); err != nil {
		return err
	}
	sum, lines := sha256.New(), bufio.NewWriter(f)
	out := Table{Name: t.Name}
	err = t.Read(r, func(row tenantrows.Row) error {
		out.Rows++
		out.Secrets += transfer(e.Box, e.seal, t, row)
		if t.Name == blobTable {
			e.blobs = append(e.blobs, storedBlobs(t, row)...)
		}
		line, err := t.EncodeLine(row)
		if err != nil {
			return err
		}
		if len(line) > maxLine {
			return fmt.Errorf("a row of %s has %d bytes", t.Name, len(line))
		}
		_, err = io.MultiWriter(lines, sum).Write(line)
		return err
	})
	if err = errors.Join(err, lines.Flush()); err != nil || out.Rows == 0 {
		return err
	}
	size, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	out.SHA256 = hex.EncodeToString(sum.Sum(nil))
	e.Tables, e.Rows, e.Secrets = append(e.Tables, out), e.Rows+out.Rows, e.Secrets+out.Secrets
	if err := e.begin(tablesFolder+t.Name+tableEnd, size); err != nil {
		return err
	}
	_, err = io.Copy(e.tar, f)
	return err
}

// addFile adds the content of a file after comparing it with its record.
func (e *export) addFile(ctx context.Context, b blob.Stored) error {
	in, err := e.Blobs.OpenStored(ctx, b)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if err := e.begin(filesFolder+b.ID.String(), b.Size); err != nil {
		return err
	}
	e.Files, e.Bytes = e.Files+1, e.Bytes+b.Size
	_, err = io.Copy(e.tar, in)
	return err
}

// transfer seals the secrets of a row for another box and returns the number of values with
// secrets.
func transfer(from, to *secret.Box, t *tenantrows.CopyTable, row tenantrows.Row) (n int64) {
	for i, c := range t.Columns {
		switch v := row[i].(type) {
		case []byte:
			if anew, ok := from.Transfer(to, c, v); ok {
				row[i], n = anew, n+1
			}
		case string:
			if anew, ok := from.Transfer(to, c, []byte(v)); ok {
				row[i], n = string(anew), n+1
			}
		}
	}
	return n
}

// blobTable holds the records of files.
const blobTable = "blob"

// storedBlobs returns the file of a row of blobTable, or nothing if its content is not
// stored.
func storedBlobs(t *tenantrows.CopyTable, row tenantrows.Row) []blob.Stored {
	tenant, _ := row[t.Index("tenant_id")].(uuid.UUID)
	id, _ := row[t.Index("id")].(uuid.UUID)
	hash, _ := row[t.Index("hash")].([]byte)
	size, _ := row[t.Index("size")].(int64)
	if row[t.Index("ready")] != true || row[t.Index("going")] != false {
		return nil
	}
	return []blob.Stored{{Tenant: tenant, ID: id, Name: id.String(), Hash: hash, Size: size}}
}
