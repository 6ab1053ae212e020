package social

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/meta"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

const (
	sendJob = "social.send"
	askJob  = "social.ask"

	// sendAttempts is how often a message is tried: a bit over two hours.
	sendAttempts = 12
	// pauseMost is the longest pause that the provider is given.
	pauseMost = time.Hour
)

// Why a message failed, beside the provider's words.
const (
	ReasonUnavailable = "channel_unavailable"
	ReasonToken       = "token_expired"
)

var (
	_ channel.Kind         = (*Service)(nil)
	_ channel.Receipts     = (*Service)(nil)
	_ conversation.Reactor = (*Service)(nil)
	_ conversation.Asker   = (*Service)(nil)
)

// Route implements channel.Kind: who wrote within the window can be answered, and
// where people may use the human-agent tag, for seven days.
func (s *Service) Route(_ *db.Reader, a channel.Account, to contact.Contact) (*conversation.Route, error) {
	i, known := channel.IdentityOn(to, a.ID)
	if !known {
		return nil, nil
	}
	var set Settings
	if err := a.Read(&set); err != nil {
		return nil, err
	}
	if i.WindowExpiresAt == nil || !s.DB.Clock().Now().Before(set.lastMoment(*i.WindowExpiresAt)) {
		return nil, fault.New(fault.WindowClosed).ExpiredAt(i.WindowExpiresAt)
	}
	return &conversation.Route{Address: i.ExternalID}, nil
}

// lastMoment is until when a customer can be answered at all whose window ends then.
func (s *Settings) lastMoment(until clock.Time) time.Time {
	if s.HumanAgent {
		return until.Add(humanWindow - window)
	}
	return until.Time
}

// outgoingMessage is the payload of sendJob: a message on its way.
type outgoingMessage struct {
	AccountID uuid.UUID       `json:"account_id"`
	ItemID    uuid.UUID       `json:"item_id"`
	Kind      string          `json:"kind"`
	To        string          `json:"to"`
	Text      string          `json:"text"`
	Files     []file.Outgoing `json:"files"`
	// Until is when the customer's window closes; later a person answers.
	Until clock.Time `json:"until"`
}

// accepted is the receipt of a send job: how many parts the provider took, and how it
// calls the first one.
type accepted struct {
	Parts   int    `json:"parts"`
	FirstID string `json:"first_id"`
}

// part is one of the provider's messages: a text or a file.
type part struct {
	text string
	file *file.Outgoing
}

// What the provider takes as one text: characters on Messenger, bytes on Instagram.
const (
	maxMessengerText = 2000
	maxInstagramText = 1000
)

// parts cuts a message into what the provider takes at once: the text in pieces, then
// each file.
func (p *outgoingMessage) parts() (out []part) {
	most, size := maxMessengerText, func(rune) int { return 1 }
	if p.Kind == Instagram {
		most, size = maxInstagramText, utf8.RuneLen
	}
	if p.Text != "" || len(p.Files) == 0 {
		for _, piece := range channel.CutText(p.Text, most, size) {
			out = append(out, part{text: piece})
		}
	}
	for i := range p.Files {
		out = append(out, part{file: &p.Files[i]})
	}
	return out
}

// kindOf says as what a file is sent.
func kindOf(f file.Outgoing) string {
	for kind, types := range map[string][]string{FileImage: imageTypes, FileVideo: videoTypes, FileAudio: audioTypes} {
		if slices.Contains(types, f.Type) {
			return kind
		}
	}
	return FileOther
}

// Take implements channel.Kind. After the window only a person may answer.
func (s *Service) Take(tx *db.Tx, m conversation.Outgoing) error {
	until, err := s.windowOf(&tx.Reader, m)
	if err != nil {
		return err
	}
	if !tx.Now().Before(until.Time) {
		item, err := conversation.ItemByID(&tx.Reader, m.ItemID)
		if err != nil {
			return err
		}
		if item.AuthorKind != conversation.ByAgent {
			return fault.New(fault.WindowClosed).ExpiredAt(&until)
		}
	}
	_, err = jobs.EnqueueForAccount(tx, sendJob, m.Route.AccountID, tx.Now(), outgoingMessage{
		AccountID: m.Route.AccountID, ItemID: m.ItemID, Kind: m.Route.Channel, To: m.Route.Address, Text: m.Body, Files: m.Attachments, Until: until,
	})
	return err
}

// windowOf is until when the customer of a message can be written to without the
// human-agent tag.
func (s *Service) windowOf(r *db.Reader, m conversation.Outgoing) (until clock.Time, err error) {
	who, err := s.Contacts.Whole(r, m.ContactID)
	if err != nil {
		return until, err
	}
	if i, known := channel.IdentityOn(who, m.Route.AccountID); known && i.WindowExpiresAt != nil {
		until = *i.WindowExpiresAt
	}
	return until, nil
}

// Push implements channel.Kind: the job is on it already.
func (s *Service) Push(context.Context, conversation.Outgoing) (conversation.Delivery, error) {
	return conversation.Delivery{Status: conversation.Queued}, nil
}

