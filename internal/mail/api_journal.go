package mail

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type journalItemIn struct {
	ID api.ID `path:"id" record:"mail_journal"`
}

type holdIn struct {
	ID   api.ID `path:"id" record:"mail_journal"`
	Body struct {
		Reason string `json:"reason" minLength:"1" maxLength:"500" pattern:"^[^\\p{Cc}\\p{Zl}\\p{Zp}]*$" example:"Case 2026/114"`
	}
}

// registerJournal adds the routes of the journal.
func (s *Service) registerJournal(a *api.API) {
	list := route("GET", "/journal", "list-mail-journal", "List the mail journal", perm.PrivacyView)
	list.Doc = "Mail is kept while journaling is on (PUT /settings/journaling). Newest first."
	api.HandlePage(a, list, s.JournalItems)

	hold := route("PUT", "/journal/{id}/hold", "hold-mail-journal", "Place a legal hold on a mail in the journal", perm.PrivacyManage)
	hold.Doc = "The mail is kept past its retention until the hold is removed. An existing hold gets the new reason. Each change is recorded in the audit log."
	api.Handle(a, hold, func(ctx context.Context, in *holdIn) (JournalItem, error) {
		return s.HoldJournalItem(ctx, in.ID.UUID, in.Body.Reason)
	})

	release := route("DELETE", "/journal/{id}/hold", "release-mail-journal", "Remove a legal hold", perm.PrivacyManage)
	release.Doc = "A mail past its retention is deleted soon afterwards. Without a hold, nothing happens."
	api.Handle(a, release, func(ctx context.Context, in *journalItemIn) (JournalItem, error) {
		return s.ReleaseJournalItem(ctx, in.ID.UUID)
	})

	read := route("GET", "/journal/{id}/report", "read-mail-journal", "Read a mail in the journal", perm.PrivacyManage)
	read.Refusals = []int{410}
	read.Doc = "Returns a mail in RFC 5322 format: the first part names the sender and all recipients, including Bcc; the second is the mail as it was submitted. Each read is recorded in the audit log. 410 file_missing or file_damaged if the content is missing or damaged in storage."
	api.HandleFile(a, read, func(ctx context.Context, in *journalItemIn) (*api.File, error) {
		i, f, err := s.OpenJournalItem(ctx, in.ID.UUID)
		if err != nil {
			return nil, err
		}
		return &api.File{Name: "journal-" + i.ID.String() + ".eml", Type: "message/rfc822", Tag: i.ID.String(), Modified: i.At.Time, Content: f}, nil
	})
}
