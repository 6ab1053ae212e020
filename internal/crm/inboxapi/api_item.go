package inboxapi

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/crm/conversation/edit"
	"konak/internal/crm/reply"
	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

type itemIn struct {
	ID     api.ID `path:"id" record:"conversation"`
	ItemID api.ID `path:"itemId" record:"conversation_item"`
}

type itemRevisionsIn struct {
	api.Paged
	ID     api.ID `path:"id" record:"conversation"`
	ItemID api.ID `path:"itemId" record:"conversation_item"`
}

type editItemIn struct {
	ID     api.ID `path:"id" record:"conversation"`
	ItemID api.ID `path:"itemId" record:"conversation_item"`
	Body   struct {
		Body     string       `json:"body" maxLength:"100000" example:"Siparişiniz yarın teslim edilecek."`
		Mentions *[]uuid.UUID `json:"mentions,omitempty" maxItems:"50" nullable:"false" doc:"Whom the note calls now; those who were not called before are told. What is not sent stays"`
	}
}

type forwardItemIn struct {
	ID     api.ID `path:"id" record:"conversation"`
	ItemID api.ID `path:"itemId" record:"conversation_item"`
	Body   struct {
		To          []string  `json:"to" minItems:"1" maxItems:"20" nullable:"false" example:"[\"depo@kayamobilya.example\"]"`
		Note        string    `json:"note,omitempty" maxLength:"10000" example:"Bu siparişe bakabilir misiniz?" doc:"Stands before the message"`
		DLPOverride *override `json:"dlp_override,omitempty" doc:"After a 422 dlp_warning: why the message goes all the same"`
	}
}

type reactionIn struct {
	ID     api.ID `path:"id" record:"conversation"`
	ItemID api.ID `path:"itemId" record:"conversation_item"`
	Body   struct {
		Emoji string `json:"emoji" maxLength:"40" example:"👍" doc:"Empty takes the reaction away"`
	}
}

type feedbackIn struct {
	ID     api.ID `path:"id" record:"conversation"`
	ItemID api.ID `path:"itemId" record:"conversation_item"`
	Body   struct {
		Rating  string `json:"rating" enum:"up,down"`
		Comment string `json:"comment,omitempty" maxLength:"1000" example:"İade süresi doğru."`
	}
}

// EmailCC is who gets a copy of e-mail answers.
type EmailCC struct {
	EmailCC  []string `json:"email_cc" nullable:"false" example:"[\"muhasebe@kayamobilya.example\"]"`
	Proposed []string `json:"proposed" nullable:"false" example:"[\"depo@kayamobilya.example\"]" doc:"Addresses that the last mail brought along and that nobody has written to here. Who wrote that mail is not proven: they get no copy until somebody adds them to email_cc"`
}

type setEmailCCIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body struct {
		EmailCC  []string  `json:"email_cc" maxItems:"50" nullable:"false" example:"[\"muhasebe@kayamobilya.example\"]"`
		Proposed *[]string `json:"proposed,omitempty" maxItems:"50" example:"[]" doc:"Which of the proposed addresses stay proposed: an empty list drops them. Left out, those stay that are not added"`
	}
}

func shownCopies(c conversation.Copies) EmailCC { return EmailCC{c.Addresses, c.Proposed} }

const ofItem = "/{id}/items/{itemId}"

func (s *Service) registerItems(a *api.API) {
	rt := route("PUT", ofItem, "edit-conversation-item", "Edit a message or a note", perm.ConversationsReply)
	rt.Refusals = []int{409}
	rt.Doc = "What it said before is kept. Ask edit-policy first: what it does not allow is a 409 with its reason; what others wrote needs crm.conversations.delete (403)."
	api.Handle(a, rt, func(ctx context.Context, in *editItemIn) (conversation.Item, error) {
		return s.edits.Edit(ctx, in.ID.UUID, in.ItemID.UUID, in.Body.Body, in.Body.Mentions)
	})
	remove := route("DELETE", ofItem, "delete-conversation-item", "Delete a message or a note", perm.ConversationsReply)
	remove.Refusals = []int{409}
	remove.Doc = "It is hidden here; a customer's own copy stays with them. Refusals as for editing."
	api.Handle(a, remove, func(ctx context.Context, in *itemIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ItemID, Deleted: true}, s.edits.Delete(ctx, in.ID.UUID, in.ItemID.UUID)
	})
	api.Handle(a, route("GET", ofItem+"/edit-policy", "item-edit-policy", "Whether the caller may edit or delete an item", perm.ConversationsView),
		func(ctx context.Context, in *itemIn) (edit.EditPolicy, error) {
			return s.edits.Policy(ctx, in.ID.UUID, in.ItemID.UUID)
		})
	api.HandleList(a, route("GET", ofItem+"/edits", "list-item-edits", "What an item said before, the newest first", perm.ConversationsView),
		func(ctx context.Context, in *itemRevisionsIn) (db.List[edit.Edition], error) {
			return s.edits.Revisions(ctx, in.ID.UUID, in.ItemID.UUID, in.Page())
		})

	react := route("POST", ofItem+"/reaction", "react-to-item", "React to a message through its channel", perm.ConversationsReply)
	react.Refusals = []int{502}
	react.Doc = "The answer is the updated item with its `tepkiler`. Where the channel has no copy of the message, no reactions or not this one: 422 reaction_unsupported, the reason in `reason` (no_channel_copy, channel_unsupported, sign_unsupported, no_route). A provider that does not answer: 502."
	api.Handle(a, react, func(ctx context.Context, in *reactionIn) (conversation.Item, error) {
		return s.replies.React(ctx, in.ID.UUID, in.ItemID.UUID, in.Body.Emoji)
	})
	forward := route("POST", ofItem+"/forward", "forward-item", "Forward a message by e-mail", perm.ConversationsReply)
	forward.TakesKey = true
	forward.Refusals = []int{409}
	forward.Doc = "With its files. It is written down in the timeline. One that a data-loss-prevention rule stops: 422 dlp_blocked; one that a rule warns about: 422 dlp_warning, until it comes with dlp_override."
	api.Handle(a, forward, func(ctx context.Context, in *forwardItemIn) (reply.Forwarding, error) {
		f := reply.Forwarded{To: in.Body.To, Note: in.Body.Note, Language: api.Language(ctx), Override: in.Body.DLPOverride.text()}
		to, err := s.replies.Forward(ctx, in.ID.UUID, in.ItemID.UUID, f)
		return reply.Forwarding{To: to, Delivery: conversation.Queued}, err
	})
	retry := route("POST", ofItem+"/retry", "retry-item", "Send a message again that could not be delivered", perm.ConversationsReply)
	retry.Refusals = []int{409}
	retry.Doc = "Only what failed: else 409 not_failed. Without a route: 422 no_route. What a data-loss-prevention rule warned about and nobody gave a reason for: 422 dlp_warning; write it anew with dlp_override."
	api.Handle(a, retry, func(ctx context.Context, in *itemIn) (conversation.Item, error) {
		return s.replies.Retry(ctx, in.ID.UUID, in.ItemID.UUID)
	})
	s.registerEmail(a)
	s.registerAIItems(a)
}

