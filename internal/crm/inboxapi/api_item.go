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
		Mentions *[]uuid.UUID `json:"mentions,omitempty" maxItems:"50" nullable:"false" doc:"Agents the note now mentions; newly mentioned ones are notified. Unchanged if left out"`
	}
}

type forwardItemIn struct {
	ID     api.ID `path:"id" record:"conversation"`
	ItemID api.ID `path:"itemId" record:"conversation_item"`
	Body   struct {
		To          []string  `json:"to" minItems:"1" maxItems:"20" nullable:"false" example:"[\"depo@kayamobilya.example\"]"`
		Note        string    `json:"note,omitempty" maxLength:"10000" example:"Bu siparişe bakabilir misiniz?" doc:"Text placed before the message"`
		DLPOverride *override `json:"dlp_override,omitempty" doc:"After a 422 dlp_warning: reason for sending the message anyway"`
	}
}

type reactionIn struct {
	ID     api.ID `path:"id" record:"conversation"`
	ItemID api.ID `path:"itemId" record:"conversation_item"`
	Body   struct {
		Emoji string `json:"emoji" maxLength:"40" example:"👍" doc:"Empty removes the reaction"`
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

// EmailCC lists who gets a copy of e-mail answers.
type EmailCC struct {
	EmailCC  []string `json:"email_cc" nullable:"false" example:"[\"muhasebe@kayamobilya.example\"]"`
	Proposed []string `json:"proposed" nullable:"false" example:"[\"depo@kayamobilya.example\"]" doc:"Addresses from the last e-mail that nobody has written to here. Its sender is not proven, so they get no copy until somebody adds them to email_cc"`
}

type setEmailCCIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body struct {
		EmailCC  []string  `json:"email_cc" maxItems:"50" nullable:"false" example:"[\"muhasebe@kayamobilya.example\"]"`
		Proposed *[]string `json:"proposed,omitempty" maxItems:"50" example:"[]" doc:"Proposed addresses to keep; an empty list drops them. If left out, those not added stay"`
	}
}

func shownCopies(c conversation.Copies) EmailCC { return EmailCC{c.Addresses, c.Proposed} }

const ofItem = "/{id}/items/{itemId}"

func (s *Service) registerItems(a *api.API) {
	rt := route("PUT", ofItem, "edit-conversation-item", "Edit a message or a note", perm.ConversationsReply)
	rt.Refusals = []int{409}
	rt.Doc = "The previous text is kept. Check edit-policy first: 409 with its reason if it does not allow the edit; items written by others need crm.conversations.delete (403)."
	api.Handle(a, rt, func(ctx context.Context, in *editItemIn) (conversation.Item, error) {
		return s.Edits.Edit(ctx, in.ID.UUID, in.ItemID.UUID, in.Body.Body, in.Body.Mentions)
	})
	remove := route("DELETE", ofItem, "delete-conversation-item", "Delete a message or a note", perm.ConversationsReply)
	remove.Refusals = []int{409}
	remove.Doc = "Hides it here; a customer keeps their own copy. Refusals are the same as for editing."
	api.Handle(a, remove, func(ctx context.Context, in *itemIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ItemID, Deleted: true}, s.Edits.Delete(ctx, in.ID.UUID, in.ItemID.UUID)
	})
	api.Handle(a, route("GET", ofItem+"/edit-policy", "item-edit-policy", "Check whether the caller can edit or delete an item", perm.ConversationsView),
		onItem(s.Edits.Policy))
	api.HandleList(a, route("GET", ofItem+"/edits", "list-item-edits", "List previous versions of an item, newest first", perm.ConversationsView),
		func(ctx context.Context, in *itemRevisionsIn) (db.List[edit.Edition], error) {
			return s.Edits.Revisions(ctx, in.ID.UUID, in.ItemID.UUID, in.Page())
		})

	react := route("POST", ofItem+"/reaction", "react-to-item", "React to a message through its channel", perm.ConversationsReply)
	react.Refusals = []int{502}
	react.Doc = "Returns the updated item with its `tepkiler`. 422 reaction_unsupported if the channel has no copy of the message, no reactions or not this one, with the cause in `reason` (no_channel_copy, channel_unsupported, sign_unsupported, no_route). 502 if the provider does not answer."
	api.Handle(a, react, func(ctx context.Context, in *reactionIn) (conversation.Item, error) {
		return s.Replies.React(ctx, in.ID.UUID, in.ItemID.UUID, in.Body.Emoji)
	})
	forward := route("POST", ofItem+"/forward", "forward-item", "Forward a message by e-mail", perm.ConversationsReply)
	forward.TakesKey = true
	forward.Refusals = []int{409}
	forward.Doc = "Includes its files and is recorded in the timeline. 422 dlp_blocked if a data-loss-prevention rule stops it; 422 dlp_warning if a rule warns about it, until it is sent with dlp_override."
	api.Handle(a, forward, func(ctx context.Context, in *forwardItemIn) (reply.Forwarding, error) {
		f := reply.Forwarded{To: in.Body.To, Note: in.Body.Note, Language: api.Language(ctx), Override: in.Body.DLPOverride.text()}
		to, err := s.Replies.Forward(ctx, in.ID.UUID, in.ItemID.UUID, f)
		return reply.Forwarding{To: to, Delivery: conversation.Queued}, err
	})
	retry := route("POST", ofItem+"/retry", "retry-item", "Resend a message that could not be delivered", perm.ConversationsReply)
	retry.Refusals = []int{409}
	retry.Doc = "Only failed messages: otherwise 409 not_failed. 422 no_route without a route. 422 dlp_warning if a data-loss-prevention rule warned about it and nobody gave a reason; write a new message with dlp_override."
	api.Handle(a, retry, onItem(s.Replies.Retry))
	s.registerEmail(a)
	s.registerAIItems(a)
}

