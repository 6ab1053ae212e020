package assistant

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/assistant/engine"
	"konak/internal/crm/assistant/question"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/crm/reply"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

// Reasons why the assistant hands a conversation over.
const (
	CustomerAsked = "customer_asked"
	NoAnswer      = "no_answer"
	AnswerLimit   = "answer_limit"
	OutOfHours    = "out_of_hours"
	SwitchedOff   = "switched_off"
	NotLicensed   = "not_licensed"
	Repeated      = "repeated"
	Broken        = "failed"
	// Reasons of a language model: its daily budget is used up, its server does not answer,
	// or its answer cannot be used.
	BudgetSpent      = "budget_spent"
	ModelUnreachable = "model_unreachable"
	BadAnswer        = "model_bad_answer"
)

// Jobs returns the job kinds that answer. Jobs that ask a language model are a separate
// kind, so that other answers do not wait for a slow server.
func (s *Service) Jobs() []jobs.Kind {
	return []jobs.Kind{
		{Name: AnswerJob, Handler: jobs.WithPayload(s.runAnswer), PerNode: 8, PerTenant: 2, MaxAttempts: 5, OnDead: s.giveUp},
		{
			Name: ModelJob, Handler: jobs.WithPayload(s.runModel), PerNode: 32, PerTenant: 8, PerAccount: 4, MaxAttempts: 5, OnDead: s.giveUp,
			Timeout: (maxRounds + 1) * s.ModelTime, HoldReason: ModelUnreachable,
		},
	}
}

// state is everything that an answer depends on.
type state struct {
	c             conversation.Conversation
	item          conversation.Item
	items         []conversation.Item // the newest messages, newest first
	who           contact.Contact
	wrote         []string // what the customer wrote since the last answer
	question      string   // the same as one text
	language      string   // the contact's
	configuration Configuration
	account       Account
	answers       int
	echo          bool      // the customer sent our last answer back
	until         time.Time // when the caller stops waiting for the answer; zero for no limit
}

// runAnswer answers a message, hands its conversation over, or does nothing if the
// assistant is no longer responsible. If a language model must be asked, it leaves that to
// a separate job.
func (s *Service) runAnswer(ctx context.Context, j *jobs.Job, m received) error {
	return s.run(ctx, j, m, false)
}

// runModel is like runAnswer, but asks the language model itself.
func (s *Service) runModel(ctx context.Context, j *jobs.Job, m received) error {
	return s.run(ctx, j, m, true)
}

func (s *Service) run(ctx context.Context, j *jobs.Job, m received, askModel bool) error {
	slug, licences, err := s.Workspaces.Workspace(ctx, j.TenantID)
	if err != nil {
		return err
	}
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: j.TenantID, Slug: slug, Licences: licences, Test: j.Test})
	if m.Reopened {
		if err := s.takeBack(ctx, m); err != nil {
			return ignoreGone(err)
		}
	}
	var now state
	var mine bool
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		c, err := conversation.ByID(r, m.ConversationID)
		if err != nil {
			return db.NotFound(err)
		}
		now, mine, err = s.read(r, c, m.ItemID)
		return err
	})
	if err != nil || !mine {
		return ignoreGone(err)
	}
	if at, due := s.DB.Clock().Now(), now.item.CreatedAt.Add(now.configuration.wait()); at.Before(due) {
		s.Typing.BotTypes(ctx, now.c)
		return jobs.Snooze(slices.MinFunc([]time.Time{due, at.Add(s.TypingEvery)}, time.Time.Compare))
	}
	plan, err := s.plan(ctx, &now)
	if err != nil {
		return err
	}
	if plan.needsModel {
		if !askModel {
			return s.leaveToModel(ctx, &now, m)
		}
		stop := s.keepTyping(ctx, now.c)
		err := s.askModel(ctx, &now, &plan)
		if stop(); err != nil {
			return err
		}
	}
	if err := s.recordAttributes(ctx, &now, plan); err != nil {
		return ignoreGone(err)
	}
	err = s.act(ctx, m, plan)
	if _, refused := refusalOf(err); refused && plan.shorter != "" {
		plan.text = plan.shorter
		err = s.act(ctx, m, plan)
	}
	if f, refused := refusalOf(err); refused {
		// The answer cannot be sent: its window is closed, there is no route to the
		// customer, or a rule blocks it.
		err = s.act(ctx, m, planned{reason: string(f.Code)})
	}
	return ignoreGone(err)
}

