// Package archive writes a workspace into one file and reads it into another installation,
// or into the same one after the workspace was deleted there.
//
// An archive is a tar: a file of JSON lines for each table in which the workspace has rows,
// in an order in which they can be inserted, then the workspace's files, and last the
// manifest, so that an incomplete archive has no manifest. It may be encrypted with age.
//
// Secrets stay sealed. In an encrypted archive they are sealed with a key that is in the
// archive, so that every installation that can decrypt the archive can read them. In an
// archive that is not encrypted they are sealed with the installation's key, and no other
// installation accepts it.
//
// An import does not trust the archive's form: it reads the archive to its end and checks
// each row before it writes the first one, no text in it is used as a path, and all rows
// are written in one transaction. It does trust the content of the rows: which modules,
// call credit and people the workspace has.
package archive

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/blob"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/secret"
)

// format is the version of the archive format.
const format = 1

// The names inside an archive.
const (
	manifestName = "manifest.json"
	tablesFolder = "tables/"
	tableEnd     = ".jsonl"
	filesFolder  = "files/"
)

const (
	// maxManifest bounds the size of a manifest, which has a line for each table.
	maxManifest = 1 << 20
	// maxLine bounds the size of a row.
	maxLine = 64 << 20
	// patience is the time limit for the transaction of an export or an import.
	patience = 6 * time.Hour
)

var (
	// ErrDamaged means that a file is not a complete archive.
	ErrDamaged = errors.New("the archive is damaged, or not a workspace archive")
	// ErrRefused means that an archive contains something that no export writes.
	ErrRefused = errors.New("the archive is refused")
	// ErrOtherSchema means that an archive was written by a version with other tables.
	ErrOtherSchema = errors.New("the archive was created by a version with different tables; import it with that version, then upgrade")
	// ErrOtherInstallation means that an archive's secrets cannot be opened here.
	ErrOtherInstallation = errors.New("the archive's secrets can be decrypted only by the installation it comes from; export it with --age-recipient to move it to another")
	// ErrTaken means that what an archive contains already exists here.
	ErrTaken = errors.New("the workspace cannot be imported here")
)

// Config holds what exports and imports need of the installation.
type Config struct {
	DB      *db.DB
	Blobs   *blob.Store
	Box     *secret.Box
	Version string
	Schema  string // db.SchemaSum
	// Slug is the new short name of the imported workspace; empty to keep its own.
	Slug string
	// Reserved reports whether a short name is reserved; nil if none is.
	Reserved func(slug string) bool
}

// Workspace identifies the workspace of an archive.
type Workspace struct {
	ID   uuid.UUID `json:"id"`
	Slug string    `json:"slug"`
	Name string    `json:"name"`
}

// Table describes what an archive contains of a table.
type Table struct {
	Name    string `json:"name"`
	Rows    int64  `json:"rows"`
	Secrets int64  `json:"secrets"` // sealed values in them
	SHA256  string `json:"sha256"`
}

// Summary describes the content of an archive.
type Summary struct {
	Format       int        `json:"format"`
	Version      string     `json:"version"`
	Schema       string     `json:"schema"`
	MadeAt       clock.Time `json:"made_at"`
	Installation string     `json:"installation"`
	Workspace    Workspace  `json:"workspace"`
	Tables       []Table    `json:"tables"`
	Rows         int64      `json:"rows"`
	Files        int64      `json:"files"`
	Bytes        int64      `json:"bytes"` // of the files
	Secrets      int64      `json:"secrets"`
}

// manifest is the last file of an archive. Key is the key of the archive's secrets and is
// set only if the whole archive is encrypted.
type manifest struct {
	Summary
	Key string `json:"key,omitempty"`
}

func refuse(form string, args ...any) error {
	return fmt.Errorf("%w: "+form, append([]any{ErrRefused}, args...)...)
}
