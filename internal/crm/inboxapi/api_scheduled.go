package inboxapi

import (
	"context"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/later"
	"konak/internal/crm/reply"
	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

type scheduleIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body struct {
		Body       string          `json:"body" maxLength:"100000" example:"Randevunuz yarın 10.00'da."`
		SendAt     *clock.Time     `json:"send_at,omitempty" doc:"At most a year ahead"`
		Delay      int             `json:"delay_s,omitempty" minimum:"1" maximum:"60" example:"5" doc:"Seconds from now, instead of send_at; until then, the reply can be cancelled"`
		Then       *later.FollowUp `json:"then,omitempty" doc:"What happens to the conversation once the message is sent, unless the customer has written since; needs crm.conversations.manage"`
		UntilReply bool            `json:"until_reply,omitempty" doc:"Cancel it if the customer writes first"`
		Channel    string          `json:"channel,omitempty" maxLength:"40" example:"email" doc:"Channel to use instead of the conversation's own"`
		AccountID  *uuid.UUID      `json:"channel_account_id,omitempty" format:"uuid"`
		MessageFormat
		DLPOverride *override   `json:"dlp_override,omitempty" doc:"After a 422 dlp_warning: reason for sending the message anyway"`
		Attachments []uuid.UUID `json:"attachments,omitempty" maxItems:"20" nullable:"false" doc:"Ids of files the caller uploaded; with files, the text can be empty"`
	}
}

type listScheduledIn struct {
	api.Paged
	ID    api.ID `path:"id" record:"conversation"`
	State string `query:"state" enum:"waiting,sent,cancelled,failed"`
}

type scheduledIDIn struct {
	ID          api.ID `path:"id" record:"conversation"`
	ScheduledID api.ID `path:"scheduledId" record:"scheduled_message"`
	KeepFiles   string `query:"keep_files" enum:"true" doc:"For its author: the files become uploads again and are returned"`
}

// Cancelled is the number of messages that were cancelled.
type Cancelled struct {
	Cancelled int `json:"cancelled" example:"2"`
}

func (s *Service) registerScheduled(a *api.API) {
	post := route("POST", "/{id}/scheduled", "schedule-message", "Schedule a message", perm.ConversationsReply)
	post.TakesKey = true
	post.Status, post.Refusals = 201, []int{409}
	post.Doc = "Sent once, at its time or as soon as the service runs again. Its state shows the outcome; a refusal at that time (no_route, window_closed) is also in the timeline. 422 no_route if there is no route now. Data-loss prevention checks an e-mail, or any message if the workspace turned this on, now and again at its time: 422 dlp_blocked if a rule stops it, 422 dlp_warning if a rule warns about it, until it is sent with dlp_override."
	api.Handle(a, post, func(ctx context.Context, in *scheduleIn) (later.Scheduled, error) {
		b := in.Body
		return s.Replies.Schedule(ctx, in.ID.UUID, reply.Later{
			Answer: reply.Answer{
				Author: conversation.AgentAuthor(caller.From(ctx).ID), Body: b.Body, Channel: b.Channel, AccountID: b.AccountID, Attachments: b.Attachments,
				Markdown: b.markdown(), Signature: b.Signature, Override: b.DLPOverride.text(),
			},
			SendAt: b.SendAt, Delay: time.Duration(b.Delay) * time.Second, FollowUp: b.Then, UntilReply: b.UntilReply,
		})
	})
	list := route("GET", "/{id}/scheduled", "list-scheduled-messages", "List scheduled messages, next first", perm.ConversationsView)
	list.Ascending = true
	api.HandleList(a, list, func(ctx context.Context, in *listScheduledIn) (db.List[later.Scheduled], error) {
		return s.Replies.ScheduledIn(ctx, in.ID.UUID, in.State, in.Page())
	})
	all := route("DELETE", "/{id}/scheduled", "cancel-scheduled-messages", "Cancel all waiting messages", perm.ConversationsReply)
	api.Handle(a, all, func(ctx context.Context, in *conversationIn) (Cancelled, error) {
		n, err := s.Replies.UnscheduleAll(ctx, in.ID.UUID)
		return Cancelled{n}, err
	})
	one := route("DELETE", "/{id}/scheduled/{scheduledId}", "cancel-scheduled-message", "Cancel a waiting message", perm.ConversationsReply)
	one.Refusals = []int{409}
	one.Doc = "Repeating the request changes nothing; 409 if the message was sent or failed."
	api.Handle(a, one, func(ctx context.Context, in *scheduledIDIn) (later.Scheduled, error) {
		return s.Replies.Unschedule(ctx, in.ID.UUID, in.ScheduledID.UUID, in.KeepFiles != "")
	})
}
