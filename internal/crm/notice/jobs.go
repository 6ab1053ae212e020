package notice

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/outbound"
	"konak/internal/kit/perm"
	"konak/internal/kit/webpush"
)

const (
	planKind = "notice.plan"
	pushKind = "notice.push"
	// pushLasts is how long a push is valid, with us and with the push service.
	pushLasts    = 10 * time.Minute
	pushAttempts = 3
)

// planned is an event that may concern agents.
type planned struct {
	EventID uuid.UUID `json:"event_id"`
}

// push is one push to one browser.
type push struct {
	SubscriptionID uuid.UUID `json:"subscription_id"`
	Kind           string    `json:"kind"`
	ConversationID uuid.UUID `json:"conversation_id"`
}

// Jobs returns the kinds of jobs of this module. A push service that does not answer is put
// on hold per workspace.
func (s *Service) Jobs() []jobs.Kind {
	return []jobs.Kind{
		{Name: planKind, Handler: jobs.WithPayload(s.plan), PerNode: 8, PerTenant: 2, MaxAttempts: 5},
		{Name: pushKind, Handler: jobs.WithPayload(s.send), PerNode: 32, PerTenant: 8, PerAccount: 4, MaxAttempts: pushAttempts, HoldReason: "push_service_unreachable"},
	}
}

// Dispatch implements event.Subscriber: events that may concern agents become jobs in
// the workspaces in which a browser is subscribed.
func (s *Service) Dispatch(tx *db.Tx, events []event.Event) error {
	concerns := func(e *event.Event) bool { return concernsAgents(e.Type) && !e.Test && !e.Emitted }
	var tenants []uuid.UUID
	for i := range events {
		if e := &events[i]; concerns(e) && !slices.Contains(tenants, e.TenantID) {
			tenants = append(tenants, e.TenantID)
		}
	}
	if len(tenants) == 0 {
		return nil
	}
	subscribed, err := subscribedTenants(&tx.Reader, tenants)
	if err != nil {
		return fmt.Errorf("notice: subscribed workspaces: %w", err)
	}
	for i := range events {
		e := &events[i]
		if !concerns(e) || !slices.Contains(subscribed, e.TenantID) {
			continue
		}
		if _, err := jobs.EnqueueForTenant(tx, e.TenantID, planKind, tx.Now(), planned{e.ID}); err != nil {
			return err
		}
	}
	return nil
}

// plan creates a push for each browser whose agent wants to be notified of an event and has
// no panel open.
func (s *Service) plan(ctx context.Context, j *jobs.Job, p planned) error {
	return s.DB.Tenant(j.TenantID).InTx(ctx, func(tx *db.Tx) error {
		ours, err := j.StillOurs(tx)
		if err != nil || !ours {
			return err
		}
		found, err := event.Load(&tx.Reader, j.TenantID, []uuid.UUID{p.EventID})
		if err != nil {
			return fmt.Errorf("notice: load event: %w", err)
		}
		e, ok := found[p.EventID]
		if !ok {
			return nil // it is no longer kept
		}
		var n news
		if err := json.Unmarshal(e.Body(), &n); err != nil {
			return fmt.Errorf("%w: %w", jobs.ErrDrop, err)
		}
		return s.planFor(tx, &n)
	})
}

func (s *Service) planFor(tx *db.Tx, n *news) error {
	of, rest := n.kinds()
	var only []uuid.UUID
	if rest == "" {
		if only = slices.Collect(maps.Keys(of)); len(only) == 0 {
			return nil
		}
	}
	devices, err := devicesOf(&tx.Reader, only)
	if err != nil {
		return fmt.Errorf("notice: subscriptions: %w", err)
	}
	wanted := map[uuid.UUID]bool{}
	for _, d := range devices {
		kind, ok := of[d.agent]
		if !ok {
			kind = rest
		}
		wants, known := wanted[d.agent]
		if !known {
			if wants, err = s.wants(&tx.Reader, d.agent, kind); err != nil {
				return err
			}
			wanted[d.agent] = wants
		}
		if !wants {
			continue
		}
		if _, err := jobs.EnqueueForAccount(tx, pushKind, d.service, tx.Now(), push{d.id, kind, n.Data.Object.ID}); err != nil {
			return err
		}
	}
	return nil
}

// wants reports whether an agent wants a push of a kind now.
func (s *Service) wants(r *db.Reader, agent uuid.UUID, kind string) (bool, error) {
	if s.Presence.IsConnected(r.Tenant(), agent) {
		return false, nil
	}
	p, err := preferencesOf(r, agent)
	if err != nil {
		return false, fmt.Errorf("notice: preferences: %w", err)
	}
	return p.Push && p.Events.wants(kind) && !p.QuietHours.include(s.DB.Clock().Now()), nil
}

