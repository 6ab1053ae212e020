package engine

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

// Suppression is an address known not to exist; mailboxes cannot send to it.
type Suppression struct {
	ID        uuid.UUID  `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Address   string     `json:"address" example:"elif@example.com"`
	Answer    string     `json:"answer" example:"550 5.1.1 No such user" doc:"The other server's reply, or what is wrong with its domain"`
	CreatedAt clock.Time `json:"created_at"`
}

type listQueueIn struct {
	api.Paged
	State string `query:"state" enum:"held,queued,done" doc:"Only mails in this state"`
}

type queueItemIn struct {
	ID api.ID `path:"id" record:"mail_queue"`
}

type suppressionIn struct {
	ID api.ID `path:"id" record:"mail_suppression"`
}

func route(method, path, id, summary string, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: "/api/mail/v1" + path, ID: id, Tag: "Mail",
		Summary: summary, Access: api.Session, Permission: p, Licence: "mail",
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	list := route("GET", "/queue", "list-mail-queue", "List outgoing mail", perm.MailboxesView)
	list.Doc = "Mail that mailboxes send and forward, newest first. Delivery is retried for five days. Finished mail is listed for two weeks. " +
		"Without the permission mail.dlp.view, DLP matches in subjects are masked."
	api.HandleList(a, list, func(ctx context.Context, in *listQueueIn) (db.List[QueueItem], error) {
		return s.Queue(ctx, in.State, in.Page())
	})

	retry := route("POST", "/queue/{id}/retry", "retry-mail", "Retry a mail now", perm.MailboxesManage)
	retry.Refusals = []int{409}
	retry.Doc = "Also retries all other mail waiting for the same domains. 409 if the mail is held or done, with its state as the reason."
	api.Handle(a, retry, func(ctx context.Context, in *queueItemIn) (QueueItem, error) { return s.Retry(ctx, in.ID.UUID) })

	drop := route("POST", "/queue/{id}/drop", "drop-mail", "Remove a mail from the queue", perm.MailboxesManage)
	drop.Refusals = []int{409}
	drop.Doc = "Recipients who have not received it will not get it, and no one is notified. A held mail is also rejected, which needs the permission mail.dlp.manage too. 409 if the mail is done."
	api.Handle(a, drop, func(ctx context.Context, in *queueItemIn) (QueueItem, error) { return s.Drop(ctx, in.ID.UUID) })

	bad := route("GET", "/suppressions", "list-mail-suppressions", "List suppressed addresses", perm.MailboxesView)
	bad.Doc = "Addresses that do not exist according to their servers, or whose domain does not exist or accepts no mail. Mailboxes cannot send to them until they are removed here."
	api.HandlePage(a, bad, func(ctx context.Context, page db.Page) (db.List[Suppression], error) {
		return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Suppression], error) { return listSuppressions(r, page) })
	})

	api.Handle(a, route("DELETE", "/suppressions/{id}", "delete-mail-suppression", "Remove a suppressed address", perm.MailboxesManage),
		func(ctx context.Context, in *suppressionIn) (api.Deleted, error) {
			return api.Deleted{ID: in.ID, Deleted: true}, s.deleteSuppression(ctx, in.ID.UUID)
		})
}

func (s *Service) deleteSuppression(ctx context.Context, id uuid.UUID) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		gone, err := deleteSuppression(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		return audit.Write(tx, "mail.suppression.deleted", id.String(), map[string]string{"address": gone.Address})
	})
}
