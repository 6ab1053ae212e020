package whatsapp

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/transport"
	"konak/internal/crm/channel/whatsapp/appdata"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// States of an account's history.
const (
	HistoryShared   = "shared"
	HistoryDeclined = "declined"
)

const historyJob = "whatsapp.history"

// pastMedia replaces a file of the history until the provider reports the file.
const pastMedia = "📎 Numara bağlanmadan önce gönderilmiş bir dosya; WhatsApp uygulamasında görülebilir. / A file from before the number was connected; it is visible in the WhatsApp app."

// pastThread is the payload of historyJob.
type pastThread struct {
	AccountID uuid.UUID `json:"account_id"`
	appdata.Thread
}

// history handles the message history of the app. Shared history is split into jobs, which
// are all stored before the provider gets its answer.
func (s *Service) history(ctx context.Context, a channel.Account, h appdata.History) error {
	state := HistoryShared
	if h.Declined {
		state = HistoryDeclined
	}
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if err := s.setHistory(tx, a.ID, state); err != nil {
			return err
		}
		parts, more := appdata.PartsOfHistory(h.Threads, tx.Now())
		for _, part := range parts {
			if _, err := jobs.Enqueue(tx, historyJob, tx.Now(), pastThread{a.ID, part}); err != nil {
				return err
			}
		}
		if more {
			s.Log.WarnContext(ctx, "a webhook call contains more history than the limit", "account", a.ID)
		}
		return nil
	})
}

// setHistory records whether the owner shares the history. Once shared, it stays so.
func (s *Service) setHistory(tx *db.Tx, id uuid.UUID, state string) error {
	o, err := s.accounts.Find(&tx.Reader, id)
	if err != nil || o.Set.History == state || o.Set.History == HistoryShared {
		return err
	}
	_, err = s.Channels.Change(tx, Name, id, func(a *channel.Account) error {
		return transport.ChangeSettings(a, func(set *Settings) { set.History = state })
	})
	return err
}

// runHistory is the handler of historyJob.
func (s *Service) runHistory(ctx context.Context, j *jobs.Job, p pastThread) error {
	past := inbound.Past{
		Channel: Name,
		From:    contact.Sender{Channel: Name, AccountID: p.AccountID, ExternalID: p.Customer, Phone: "+" + p.Customer},
	}
	past.Fetch = func(tx *db.Tx, item, attachment uuid.UUID, n int) error {
		return s.transport.EnqueueFetch(tx, p.AccountID, item, attachment, *p.Messages[n].File)
	}
	for _, m := range p.Messages {
		to := inbound.PastMessage{ProviderMessageID: m.ID, Body: strings.TrimSpace(m.Text), At: m.At, FromUs: m.OfOwner}
		switch {
		case m.File != nil:
			pending := s.transport.Pending(*m.File)
			to.File, to.Instead = &pending, pastMedia
		case m.Media:
			to.Body = strings.TrimSpace(to.Body + "\n" + pastMedia)
		case to.Body == "":
			to.Body = unsupported
		}
		past.Messages = append(past.Messages, to)
	}
	return s.Inbound.Import(ctx, past)
}
