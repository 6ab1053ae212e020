// Package archive writes a workspace into one file and reads it into another installation,
// or into the same one after it was deleted.
//
// An archive is a tar: a file of JSON lines for each table that the workspace has rows in,
// in an order in which they can be inserted, then the workspace's files, and last the
// manifest, so that one that broke off has none. It may be encrypted with age.
//
// What is sealed stays sealed. An encrypted archive has a key of its own, under which its
// secrets are, so that every installation can read it who can decrypt it. One that is not
// encrypted has its secrets as the installation sealed them, and no other one takes it.
//
// An import believes nothing: it reads the archive to its end and checks each row before it
// writes the first, nothing of it becomes a path, and all rows are written in one
// transaction. What the rows say is believed: which modules, call credit and people the
// workspace has.
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

// format is the version of the form of archives.
const format = 1

// The names inside of an archive.
const (
	manifestName = "manifest.json"
	tablesFolder = "tables/"
	tableEnd     = ".jsonl"
	filesFolder  = "files/"
)

const (
	// maxManifest bounds a manifest, which has a line for each table.
	maxManifest = 1 << 20
	// maxLine bounds a row.
	maxLine = 64 << 20
	// patience bounds the transaction of an export or an import.
	patience = 6 * time.Hour
)

var (
	// ErrDamaged says that a file is no whole archive.
	ErrDamaged = errors.New("the archive is damaged, or not a workspace archive")
	// ErrRefused says that an archive holds what no export writes.
	ErrRefused = errors.New("the archive is refused")
	// ErrOtherSchema says that an archive is of a version with other tables.
	ErrOtherSchema = errors.New("the archive was created by a version with different tables; import it with that version, then upgrade")
	// ErrOtherInstallation says that an archive's secrets cannot be opened here.
	ErrOtherInstallation = errors.New("the archive's secrets can be decrypted only by the installation it comes from; export it with --age-recipient to move it to another")
	// ErrTaken says that what an archive brings is there already.
	ErrTaken = errors.New("the workspace cannot be imported here")
)

// Config is what an installation gives to exports and imports.
type Config struct {
	DB      *db.DB
	Blobs   *blob.Store
	Box     *secret.Box
	Version string
	Schema  string // db.SchemaSum
	// Slug is the short name of the workspace that is imported; empty for its own.
	Slug string
	// Reserved says which short names no workspace may have; nil for none.
	Reserved func(slug string) bool
}

// Workspace is whose archive it is.
type Workspace struct {
	ID   uuid.UUID `json:"id"`
	Slug string    `json:"slug"`
	Name string    `json:"name"`
}

// Table is what an archive holds of a table.
type Table struct {
	Name    string `json:"name"`
	Rows    int64  `json:"rows"`
	Secrets int64  `json:"secrets"` // sealed values in them
	SHA256  string `json:"sha256"`
}

// Summary is what is in an archive.
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

// manifest is the last file of an archive. Key is the key of the archive's secrets, and is
// there only where the whole archive is encrypted.
type manifest struct {
	Summary
	Key string `json:"key,omitempty"`
}

func refuse(form string, args ...any) error {
	return fmt.Errorf("%w: "+form, append([]any{ErrRefused}, args...)...)
}
