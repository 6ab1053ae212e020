package custom

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/survey"
	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

type createIn struct{ Body createBody }

type createBody struct {
	Name        string     `json:"name" minLength:"1" maxLength:"100" example:"Mobil uygulama"`
	Address     string     `json:"address" minLength:"1" maxLength:"2048" example:"https://example.com/konak" doc:"Address that replies are sent to, signed"`
	WindowHours *int       `json:"window_hours,omitempty" minimum:"1" maximum:"8760" example:"24" doc:"Hours after the customer's last message in which free text can be sent; no limit if omitted"`
	GroupID     *uuid.UUID `json:"group_id,omitempty" format:"uuid" doc:"Group that new conversations go to"`
	AI          bool       `json:"ai,omitempty" doc:"Whether the assistant is on"`
}

type updateIn struct {
	ID   api.ID `path:"id" record:"channel_account"`
	Body updateBody
}

type updateBody struct {
	Address     *string    `json:"address,omitempty" minLength:"1" maxLength:"2048" example:"https://example.com/konak"`
	Name        *string    `json:"name,omitempty" minLength:"1" maxLength:"100" example:"Mobil uygulama"`
	WindowHours *int       `json:"window_hours,omitempty" minimum:"0" maximum:"8760" example:"24" doc:"0 removes the limit"`
	GroupID     *uuid.UUID `json:"group_id,omitempty" format:"uuid" doc:"The nil UUID removes the group"`
}

type messageIn struct {
	ID   api.ID `path:"id" record:"channel_account"`
	Body Message
}

type uploadIn struct {
	ID       api.ID `path:"id" record:"channel_account"`
	Filename string `query:"filename" required:"true" minLength:"1" maxLength:"300" example:"fatura.pdf" doc:"Name of the file"`
}

type fileIn struct {
	ID   api.ID `path:"id" record:"channel_account"`
	File api.ID `path:"file_id" record:"attachment"`
}

type submissionIn struct {
	ID   api.ID `path:"id" record:"channel_account"`
	Body Submission
}

type csatIn struct {
	ID           api.ID `path:"id" record:"channel_account"`
	Conversation api.ID `path:"conversation_id" record:"conversation"`
	Body         struct {
		Rating  int    `json:"rating" minimum:"1" maximum:"5" example:"5"`
		Comment string `json:"comment,omitempty" maxLength:"1000" example:"Çok hızlı çözüldü, teşekkürler."`
	}
}

type voteIn struct {
	ID           api.ID `path:"id" record:"channel_account"`
	Conversation api.ID `path:"conversation_id" record:"conversation"`
	Item         api.ID `path:"item_id" record:"conversation_item"`
	Body         voteBody
}

type voteBody struct {
	Rating  string `json:"rating" enum:"up,down" example:"up" doc:"up if the answer helped, down if not"`
	Comment string `json:"comment,omitempty" maxLength:"1000" example:"Aradığım buydu."`
}

type escalateIn struct {
	ID           api.ID `path:"id" record:"channel_account"`
	Conversation api.ID `path:"conversation_id" record:"conversation"`
}

type opportunitiesIn struct {
	api.Paged
	ContactID string `query:"contact_id" format:"uuid" doc:"Only opportunities of this contact"`
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	s.registerChannel(a)
	s.registerPublic(a)

	list := channel.Route("GET", "", "list-opportunities", "List opportunities, newest first", perm.ConversationsView)
	list.Path, list.Tag = "/api/crm/v1/opportunities", "CRM opportunities"
	api.HandleList(a, list, func(ctx context.Context, in *opportunitiesIn) (db.List[Opportunity], error) {
		var of *uuid.UUID
		if in.ContactID != "" {
			id, err := uuid.Parse(in.ContactID)
			if err != nil {
				return db.List[Opportunity]{}, fault.Invalid("contact_id", "invalid_id")
			}
			of = &id
		}
		return s.Opportunities(ctx, of, in.Page())
	})
}

func (s *Service) registerChannel(a *api.API) {
	route := func(method, path, id, summary string) api.Route {
		rt := channel.Route(method, "/custom"+path, id, summary, perm.ChannelsManage)
		rt.Refusals = []int{409}
		return rt
	}
	create := route("POST", "", "create-custom-channel", "Create a custom channel")
	create.TakesKey = true
	create.Status, create.ShowsSecret = 201, true
	create.Doc = "The channel key and the signing secret are shown only in this response."
	api.Handle(a, create, func(ctx context.Context, in *createIn) (Opened, error) {
		b := in.Body
		return s.Create(ctx, NewChannel{
			Name: b.Name, Settings: Settings{Address: b.Address, WindowHours: b.WindowHours}, GroupID: b.GroupID, AI: b.AI,
		})
	})

	update := route("PATCH", "/{id}", "update-custom-channel", "Change a custom channel")
	update.Doc = "The signing secret and omitted fields stay unchanged."
	api.Handle(a, update, func(ctx context.Context, in *updateIn) (channel.Account, error) {
		b := in.Body
		return s.Update(ctx, in.ID.UUID, Change{Name: b.Name, Address: b.Address, WindowHours: b.WindowHours, GroupID: b.GroupID})
	})

	key := route("POST", "/{id}/rotate-key", "rotate-channel-key", "Rotate a custom channel's key")
	key.TakesKey = true
	key.ShowsSecret = true
	key.Doc = "The new key is shown only in this response. The old key stops working immediately."
	api.Handle(a, key, func(ctx context.Context, in *channel.ByID) (Rotated, error) { return s.RotateKey(ctx, in.ID.UUID) })

	secret := route("POST", "/{id}/rotate-secret", "rotate-channel-secret", "Rotate a custom channel's signing secret")
	secret.TakesKey = true
	secret.ShowsSecret = true
	secret.Doc = "The old secret stops working immediately. The response is sent once no delivery signed with it is in progress."
	api.Handle(a, secret, func(ctx context.Context, in *channel.ByID) (Resigned, error) { return s.RotateSecret(ctx, in.ID.UUID) })

	ping := route("POST", "/{id}/ping", "ping-custom-channel", "Retry a custom channel's deliveries")
	ping.Doc = "Sends a sample and retries failed deliveries now."
	api.Handle(a, ping, func(ctx context.Context, in *channel.ByID) (Ping, error) { return s.Ping(ctx, in.ID.UUID) })
}

