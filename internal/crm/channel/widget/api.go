package widget

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
	"konak/internal/kit/trtext"
)

type createIn struct{ Body createBody }

type createBody struct {
	Name    string                      `json:"name" minLength:"1" maxLength:"100" example:"Web sitesi"`
	Look    Look                        `json:"look" required:"false"`
	Hours   api.Nullable[channel.Hours] `json:"business_hours" required:"false"`
	GroupID *uuid.UUID                  `json:"group_id,omitempty" format:"uuid"`
	AI      bool                        `json:"ai,omitempty"`
}

type updateIn struct {
	ID   api.ID `path:"id" record:"channel_account"`
	Body updateBody
}

type updateBody struct {
	Name    *string        `json:"name,omitempty" minLength:"1" maxLength:"100" example:"Web sitesi"`
	Look    *Look          `json:"look,omitempty"`
	Hours   *channel.Hours `json:"business_hours,omitempty"`
	Always  bool           `json:"always_open,omitempty" doc:"Removes the business hours"`
	GroupID *uuid.UUID     `json:"group_id,omitempty" format:"uuid" doc:"The nil UUID removes the group"`
}

// Keyed holds the key of the widget that a page shows.
type Keyed struct {
	Key string `path:"key" maxLength:"100" example:"chk_example"`
}

func (k *Keyed) key() string { return k.Key }

type sessionIn struct {
	Keyed
	Body struct {
		Language string `json:"language,omitempty" maxLength:"20" example:"tr"`
		Page     string `json:"page,omitempty" maxLength:"2000" example:"https://www.example.com/urunler"`
	}
}

type writeIn struct {
	Keyed
	Body struct {
		Body  string `json:"body" minLength:"1" maxLength:"10000" example:"Siparişim ne zaman gelir?"`
		ID    string `json:"message_id,omitempty" maxLength:"100" example:"8f1f6c3e" doc:"Message id chosen by the page; a repeated id creates no second message"`
		Name  string `json:"name,omitempty" maxLength:"200" example:"Elif Kaya"`
		Email string `json:"email,omitempty" maxLength:"254" example:"elif@kayamobilya.example"`
		Phone string `json:"phone,omitempty" maxLength:"40" example:"+905321234567"`
		Page  string `json:"page,omitempty" maxLength:"2000" example:"https://www.example.com/urunler"`
	}
}

type articlesIn struct {
	Keyed
	Q        string `query:"q" required:"true" minLength:"1" maxLength:"200" example:"kargo ne zaman gelir"`
	Language string `query:"language" maxLength:"20" example:"tr" doc:"Falls back to the help center's default language"`
}

type messagesIn struct {
	api.Paged
	Keyed
}

type attachIn struct {
	Keyed
	Filename string `query:"filename" required:"true" minLength:"1" maxLength:"300" example:"fatura.pdf"`
}

type fileIn struct {
	Keyed
	ID api.ID `path:"id" record:"attachment"`
}

type typingIn struct {
	Keyed
	Body typingBody
}

type typingBody struct {
	Typing bool `json:"typing"`
}

type readIn struct {
	Keyed
	Body struct {
		MessageID api.ID `json:"message_id" record:"conversation_item" doc:"Newest message that the visitor has seen"`
	}
}

type ratingIn struct {
	Keyed
	Body struct {
		Rating  int    `json:"rating" minimum:"1" maximum:"5" example:"5"`
		Comment string `json:"comment,omitempty" maxLength:"1000" example:"Teşekkürler"`
	}
}

type voteIn struct {
	Keyed
	ID   api.ID `path:"id" record:"conversation_item"`
	Body voteBody
}

type voteBody struct {
	Rating string `json:"rating" enum:"up,down" example:"up" doc:"up if the answer helped, down if not"`
}

// Voted is a visitor's vote on an answer.
type Voted struct {
	ID   uuid.UUID `json:"id" format:"uuid" doc:"ID of the answer"`
	Vote string    `json:"vote" enum:"up,down" example:"up"`
}

// Written is a visitor's message and the state of their session after it.
type Written struct {
	Message Message `json:"message"`
	Session Session `json:"session"`
}

// Rated is the result of a rating.
type Rated struct {
	Rating   *int `json:"rating" nullable:"true" example:"5"`
	Recorded bool `json:"recorded"`
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	s.registerChannel(a)
	s.registerVisitor(a)
	s.registerPage(a)
}