func (s *Service) registerEmail(a *api.API) {
	mail := route("GET", ofItem+"/email", "item-email", "Get the original e-mail of a message", perm.ConversationsView)
	mail.Doc = "The HTML is sanitised. 404 with the reason no_email if the item was not an e-mail."
	api.Handle(a, mail, onItem(s.Conversations.Email))
	raw := route("GET", ofItem+"/email/raw", "item-email-raw", "Download the raw e-mail", perm.ConversationsView)
	raw.Refusals = []int{410}
	raw.Doc = "410 file_missing or file_damaged if its content is missing from the storage or damaged there."
	api.HandleFile(a, raw, func(ctx context.Context, in *itemIn) (*api.File, error) {
		_, content, err := s.Conversations.RawEmail(ctx, in.ID.UUID, in.ItemID.UUID)
		if err != nil {
			return nil, err
		}
		return &api.File{Name: in.ItemID.String() + ".eml", Type: "message/rfc822", Tag: in.ItemID.String(), Content: content}, nil
	})

	api.Handle(a, route("GET", "/{id}/email-cc", "email-cc", "List who gets a copy of e-mail replies", perm.ConversationsReply),
		func(ctx context.Context, in *conversationIn) (EmailCC, error) {
			c, err := s.Conversations.Copies(ctx, in.ID.UUID)
			return shownCopies(c), err
		})
	set := route("PUT", "/{id}/email-cc", "set-email-cc", "Replace who gets a copy of e-mail replies", perm.ConversationsReply)
	set.Refusals = []int{409}
	set.Doc = "422 on `email_cc` for a malformed address."
	api.Handle(a, set, func(ctx context.Context, in *setEmailCCIn) (EmailCC, error) {
		c, err := s.Conversations.SetCopies(ctx, in.ID.UUID, in.Body.EmailCC, in.Body.Proposed)
		return shownCopies(c), err
	})
}

func (s *Service) registerAIItems(a *api.API) {
	rate := route("POST", ofItem+"/ai-feedback", "rate-ai-answer", "Rate an answer of the assistant", perm.ConversationsReply)
	rate.Refusals = []int{409}
	rate.Doc = "Stored separately from the customer's vote, which alone counts for satisfaction. A second rating replaces the first. 409 not_an_ai_answer if the assistant did not write it."
	api.Handle(a, rate, func(ctx context.Context, in *feedbackIn) (airecord.Feedback, error) {
		return s.AIRecords.Rate(ctx, in.ID.UUID, in.ItemID.UUID, in.Body.Rating, in.Body.Comment)
	})
	votes := route("GET", ofItem+"/ai-feedback", "list-ai-feedback", "List votes on an answer of the assistant, newest first", perm.ConversationsView)
	votes.Doc = "The agents' and the customer's votes, marked by author_kind; at most the newest 200. Empty if nobody rated it."
	api.Handle(a, votes, onItem(s.AIRecords.Votes))
	api.Handle(a, route("GET", ofItem+"/ai-sources", "ai-sources", "List the sources of an answer of the assistant", perm.ConversationsView),
		onItem(s.Conversations.AISources))
}
