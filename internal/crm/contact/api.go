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
	Blocked string `query:"blocked" enum:"true,false" doc:"true for only blocked contacts, false for only unblocked ones"`
	Q       string `query:"q" maxLength:"200" doc:"Words from the name, company, an address or a number"`
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
		ContactID uuid.UUID `json:"contact_id" format:"uuid" doc:"Contact to merge into this one"`
	}
}

type contactMergeIn struct {
	MergeID api.ID `path:"mergeId" record:"contact_merge"`
}

type importContactsIn struct {
	Filename string `query:"filename" maxLength:"200" default:"contacts.csv" doc:"Name of the import"`
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
	api.HandleList(a, route("GET", "", "list-contacts", "List contacts, newest first", perm.ContactsView),
		func(ctx context.Context, in *listContactsIn) (db.List[Contact], error) {
			return s.List(ctx, in.filter(), in.Page())
		})

	create := route("POST", "", "create-contact", "Create a contact", perm.ContactsManage)
	create.TakesKey = true
	create.Status, create.Refusals = 201, []int{409}
	create.Doc = "409 on the field if another contact has the same e-mail address, phone number or external id."
	api.Handle(a, create, func(ctx context.Context, in *createContactIn) (Contact, error) { return s.Create(ctx, in.Body) })

	get := route("GET", "/{id}", "get-contact", "Get a contact", perm.ContactsView)
	get.Doc = "For a contact that was merged into another, returns the other one, with its id."
	api.Handle(a, get, func(ctx context.Context, in *contactIn) (Contact, error) { return s.Get(ctx, in.ID.UUID) })

	duplicates := route("GET", "/{id}/duplicates", "list-contact-duplicates", "List possible duplicates of a contact", perm.ContactsView)
	duplicates.Doc = "Matches contacts by full name, and by an address or number that one of the two has and the other claims. Matches by address or number come first; at most ten per reason. Nothing is merged."
	api.Handle(a, duplicates, func(ctx context.Context, in *contactIn) ([]Duplicate, error) { return s.Duplicates(ctx, in.ID.UUID) })

	update := route("PUT", "/{id}", "update-contact", "Change a contact", perm.ContactsManage)
	update.Refusals = []int{409}
	api.Handle(a, update, func(ctx context.Context, in *updateContactIn) (Contact, error) {
		return s.Update(ctx, in.ID.UUID, in.Body)
	})

	remove := route("DELETE", "/{id}", "delete-contact", "Delete a contact and its personal data", perm.ContactsDelete)
	remove.Doc = "Its conversations and calls stay; recordings and voicemail are deleted when their retention_days are over."
	api.Handle(a, remove, func(ctx context.Context, in *contactIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.Delete(ctx, in.ID.UUID)
	})

	api.Handle(a, route("POST", "/{id}/block", "block-contact", "Block a contact", perm.ContactsManage),
		func(ctx context.Context, in *contactIn) (Contact, error) { return s.Block(ctx, in.ID.UUID, true) })
	api.Handle(a, route("POST", "/{id}/unblock", "unblock-contact", "Unblock a contact", perm.ContactsManage),
		func(ctx context.Context, in *contactIn) (Contact, error) { return s.Block(ctx, in.ID.UUID, false) })

	api.Handle(a, route("POST", "/{id}/tags", "tag-contact", "Add and remove tags of a contact", perm.ContactsManage),
		func(ctx context.Context, in *contactTagsIn) (Contact, error) {
			return s.Retag(ctx, in.ID.UUID, in.Body.Add, in.Body.Remove)
		})
}

