package file

import (
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/filetype"
)

const (
	// MaxAttachment is how large a file may be.
	MaxSize = 25 << 20
	// MaxAttachments is how many files an item may have.
	MaxPerItem = 20
)

// Why a file that arrived was not kept.
const (
	BlockedType = "type_not_allowed"
	BlockedSize = "too_large"
	// BlockedGone is a file that the channel no longer hands over.
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

	// BlobID is where the bytes are, nil where the file was not kept.
	BlobID *uuid.UUID `json:"-"`

	declared string
	uploader *uuid.UUID
	test     bool
	fresh    bool // not a row yet
}

// Prepared is a file that a channel brings or makes for a message: its bytes
// lie in the blob store, and the item that they belong to is being written.
// Service.Prepare makes one.
type Prepared struct {
	Name         string
	DeclaredType string
	Type         string
	Size         int64
	// BlobID is nil where the file was not let in, and Blocked says why, or
	// where it is Pending: the channel brings it later with FillAttachment.
	BlobID    *uuid.UUID
	Blocked   string
	Pending   bool
	ContentID string
}

// Attachment is the record that it becomes.
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

// declaredType is kept for the record only.
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
