package template

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/filetype"
)

// MaxSample is the maximum size of a sample file.
const MaxSample = 16 << 20

// sampleTypes are the file types that a reviewer can be shown.
var sampleTypes = []string{"image/jpeg", "image/png", "video/mp4", "application/pdf"}

// Handle is a sample file's handle at the provider.
type Handle struct {
	HeaderHandle string `json:"header_handle" example:"4::aW1hZ2UvcG5n:ARb…" doc:"Handle for example.header_handle of a header"`
}

// Upload sends a sample file to the provider. Nothing of it is stored here.
func (s *Service) Upload(ctx context.Context, account uuid.UUID, name string, content io.Reader) (h Handle, err error) {
	if err := s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error { return s.Provider.Keeps(r, account) }); err != nil {
		return h, err
	}
	// The provider needs the length before the first byte.
	whole, err := io.ReadAll(content)
	if err != nil {
		return h, fmt.Errorf("template: sample: %w", err)
	}
	if len(whole) == 0 {
		return h, fault.Invalid("file", "required")
	}
	kind := filetype.Sniff(whole[:min(len(whole), filetype.HeadSize)])
	if !slices.Contains(sampleTypes, kind) {
		return h, fault.Invalid("file", "type_not_allowed").Because(kind)
	}
	h.HeaderHandle, err = s.Provider.Upload(ctx, account, Sample{
		Name: filetype.Name(name), Type: kind, Size: int64(len(whole)), Content: bytes.NewReader(whole),
	})
	return h, err
}
