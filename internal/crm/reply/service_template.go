package reply

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/template"
	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/perm"
)

// MaySendTemplates refuses a caller who may not send templates; sending one needs the
// permission to reply, too. Every path that sends a template calls it.
func MaySendTemplates(ctx context.Context) error {
	for _, need := range []perm.Permission{perm.TemplatesSend, perm.ConversationsReply} {
		if !caller.From(ctx).Can(need) {
			return fault.Lacking(need)
		}
	}
	return nil
}

// Why a template is not sent, in addition to the codes of the catalogue.
const (
	TemplateNotSendable = "template_not_sendable" // the provider has not approved it
	ConsentMissing      = "consent_missing"       // no consent to marketing is recorded
	ConsentRevoked      = "consent_revoked"       // the customer revoked consent
	TestSendsNothing    = "test_environment"
)

// SentTemplate is the result of sending a template to one recipient.
type SentTemplate struct {
	Conversation api.Nullable[conversation.Conversation] `json:"conversation" doc:"Null if there was none and none was started, and for callers who cannot see conversations"`
	Item         api.Nullable[conversation.Item]         `json:"item" doc:"Null if nothing was sent at all"`
	Delivery     string                                  `json:"delivery" enum:"sent,queued,failed,none" doc:"sent: accepted by the provider; queued: on its way; failed: refused; none: the test environment sends nothing"`
	Error        *string                                 `json:"delivery_error" nullable:"true" doc:"Why it failed: template_not_sendable, consent_missing, consent_revoked, no_route, channel_unavailable, or the provider's message"`
}

// ChatTemplates are the templates that can be sent in a conversation.
type ChatTemplates struct {
	WindowOpen      bool                `json:"window_open" doc:"Whether the channel takes free text now"`
	WindowExpiresAt *clock.Time         `json:"window_expires_at" nullable:"true" doc:"When the window ends or ended; null if the channel has no window or none was open yet"`
	Templates       []template.Template `json:"templates" nullable:"false"`
}

// notSent is the reason why a template does not reach a customer; it is not an error of the
// request.
type notSent string

func (k notSent) Error() string { return string(k) }

// maxChatTemplates limits the list; others are found by a part of the name.
const maxChatTemplates = 250

// ChatTemplates lists the templates that can be sent in a conversation.
func (s *Service) ChatTemplates(ctx context.Context, id uuid.UUID, q string) (ChatTemplates, error) {
	return conversation.ReadConversation(ctx, s.Conversations, id, func(r *db.Reader, c *conversation.Conversation) (ChatTemplates, error) {
		out := ChatTemplates{Templates: []template.Template{}}
		who, err := s.Contacts.Whole(r, c.ContactID)
		ways, ok := s.Conversations.Router.(conversation.TemplateRouter)
		if db.IsNoRow(err) || err == nil && (!ok || c.ChannelAccountID == nil) {
			source, _ := conversation.SourceOf(c.Channel)
			out.WindowOpen = err == nil && !source.Messaging // a messaging channel without an account accepts nothing
			return out, nil
		}
		if err != nil {
			return out, err
		}
		until, bound, err := ways.Window(r, *c.ChannelAccountID, who)
		if err != nil {
			return out, err
		}
		out.WindowExpiresAt = until
		out.WindowOpen = !bound || until != nil && s.DB.Clock().Now().Before(until.Time)
		if s.Templates == nil {
			return out, nil
		}
		list, err := s.Templates.Page(r, template.Filter{AccountID: c.ChannelAccountID, Query: q, Sendable: true}, db.Page{Limit: maxChatTemplates, After: db.First})
		for _, t := range list.Rows {
			if t.Sendable && mayGet(&who, t.Category) == "" {
				out.Templates = append(out.Templates, t)
			}
		}
		return out, err
	})
}

// mayGet checks the customer's consent: marketing requires it, other templates are sent
// unless it was revoked. It returns why not, or "".
func mayGet(who *contact.Contact, category string) (why string) {
	purpose := map[string]string{template.Marketing: "marketing", template.Authentication: "authentication"}[category]
	if purpose == "" {
		purpose = "utility"
	}
	said := ""
	for _, c := range who.Consents {
		if c.Channel == "whatsapp" && c.Purpose == purpose {
			said = c.Status
		}
	}
	switch {
	case said == "revoked":
		return ConsentRevoked
	case said == "" && category == template.Marketing:
		return ConsentMissing
	}
	return ""
}

