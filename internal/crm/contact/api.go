package contact

import (
	"context"
	"io"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

// FilterIn narrows a list or an export.
type FilterIn struct {
	Kind    string `query:"kind" enum:"lead,customer" doc:"Only contacts of this kind"`
	Tag     string `query:"tag" maxLength:"60" doc:"Only contacts with this tag"`
	OwnerID string `query:"owner_id" format:"uuid" doc:"Only contacts of this member"`
	Blocked string `query:"blocked" enum:"true,false" doc:"Only blocked contacts, or only others"`
	Q       string `query:"q" maxLength:"200" doc:"Words of the name, the company, an address or a number"`
}

func (in *FilterIn) filter() Filter {
	f := Filter{Kind: in.Kind, Tag: in.Tag, Query: in.Q}
	if id, err := uuid.Parse(in.OwnerID); err == nil {
		f.OwnerID = &id
	}
	if in.Blocked != "" {
		blocked := in.Blocked == "true"
		f.Blocked = &blocked
	}
	return f
}

type listContactsIn struct {
	api.Paged
	FilterIn
}

type exportContactsIn struct{ FilterIn }

type createContactIn struct {
	Body Input
}

type contactIn struct {
	ID api.ID `path:"id" record:"contact"`
}

type updateContactIn struct {
	ID   api.ID `path:"id" record:"contact"`
	Body Input
}

type contactTagsIn struct {
	ID   api.ID `path:"id" record:"contact"`
	Body struct {
		Add    []string `json:"add,omitempty" maxItems:"50" nullable:"false" example:"[\"vip\"]"`
		Remove []string `json:"remove,omitempty" maxItems:"50" nullable:"false" example:"[\"lead\"]"`
	}
}

type contactPageIn struct {
	api.Paged
	ID api.ID `path:"id" record:"contact"`
}

type addContactNoteIn struct {
	ID   api.ID `path:"id" record:"contact"`
	Body struct {
		Body string `json:"body" minLength:"1" maxLength:"10000" example:"Prefers to be called after 17:00"`
	}
}

type contactNoteIn struct {
	ID     api.ID `path:"id" record:"contact"`
	NoteID api.ID `path:"noteId" record:"contact_note"`
}

type contactClaimIn struct {
	ID      api.ID `path:"id" record:"contact"`
	ClaimID api.ID `path:"claimId" record:"contact_claim"`
}

type setConsentIn struct {
	ID   api.ID `path:"id" record:"contact"`
	Body struct {
		Channel  string `json:"channel" minLength:"1" maxLength:"40" example:"whatsapp"`
		Purpose  string `json:"purpose" minLength:"1" maxLength:"60" example:"marketing"`
		Status   string `json:"status" enum:"granted,revoked"`
		Source   string `json:"source,omitempty" maxLength:"200" example:"checkout form"`
		Evidence string `json:"evidence,omitempty" maxLength:"2000" example:"https://example.com/consents/4711"`
	}
}

type mergeContactIn struct {
	ID   api.ID `path:"id" record:"contact"`
	Body struct {
		ContactID uuid.UUID `json:"contact_id" format:"uuid" doc:"The contact that goes"`
	}
}

type contactMergeIn struct {
	MergeID api.ID `path:"mergeId" record:"contact_merge"`
}

type importContactsIn struct {
	Filename string `query:"filename" maxLength:"200" default:"contacts.csv" doc:"How to call the import"`
	RawBody  []byte `contentType:"text/csv"`
}

type contactImportIn struct {
	ImportID api.ID `path:"importId" record:"contact_import"`
}

type contactImportErrorsIn struct {
	api.Paged
	ImportID api.ID `path:"importId" record:"contact_import"`
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	s.registerRecords(a)
	s.registerParts(a)
	s.registerFiles(a)
}

func route(method, path, id, summary string, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: "/api/crm/v1/contacts" + path, ID: id, Tag: "CRM contacts",
		Summary: summary, Access: api.Session, Permission: p, Licence: "crm",
	}
}