// finalReason says why a message cannot be sent, where trying again is no use.
func finalReason(err error) (why string, final bool) {
	if errors.Is(err, errUnavailable) {
		return ReasonUnavailable, true
	}
	if why, lost := file.LostReason(err); lost {
		return why, true
	}
	r, ok := errors.AsType[*Refusal](err)
	switch {
	case !ok || r.Passing():
		return "", false
	case r.Auth():
		return ReasonToken, true
	case r.WindowClosed():
		return string(fault.WindowClosed), true
	}
	return r.Words(), true
}

// later is the error by which a job tries again. While the provider asks for a pause,
// the whole account waits.
func (s *Service) later(err error) error {
	if r, ok := errors.AsType[*Refusal](err); ok && r.RetryAfter > 0 {
		return jobs.HoldUntil(s.DB.Clock().Now().Add(min(r.RetryAfter, pauseMost)), err)
	}
	return jobs.HoldOnTimeout(err)
}

// sendPart sends a part of a message and returns how the provider calls it. Right
// before it calls check, and where that fails it sends nothing. The caller writes down
// that the part was accepted before anything else.
func (s *Service) sendPart(ctx context.Context, p *outgoingMessage, next part, single bool, check func(context.Context) error) (string, error) {
	_, at, err := s.working(ctx, p.AccountID)
	if err != nil {
		return "", err
	}
	m := Message{To: p.To, Text: next.text, Human: !s.DB.Clock().Now().Before(p.Until.Time)}
	if single {
		// The copy of one of several parts says nothing of the others.
		m.Mark = p.ItemID.String()
	}
	if next.file != nil {
		content, err := s.Files.ReadFile(ctx, *next.file)
		if err != nil {
			return "", err
		}
		defer func() { _ = content.Close() }()
		m.FileKind = kindOf(*next.file)
		m.AttachmentID, err = s.Provider.Upload(ctx, at, OutgoingFile{Name: next.file.Name, Type: next.file.Type, Kind: m.FileKind, Content: content})
		if err != nil {
			return "", err
		}
	}
	if err := check(ctx); err != nil {
		return "", err
	}
	return s.Provider.Send(ctx, at, m)
}

// runSend is the handler of sendJob.
func (s *Service) runSend(ctx context.Context, j *jobs.Job) error {
	var p outgoingMessage
	if err := json.Unmarshal(j.Payload, &p); err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	if j.Test {
		return nil // what a test key sets off reaches nobody
	}
	var got accepted
	if _, err := j.ReadReceipt(&got); err != nil {
		return err
	}
	parts := p.parts()
	if got.Parts == len(parts) {
		return s.showSent(ctx, &p, got)
	}
	var now string
	if err := s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		now, err = s.Inbound.Standing(r, p.ItemID)
		return err
	}); err != nil || now != conversation.Queued {
		return err
	}
	// In one run, so that no other message comes between the parts.
	for got.Parts < len(parts) {
		id, err := s.sendPart(ctx, &p, parts[got.Parts], len(parts) == 1, j.CheckClaim)
		if err == nil {
			if got.Parts == 0 {
				got.FirstID = id
			}
			got.Parts++
			if err := j.KeepReceipt(ctx, got); err != nil {
				return err
			}
		}
		s.tokenAnswered(ctx, p.AccountID, err)
		if err != nil {
			return s.sendFailed(ctx, j, p.ItemID, err)
		}
	}
	return s.showSent(ctx, &p, got)
}

// sendFailed says when a message is tried again, or shows it as failed.
func (s *Service) sendFailed(ctx context.Context, j *jobs.Job, item uuid.UUID, err error) error {
	why, final := finalReason(err)
	if !final && (j.Attempts < sendAttempts || errors.Is(err, jobs.ErrLost)) {
		return s.later(err)
	} else if !final {
		why = channel.ProviderUnreachable
	}
	return channel.IgnoreDeleted(s.Inbound.Reported(ctx, item, conversation.Delivery{Status: conversation.Failed, Error: why}))
}

// showSent shows a message as sent, all of whose parts the provider took.
func (s *Service) showSent(ctx context.Context, p *outgoingMessage, got accepted) error {
	return channel.IgnoreDeleted(s.Inbound.Reported(ctx, p.ItemID, conversation.Delivery{Status: conversation.Sent, ProviderMessageID: got.FirstID}))
}

// Reacts implements conversation.Reactor.
func (s *Service) Reacts(string) bool { return true }

// React implements conversation.Reactor.
func (s *Service) React(ctx context.Context, r conversation.OutgoingReaction) error {
	_, at, err := s.working(ctx, r.Route.AccountID)
	if errors.Is(err, errUnavailable) {
		return fault.New(fault.ChannelUnavailable)
	}
	if err != nil {
		return err
	}
	err = s.Provider.React(ctx, at, r.Route.Address, r.ProviderMessageID, r.Emoji)
	s.tokenAnswered(ctx, r.Route.AccountID, err)
	if err == nil {
		return nil
	}
	why, final := finalReason(err)
	switch {
	case !final:
		return meta.Unreachable(err)
	case why == string(fault.WindowClosed):
		return fault.New(fault.WindowClosed)
	}
	return fault.New(fault.ReactionUnsupported).Because(why)
}