// prepareTemplate fills in a template for a customer and finds its route. If the template
// cannot be sent, the error is a notSent, with the route if one is known; an invalid
// request is a fault.
func (s *Service) prepareTemplate(r *db.Reader, customer uuid.UUID, u template.Use) (f template.Filled, text string, route *conversation.Route, err error) {
	if err := MaySendTemplates(r.Context()); err != nil {
		return f, "", nil, err
	}
	if s.Templates == nil {
		return f, "", nil, fault.Invalid("template_id", "unknown_template")
	}
	t, err := s.Templates.Find(r, u.TemplateID)
	if fault.Is(err, fault.NotFound) {
		err = fault.Invalid("template_id", "unknown_template")
	}
	if err == nil {
		f, text, err = t.Fill(u)
	}
	if err != nil {
		return f, "", nil, err
	}
	who, err := s.Contacts.Whole(r, customer)
	ways, ok := s.Conversations.Router.(conversation.TemplateRouter)
	switch {
	case db.IsNoRow(err) || err == nil && !ok:
		return f, text, nil, notSent(fault.NoRoute)
	case err != nil:
		return f, text, nil, err
	case !t.Sendable:
		return f, text, nil, notSent(TemplateNotSendable)
	}
	if why := mayGet(&who, t.Category); why != "" {
		return f, text, nil, notSent(why)
	}
	route, err = ways.RouteTemplate(r, who, &t)
	if known, ok := fault.As(err); ok {
		return f, text, route, notSent(known.Code)
	}
	if err == nil && route == nil {
		err = notSent(fault.NoRoute)
	}
	return f, text, route, err
}

// SendTemplate sends a template into a conversation while the caller waits. If it cannot be
// sent, the result says why; this is not an error.
func (s *Service) SendTemplate(ctx context.Context, id uuid.UUID, u template.Use) (SentTemplate, error) {
	var begun Begun
	var refused error // by the policy
	show := showSent(ctx)
	ctx = idempotency.View(ctx, show)
	err := idempotency.Do(ctx, s.DB.TenantOf(ctx), &begun, func(tx *db.Tx) error {
		begun, refused = Begun{}, nil
		was, err := conversation.Lock(tx, id)
		if err != nil {
			return err
		}
		begun.Conversation = was
		filled, text, route, err := s.prepareTemplate(&tx.Reader, was.ContactID, u)
		if err == nil {
			err = s.belongsTo(tx, &was, route)
		}
		if err == nil && (was.Test || caller.From(ctx).Test) {
			err = notSent(TestSendsNothing)
		}
		if no, ok := errors.AsType[notSent](err); ok {
			begun.why = no
			return nil
		}
		if err != nil {
			return err
		}
		who := conversation.AuthorFrom(tx)
		item := &conversation.Item{Kind: conversation.Message, AuthorKind: who.Kind, AuthorID: who.ID, Body: text, Template: api.Some(filled), Awaited: true, Attachments: []file.Attachment{}}
		found, err := s.checkText(tx, &was, item, route, "")
		if f, ok := fault.As(err); ok {
			refused, begun.why = err, notSent(f.Code)
			return nil
		}
		if err != nil {
			return err
		}
		addressTo(item, &was, route)
		if begun.Conversation, err = s.Conversations.AddAnswer(tx, was, item); err != nil {
			return err
		}
		if found != nil {
			if err := s.Policy.RecordText(tx, found, item.ID.String()); err != nil {
				return err
			}
		}
		begun.Item, begun.Route, begun.Delivery = *item, route, conversation.Delivery{Status: conversation.Queued}
		begun.outgoing, err = s.send(tx, &begun.Conversation, item, route)
		return err
	})
	if err == nil && refused != nil {
		err = s.Policy.RecordRefusal(ctx, refused)
	}
	if err != nil {
		return SentTemplate{}, err
	}
	if begun.why == "" {
		err = s.push(ctx, &begun)
	}
	return show(begun), err
}

// onlyFault drops the error if it is a notSent.
func onlyFault(err error) error {
	if _, ok := errors.AsType[notSent](err); ok {
		return nil
	}
	return err
}

// showSent returns the function that shows a caller the result of a template, with its
// conversation only if they may see conversations.
func showSent(ctx context.Context) func(Begun) SentTemplate {
	sees := caller.From(ctx).Can(perm.ConversationsView)
	return func(b Begun) SentTemplate {
		out := sentTemplate(b)
		if !sees {
			out.Conversation = api.Nullable[conversation.Conversation]{}
		}
		return out
	}
}

// sentTemplate returns the result of sending a template.
func sentTemplate(b Begun) (out SentTemplate) {
	switch b.why {
	case "":
		out.Item, out.Delivery = api.Some(b.Item), b.Delivery.Status
		if b.Delivery.Error != "" {
			out.Error = &b.Delivery.Error
		}
	case TestSendsNothing:
		out.Delivery = conversation.NotGoing
	default:
		text := string(b.why)
		out.Delivery, out.Error = conversation.Failed, &text
	}
	if b.Conversation.ID != uuid.Nil {
		out.Conversation = api.Some(b.Conversation)
	}
	return out
}

