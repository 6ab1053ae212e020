package whatsapp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/meta"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/template"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

const (
	sendJob  = "whatsapp.send"
	leaveJob = "whatsapp.leave"

	// sendAttempts is how often a message is tried: a bit over two hours.
	sendAttempts = 12
	// pushFor is how long the one who waits for Push has before the job takes
	// the message up.
	pushFor = 2 * time.Minute
	// pushTimeout ends before the job begins.
	pushTimeout = time.Minute
)

// Why a message failed, beside the provider's words.
const (
	ReasonUnavailable = "channel_unavailable"
	ReasonToken       = "token_expired"
)

var (
	_ channel.Capable      = (*Service)(nil)
	_ channel.Kind         = (*Service)(nil)
	_ channel.Templater    = (*Service)(nil)
	_ conversation.Reactor = (*Service)(nil)
)

// Route implements channel.Kind: who wrote within the window can be answered.
func (s *Service) Route(_ *db.Reader, a channel.Account, to contact.Contact) (*conversation.Route, error) {
	i, known := channel.IdentityOn(to, a.ID)
	if !known && phone(to) == "" {
		return nil, nil
	}
	if !known || i.WindowExpiresAt == nil || !s.DB.Clock().Now().Before(i.WindowExpiresAt.Time) {
		return nil, fault.New(fault.WindowClosed).ExpiredAt(i.WindowExpiresAt)
	}
	return &conversation.Route{Address: i.ExternalID}, nil
}

// RouteTemplate implements channel.Templater: a template goes to who wrote, or
// else to the contact's number.
func (s *Service) RouteTemplate(_ *db.Reader, a channel.Account, to contact.Contact) (*conversation.Route, error) {
	if i, known := channel.IdentityOn(to, a.ID); known {
		return &conversation.Route{Address: i.ExternalID}, nil
	}
	if n := phone(to); n != "" {
		return &conversation.Route{Address: n}, nil
	}
	return nil, nil
}

// Window implements channel.Templater.
func (s *Service) Window(a channel.Account, to contact.Contact) *clock.Time {
	i, _ := channel.IdentityOn(to, a.ID)
	return i.WindowExpiresAt
}

// phone is a contact's number as the provider writes it.
func phone(c contact.Contact) string {
	for _, p := range c.Phones {
		if p.Primary {
			return strings.TrimPrefix(p.E164, "+")
		}
	}
	return ""
}

// outgoingMessage is a message on its way. The provider takes one file with a
// message, so that several files are several parts.
type outgoingMessage struct {
	AccountID uuid.UUID        `json:"account_id"`
	ItemID    uuid.UUID        `json:"item_id"`
	To        string           `json:"to"`
	Text      string           `json:"text"`
	Files     []file.Outgoing  `json:"files"`
	Template  *template.Filled `json:"template"`
}

// accepted is the receipt of a send job: how many parts the provider took, and
// how it calls the first one.
type accepted struct {
	Parts   int    `json:"parts"`
	FirstID string `json:"first_id"`
}

// waits says whether there is still something to send. The provider reports on
// the first of several parts while the others wait.
func (p *outgoingMessage) waits(now string) bool {
	if len(p.parts()) == 1 {
		return now == conversation.Queued
	}
	return now == conversation.Queued || now == conversation.Sent
}

// part is one of the provider's messages.
type part struct {
	text string
	file *file.Outgoing
}

const maxCaption = 1024

func (p *outgoingMessage) parts() []part {
	if p.Template != nil || len(p.Files) == 0 {
		return []part{{text: p.Text}}
	}
	var out []part
	caption := p.Text
	if kind := kindOf(p.Files[0]); caption != "" && (kind == KindAudio || utf8.RuneCountInString(caption) > maxCaption) {
		out, caption = append(out, part{text: caption}), ""
	}
	for i := range p.Files {
		out = append(out, part{text: caption, file: &p.Files[i]})
		caption = ""
	}
	return out
}

// kindOf says as what a file is sent; what is no picture, film or voice for
// the provider is a document.
func kindOf(f file.Outgoing) string {
	const mib = 1 << 20
	for _, k := range []struct {
		kind  string
		most  int64
		types []string
	}{
		{KindImage, 5 * mib, []string{"image/jpeg", "image/png"}},
		{KindVideo, 16 * mib, []string{"video/mp4", "video/3gpp"}},
		{KindAudio, 16 * mib, []string{"audio/aac", "audio/mp4", "audio/mpeg", "audio/amr", "audio/ogg"}},
	} {
		if f.Size <= k.most && slices.Contains(k.types, f.Type) {
			return k.kind
		}
	}
	return KindDocument
}

