package email

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

// serverBody is a server together with its password, which is never returned.
type serverBody struct {
	Server
	Password string `json:"password,omitempty" maxLength:"500" writeOnly:"true" doc:"Stored encrypted, never shown. If omitted, the stored password stays, as long as host, port, user and security are unchanged; if one of them changes, send it again"`
}

type mailboxBody struct {
	Name         string      `json:"name" minLength:"1" maxLength:"100" example:"Destek"`
	Address      string      `json:"address" maxLength:"254" example:"destek@firma.example" doc:"Address that customers see as the sender; cannot be changed later"`
	SenderName   string      `json:"sender_name,omitempty" maxLength:"100" example:"Firma Destek"`
	IMAP         *serverBody `json:"imap,omitempty" doc:"External mailbox to fetch mail from"`
	SMTP         *serverBody `json:"smtp,omitempty" doc:"Server that replies are sent through; by default the installation's own"`
	GroupID      *uuid.UUID  `json:"group_id,omitempty" format:"uuid"`
	ContinueOpen bool        `json:"continue_open,omitempty"`
	SubjectToken bool        `json:"subject_token,omitempty"`
	AutoReply    string      `json:"auto_reply,omitempty" maxLength:"5000" example:"Mesajınızı aldık, en kısa sürede döneceğiz."`
}

func (b *mailboxBody) input() Input {
	in := Input{Name: b.Name, GroupID: b.GroupID, Settings: Settings{
		Address: b.Address, SenderName: b.SenderName, ContinueOpen: b.ContinueOpen, SubjectToken: b.SubjectToken, AutoReply: b.AutoReply,
	}}
	if b.IMAP != nil {
		in.Settings.IMAP, in.IMAPPassword = &b.IMAP.Server, b.IMAP.Password
	}
	if b.SMTP != nil {
		in.Settings.SMTP, in.SMTPPassword = &b.SMTP.Server, b.SMTP.Password
	}
	return in
}

type addMailboxIn struct{ Body mailboxBody }

type changeMailboxIn struct {
	ID   api.ID `path:"id" record:"channel_account"`
	Body mailboxBody
}

type testMailboxIn struct {
	Body struct {
		ID   *uuid.UUID  `json:"id,omitempty" format:"uuid" doc:"Mailbox whose stored passwords replace omitted ones, if host, port, user and security are the stored ones"`
		IMAP *serverBody `json:"imap,omitempty"`
		SMTP *serverBody `json:"smtp,omitempty"`
	}
}

// Trials are the results of a test; null for a server that was not tested.
type Trials struct {
	IMAP api.Nullable[Trial] `json:"imap"`
	SMTP api.Nullable[Trial] `json:"smtp"`
}

type listMailIn struct {
	api.Paged
	State string `query:"state" enum:"received,done,failed,bounce,ignored,junk" default:"failed" doc:"Only mails in this state"`
}

type mailIn struct {
	ID api.ID `path:"mailId" record:"email_inbound"`
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	add := channel.Route("POST", "/email", "connect-mailbox", "Connect a mailbox", perm.ChannelsManage)
	add.TakesKey = true
	add.Status, add.Refusals = 201, []int{409}
	add.Doc = "Passwords are stored encrypted and never shown. Mail for this mailbox can be sent or forwarded to the forwarding address."
	api.Handle(a, add, func(ctx context.Context, in *addMailboxIn) (Mailbox, error) { return s.Connect(ctx, in.Body.input()) })

	test := channel.Route("POST", "/email/test", "test-mailbox", "Test signing in to a mailbox's servers", perm.ChannelsManage)
	test.Refusals = []int{404}
	test.Doc = "Stores nothing and sends no mail. A failure is part of the response, not an error."
	api.Handle(a, test, func(ctx context.Context, in *testMailboxIn) (Trials, error) {
		return s.Test(ctx, in.Body.ID, in.Body.IMAP, in.Body.SMTP)
	})

	api.HandleList(a, channel.Route("GET", "/email/mails", "list-incoming-mails", "List accepted mails by state", perm.ChannelsView),
		func(ctx context.Context, in *listMailIn) (db.List[Incoming], error) {
			return s.List(ctx, in.State, in.Page())
		})
	raw := channel.Route("GET", "/email/mails/{mailId}/raw", "get-incoming-mail", "Download the original of a mail", perm.ChannelsManage)
	api.HandleBytes(a, raw, "message/rfc822", func(ctx context.Context, in *mailIn) (*api.Bytes, error) {
		f, err := s.Raw(ctx, in.ID.UUID)
		if err != nil {
			return nil, err
		}
		return &api.Bytes{ContentType: "message/rfc822", Filename: "mail.eml", Write: func(w io.Writer) error {
			_, err := io.Copy(w, f)
			return errors.Join(err, f.Close())
		}}, nil
	})
	retry := channel.Route("POST", "/email/mails/{mailId}/retry", "retry-incoming-mail", "Process a failed or junk mail again", perm.ChannelsManage)
	retry.Refusals = []int{409}
	retry.Doc = "Only failed and junk mails can be processed again: 409 otherwise, or if the mail was too large."
	api.Handle(a, retry, func(ctx context.Context, in *mailIn) (Incoming, error) { return s.Retry(ctx, in.ID.UUID) })

	del := channel.Route("DELETE", "/email/mails/{mailId}", "delete-incoming-mail", "Delete a mail that did not become a message", perm.ChannelsManage)
	del.Refusals = []int{409}
	del.Doc = "Frees its space in the mailbox. 409 if the mail is waiting to be processed or became a message."
	api.Handle(a, del, func(ctx context.Context, in *mailIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.DeleteMail(ctx, in.ID.UUID)
	})

	api.Handle(a, channel.Route("GET", "/email/{id}", "get-mailbox", "Get a mailbox", perm.ChannelsView),
		func(ctx context.Context, in *channel.ByID) (Mailbox, error) { return s.Get(ctx, in.ID.UUID) })
	change := channel.Route("PUT", "/email/{id}", "change-mailbox", "Change a mailbox", perm.ChannelsManage)
	change.Refusals = []int{409}
	api.Handle(a, change, func(ctx context.Context, in *changeMailboxIn) (Mailbox, error) {
		return s.Change(ctx, in.ID.UUID, in.Body.input())
	})
	s.registerVerification(a)
}

// Test signs in to servers, which need not be stored yet.
func (s *Service) Test(ctx context.Context, id *uuid.UUID, in, out *serverBody) (t Trials, err error) {
	var known Settings
	var stored credentials
	if id != nil {
		err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
			if _, known, err = s.account(r, *id); err != nil {
				return err
			}
			stored, err = s.credentials(r, *id)
			return err
		})
		if err != nil {
			return t, err
		}
	}
	if err := in.prepare("imap", known.IMAP, stored.IMAP); err != nil {
		return t, err
	}
	if err := out.prepare("smtp", known.SMTP, stored.SMTP); err != nil {
		return t, err
	}
	if in != nil {
		in.Folder = cmp.Or(in.Folder, "INBOX")
		t.IMAP = api.Some(s.testIMAP(ctx, &in.Server, in.Password))
	}
	if out != nil {
		t.SMTP = api.Some(s.testSMTP(ctx, &out.Server, out.Password))
	}
	return t, nil
}

// prepare checks a server and fills in the stored password if it may be sent there.
func (b *serverBody) prepare(field string, known *Server, stored string) (err error) {
	if b == nil {
		return nil
	}
	if err := b.check(field); err != nil {
		return err
	}
	b.Password, err = passwordFor(field, &b.Server, b.Password, known, stored)
	return err
}