func (s *Service) registerEmail(a *api.API) {
	mail := route("GET", ofItem+"/email", "item-email", "Original e-mail of an e-mail-sourced message", perm.ConversationsView)
	mail.Doc = "The HTML is sanitised. An item that was no e-mail: 404 with the reason no_email."
	api.Handle(a, mail, func(ctx context.Context, in *itemIn) (conversation.Email, error) {
		return s.gate.Email(ctx, in.ID.UUID, in.ItemID.UUID)
	})
	raw := route("GET", ofItem+"/email/raw", "item-email-raw", "The e-mail as it came over the wire", perm.ConversationsView)
	raw.Refusals = []int{410}
	raw.Doc = "Where its content is gone from the storage or damaged there: 410 file_missing or file_damaged."
	api.HandleFile(a, raw, func(ctx context.Context, in *itemIn) (*api.File, error) {
		_, content, err := s.gate.RawEmail(ctx, in.ID.UUID, in.ItemID.UUID)
		if err != nil {
			return nil, err
		}
		return &api.File{Name: in.ItemID.String() + ".eml", Type: "message/rfc822", Tag: in.ItemID.String(), Content: content}, nil
	})

	api.Handle(a, route("GET", "/{id}/email-cc", "email-cc", "Who gets a copy of e-mail answers", perm.ConversationsReply),
		func(ctx context.Context, in *conversationIn) (EmailCC, error) {
			c, err := s.gate.Copies(ctx, in.ID.UUID)
			return shownCopies(c), err
		})
	set := route("PUT", "/{id}/email-cc", "set-email-cc", "Replace who gets a copy of e-mail answers", perm.ConversationsReply)
	set.Refusals = []int{409}
	set.Doc = "A malformed address: 422 on `email_cc`."
	api.Handle(a, set, func(ctx context.Context, in *setEmailCCIn) (EmailCC, error) {
		c, err := s.gate.SetCopies(ctx, in.ID.UUID, in.Body.EmailCC, in.Body.Proposed)
		return shownCopies(c), err
	})
}

func (s *Service) registerAIItems(a *api.API) {
	rate := route("POST", ofItem+"/ai-feedback", "rate-ai-answer", "Rate an answer of the bot", perm.ConversationsReply)
	rate.Refusals = []int{409}
	rate.Doc = "Stored apart from the customer's vote, which alone counts for satisfaction. Rating again replaces. What the bot did not write: 409 not_an_ai_answer."
	api.Handle(a, rate, func(ctx context.Context, in *feedbackIn) (airecord.Feedback, error) {
		return s.ai.Rate(ctx, in.ID.UUID, in.ItemID.UUID, in.Body.Rating, in.Body.Comment)
	})
	votes := route("GET", ofItem+"/ai-feedback", "list-ai-feedback", "Votes on an answer of the bot, the newest first", perm.ConversationsView)
	votes.Doc = "The agents' and the customer's, by author_kind; of very many the newest 200. What nobody rated has none."
	api.Handle(a, votes, func(ctx context.Context, in *itemIn) ([]airecord.Feedback, error) {
		return s.ai.Votes(ctx, in.ID.UUID, in.ItemID.UUID)
	})
	api.Handle(a, route("GET", ofItem+"/ai-sources", "ai-sources", "Sources that the bot's answer relied on", perm.ConversationsView),
		func(ctx context.Context, in *itemIn) ([]conversation.AISource, error) {
			return s.gate.AISources(ctx, in.ID.UUID, in.ItemID.UUID)
		})
}
