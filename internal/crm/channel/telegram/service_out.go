package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"
	"unicode/utf16"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

const (
	sendJob = "telegram.send"
	askJob  = "telegram.ask"

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
	_ channel.Capable      = (*Service)(nil)
	_ conversation.Reactor = (*Service)(nil)
	_ conversation.Asker   = (*Service)(nil)
)

// Route implements channel.Kind: who wrote to a bot can be answered, and who
// wrote to a person's account for as long as the window is open.
func (s *Service) Route(_ *db.Reader, a channel.Account, to contact.Contact) (*conversation.Route, error) {
	i, known := channel.IdentityOn(to, a.ID)
	if !known {
		return nil, nil
	}
	var set Settings
	if err := a.Read(&set); err != nil {
		return nil, err
	}
	if b := set.Business; b != nil {
		if !b.CanReply {
			return nil, fault.New(fault.ChannelUnavailable).Because("no_reply_right")
		}
		if i.WindowExpiresAt == nil || !s.DB.Clock().Now().Before(i.WindowExpiresAt.Time) {
			return nil, fault.New(fault.WindowClosed).ExpiredAt(i.WindowExpiresAt)
		}
	}
	return &conversation.Route{Address: i.ExternalID}, nil
}

// outgoingMessage is the payload of sendJob: a message on its way. What is too
// much for one of the provider's messages is several parts.
type outgoingMessage struct {
	AccountID uuid.UUID       `json:"account_id"`
	ItemID    uuid.UUID       `json:"item_id"`
	To        string          `json:"to"`
	Text      string          `json:"text"`
	Files     []file.Outgoing `json:"files"`
}

// accepted is the receipt of a send job: how many parts the provider took, and
// how we call the first one.
type accepted struct {
	Parts   int    `json:"parts"`
	FirstID string `json:"first_id"`
}

// part is what one call of the provider takes.
type part struct {
	text  string
	files []file.Outgoing
}

// What the provider takes at once, in UTF-16 units and files.
const (
	maxText    = 4096
	maxCaption = 1024
	maxAlbum   = 10
)

// parts cuts a message into what the provider takes at once: the text in pieces,
// or as the caption of the first files; pictures and films together as albums.
func (p *outgoingMessage) parts() (out []part) {
	caption := p.Text
	if len(p.Files) == 0 || units(caption) > maxCaption {
		for _, piece := range channel.CutText(caption, maxText, utf16.RuneLen) {
			out = append(out, part{text: piece})
		}
		caption = ""
	}
	for _, f := range p.Files {
		last := len(out) - 1
		if last >= 0 && len(out[last].files) > 0 && len(out[last].files) < maxAlbum && inAlbum(f) && inAlbum(out[last].files[0]) {
			out[last].files = append(out[last].files, f)
			continue
		}
		out = append(out, part{text: caption, files: []file.Outgoing{f}})
		caption = ""
	}
	return out
}

func inAlbum(f file.Outgoing) bool { return kindOf(f) == KindPhoto || kindOf(f) == KindVideo }

// units counts text as the provider does.
func units(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// kindOf says as what a file is sent; what is no picture, film or sound for the
// provider is a document.
func kindOf(f file.Outgoing) string {
	const mib = 1 << 20
	switch {
	case f.Size <= 10*mib && (f.Type == "image/jpeg" || f.Type == "image/png"):
		return KindPhoto
	case f.Type == "video/mp4":
		return KindVideo
	case f.Type == "audio/ogg":
		return KindVoice
	case f.Type == "audio/mpeg" || f.Type == "audio/mp4":
		return KindAudio
	}
	return KindDocument
}

// Take implements channel.Kind.
func (s *Service) Take(tx *db.Tx, m conversation.Outgoing) error {
	_, err := jobs.EnqueueForAccount(tx, sendJob, m.Route.AccountID, tx.Now(), outgoingMessage{
		AccountID: m.Route.AccountID, ItemID: m.ItemID, To: m.Route.Address, Text: m.Body, Files: m.Attachments,
	})
	return err
}

// Capabilities implements channel.Capable.
func (s *Service) Capabilities() channel.Capabilities {
	return channel.Capabilities{
		Files: []channel.FileRule{{Types: []string{channel.AnyType}, MaxSize: 50 << 20}}, Reactions: true, EditsIn: true, DeletesIn: true,
	}
}

// Push implements channel.Kind: the job is on it already.
func (s *Service) Push(context.Context, conversation.Outgoing) (conversation.Delivery, error) {
	return conversation.Delivery{Status: conversation.Queued}, nil
}

// errUnavailable says that the account is not there any more, or paused.
var errUnavailable = errors.New(ReasonUnavailable)

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
	case !ok || r.passing():
		return "", false
	case r.auth():
		return ReasonToken, true
	}
	return r.Text, true
}