// open decrypts a sealed subscription.
func (s *Service) open(tenant uuid.UUID, d device) (n NewSubscription, err error) {
	plain, err := s.Box.Open(tenant, d.sealedAs(), d.sealed)
	if err == nil {
		err = json.Unmarshal(plain, &n)
	}
	if err != nil {
		return n, fmt.Errorf("notice: open subscription: %w", err)
	}
	return n, nil
}

// prepared is a push that is ready to be sent.
type prepared struct {
	to      NewSubscription
	key     webpush.Key
	message message
}

// send sends one push. A push that a push service refuses, or that takes too long, is
// dropped: it never becomes a dead job.
func (s *Service) send(ctx context.Context, j *jobs.Job, p push) error {
	if s.DB.Clock().Now().Sub(j.CreatedAt.Time) >= pushLasts {
		return nil
	}
	ready, err := s.prepare(ctx, j.TenantID, p)
	if err != nil || ready == nil {
		return err
	}
	answer, err := s.post(ctx, ready)
	if err != nil {
		return err
	}
	switch {
	case answer.Err == nil:
		return nil
	case answer.Status == 404 || answer.Status == 410:
		return s.remove(ctx, j.TenantID, p.SubscriptionID)
	case answer.Class == outbound.ClassTimeout:
		return fmt.Errorf("%w: %w", jobs.ErrHold, answer.Err)
	case j.Attempts >= pushAttempts || answer.Status/100 == 4 && answer.Status != 429:
		s.Log.Warn("a push was refused", "tenant", j.TenantID, "subscription", p.SubscriptionID, "status", answer.Status, "error", answer.Err)
		return nil
	case answer.RetryAfter > 0:
		return jobs.RetryAt(s.DB.Clock().Now().Add(answer.RetryAfter), answer.Err)
	}
	return answer.Err
}

// prepare checks that a push may be sent now and returns it, or nil if not. A subscription
// whose session has ended is removed.
func (s *Service) prepare(ctx context.Context, tenant uuid.UUID, p push) (out *prepared, err error) {
	over := false
	err = s.DB.Tenant(tenant).Read(ctx, func(r *db.Reader) error {
		d, err := findDevice(r, p.SubscriptionID)
		if db.IsNoRow(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("notice: find subscription: %w", err)
		}
		who, language, err := s.Sessions.SessionCaller(r, d.session)
		if over = fault.Is(err, fault.Unauthenticated); err != nil {
			return err
		}
		if who.MustEnrol || !who.Licences["crm"] || !who.Can(perm.ConversationsView) {
			return nil
		}
		if wants, err := s.wants(r, d.agent, p.Kind); err != nil || !wants {
			return err
		}
		key, err := s.key(r)
		if err != nil {
			return err
		}
		to, err := s.open(tenant, d)
		out = &prepared{to, key, message{titles[language][p.Kind], p.ConversationID}}
		return err
	})
	if over {
		return nil, s.remove(ctx, tenant, p.SubscriptionID)
	}
	return out, err
}

func (s *Service) remove(ctx context.Context, tenant, id uuid.UUID) error {
	return s.DB.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		_, err := dropDevice(tx, id, nil)
		return err
	})
}

// post encrypts, signs and sends a push.
func (s *Service) post(ctx context.Context, p *prepared) (outbound.Answer, error) {
	now := s.DB.Clock().Now()
	to, err := s.Out.Parse(p.to.Endpoint)
	if err != nil {
		return outbound.Answer{}, fmt.Errorf("%w: %w", jobs.ErrDrop, err)
	}
	plain, err := json.Marshal(p.message)
	if err != nil {
		return outbound.Answer{}, fmt.Errorf("notice: encode: %w", err)
	}
	body, err := webpush.Encrypt(webpush.Keys(p.to.Keys), plain)
	if err != nil {
		return outbound.Answer{}, fmt.Errorf("%w: %w", jobs.ErrDrop, err)
	}
	authorization, err := p.key.Authorization(to, s.Subject, now)
	if err != nil {
		return outbound.Answer{}, err
	}
	return s.Out.Post(ctx, to, outbound.Header{
		"Authorization": {authorization}, "Content-Encoding": {"aes128gcm"}, "Content-Type": {"application/octet-stream"},
		"TTL": {strconv.Itoa(int(pushLasts / time.Second))}, "Urgency": {"high"},
	}, body, now), nil
}
