package domain

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type provisionMailboxIn struct {
	Body struct {
		Address    string              `json:"address" minLength:"1" maxLength:"254" example:"destek@kaya.example" doc:"Address at one of the workspace's domains"`
		Kind       string              `json:"kind" enum:"inbox,forward,personal" example:"inbox" doc:"inbox: delivers mail to an e-mail account of the CRM. forward: forwards mail to other addresses. personal is not supported yet: 409"`
		AccountID  *uuid.UUID          `json:"account_id,omitempty" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c" doc:"E-mail account of the CRM; required for an inbox"`
		Targets    []string            `json:"targets,omitempty" maxItems:"20" example:"[\"elif@example.com\"]" doc:"Targets of a mailbox of the kind forward; at least one is required. Targets that lead back to the mailbox: 422 forwarding_loop"`
		Password   string              `json:"password,omitempty" maxLength:"200" example:"kırmızı-bisiklet-kapıda" doc:"Password for mail programs that send as this mailbox. At least 12 characters, or the length in the settings. If omitted, it stays unchanged"`
		QuotaMB    api.Optional[int64] `json:"quota_mb,omitempty" minimum:"1" maximum:"1048576" example:"2048" doc:"Total mail an inbox accepts; defaults to the settings. If omitted, it stays unchanged; null removes it"`
		DailyLimit api.Optional[int64] `json:"daily_limit,omitempty" minimum:"1" maximum:"2000" example:"500" doc:"Maximum recipients in 24 hours; 2000 by default. If omitted, it stays unchanged; null removes it"`
	}
}

type mailboxStateIn struct {
	ID   api.ID `path:"id" record:"mail_mailbox"`
	Body struct {
		State string `json:"state" enum:"active,suspended" example:"suspended"`
	}
}

type addGrantIn struct {
	Body struct {
		MailboxID uuid.UUID `json:"mailbox_id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
		Address   string    `json:"address" minLength:"1" maxLength:"254" example:"satis@kaya.example" doc:"Address at one of the workspace's domains"`
	}
}

type grantIn struct {
	ID api.ID `path:"grant_id" record:"mail_send_as"`
}

type mailboxIn struct {
	ID api.ID `path:"id" record:"mail_mailbox"`
}

// registerMailboxes adds the routes of mailboxes.
func (s *Service) registerMailboxes(a *api.API) {
	put := route("POST", "/provision/mailbox", "provision-mailbox", "Register a mailbox", perm.MailboxesManage)
	put.Refusals = []int{409}
	put.Doc = "Adds a mailbox at one of the workspace's domains, or changes where its mail goes, its password, its quota and its daily limit. Mail is accepted once the domain's ownership record is found. A plus and anything after it before the @ are ignored."
	api.Handle(a, put, func(ctx context.Context, in *provisionMailboxIn) (Mailbox, error) {
		return s.ProvisionMailbox(ctx, MailboxInput(in.Body))
	})

	api.HandlePage(a, route("GET", "/mailboxes", "list-mail-mailboxes", "List mailboxes", perm.MailboxesView), s.Mailboxes)

	del := route("DELETE", "/mailboxes/{id}", "delete-mail-mailbox", "Remove a mailbox", perm.MailboxesManage)
	del.Doc = "Mail to the address is then refused; mail that already arrived stays in the inbox."
	api.Handle(a, del, func(ctx context.Context, in *mailboxIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.DeleteMailbox(ctx, in.ID.UUID)
	})

	state := route("PUT", "/mailboxes/{id}/state", "set-mail-mailbox-state", "Suspend or resume a mailbox", perm.MailboxesManage)
	state.Doc = "A suspended mailbox sends nothing. Mail to an inbox is still accepted; mail to a forwarding mailbox is deferred with 450."
	api.Handle(a, state, func(ctx context.Context, in *mailboxStateIn) (Mailbox, error) {
		return s.SetMailboxState(ctx, in.ID.UUID, in.Body.State)
	})

	api.HandlePage(a, route("GET", "/send-as", "list-send-as-grants", "List send-as grants", perm.SendAsView), s.Grants)

	grant := route("POST", "/send-as", "add-send-as-grant", "Allow a mailbox to send as another address", perm.SendAsManage)
	grant.TakesKey, grant.Status, grant.Refusals = true, 201, []int{409}
	grant.Doc = "A mailbox sends as its own address; without a grant the mail server refuses any other with 553. 409 if the grant exists, or for the mailbox's own address."
	api.Handle(a, grant, func(ctx context.Context, in *addGrantIn) (Grant, error) {
		return s.AddGrant(ctx, in.Body.MailboxID, in.Body.Address)
	})

	revoke := route("DELETE", "/send-as/{grant_id}", "revoke-send-as-grant", "Revoke a send-as grant", perm.SendAsManage)
	revoke.Doc = "Takes effect with the next mail."
	api.Handle(a, revoke, func(ctx context.Context, in *grantIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.RevokeGrant(ctx, in.ID.UUID)
	})
}
