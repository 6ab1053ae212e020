package whatsapp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/transport"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// History is what was written in the app on the phone before the number was connected.
type History struct {
	// Declined says that the owner does not share it.
	Declined bool
	Threads  []Thread
}

// Thread is what was written with one customer, whose number it names.
type Thread struct {
	Customer string        `json:"customer"`
	Messages []PastMessage `json:"messages"`
}

// PastMessage is a message of the past.
type PastMessage struct {
	ID   string    `json:"id"`
	At   time.Time `json:"at"`
	Text string    `json:"text"`
	// Media says that it was a file. The provider hands over those of two weeks: then File
	// is where it lies, be it told of later than of the message.
	Media   bool                  `json:"media,omitempty"`
	File    *transport.RemoteFile `json:"file,omitempty"`
	OfOwner bool                  `json:"of_owner,omitempty"`
}

// What an account says of its history.
const (
	HistoryShared   = "shared"
	HistoryDeclined = "declined"
)

const (
	historyJob = "whatsapp.history"
	// historyReach is how far back the provider's history goes.
	historyReach = 180 * 24 * time.Hour
	// historyPart is how many messages are written in one transaction, and historyMost
	// how many of one call are taken.
	historyPart = 100
	historyMost = 20_000
)

// pastMedia stands for a file of the past until the provider tells of the file.
const pastMedia = "📎 Numara bağlanmadan önce gönderilmiş bir dosya; WhatsApp uygulamasında görülebilir. / A file from before the number was connected; it is visible in the WhatsApp app."

// pastThread is the payload of historyJob.
type pastThread struct {
	AccountID uuid.UUID `json:"account_id"`
	Thread
}

// history takes what the provider tells of the time before. What was shared is left to
// jobs, in parts; they are all durable when the provider is answered.
func (s *Service) history(ctx context.Context, a channel.Account, h History) error {
	state := HistoryShared
	if h.Declined {
		state = HistoryDeclined
	}
	return s.accounts.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if err := s.setHistory(tx, a.ID, state); err != nil {
			return err
		}
		parts, more := partsOf(h.Threads, tx.Now())
		for _, part := range parts {
			if _, err := jobs.Enqueue(tx, historyJob, tx.Now(), pastThread{a.ID, part}); err != nil {
				return err
			}
		}
		if more {
			s.Log.WarnContext(ctx, "a call of the provider holds more history than is taken", "account", a.ID)
		}
		return nil
	})
}

// partsOf divides threads into what is written in one transaction, and says whether there
// is more than is taken: then the newest of a thread are.
func partsOf(threads []Thread, now time.Time) (parts []Thread, more bool) {
	left := historyMost
	for _, t := range threads {
		list := recent(t.Messages, now)
		if len(list) > left {
			list, more = list[len(list)-left:], true
		}
		left -= len(list)
		for part := range slices.Chunk(list, historyPart) {
			parts = append(parts, Thread{t.Customer, part})
		}
	}
	return parts, more
}

// recent gives the messages that are not too old, the oldest first.
func recent(list []PastMessage, now time.Time) []PastMessage {
	out := slices.DeleteFunc(slices.Clone(list), func(m PastMessage) bool { return m.At.Before(now.Add(-historyReach)) || m.At.After(now) })
	slices.SortStableFunc(out, func(a, b PastMessage) int { return a.At.Compare(b.At) })
	return out
}

// setHistory keeps whether the owner shares the history. What was shared once stays so.
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
func (s *Service) runHistory(ctx context.Context, j *jobs.Job) error {
	var p pastThread
	if err := json.Unmarshal(j.Payload, &p); err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
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