// Take implements channel.Kind. Where somebody waits for Push, the job comes
// after it, for what Push could not do.
func (s *Service) Take(tx *db.Tx, m conversation.Outgoing) error {
	p := outgoingOf(m)
	at := tx.Now()
	if m.Awaited && len(p.parts()) == 1 {
		at = at.Add(pushFor)
	}
	_, err := jobs.EnqueueForAccount(tx, sendJob, p.AccountID, at, p)
	return err
}

func outgoingOf(m conversation.Outgoing) outgoingMessage {
	return outgoingMessage{AccountID: m.Route.AccountID, ItemID: m.ItemID, To: m.Route.Address, Text: m.Body, Files: m.Attachments, Template: m.Template}
}

// Capabilities implements channel.Capable.
func (s *Service) Capabilities() channel.Capabilities {
	return channel.Capabilities{
		Files:     []channel.FileRule{{Types: []string{channel.AnyType}, MaxSize: 100 << 20}},
		Reactions: true, Templates: true, Calls: true, ReadReceipts: true, WindowHours: int(window.Hours()),
	}
}

// Push implements channel.Kind. What the provider accepted it also writes down
// itself, as the very next thing.
func (s *Service) Push(ctx context.Context, m conversation.Outgoing) (conversation.Delivery, error) {
	p := outgoingOf(m)
	if len(p.parts()) != 1 {
		return conversation.Delivery{Status: conversation.Queued}, nil
	}
	id, err := s.carryWithin(ctx, &p)
	d := conversation.Delivery{Status: conversation.Sent, ProviderMessageID: id}
	if err == nil {
		s.reportPushed(ctx, p.ItemID, d)
	}
	s.recordAnswer(ctx, p.AccountID, err)
	if err == nil {
		return d, nil
	}
	if why, final := finalReason(err); final {
		return conversation.Delivery{Status: conversation.Failed, Error: why}, nil
	}
	return conversation.Delivery{Status: conversation.Queued}, nil
}

func (s *Service) carryWithin(ctx context.Context, p *outgoingMessage) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, pushTimeout)
	defer cancel()
	return s.sendPart(ctx, p, 0, func(context.Context) error { return nil })
}

// reportPushed writes down what became of a message that was pushed. Where the
// database fails it tries again, until shortly before the job would send the
// message once more.
func (s *Service) reportPushed(ctx context.Context, item uuid.UUID, d conversation.Delivery) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pushFor-pushTimeout-15*time.Second)
	defer cancel()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		err := channel.IgnoreDeleted(s.Inbound.Reported(ctx, item, d))
		if err == nil {
			return
		}
		s.Log.WarnContext(ctx, "what the provider accepted could not be written down, trying again", "item", item, "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
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
	case !ok || r.Passing():
		return "", false
	case r.Auth():
		return ReasonToken, true
	case r.WindowClosed():
		return string(fault.WindowClosed), true
	}
	return r.Words(), true
}

// sendPart sends a part of a message and returns how the provider calls it. Right
// before it calls check, and where that fails it sends nothing. The caller writes
// down that the part was accepted before anything else.
func (s *Service) sendPart(ctx context.Context, p *outgoingMessage, part int, check func(context.Context) error) (string, error) {
	a, at, err := s.open(ctx, p.AccountID)
	if fault.Is(err, fault.NotFound) || err == nil && !a.Works() {
		return "", errUnavailable
	}
	if err != nil {
		return "", err
	}
	next := p.parts()[part]
	m := Message{To: p.To, Kind: KindText, Text: next.text, Mark: p.ItemID.String()}
	switch {
	case p.Template != nil:
		m.Kind, m.Template = KindTemplate, p.Template
	case next.file != nil:
		content, err := s.Files.ReadFile(ctx, *next.file)
		if err != nil {
			return "", err
		}
		defer func() { _ = content.Close() }()
		m.Kind, m.Filename = kindOf(*next.file), next.file.Name
		if m.MediaID, err = s.Provider.Upload(ctx, at, next.file.Name, next.file.Type, content); err != nil {
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
	if got.Parts == len(p.parts()) {
		return s.showSent(ctx, &p, got)
	}
	var now string
	err := s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		now, err = s.Inbound.Standing(r, p.ItemID)
		return err
	})
	if err != nil || !p.waits(now) {
		return err
	}
	id, err := s.sendPart(ctx, &p, got.Parts, j.CheckClaim)
	if err == nil {
		if got.Parts == 0 {
			got.FirstID = id
		}
		got.Parts++
		if err := j.KeepReceipt(ctx, got); err != nil {
			return err
		}
	}
	s.recordAnswer(ctx, p.AccountID, err)
	if err != nil {
		why, final := finalReason(err)
		if !final && (j.Attempts < sendAttempts || errors.Is(err, jobs.ErrLost)) {
			return s.retryError(err)
		} else if !final {
			why = plain(err)
		}
		return channel.IgnoreDeleted(s.Inbound.Reported(ctx, p.ItemID, conversation.Delivery{Status: conversation.Failed, Error: why}))
	}
	if got.Parts < len(p.parts()) {
		return jobs.RunAgain(s.DB.Clock().Now())
	}
	return s.showSent(ctx, &p, got)
}

