package transport

import (
	"context"
	"errors"
	"mime"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

const (
	// mediaAttempts and mediaFor limit how often and how long a file is requested before it
	// is shown as lost.
	mediaAttempts = 8
	mediaFor      = 24 * time.Hour
	// fetchFor is the time limit for fetching one file.
	fetchFor = 5 * time.Minute

	// unknownType is the type of a file before its content is known.
	unknownType = "application/octet-stream"
)

// RemoteFile is a file stored at the provider. Fields that the provider does not report are
// empty.
type RemoteFile struct {
	// ID is the provider's id or address of the file.
	ID   string `json:"id"`
	Kind string `json:"kind"` // image, voice and so on, in the provider's words
	Name string `json:"name"`
	Type string `json:"type"`
	Size int64  `json:"size"`
}

// endings are the extensions of files without a name, by type.
var endings = map[string]string{
	"image/jpeg": ".jpg", "image/png": ".png", "image/gif": ".gif", "image/webp": ".webp", "video/mp4": ".mp4", "video/3gpp": ".3gp",
	"audio/ogg": ".ogg", "audio/mpeg": ".mp3", "audio/aac": ".aac", "audio/mp4": ".m4a", "audio/amr": ".amr", "application/pdf": ".pdf",
}

// fileName returns the file's name, or one made from its kind and type if it has none.
func (f *RemoteFile) fileName(kind string) string {
	if f.Name != "" {
		return f.Name
	}
	bare, _, err := mime.ParseMediaType(kind)
	if err != nil {
		bare = kind
	}
	return f.Kind + endings[bare]
}

func (f *RemoteFile) prepared() file.Prepared {
	return file.Prepared{Name: f.fileName(f.Type), DeclaredType: f.Type, Type: unknownType}
}

// pendingFile is the payload of the media jobs: a file of a message that is still to be
// fetched.
type pendingFile struct {
	AccountID    uuid.UUID  `json:"account_id"`
	ItemID       uuid.UUID  `json:"item_id"`
	AttachmentID uuid.UUID  `json:"attachment_id"`
	File         RemoteFile `json:"file"`
}

// AddFiles adds files to an incoming message. They are pending, and jobs fetch them once
// the message is written. A file larger than the provider hands over is shown as too large
// at once.
func (t *Transport[S, C]) AddFiles(in *inbound.Inbound, account uuid.UUID, files []RemoteFile) {
	if len(files) == 0 {
		return
	}
	for _, f := range files {
		in.Attachments = append(in.Attachments, t.Pending(f))
	}
	then := in.Then
	in.Then = func(tx *db.Tx, out *inbound.Ingested) error {
		if then != nil {
			if err := then(tx, out); err != nil {
				return err
			}
		}
		if out.Duplicate {
			return nil
		}
		for i, f := range files {
			if err := t.EnqueueFetch(tx, account, out.Item.ID, out.Item.Attachments[i].ID, f); err != nil {
				return err
			}
		}
		return nil
	}
}

// Pending returns a file of a message before EnqueueFetch has it fetched.
func (t *Transport[S, C]) Pending(f RemoteFile) file.Prepared {
	p := f.prepared()
	if t.tooLarge(f) {
		p.Size, p.Blocked = f.Size, file.BlockedSize
	} else {
		p.Pending = true
	}
	return p
}

// EnqueueFetch queues a job that fetches a pending file of an item. It does nothing for a
// file larger than the provider hands over.
func (t *Transport[S, C]) EnqueueFetch(tx *db.Tx, account, item, attachment uuid.UUID, f RemoteFile) error {
	if t.tooLarge(f) {
		return nil
	}
	_, err := jobs.EnqueueForAccount(tx, t.job("media"), account, tx.Now(), pendingFile{account, item, attachment, f})
	return err
}

func (t *Transport[S, C]) tooLarge(f RemoteFile) bool {
	return t.MaxDownload > 0 && f.Size > t.MaxDownload
}

// runMedia is the handler of the media jobs. It also fetches while the account is paused,
// because the message was already acknowledged. A file that the provider does not hand over
// is shown as lost.
func (t *Transport[S, C]) runMedia(ctx context.Context, j *jobs.Job, p pendingFile) error {
	got, err := t.fetch(ctx, p.AccountID, p.File)
	switch r, refused := errors.AsType[Refusal](err); {
	case err == nil:
	case errors.Is(err, ErrUnavailable), refused && !r.Passing() && !r.Auth(),
		j.Attempts >= mediaAttempts, t.now().Sub(j.CreatedAt.Time) >= mediaFor:
		got = p.File.prepared()
		got.Blocked = file.BlockedGone
	default:
		return t.Retry(err)
	}
	return t.Inbound.FillAttachment(ctx, p.ItemID, p.AttachmentID, got)
}

func (t *Transport[S, C]) fetch(ctx context.Context, account uuid.UUID, f RemoteFile) (file.Prepared, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchFor)
	defer cancel()
	kind, content, err := t.Carrier.Download(ctx, account, f)
	if err != nil {
		return file.Prepared{}, err
	}
	defer func() { _ = content.Close() }()
	return t.Files.Prepare(ctx, f.fileName(kind), kind, content)
}