func (s *Service) registerParts(a *api.API) {
	api.HandleList(a, route("GET", "/{id}/notes", "list-contact-notes", "List notes about a contact", perm.ContactsView),
		func(ctx context.Context, in *contactPageIn) (db.List[Note], error) {
			return s.Notes(ctx, in.ID.UUID, in.Page())
		})
	note := route("POST", "/{id}/notes", "add-contact-note", "Add a note about a contact", perm.ContactsManage)
	note.TakesKey = true
	note.Status = 201
	api.Handle(a, note, func(ctx context.Context, in *addContactNoteIn) (Note, error) {
		return s.AddNote(ctx, in.ID.UUID, in.Body.Body)
	})
	api.Handle(a, route("DELETE", "/{id}/notes/{noteId}", "delete-contact-note", "Delete a note about a contact", perm.ContactsManage),
		func(ctx context.Context, in *contactNoteIn) (api.Deleted, error) {
			return api.Deleted{ID: in.NoteID, Deleted: true}, s.DeleteNote(ctx, in.ID.UUID, in.NoteID.UUID)
		})

	api.Handle(a, route("POST", "/{id}/consents", "set-contact-consent", "Record given or withdrawn consent", perm.ContactsManage),
		func(ctx context.Context, in *setConsentIn) (Contact, error) {
			b := in.Body
			return s.SetConsent(ctx, in.ID.UUID, Consent{Channel: b.Channel, Purpose: b.Purpose, Status: b.Status, Source: b.Source, Evidence: b.Evidence})
		})

	link := route("POST", "/{id}/claims/{claimId}/link", "link-contact-claim", "Confirm a contact's claim", perm.ContactsManage)
	link.Refusals = []int{409}
	link.Doc = "Use this after checking the claim. If another contact has the address or number, this contact is merged into it, which can be undone; otherwise the address or number is added to this contact. 409 already_proven if the claim was linked before."
	api.Handle(a, link, func(ctx context.Context, in *contactClaimIn) (ClaimResult, error) {
		return s.LinkClaim(ctx, in.ID.UUID, in.ClaimID.UUID)
	})

	merge := route("POST", "/{id}/merge", "merge-contact", "Merge another contact into this one", perm.ContactsManage)
	merge.TakesKey = true
	merge.Refusals = []int{409}
	merge.Doc = "Moves addresses, identities, notes, consents, tags and conversations to this contact. If both have a conversation on the same messaging account, the two become one. The merge can be undone."
	api.Handle(a, merge, func(ctx context.Context, in *mergeContactIn) (MergeResult, error) {
		return s.Merge(ctx, in.ID.UUID, in.Body.ContactID)
	})
	api.HandleList(a, route("GET", "/{id}/merges", "list-contact-merges", "List merges into a contact", perm.ContactsView),
		func(ctx context.Context, in *contactPageIn) (db.List[Merge], error) {
			return s.Merges(ctx, in.ID.UUID, in.Page())
		})
	undo := route("POST", "/merges/{mergeId}/undo", "undo-contact-merge", "Undo a contact merge", perm.ContactsManage)
	undo.Refusals = []int{409}
	undo.Doc = "409 if the merge was undone already, or the remaining contact was deleted or merged further."
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
	imp.Doc = "The columns are those of the export, in any order; columns named attr:NAME are custom attributes. An apostrophe before text that a spreadsheet would read as a formula is not part of the cell. Separate several addresses, numbers or tags in a cell with semicolons; put a backslash before a semicolon that is part of a tag. A row updates the contact that has its external id, address or number, or creates one. The file is processed in the background; get the import for its progress and errors."
	api.Handle(a, imp, func(ctx context.Context, in *importContactsIn) (Import, error) {
		return s.Import(ctx, in.Filename, string(in.RawBody))
	})
	api.Handle(a, route("GET", "/imports/{importId}", "get-contact-import", "Get the progress of a contact import", perm.ContactsManage).Polled(),
		func(ctx context.Context, in *contactImportIn) (Import, error) {
			return s.GetImport(ctx, in.ImportID.UUID)
		})
	errors := route("GET", "/imports/{importId}/errors", "list-contact-import-errors", "List rows that could not be imported", perm.ContactsManage)
	errors.Ascending = true
	api.HandleList(a, errors, func(ctx context.Context, in *contactImportErrorsIn) (db.List[ImportError], error) {
		return s.ImportErrors(ctx, in.ImportID.UUID, in.Page())
	})
}