// showSent shows a message as sent, all of whose parts the provider took.
func (s *Service) showSent(ctx context.Context, p *outgoingMessage, got accepted) error {
	return channel.IgnoreDeleted(s.Inbound.Reported(ctx, p.ItemID, conversation.Delivery{Status: conversation.Sent, ProviderMessageID: got.FirstID}))
}

// retryError is the error by which a job tries again when the provider asks for it,
// else as jobs do.
func (s *Service) retryError(err error) error {
	if r, ok := errors.AsType[*Refusal](err); ok && r.RetryAfter > 0 {
		return jobs.RetryAt(s.DB.Clock().Now().Add(min(r.RetryAfter, time.Hour)), err)
	}
	return jobs.HoldOnTimeout(err)
}

func plain(err error) string {
	if r, ok := errors.AsType[*Refusal](err); ok {
		return r.Words()
	}
	return "provider_unreachable"
}

// Reacts implements conversation.Reactor.
func (s *Service) Reacts(string) bool { return true }

// React implements conversation.Reactor.
func (s *Service) React(ctx context.Context, r conversation.OutgoingReaction) error {
	a, at, err := s.open(ctx, r.Route.AccountID)
	if err != nil {
		return err
	}
	_, err = s.Provider.Send(ctx, at, Message{To: r.Route.Address, Kind: KindReaction, ReactTo: r.ProviderMessageID, Emoji: r.Emoji})
	s.recordAnswer(ctx, a.ID, err)
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

// farewell is what is needed to end a subscription after the account forgot
// its credentials; sealed, because jobs are not.
type farewell struct {
	BusinessID string    `json:"business_id"`
	AccountID  uuid.UUID `json:"account_id"`
	Sealed     string    `json:"sealed"`
}

// Changed implements channel.Kind: the provider no longer calls for a number
// that is disconnected, unless it is still asked to by another one.
func (s *Service) Changed(tx *db.Tx, a channel.Account, _ string) error {
	if a.Status != channel.Disconnected {
		return nil
	}
	_, at, c, err := s.account(&tx.Reader, a.ID)
	if err != nil || c.Token == "" {
		return err
	}
	_, err = jobs.EnqueueForAccount(tx, leaveJob, a.ID, tx.Now(), farewell{
		BusinessID: at.BusinessID, AccountID: a.ID,
		Sealed: base64.StdEncoding.EncodeToString(s.Box.Seal(tx.Tenant(), leavePlace(a.ID), []byte(c.Token))),
	})
	return err
}

func leavePlace(id uuid.UUID) string { return "whatsapp.leave/" + id.String() }

// runLeave is the handler of leaveJob.
func (s *Service) runLeave(ctx context.Context, j *jobs.Job) error {
	var f farewell
	if err := json.Unmarshal(j.Payload, &f); err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	sealed, err := base64.StdEncoding.DecodeString(f.Sealed)
	if err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	token, err := s.Box.Open(caller.From(ctx).TenantID, leavePlace(f.AccountID), sealed)
	if err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	left, err := s.ofBusiness(ctx, f.BusinessID)
	if err != nil || len(left) > 0 {
		return err
	}
	err = s.Provider.Unsubscribe(ctx, (&Settings{BusinessID: f.BusinessID}).access(credentials{Token: string(token)}))
	if _, final := finalReason(err); err != nil && final {
		return nil // a token that opens nothing ends nothing
	}
	if err != nil {
		return jobs.HoldOnTimeout(fmt.Errorf("whatsapp: unsubscribe: %w", err))
	}
	return nil
}