// SendTemplateTo sends a template to a customer, in the conversation that they have on the
// template's account or in a new one.
func (s *Service) SendTemplateTo(ctx context.Context, customer uuid.UUID, u template.Use) (SentTemplate, error) {
	var why notSent
	var test bool
	err := s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		ref, err := s.Contacts.Find(r, customer)
		if db.IsNoRow(err) {
			return fault.Invalid("contact_id", "unknown_contact")
		}
		if err != nil {
			return err
		}
		test = ref.Test
		_, _, _, err = s.prepareTemplate(r, customer, u)
		if no, ok := errors.AsType[notSent](err); ok {
			why = no
		}
		return onlyFault(err)
	})
	if err != nil {
		return SentTemplate{}, err
	}
	if why == "" && (test || caller.From(ctx).Test) {
		why = TestSendsNothing
	}
	if why != "" {
		return sentTemplate(Begun{why: why}), nil
	}
	show := showSent(ctx)
	ctx = idempotency.View(ctx, show)
	b, err := s.BeginAsAgent(ctx, Opening{ContactID: customer, Channel: "whatsapp", Template: &u})
	if err != nil {
		return SentTemplate{}, err
	}
	return show(b), nil
}

// useTemplate fills an opening's message from its template. If the template cannot be sent,
// this is recorded as the delivery's failure.
func (s *Service) useTemplate(tx *db.Tx, o *Opening, ref contact.Ref, item *conversation.Item, out *Begun) error {
	if len(o.Attachments) > 0 || item.Body != "" {
		return fault.Invalid("template", "alone")
	}
	filled, text, route, err := s.prepareTemplate(&tx.Reader, ref.ID, *o.Template)
	if source, _ := conversation.SourceOf(o.Channel); !source.Messaging || route != nil && route.Channel != o.Channel {
		return fault.Invalid("channel", "not_allowed")
	}
	item.Body, item.Template, item.Attachments = text, api.Some(filled), []file.Attachment{}
	out.Found = route
	switch no, is := errors.AsType[notSent](err); {
	case ref.Test:
		return onlyFault(err)
	case is:
		out.Delivery = conversation.Delivery{Status: conversation.Failed, Error: string(no)}
		return nil
	case err != nil:
		return err
	}
	out.Route, out.account = route, &route.AccountID
	return nil
}

// findRouteAgain finds the route of a message that is sent again: a template's, or that of
// free text.
func (s *Service) findRouteAgain(tx *db.Tx, c *conversation.Conversation, i *conversation.Item, a Answer) (*conversation.Route, error) {
	ways, ok := s.Conversations.Router.(conversation.TemplateRouter)
	if i.Template.V == nil || !ok || s.Templates == nil {
		return s.findRoute(tx, c, a)
	}
	if err := MaySendTemplates(tx.Context()); err != nil {
		return nil, err
	}
	t, err := s.Templates.Find(&tx.Reader, i.Template.V.ID)
	if fault.Is(err, fault.NotFound) || err == nil && !t.Sendable {
		return nil, fault.New(fault.Conflict).Because(TemplateNotSendable)
	}
	if err != nil {
		return nil, err
	}
	who, err := s.Contacts.Whole(&tx.Reader, c.ContactID)
	if db.IsNoRow(err) {
		return nil, fault.New(fault.NoRoute)
	}
	if err != nil {
		return nil, err
	}
	route, err := ways.RouteTemplate(&tx.Reader, who, &t)
	if err == nil && route == nil {
		err = fault.New(fault.NoRoute)
	}
	return route, err
}

// belongsTo refuses a template of another account than the conversation's. A conversation
// that belongs to no account yet is assigned to the template's, unless the customer has
// another one there.
func (s *Service) belongsTo(tx *db.Tx, c *conversation.Conversation, route *conversation.Route) error {
	if c.ChannelAccountID != nil && *c.ChannelAccountID == route.AccountID {
		return nil
	}
	if source, _ := conversation.SourceOf(c.Channel); c.ChannelAccountID == nil && c.Channel == route.Channel && source.Messaging {
		_, err := conversation.LockThread(tx, route.AccountID, c.ContactID)
		if db.IsNoRow(err) {
			return conversation.AssignAccount(tx, c, route.AccountID)
		}
		if err != nil {
			return err
		}
	}
	return fault.Invalid("template_id", "other_account")
}