func (s *Service) registerRecords(a *api.API) {
	api.HandleList(a, route("GET", "", "list-contacts", "List contacts, the newest first", perm.ContactsView),
		func(ctx context.Context, in *listContactsIn) (db.List[Contact], error) {
			return s.List(ctx, in.filter(), in.Page())
		})

	create := route("POST", "", "create-contact", "Create a contact", perm.ContactsManage)
	create.TakesKey = true
	create.Status, create.Refusals = 201, []int{409}
	create.Doc = "An e-mail address, a phone number or an external id that another contact has is a 409 on that field."
	api.Handle(a, create, func(ctx context.Context, in *createContactIn) (Contact, error) { return s.Create(ctx, in.Body) })

	get := route("GET", "/{id}", "get-contact", "Get a contact", perm.ContactsView)
	get.Doc = "One that was merged into another answers with that other, whose id it then has."
	api.Handle(a, get, func(ctx context.Context, in *contactIn) (Contact, error) { return s.Get(ctx, in.ID.UUID) })

	duplicates := route("GET", "/{id}/duplicates", "list-contact-duplicates", "Contacts that may be the same person", perm.ContactsView)
	duplicates.Doc = "By the whole name, and by an address or a number that one of the two has and the other claims. Those that share an address or a number come first, at most ten of each reason. Nothing is merged."
	api.Handle(a, duplicates, func(ctx context.Context, in *contactIn) ([]Duplicate, error) { return s.Duplicates(ctx, in.ID.UUID) })

	update := route("PUT", "/{id}", "update-contact", "Change the fields that are sent", perm.ContactsManage)
	update.Refusals = []int{409}
	api.Handle(a, update, func(ctx context.Context, in *updateContactIn) (Contact, error) {
		return s.Update(ctx, in.ID.UUID, in.Body)
	})

	remove := route("DELETE", "/{id}", "delete-contact", "Delete a contact and its personal data", perm.ContactsDelete)
	remove.Doc = "Its conversations stay, and so do its calls; recordings and voicemail are deleted when their retention_days are over."
	api.Handle(a, remove, func(ctx context.Context, in *contactIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.Delete(ctx, in.ID.UUID)
	})

	api.Handle(a, route("POST", "/{id}/block", "block-contact", "Keep a contact out", perm.ContactsManage),
		func(ctx context.Context, in *contactIn) (Contact, error) { return s.Block(ctx, in.ID.UUID, true) })
	api.Handle(a, route("POST", "/{id}/unblock", "unblock-contact", "Let a contact in again", perm.ContactsManage),
		func(ctx context.Context, in *contactIn) (Contact, error) { return s.Block(ctx, in.ID.UUID, false) })

	api.Handle(a, route("POST", "/{id}/tags", "tag-contact", "Add and remove tags", perm.ContactsManage),
		func(ctx context.Context, in *contactTagsIn) (Contact, error) {
			return s.Retag(ctx, in.ID.UUID, in.Body.Add, in.Body.Remove)
		})
}

