package export

import (
	"context"
	"io"
	"net/mail"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/audit"
	"konak/internal/kit/blob"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Config is what the package needs.
type Config struct {
	DB            *db.DB
	Conversations *conversation.Service
	Contacts      *contact.Book
	Agents        conversation.Agents
	Blobs         *blob.Store
}

// Service exports conversations.
type Service struct{ Config }

// New returns the service.
func New(c Config) *Service { return &Service{c} }

// exportPage is the number of items an export reads at a time.
const exportPage = 200

// Export prepares an export of a conversation. The export is audited before the first byte
// is written.
func (s *Service) Export(ctx context.Context, id uuid.UUID, format, language string, notes bool) (func(io.Writer) error, error) {
	a := &archive{Language: language, At: s.DB.Clock().Now()}
	err := s.Conversations.Tenant(ctx).InTx(ctx, func(tx *db.Tx) (err error) {
		if a.Conversation, err = conversation.ByID(&tx.Reader, id); err != nil {
			return db.NotFound(err)
		}
		a.customer = mail.Address{Name: a.Conversation.ContactName, Address: a.Conversation.ContactID.String() + "@konak.invalid"}
		who, err := s.Contacts.Whole(&tx.Reader, a.Conversation.ContactID)
		if err != nil && !db.IsNoRow(err) {
			return err
		}
		if len(who.Emails) > 0 {
			a.customer.Address = who.Emails[0].Address
		}
		return audit.Write(tx, "conversation.exported", id.String(), map[string]string{"format": format})
	})
	tenant := caller.From(ctx).TenantID
	a.each = func(fn func(*Exported) error) error { return s.eachItem(ctx, &a.Conversation, notes, fn) }
	a.open = func(f file.Attachment) (io.ReadSeekCloser, error) {
		return s.Blobs.Open(ctx, tenant, *f.BlobID)
	}
	a.raw = func(item uuid.UUID) (io.ReadSeekCloser, error) {
		_, f, err := s.Conversations.RawEmail(ctx, id, item)
		if fault.Is(err, fault.NotFound) || fault.Is(err, fault.FileMissing) || fault.Is(err, fault.FileDamaged) {
			return nil, nil // the original was not kept, or is damaged
		}
		return f, err
	}
	return func(w io.Writer) error { return a.write(w, format) }, err
}

// eachItem calls fn for the items of a timeline from its beginning, page by page: a long
// export holds no transaction and little memory.
func (s *Service) eachItem(ctx context.Context, c *conversation.Conversation, notes bool, fn func(*Exported) error) error {
	after := db.Before
	for {
		var page []conversation.Item
		var names map[uuid.UUID]string
		err := s.Conversations.Tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
			if page, err = conversation.ItemsFrom(r, c.ID, after, exportPage); err != nil {
				return err
			}
			if err = conversation.FillItems(r, page); err != nil {
				return err
			}
			names, err = s.authorNames(r, c, page)
			return err
		})
		if err != nil {
			return err
		}
		for n := range page {
			i := &page[n]
			after = db.Key{Sort: i.CreatedAt.UnixMicro(), ID: i.ID}
			if i.Kind == conversation.Note && !notes {
				continue
			}
			e := Exported{Item: *i, AuthorName: "Konak"}
			if i.AuthorID != nil && names[*i.AuthorID] != "" {
				e.AuthorName = names[*i.AuthorID]
			}
			if by, ok := conversation.TypistOf(i); ok {
				e.TypedByName = names[by]
			}
			if err := fn(&e); err != nil {
				return err
			}
		}
		if len(page) < exportPage {
			return nil
		}
	}
}

// authorNames returns the names of the authors of items.
func (s *Service) authorNames(r *db.Reader, c *conversation.Conversation, list []conversation.Item) (map[uuid.UUID]string, error) {
	var ids []uuid.UUID
	for _, i := range list {
		if i.AuthorKind == conversation.ByAgent && i.AuthorID != nil {
			ids = append(ids, *i.AuthorID)
		}
		if by, ok := conversation.TypistOf(&i); ok {
			ids = append(ids, by)
		}
	}
	names := map[uuid.UUID]string{}
	if len(ids) > 0 {
		var err error
		if names, err = s.Agents.AgentNames(r, ids); err != nil {
			return nil, err
		}
	}
	names[c.ContactID] = c.ContactName
	return names, nil
}
