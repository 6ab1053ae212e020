package file

import (
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/filetype"
)

const (
	// MaxSize is the maximum size of a file in bytes.
	MaxSize = 25 << 20
	// MaxPerItem is the maximum number of files of an item.
	MaxPerItem = 20
)

// Why a file that arrived was not kept.
const (
	BlockedType = "type_not_allowed"
	BlockedSize = "too_large"
	// BlockedGone means that the channel no longer has the file.
	BlockedGone = "not_available"
)

// Attachment is a file of an item.
type Attachment struct {
	ID        uuid.UUID  `json:"id" format:"uuid"`
	Name      string     `json:"name" example:"fatura.pdf"`
	Type      string     `json:"type" example:"application/pdf" doc:"Type detected from the content"`
	Size      int64      `json:"size" example:"48213"`
	Shown     bool       `json:"shown" doc:"Whether a browser can show it inline"`
	Blocked   *string    `json:"blocked" nullable:"true" enum:"type_not_allowed,too_large,not_available" doc:"Why the file was not kept; null if it can be downloaded"`
	Pending   bool       `json:"pending" doc:"Whether it is still being fetched from the channel"`
	ContentID *string    `json:"content_id" nullable:"true" doc:"Id by which the text of an e-mail refers to it"`
	CreatedAt clock.Time `json:"created_at"`

	// BlobID is the blob with the bytes, nil if the file was not kept.
	BlobID *uuid.UUID `json:"-"`

	declared string
	uploader *uuid.UUID
	test     bool
	fresh    bool // not stored as a row yet
}

// Prepared is a file that a channel brings or creates for a message: its bytes are in the
// blob store, and the item that it belongs to is about to be written. Service.Prepare
// returns one.
type Prepared struct {
	Name         string
	DeclaredType string
	Type         string
	Size         int64
	// BlobID is nil if the file was refused, with the reason in Blocked, or if it is
	// Pending: the channel brings it later with FillAttachment.
	BlobID    *uuid.UUID
	Blocked   string
	Pending   bool
	ContentID string
}

// Attachment returns the record for the file.
func (p Prepared) Attachment() Attachment {
	a := Attachment{
		Name: filetype.Name(p.Name), Type: p.Type, Size: p.Size, BlobID: p.BlobID, declared: declaredType(p.DeclaredType), fresh: true,
	}
	if a.Pending = p.Pending; p.BlobID == nil && !p.Pending {
		a.Blocked = &p.Blocked
	}
	if p.ContentID != "" {
		a.ContentID = &p.ContentID
	}
	a.Shown = a.Blocked == nil && !a.Pending && filetype.Shown(a.Type)
	return a
}

// declaredType returns the declared type, which is kept for the record only.
func declaredType(kind string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(kind[:min(len(kind), 200)], ""), "\x00", "")
}

// Outgoing is a file of an outgoing message. Service.ReadFile opens it.
type Outgoing struct {
	ID     uuid.UUID
	Name   string
	Type   string
	Size   int64
	BlobID uuid.UUID
}