func (s *Service) registerChannel(a *api.API) {
	create := channel.Route("POST", "/widget", "create-widget", "Create a live-chat widget", perm.ChannelsManage)
	create.TakesKey = true
	create.Status = 201
	api.Handle(a, create, func(ctx context.Context, in *createIn) (Opened, error) {
		b := in.Body
		return s.Create(ctx, NewWidget{Name: b.Name, Look: b.Look, Hours: b.Hours.V, GroupID: b.GroupID, AI: b.AI})
	})
	api.Handle(a, channel.Route("GET", "/widget/{id}", "get-widget", "Get a live-chat widget with its snippet", perm.ChannelsView),
		func(ctx context.Context, in *channel.ByID) (Opened, error) { return s.Get(ctx, in.ID.UUID) })
	update := channel.Route("PATCH", "/widget/{id}", "update-widget", "Change a live-chat widget", perm.ChannelsManage)
	update.Refusals = []int{409}
	update.Doc = "Omitted fields stay unchanged; look is replaced as a whole."
	api.Handle(a, update, func(ctx context.Context, in *updateIn) (Opened, error) {
		return s.Update(ctx, in.ID.UUID, Change(in.Body))
	})
}

type visitorIn struct {
	ID api.ID `path:"conversation_id" record:"conversation"`
}

func (s *Service) registerVisitor(a *api.API) {
	rt := channel.Route("GET", "/widget/visitors/{conversation_id}", "get-widget-visitor", "Get the visitor of a live chat", perm.ConversationsView)
	rt.Doc = "Information sent by the visitor's browser; none of it is verified. 404 if the conversation is on another channel."
	api.Handle(a, rt, func(ctx context.Context, in *visitorIn) (VisitorInfo, error) { return s.VisitorOf(ctx, in.ID.UUID) })
}

const how = " Called by pages of the widget's allowed origins; other pages get 403. Send the visitor's token as the bearer token."