// publicPath is the path that channels' software calls.
const publicPath = "/api/crm/public/v1/channels/custom"

func (s *Service) registerPublic(a *api.API) {
	route := func(path, id, summary string) api.Route {
		rt := channel.Route("POST", "", id, summary, perm.ChannelsManage)
		rt.Path, rt.Tag, rt.Access = publicPath+"/{id}"+path, "CRM public API", api.Key
		rt.Refusals = []int{409}
		return rt
	}
	message := route("/messages", "custom-channel-message", "Send a customer's message")
	message.Doc = "Finds the contact by external id, e-mail or phone, or creates one. A contact has one conversation per channel, which is reopened if needed. A repeated message_id does not create a second message."
	api.Handle(a, message, func(ctx context.Context, in *messageIn) (Received, error) { return s.Receive(ctx, in.ID.UUID, in.Body) })

	upload := route("/files", "custom-channel-upload", "Upload a file for a customer's message")
	upload.Status, upload.MaxBody = 201, file.MaxSize
	upload.Doc = "The body is the file itself. Konak detects the type from the content and refuses programs and scripts with 422 on `file`. Put the returned id into `attachments` of a message within a day."
	api.HandleUpload(a, upload, func(ctx context.Context, in *uploadIn, body *api.Upload) (file.Attachment, error) {
		return s.Upload(ctx, in.ID.UUID, in.Filename, body.Type, body)
	})

	file := route("/files/{file_id}", "custom-channel-file", "Download a file of a message on the channel")
	file.Method = "GET"
	file.Doc = "This is the address in `files` of a delivered reply. Files of notes and of messages on other channels are not found."
	api.HandleFile(a, file, func(ctx context.Context, in *fileIn) (*api.File, error) {
		f, content, err := s.File(ctx, in.ID.UUID, in.File.UUID)
		if err != nil {
			return nil, err
		}
		return &api.File{Name: f.Name, Type: f.Type, Tag: f.ID.String(), Modified: f.CreatedAt.Time, Content: content}, nil
	})

	form := route("/submissions", "custom-channel-submission", "Send a form submission")
	form.Doc = "Finds the contact by e-mail, then by phone, or creates one. A repeated submission_id, or an identical form within ten minutes, creates nothing: the response is that of the first submission, with duplicate true."
	api.Handle(a, form, func(ctx context.Context, in *submissionIn) (Submitted, error) {
		return s.Submit(ctx, in.ID.UUID, in.Body)
	})

	csat := route("/conversations/{conversation_id}/csat", "custom-channel-csat", "Send a customer's satisfaction rating")
	csat.Doc = "Only the first rating counts: a later call returns the first, with recorded false. 409 csat_disabled if the workspace does not ask for ratings, csat_expired after 14 days."
	api.Handle(a, csat, func(ctx context.Context, in *csatIn) (survey.Rating, error) {
		return s.Rate(ctx, in.ID.UUID, in.Conversation.UUID, in.Body.Rating, in.Body.Comment)
	})

	vote := route("/conversations/{conversation_id}/messages/{item_id}/vote", "custom-channel-vote", "Send a customer's vote on an answer of the assistant")
	vote.Doc = "`item_id` is the id of a delivered reply. A second vote replaces the first. 404 if the message was not sent on this channel; 409 not_an_ai_answer if the assistant did not write it."
	api.Handle(a, vote, func(ctx context.Context, in *voteIn) (airecord.Feedback, error) {
		return s.Vote(ctx, in.ID.UUID, in.Conversation.UUID, in.Item.UUID, in.Body.Rating, in.Body.Comment)
	})

	escalate := route("/conversations/{conversation_id}/escalate", "custom-channel-escalate", "Hand a conversation over to the team")
	escalate.Doc = "For a customer who asks for a human. Like a hand-over by the assistant: opens the conversation, gives it to the team and notifies the agents. Repeating the call changes nothing."
	api.Handle(a, escalate, func(ctx context.Context, in *escalateIn) (conversation.Conversation, error) {
		return s.Escalate(ctx, in.ID.UUID, in.Conversation.UUID)
	})
}