// refusalOf reports whether an answer was refused, and why.
func refusalOf(err error) (f *fault.Fault, refused bool) {
	f, ok := fault.As(err)
	return f, ok && !isGone(err) && f.Code.Status() < 500
}

// isGone reports whether err means that a conversation or a message no longer exists.
func isGone(err error) bool {
	f, ok := fault.As(err)
	return ok && (f.Code == fault.NotFound || f.Code == fault.Conflict && f.Reason == "merged")
}

// ignoreGone returns nil for an error that means that there is nothing left to answer.
func ignoreGone(err error) error {
	if isGone(err) {
		return nil
	}
	return err
}

// takeBack assigns the assistant to a closed conversation that the customer reopened,
// unless it has an owner or changed hands since. Its answer count starts again.
func (s *Service) takeBack(ctx context.Context, m received) error {
	_, err := s.Conversations.Change(ctx, m.ConversationID, func(tx *db.Tx, was conversation.Conversation) (conversation.Conversation, error) {
		item, err := conversation.ItemByID(&tx.Reader, m.ItemID)
		if err != nil {
			return was, db.NotFound(err)
		}
		if err := countAnew(tx, was.ID, item.CreatedAt); err != nil {
			return was, err
		}
		did, err := conversation.ReadAIAnswers(&tx.Reader, was.ID)
		taken := did.Since != nil && did.Since.After(item.CreatedAt.Time)
		if err != nil || taken || was.OwnerID != nil || was.State != conversation.Open || was.AIState != conversation.AIOff && was.AIState != conversation.AIHandedOver {
			return was, err
		}
		return s.Conversations.ToSetAI(conversation.AIActive)(tx, was)
	})
	return err
}

// recentItems is the number of items that the assistant reads back.
const recentItems = 20

// read reads everything that an answer depends on; it is called again in the transaction
// that acts. It returns false if the assistant is not responsible for the message.
func (s *Service) read(r *db.Reader, c conversation.Conversation, message uuid.UUID) (st state, mine bool, err error) {
	st = state{c: c, configuration: defaultConfiguration()}
	if c.AIState != conversation.AIActive || c.State == conversation.Closed || c.OwnerID != nil || c.ChannelAccountID == nil {
		return st, false, nil
	}
	items, err := conversation.LastMessagesAndNotes(r, c.ID, recentItems)
	if err != nil {
		return st, false, err
	}
	if !st.readItems(items, message) {
		return st, false, nil
	}
	who, err := s.Contacts.Whole(r, c.ContactID)
	if err != nil && !db.IsNoRow(err) || who.Blocked {
		return st, false, err
	}
	st.who, st.language = who, who.Language
	if st.account, err = s.Channels.Account(r, *c.ChannelAccountID); err != nil {
		return st, false, err
	}
	if id := st.account.ConfigurationID; id != nil {
		if st.configuration, err = byID(r, s.today(), *id); err != nil {
			return st, false, fmt.Errorf("assistant: configuration of the account: %w", err)
		}
	}
	st.answers, err = countAnswers(r, c.ID)
	return st, err == nil, err
}

// readItems reads the customer's question that ends with a message. It returns false if the
// message is not to be answered.
func (st *state) readItems(items []conversation.Item, message uuid.UUID) bool {
	q, found := question.Find(items, message)
	st.items, st.item, st.wrote, st.question, st.echo = items, q.Item, q.Wrote, q.Text(), q.Echo
	return found
}

