package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/backup"
	"konak/internal/kit/blob"
	"konak/internal/kit/tenantrows"
)

// source is a file from which an archive is read, more than once.
type source struct{ name, identityFile string }

// read calls fn with the name, the size and the content of each file of the archive in
// turn. It returns ErrDamaged if the file is not a tar, and ErrRefused if it contains
// anything but plain files, or a file after the manifest.
func (s source) read(ctx context.Context, fn func(name string, size int64, r io.Reader) error) error {
	f, err := os.Open(s.name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	plain, err := backup.Decrypt(bufio.NewReaderSize(f, 1<<20), s.name, s.identityFile)
	if err != nil {
		return err
	}
	watched := &backup.Watched{Reader: plain}
	in, at, ended := tar.NewReader(watched), "at its beginning", false
	damage := func(where string, err error) error {
		return fmt.Errorf("%w: %w", ErrDamaged, backup.Damage("archive", s.name, where, err))
	}
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			if !ended {
				return fmt.Errorf("%w: %s has no %s, so it is cut off %s", ErrDamaged, s.name, manifestName, at)
			}
			return nil
		}
		if err != nil {
			return damage(at, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if h.Typeflag == tar.TypeDir || h.Name == backup.DatabaseFile {
			return refuse("it holds %q as backups do; `konak restore` reads those", h.Name)
		}
		if h.Typeflag != tar.TypeReg || ended {
			return refuse("it holds %q", h.Name)
		}
		if err := fn(h.Name, h.Size, in); err != nil && watched.Err != nil || errors.Is(err, io.ErrUnexpectedEOF) {
			return damage("in "+h.Name, err)
		} else if err != nil {
			return err
		}
		at, ended = "after "+h.Name, h.Name == manifestName
	}
}

// tableName returns the table whose rows a file of the archive contains, "" for other
// files.
func tableName(name string) string {
	table, ok := strings.CutPrefix(name, tablesFolder)
	if table, end := strings.CutSuffix(table, tableEnd); ok && end {
		return table
	}
	return ""
}

// eachRow calls fn with each row of a table, and returns the number of rows and their
// checksum.
func eachRow(t *tenantrows.CopyTable, r io.Reader, fn func(tenantrows.Row) error) (n int64, sum string, err error) {
	h := sha256.New()
	lines := bufio.NewScanner(io.TeeReader(r, h))
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for lines.Scan() {
		row, err := t.DecodeLine(lines.Bytes())
		if err != nil && lines.Err() != nil {
			break // it is the beginning of a line
		}
		if err != nil {
			return n, "", refuse("%w", err)
		}
		if err := fn(row); err != nil {
			return n, "", err
		}
		n++
	}
	if err := lines.Err(); err != nil {
		return n, "", fmt.Errorf("%w: %s: %w", ErrDamaged, t.Name, err)
	}
	return n, hexSum(h), nil
}

func hexSum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// checker reads a whole archive and checks that it contains one workspace and nothing else.
type checker struct {
	tables []tenantrows.CopyTable
	found  manifest // the archive's manifest
	seen   []Table  // what was read
	tenant Workspace
	people map[uuid.UUID]bool // and whether a membership names them
	blobs  map[uuid.UUID]blob.Stored
	files  map[uuid.UUID]bool
}

// check reads an archive to its end and returns its manifest, or an error if anything in it
// is not as an export writes it. It writes nothing.
func check(ctx context.Context, s source, tables []tenantrows.CopyTable) (*checker, error) {
	k := &checker{tables: tables, people: map[uuid.UUID]bool{}, blobs: map[uuid.UUID]blob.Stored{}, files: map[uuid.UUID]bool{}}
	err := s.read(ctx, func(name string, size int64, r io.Reader) error {
		if table := tableName(name); table != "" {
			return k.addTable(table, r)
		}
		if id, ok := strings.CutPrefix(name, filesFolder); ok {
			return k.addFile(id, size, r)
		}
		if name == manifestName {
			return k.readManifest(size, r)
		}
		return refuse("it holds %q", name)
	})
	if err != nil {
		return nil, err
	}
	return k, k.compare()
}

func (k *checker) readManifest(size int64, r io.Reader) error {
	if size > maxManifest {
		return refuse("its manifest has %d bytes", size)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&k.found); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDamaged, manifestName, err)
	}
	return nil
}