func (s *Service) registerPage(a *api.API) {
	route := func(method, path, id, summary string) api.Route {
		return api.Route{
			Method: method, Path: "/api/crm/widget/v1/{key}" + path, ID: "widget-" + id, Tag: "CRM live chat", Summary: summary,
			Access: api.Public, Open: true, ChecksOrigin: true, Refusals: []int{401, 403, 409}, Doc: summary + "." + how,
		}
	}
	api.Handle(a, route("GET", "/config", "config", "Get the widget's configuration"),
		func(ctx context.Context, in *Keyed) (PublicConfig, error) {
			ctx, p, err := s.page(ctx, in.Key)
			if err != nil {
				return PublicConfig{}, err
			}
			return s.config(ctx, p)
		})
	api.Handle(a, route("GET", "/articles", "articles", "Search help articles for the visitor"),
		func(ctx context.Context, in *articlesIn) ([]Article, error) {
			ctx, p, err := s.page(ctx, in.Key)
			if err != nil {
				return nil, err
			}
			return s.findArticles(ctx, p, in.Language, in.Q)
		})
	begin := route("POST", "/session", "session", "Resume a visitor's session or start a new one")
	begin.ShowsSecret = true
	api.Handle(a, begin, func(ctx context.Context, in *sessionIn) (Session, error) {
		ctx, p, err := s.page(ctx, in.Key)
		if err != nil {
			return Session{}, err
		}
		return s.begin(ctx, p, api.BearerToken(ctx), Visitor{Language: in.Body.Language, Page: in.Body.Page, Origin: api.Origin(ctx), Browser: trtext.Cut(api.UserAgent(ctx), maxBrowser)})
	})
	api.HandleList(a, route("GET", "/messages", "messages", "List the visitor's messages, newest first"),
		forVisitor(s, func(ctx context.Context, p *page, v Visitor, in *messagesIn) (db.List[Message], error) {
			return s.messages(ctx, p, v, in.Page())
		}))
	api.Handle(a, route("POST", "/messages", "write", "Send a message as the visitor"),
		forVisitor(s, func(ctx context.Context, p *page, v Visitor, in *writeIn) (out Written, err error) {
			if err := s.allowMessage(ctx, p, v.ID); err != nil {
				return out, err
			}
			b := in.Body
			return s.write(ctx, p, v, Line{Body: b.Body, ID: b.ID, Name: b.Name, Email: b.Email, Phone: b.Phone, Page: b.Page})
		}))
	upload := route("POST", "/files", "attach", "Send a file as the visitor")
	upload.MaxBody = file.MaxSize
	api.HandleUpload(a, upload, func(ctx context.Context, in *attachIn, body *api.Upload) (out Written, err error) {
		ctx, p, v, err := s.visit(ctx, in.Key)
		if err != nil {
			return out, err
		}
		// The limit is checked before the bytes are taken in, not after.
		if err := s.allowMessage(ctx, p, v.ID); err != nil {
			return out, err
		}
		return s.attach(ctx, p, v, in.Filename, body.Type, body)
	})
	api.HandleFile(a, route("GET", "/files/{id}", "file", "Download a file of the visitor's chat"),
		forVisitor(s, func(ctx context.Context, p *page, v Visitor, in *fileIn) (*api.File, error) {
			now, err := s.session(ctx, v)
			if err != nil {
				return nil, err
			}
			if now.ConversationID == nil {
				return nil, fault.New(fault.NotFound)
			}
			f, content, err := s.Files.OpenOn(ctx, p.Account.ID, now.ConversationID, in.ID.UUID)
			if err != nil {
				return nil, err
			}
			return &api.File{Name: f.Name, Type: f.Type, Tag: f.ID.String(), Modified: f.CreatedAt.Time, Content: content}, nil
		}))
	api.Handle(a, route("POST", "/typing", "typing", "Report that the visitor is typing"),
		forVisitor(s, func(ctx context.Context, _ *page, v Visitor, in *typingIn) (api.Done, error) {
			if v.ConversationID == nil {
				return api.Done{}, nil
			}
			return api.Done{Done: true}, s.Typing.VisitorTypes(ctx, *v.ConversationID, in.Body.Typing)
		}))
	api.Handle(a, route("POST", "/read", "read", "Mark messages as read by the visitor"),
		forVisitor(s, func(ctx context.Context, p *page, v Visitor, in *readIn) (api.Done, error) {
			return api.Done{Done: true}, s.readUntil(ctx, p, v, in.Body.MessageID.UUID)
		}))
	api.Handle(a, route("POST", "/rating", "rating", "Rate the conversation as the visitor"),
		forVisitor(s, func(ctx context.Context, p *page, v Visitor, in *ratingIn) (Rated, error) {
			if v.ConversationID == nil {
				return Rated{}, fault.New(fault.NotFound)
			}
			r, err := s.Inbound.Respond(ctx, p.Account.ID, *v.ConversationID, in.Body.Rating, in.Body.Comment)
			return Rated{r.Rating, r.Recorded}, err
		}))
	vote := route("POST", "/messages/{id}/vote", "vote", "Vote on an answer of the assistant as the visitor")
	vote.Doc += " A second vote replaces the first. 404 if the message is not in this chat; 409 not_an_ai_answer if the assistant did not write it."
	api.Handle(a, vote, forVisitor(s, func(ctx context.Context, p *page, v Visitor, in *voteIn) (Voted, error) {
		return s.vote(ctx, p, v, in.ID.UUID, in.Body.Rating)
	}))
	api.HandleEvents(a, route("GET", "/stream", "stream", "Stream events of the visitor's conversation"),
		forVisitor(s, func(ctx context.Context, p *page, v Visitor, in *Keyed) (func(context.Context, *api.Sender) error, error) {
			now, err := s.session(ctx, v)
			if err != nil {
				return nil, err
			}
			if now.ConversationID == nil {
				return nil, fault.New(fault.NotFound)
			}
			release, err := a.Streams().Hold(v.ID, streamsPerVisitor)
			if err != nil {
				return nil, err
			}
			who := api.Caller(ctx)
			return func(ctx context.Context, send *api.Sender) error {
				defer release()
				var n int64
				return s.watch(caller.With(ctx, who), p, *now.ConversationID, func(news *News) error {
					if news == nil {
						return send.Comment("here")
					}
					n++
					return send.Event(n, news.Kind, news.Data)
				})
			}, nil
		}))
}

// page checks the widget's key and lets the page read the response.
func (s *Service) page(ctx context.Context, key string) (context.Context, *page, error) {
	within, p, err := s.enter(ctx, key, api.Origin(ctx), api.ClientIP(ctx))
	if !fault.Is(err, fault.CrossOrigin) && !fault.Is(err, fault.NotFound) {
		api.AllowOrigin(ctx)
	}
	return within, p, err
}

func (s *Service) visit(ctx context.Context, key string) (context.Context, *page, Visitor, error) {
	ctx, p, err := s.page(ctx, key)
	if err != nil {
		return ctx, nil, Visitor{}, err
	}
	v, err := s.visitor(ctx, p, api.BearerToken(ctx))
	return ctx, p, v, err
}

// forVisitor returns the handler of a route for visitors: it opens the widget, finds the
// visitor and calls h.
func forVisitor[In interface{ key() string }, Out any](s *Service, h func(context.Context, *page, Visitor, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (out Out, err error) {
		ctx, p, v, err := s.visit(ctx, in.key())
		if err != nil {
			return out, err
		}
		return h(ctx, p, v, in)
	}
}