// later is the error by which a job tries again. While the provider asks for a
// pause, the whole account waits.
func (s *Service) later(err error) error {
	if r, ok := errors.AsType[*Refusal](err); ok && r.RetryAfter > 0 {
		return jobs.HoldUntil(s.DB.Clock().Now().Add(min(r.RetryAfter, pauseMost)), err)
	}
	return jobs.HoldOnTimeout(err)
}

// working opens an account that carries messages; errUnavailable where it does
// not.
func (s *Service) working(ctx context.Context, id uuid.UUID) (Settings, credentials, error) {
	a, set, c, err := s.open(ctx, id)
	if fault.Is(err, fault.NotFound) || err == nil && !a.Works() {
		err = errUnavailable
	}
	return set, c, err
}

// carry sends a part of a message and returns how we call it. Right before it
// calls check, and where that fails it sends nothing. The caller writes down that
// the part was accepted before anything else.
func (s *Service) carry(ctx context.Context, p *outgoingMessage, next part, check func(context.Context) error) (string, error) {
	set, c, err := s.working(ctx, p.AccountID)
	if err != nil {
		return "", err
	}
	m := Message{Chat: p.To, Connection: set.connection(), Text: next.text}
	for _, f := range next.files {
		content, err := s.Files.ReadFile(ctx, f)
		if err != nil {
			return "", err
		}
		defer func() { _ = content.Close() }()
		m.Files = append(m.Files, OutgoingFile{Name: f.Name, Kind: kindOf(f), Content: content})
	}
	if err := check(ctx); err != nil {
		return "", err
	}
	ids, err := s.Provider.Send(ctx, c.token(), m)
	if err != nil {
		return "", err
	}
	chat, err := strconv.ParseInt(p.To, 10, 64)
	return messageID(m.Connection, chat, ids[0]), err
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
		id, err := s.carry(ctx, &p, parts[got.Parts], j.CheckClaim)
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

// React implements conversation.Reactor. A bot has no signs in a person's account.
func (s *Service) React(ctx context.Context, r conversation.OutgoingReaction) error {
	set, c, err := s.working(ctx, r.Route.AccountID)
	if errors.Is(err, errUnavailable) {
		return fault.New(fault.ChannelUnavailable)
	}
	if err != nil {
		return err
	}
	if set.Business != nil {
		return fault.New(fault.ReactionUnsupported).Because(conversation.ChannelUnsupported)
	}
	number, err := numberOf(r.ProviderMessageID)
	if err != nil {
		return fault.New(fault.ReactionUnsupported).Because(conversation.NoChannelCopy)
	}
	err = s.Provider.React(ctx, c.token(), r.Route.Address, number, r.Emoji)
	s.tokenAnswered(ctx, r.Route.AccountID, err)
	if err == nil {
		return nil
	}
	if why, final := finalReason(err); final {
		return fault.New(fault.ReactionUnsupported).Because(why)
	}
	return unreachable(err)
}

// question is the payload of askJob: a customer is asked how a conversation went.
type question struct {
	AccountID      uuid.UUID  `json:"account_id"`
	ConversationID uuid.UUID  `json:"conversation_id"`
	To             string     `json:"to"`
	ExpiresAt      clock.Time `json:"expires_at"`
}

// Ask implements conversation.Asker. The buttons of a bot do not work in a
// person's account.
func (s *Service) Ask(tx *db.Tx, q conversation.Question) (bool, error) {
	_, set, _, err := s.account(&tx.Reader, q.Route.AccountID)
	if err != nil || set.Business != nil {
		return false, err
	}
	_, err = jobs.EnqueueForAccount(tx, askJob, q.Route.AccountID, tx.Now(), question{q.Route.AccountID, q.ConversationID, q.Route.Address, q.ExpiresAt})
	return true, err
}

// runAsk is the handler of askJob. A question that the provider refuses is not
// worth another try, and neither is one whose time is over.
func (s *Service) runAsk(ctx context.Context, j *jobs.Job) error {
	var q question
	if err := json.Unmarshal(j.Payload, &q); err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	if j.Test || !s.DB.Clock().Now().Before(q.ExpiresAt.Time) {
		return nil
	}
	_, c, err := s.working(ctx, q.AccountID)
	if err == nil {
		m := Message{Chat: q.To, Text: channel.RatingQuestion}
		for _, b := range channel.RatingButtons(q.ConversationID) {
			m.Buttons = append(m.Buttons, Button(b))
		}
		_, err = s.Provider.Send(ctx, c.token(), m)
	}
	if _, final := finalReason(err); err != nil && !final {
		return s.later(err)
	}
	return nil
}