// planned is what the assistant is about to do: it hands over if there is a reason, and
// writes if there is a text.
type planned struct {
	reason     string
	text       string
	shorter    string // said instead if the text is refused; "" for nothing
	sources    []conversation.AISource
	understood engine.Understanding
	needsModel bool // a language model must write the answer
}

// smallTalk reports whether the text answers nothing: a greeting, thanks, the words of a
// hand-over.
func (p *planned) smallTalk() bool { return p.reason != "" || p.understood.Intent != engine.Question }

// plan decides what to do with a message.
func (s *Service) plan(ctx context.Context, st *state) (planned, error) {
	index, err := s.index(ctx)
	if err != nil {
		return planned{}, err
	}
	p := planned{understood: engine.Understand(st.question, st.fallbackLanguage(index))}
	words := wordsIn(p.understood.Language)
	if p.reason = st.refusal(ctx); p.reason != "" {
		p.text = words.ofRefusal(p.reason, st.account.Open)
		return p, nil
	}
	switch p.understood.Intent {
	case engine.Human:
		p.reason, p.text = CustomerAsked, words.person
		return p, nil
	case engine.Greeting:
		p.text = words.greeting
		return p, nil
	case engine.Thanks:
		p.text = words.thanks
		return p, nil
	}
	if st.configuration.Model.V != nil {
		p.needsModel = true
		return p, nil
	}
	found, near, err := s.find(ctx, index, st, p.understood.Language)
	if err != nil {
		return p, err
	}
	if len(found) == 0 {
		p.reason, p.text, p.shorter = NoAnswer, words.withSuggestions(words.unknown, near), words.unknown
		return p, nil
	}
	var said []string
	for _, c := range found {
		source := conversation.AISource{Kind: c.Kind, Title: c.Title, URL: c.URL, Excerpt: c.Excerpt}
		p.sources = append(p.sources, source)
		said = append(said, words.withSources(c.Excerpt, []conversation.AISource{source}))
	}
	p.text = strings.Join(said, "\n\n")
	return p, nil
}

// fallbackLanguage returns the language of a question whose words do not show it: the language of
// the customer's earlier messages, else that of the texts with its words, else the
// contact's.
func (st *state) fallbackLanguage(index *engine.Index) string {
	for _, i := range st.items {
		if i.Kind == conversation.Message && i.AuthorKind == conversation.ByContact && i.ID != st.item.ID {
			if language := engine.DetectLanguage(i.Body, ""); language != "" {
				return language
			}
		}
	}
	code, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(st.language), "_", "-"), "-")
	return languageOr(cmp.Or(index.Language(st.question), code))
}

// find returns an answer to each message that asks something, and none if one of them has
// no answer. Messages that have no answers separately may together be one question. If
// there is no answer, near holds the closest texts.
func (s *Service) find(ctx context.Context, index *engine.Index, st *state, language string) (out, near []engine.Candidate, err error) {
	asked, answered := 0, 0
	for _, text := range st.wrote {
		if !engine.Asks(text, language) {
			continue
		}
		asked++
		found := index.Answer(text, language, engine.DefaultBound)
		if !found.Confident {
			continue
		}
		answered++
		if c := found.Candidates[0]; !slices.ContainsFunc(out, func(o engine.Candidate) bool { return o.Title == c.Title && o.URL == c.URL }) {
			out = append(out, c)
		}
	}
	switch {
	case asked > 0 && answered == asked:
		return out, nil, nil
	case answered > 0:
		return nil, (&engine.Reply{Candidates: out}).Suggested(), nil
	}
	found := index.Answer(st.question, language, engine.DefaultBound)
	if near = found.Suggested(); !found.Confident {
		if found, err = s.findProvisions(ctx, &st.configuration, st.question, language); err != nil || !found.Confident {
			return nil, near, err
		}
	}
	return found.Candidates[:1], nil, nil
}