// addTable checks the rows of a table.
func (k *checker) addTable(name string, r io.Reader) error {
	at := slices.IndexFunc(k.tables, func(t tenantrows.CopyTable) bool { return t.Name == name })
	if at < 0 {
		return refuse("it has rows of %q, which is no table of a workspace", name)
	}
	if slices.ContainsFunc(k.seen, func(t Table) bool { return t.Name == name }) {
		return refuse("it has the table %s twice", name)
	}
	t := &k.tables[at]
	n, sum, err := eachRow(t, r, func(row tenantrows.Row) error { return k.addRow(t, row) })
	if err != nil {
		return err
	}
	k.seen = append(k.seen, Table{Name: name, Rows: n, SHA256: sum})
	return nil
}

// addRow checks that a row belongs to the workspace or to one of its people.
func (k *checker) addRow(t *tenantrows.CopyTable, row tenantrows.Row) error {
	id := func(column string) uuid.UUID {
		v, _ := row[t.Index(column)].(uuid.UUID) // the zero id for null, too
		return v
	}
	text := func(column string) string {
		v, _ := row[t.Index(column)].(string)
		return v
	}
	switch t.Kind {
	case tenantrows.Tenant:
		if k.tenant.ID != uuid.Nil || id("id") == uuid.Nil {
			return refuse("it has the row of more than one workspace, or of none")
		}
		k.tenant = Workspace{ID: id("id"), Slug: text("slug"), Name: text("name")}
		return nil
	case tenantrows.People:
		if e, ok := address.ParseEmail(text("email")); !ok || e.Key != text("email_key") || id("id") == uuid.Nil {
			return refuse("the address of a person is none, or not theirs")
		}
		k.people[id("id")] = false
		return nil
	case tenantrows.OfPerson:
		if _, ok := k.people[id("user_id")]; !ok {
			return refuse("a row of %s belongs to nobody of the archive", t.Name)
		}
		return nil
	case tenantrows.OfMembership:
		if row[t.Index("user_id")] != nil {
			if _, ok := k.people[id("user_id")]; !ok {
				return refuse("a membership names somebody who is not in the archive")
			}
			k.people[id("user_id")] = true
		}
	}
	if k.tenant.ID == uuid.Nil || id("tenant_id") != k.tenant.ID {
		return refuse("a row of %s belongs to another workspace", t.Name)
	}
	if t.Name == blobTable {
		for _, b := range storedBlobs(t, row) {
			k.blobs[b.ID] = b
		}
	}
	return nil
}

// addFile compares a file with its record.
func (k *checker) addFile(text string, size int64, r io.Reader) error {
	id, err := uuid.Parse(text)
	if err != nil || id.String() != text {
		return refuse("it holds the file %q", text)
	}
	b, ok := k.blobs[id]
	if !ok || k.files[id] {
		return refuse("the file %s has no record, or is there twice", id)
	}
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if size != b.Size || !bytes.Equal(h.Sum(nil), b.Hash) {
		return fmt.Errorf("%w: the file %s does not match its record", ErrDamaged, id)
	}
	k.files[id] = true
	return nil
}

// compare compares what was read with the manifest.
func (k *checker) compare() error {
	m := &k.found
	if m.Format != format {
		return refuse("its form is %d, and this version knows %d", m.Format, format)
	}
	if m.Workspace != k.tenant || k.tenant.ID == uuid.Nil {
		return refuse("its manifest names another workspace than its rows")
	}
	if len(m.Tables) != len(k.seen) {
		return fmt.Errorf("%w: it has %d tables, and its manifest %d", ErrDamaged, len(k.seen), len(m.Tables))
	}
	rows, size := int64(0), int64(0)
	for i, t := range k.seen {
		rows += t.Rows
		if said := m.Tables[i]; said.Name != t.Name || said.Rows != t.Rows || said.SHA256 != t.SHA256 {
			return fmt.Errorf("%w: the rows of %s do not match the manifest", ErrDamaged, t.Name)
		}
	}
	for id, b := range k.blobs {
		size += b.Size
		if !k.files[id] {
			return fmt.Errorf("%w: the file %s is missing", ErrDamaged, id)
		}
	}
	if m.Rows != rows || m.Files != int64(len(k.files)) || m.Bytes != size {
		return fmt.Errorf("%w: its rows and files do not match its manifest", ErrDamaged)
	}
	for id, member := range k.people {
		if !member {
			return refuse("the person %s is no member of the workspace", id)
		}
	}
	return nil
}
