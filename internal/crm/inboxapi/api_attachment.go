package inboxapi

import (
	"context"

	"konak/internal/crm/conversation/file"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type uploadIn struct {
	Filename string `query:"filename" required:"true" minLength:"1" maxLength:"300" example:"fatura.pdf" doc:"File name"`
}

type attachmentIn struct {
	ID api.ID `path:"id" record:"attachment"`
}

type downloadIn struct {
	ID          api.ID `path:"id" record:"attachment"`
	Disposition string `query:"disposition" enum:"attachment,inline" default:"attachment" doc:"inline shows images, audio, video and plain text in the browser; other files are always downloaded"`
}

func (s *Service) registerAttachments(a *api.API) {
	for _, public := range []bool{false, true} {
		route := func(method, path, id, summary string, p perm.Permission) api.Route {
			rt := route(method, "", id, summary, p)
			rt.Path, rt.Tag = "/api/crm/v1/attachments"+path, "CRM attachments"
			if public {
				rt.Path, rt.Tag, rt.Access, rt.ID = "/api/crm/public/v1/attachments"+path, "CRM public API", api.Key, "public-"+id
			}
			return rt
		}
		upload := route("POST", "", "upload-attachment", "Upload a file for a reply or a note", perm.ConversationsReply)
		upload.Status, upload.MaxBody = 201, file.MaxSize
		upload.Doc = "The body is the file itself. Its type is detected from the content: programs and scripts are refused with 422 on `file` (type_not_allowed, the type in `reason`). Put the returned id into `attachments` of a reply within a day; after that the file is removed."
		api.HandleUpload(a, upload, func(ctx context.Context, in *uploadIn, body *api.Upload) (file.Attachment, error) {
			return s.Files.Upload(ctx, in.Filename, body.Type, body)
		})

		download := route("GET", "/{id}", "download-attachment", "Download a file", perm.ConversationsView)
		download.Refusals = []int{409, 410}
		download.Doc = "Supports Range requests. 409 for a file that was not kept, with the reason from `blocked`. 410 file_missing or file_damaged if the content is missing from the storage or damaged there; uploading the same file again restores it. If damage is found only while the file is sent, the connection is cut before its end."
		api.HandleFile(a, download, func(ctx context.Context, in *downloadIn) (*api.File, error) {
			f, content, err := s.Files.Open(ctx, in.ID.UUID)
			if err != nil {
				return nil, err
			}
			return &api.File{
				Name: f.Name, Type: f.Type, Inline: in.Disposition == "inline", Tag: f.ID.String(), Modified: f.CreatedAt.Time, Content: content,
			}, nil
		})

		discard := route("DELETE", "/{id}", "discard-attachment", "Remove a file that is not attached yet", perm.ConversationsReply)
		discard.Refusals = []int{409}
		discard.Doc = "Only the caller's own uploads; 409 if a message has the file."
		api.Handle(a, discard, func(ctx context.Context, in *attachmentIn) (api.Deleted, error) {
			return api.Deleted{ID: in.ID, Deleted: true}, s.Files.Discard(ctx, in.ID.UUID)
		})
	}
}