func (s *Service) registerParts(a *api.API) {
	api.HandleList(a, route("GET", "/{id}/notes", "list-contact-notes", "Notes about a contact", perm.ContactsView),
		func(ctx context.Context, in *contactPageIn) (db.List[Note], error) {
			return s.Notes(ctx, in.ID.UUID, in.Page())
		})
	note := route("POST", "/{id}/notes", "add-contact-note", "Write a note about a contact", perm.ContactsManage)
	note.TakesKey = true
	note.Status = 201
	api.Handle(a, note, func(ctx context.Context, in *addContactNoteIn) (Note, error) {
		return s.AddNote(ctx, in.ID.UUID, in.Body.Body)
	})
	api.Handle(a, route("DELETE", "/{id}/notes/{noteId}", "delete-contact-note", "Delete a note", perm.ContactsManage),
		func(ctx context.Context, in *contactNoteIn) (api.Deleted, error) {
			return api.Deleted{ID: in.NoteID, Deleted: true}, s.DeleteNote(ctx, in.ID.UUID, in.NoteID.UUID)
		})

	api.Handle(a, route("POST", "/{id}/consents", "set-contact-consent", "Record that consent was given or withdrawn", perm.ContactsManage),
		func(ctx context.Context, in *setConsentIn) (Contact, error) {
			b := in.Body
			return s.SetConsent(ctx, in.ID.UUID, Consent{Channel: b.Channel, Purpose: b.Purpose, Status: b.Status, Source: b.Source, Evidence: b.Evidence})
		})

	link := route("POST", "/{id}/claims/{claimId}/link", "link-contact-claim", "Say that a claim of a contact is true", perm.ContactsManage)
	link.Refusals = []int{409}
	link.Doc = "For somebody who checked it. Where another contact has the address or the number, this contact is merged into it, which can be undone; else it becomes this contact's own. 409 already_proven where it was linked before."
	api.Handle(a, link, func(ctx context.Context, in *contactClaimIn) (ClaimResult, error) {
		return s.LinkClaim(ctx, in.ID.UUID, in.ClaimID.UUID)
	})

	merge := route("POST", "/{id}/merge", "merge-contact", "Merge another contact into this one", perm.ContactsManage)
	merge.TakesKey = true
	merge.Refusals = []int{409}
	merge.Doc = "Addresses, identities, notes, consents, tags and conversations move to this contact; where both have a conversation on the same messaging account, these become one. The merge can be undone."
	api.Handle(a, merge, func(ctx context.Context, in *mergeContactIn) (MergeResult, error) {
		return s.Merge(ctx, in.ID.UUID, in.Body.ContactID)
	})
	api.HandleList(a, route("GET", "/{id}/merges", "list-contact-merges", "What was merged into a contact", perm.ContactsView),
		func(ctx context.Context, in *contactPageIn) (db.List[Merge], error) {
			return s.Merges(ctx, in.ID.UUID, in.Page())
		})
	undo := route("POST", "/merges/{mergeId}/undo", "undo-contact-merge", "Part two merged contacts again", perm.ContactsManage)
	undo.Refusals = []int{409}
	undo.Doc = "A merge that was undone, or whose contact was deleted or merged further, is a 409."
	api.Handle(a, undo, func(ctx context.Context, in *contactMergeIn) (MergeResult, error) {
		return s.Undo(ctx, in.MergeID.UUID)
	})
}

func (s *Service) registerFiles(a *api.API) {
	export := route("GET", "/export", "export-contacts", "Export contacts as CSV", perm.ContactsExport)
	api.HandleBytes(a, export, "text/csv", func(ctx context.Context, in *exportContactsIn) (*api.Bytes, error) {
		if err := s.Exported(ctx); err != nil {
			return nil, err
		}
		return &api.Bytes{
			ContentType: "text/csv; charset=utf-8", Filename: "contacts.csv",
			Write: func(w io.Writer) error { return s.Export(ctx, in.filter(), w) },
		}, nil
	})

	imp := route("POST", "/imports", "import-contacts", "Import contacts from CSV", perm.ContactsManage)
	imp.TakesKey = true
	imp.Status, imp.MaxBody = 202, 16<<20
	imp.Doc = "The columns are those of the export, in any order; those named attr:NAME are custom attributes. An apostrophe before what a spreadsheet would take for a formula is no part of the cell. Several addresses, numbers or tags in a cell are separated by semicolons, with a backslash before one that is part of a tag. A row changes the contact with its external id, address or number, else makes one. A job works the file off; ask the import for its progress and errors."
	api.Handle(a, imp, func(ctx context.Context, in *importContactsIn) (Import, error) {
		return s.Import(ctx, in.Filename, string(in.RawBody))
	})
	api.Handle(a, route("GET", "/imports/{importId}", "get-contact-import", "Progress of an import", perm.ContactsManage).Polled(),
		func(ctx context.Context, in *contactImportIn) (Import, error) {
			return s.GetImport(ctx, in.ImportID.UUID)
		})
	errors := route("GET", "/imports/{importId}/errors", "list-contact-import-errors", "Rows that could not be imported", perm.ContactsManage)
	errors.Ascending = true
	api.HandleList(a, errors, func(ctx context.Context, in *contactImportErrorsIn) (db.List[ImportError], error) {
		return s.ImportErrors(ctx, in.ImportID.UUID, in.Page())
	})
}
