package domain

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

type provisionMailboxIn struct {
	Body struct {
		Address   string    `json:"address" minLength:"1" maxLength:"254" example:"destek@kaya.example" doc:"At one of the workspace's domains"`
		Kind      string    `json:"kind" enum:"inbox,forward,personal" example:"inbox" doc:"inbox: its mail goes to an e-mail account of the CRM. forward and personal are not served yet: 409"`
		AccountID uuid.UUID `json:"account_id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c" doc:"The e-mail account of the CRM"`
	}
}

type mailboxIn struct {
	ID api.ID `path:"id" record:"mail_mailbox"`
}

// registerMailboxes adds the routes of mailboxes.
func (s *Service) registerMailboxes(a *api.API) {
	put := route("POST", "/provision/mailbox", "provision-mailbox", "Register a mailbox", perm.MailboxesManage)
	put.Refusals = []int{409}
	put.Doc = "Adds a mailbox at one of the workspace's domains, or changes where the mail of one goes. Mail is taken as soon as the domain's ownership record was seen; what follows a plus before the @ does not count."
	api.Handle(a, put, func(ctx context.Context, in *provisionMailboxIn) (Mailbox, error) {
		return s.ProvisionMailbox(ctx, in.Body.Address, in.Body.Kind, in.Body.AccountID)
	})

	api.HandleList(a, route("GET", "/mailboxes", "list-mail-mailboxes", "List mailboxes", perm.MailboxesView),
		func(ctx context.Context, in *listIn) (db.List[Mailbox], error) { return s.Mailboxes(ctx, in.Page()) })

	del := route("DELETE", "/mailboxes/{id}", "delete-mail-mailbox", "Remove a mailbox", perm.MailboxesManage)
	del.Doc = "Mail to its address is refused from now on; what arrived stays in the inbox."
	api.Handle(a, del, func(ctx context.Context, in *mailboxIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.DeleteMailbox(ctx, in.ID.UUID)
	})
}