// refusal returns why the assistant does not answer at all; "" if it does.
func (st *state) refusal(ctx context.Context) string {
	switch {
	case !caller.From(ctx).Licences[Licence]:
		return NotLicensed
	case !st.account.Enabled:
		return SwitchedOff
	case st.echo:
		return Repeated
	case !st.configuration.answersAt(st.account.Open):
		return OutOfHours
	case st.answers >= st.configuration.MaxAnswers:
		return AnswerLimit
	}
	return ""
}

// act carries out the plan, unless the assistant lost the conversation meanwhile or has
// already acted on the message.
func (s *Service) act(ctx context.Context, m received, p planned) error {
	_, err := s.Conversations.Change(ctx, m.ConversationID, func(tx *db.Tx, was conversation.Conversation) (conversation.Conversation, error) {
		st, mine, err := s.read(&tx.Reader, was, m.ItemID)
		if err != nil || !mine {
			return was, err
		}
		if fresh, err := claimMessage(tx, m.ItemID, was.ID); err != nil || !fresh {
			return was, err
		}
		if late := st.refusal(ctx); late != "" {
			silent := p.reason != "" && p.text == ""
			p = planned{reason: late, understood: p.understood}
			if !silent {
				p.text = wordsIn(p.understood.Language).ofRefusal(late, st.account.Open)
			}
		}
		return s.write(tx, was, m.ItemID, &st, p)
	})
	return err
}

// write sends the planned text, and hands the conversation over if there is a reason.
func (s *Service) write(tx *db.Tx, c conversation.Conversation, message uuid.UUID, st *state, p planned) (_ conversation.Conversation, err error) {
	var item *uuid.UUID
	if p.text != "" {
		var out conversation.Written
		if c, err = s.Replies.ToReply(reply.Answer{
			Author: conversation.Author{Kind: conversation.ByBot}, Body: p.text, Sources: p.sources,
			Configuration: st.configuration.reference(), InAnswerTo: &message, SmallTalk: p.smallTalk(),
		}, &out)(tx, c); err != nil {
			return c, err
		}
		item = &out.Item.ID
	}
	if p.reason == "" {
		return c, setOutcome(tx, message, item, nil, !p.smallTalk())
	}
	if err := setOutcome(tx, message, item, &p.reason, false); err != nil {
		return c, err
	}
	return s.Conversations.ToEscalate(p.reason, nil)(tx, c)
}

// recordAttributes stores what was understood of a message.
func (s *Service) recordAttributes(ctx context.Context, st *state, p planned) error {
	u := p.understood
	add := func(list []airecord.AIAttribute, name string, value any) []airecord.AIAttribute {
		return append(list, airecord.AIAttribute{Name: name, Value: value, Source: "message", ItemID: &st.item.ID})
	}
	urgency, sentiment := "normal", "neutral"
	if u.Urgent {
		urgency = "high"
	}
	switch {
	case u.Negative:
		sentiment = "negative"
	case u.Positive:
		sentiment = "positive"
	}
	list := add(nil, "language", u.Language)
	list = add(list, "intent", u.Intent)
	list = add(list, "urgency", urgency)
	list = add(list, "sentiment", sentiment)
	if u.OrderNumber != "" {
		list = add(list, "order_number", u.OrderNumber)
	}
	_, err := s.Records.SetAIAttributes(ctx, st.c.ID, list)
	return err
}

// giveUp hands over a conversation whose answer failed permanently.
func (s *Service) giveUp(ctx context.Context, j *jobs.Job, _ string) error {
	var m received
	if err := json.Unmarshal(j.Payload, &m); err != nil {
		return nil //nolint:nilerr // the job is dead because of it
	}
	_, err := s.Conversations.Change(ctx, m.ConversationID, func(tx *db.Tx, was conversation.Conversation) (conversation.Conversation, error) {
		if was.AIState != conversation.AIActive {
			return was, nil
		}
		return s.Conversations.ToEscalate(Broken, nil)(tx, was)
	})
	return ignoreGone(err)
}
