package webhook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/bus"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/jobs"
	"konak/internal/kit/outbound"
	"konak/internal/kit/secret"
	"konak/internal/webhook/signature"
)

// Service implements the rules of endpoints, deliveries and recoveries.
type Service struct {
	db      *db.DB
	box     *secret.Box
	idKey   []byte
	catalog func() ([]CatalogEntry, error) // written when it is first asked for
	out     *outbound.Client
	owners  Owners
	bus     bus.Bus
	sender  *Sender
	// types are the events by name, with the licence and the permission to see the data
	// that each needs.
	types     map[string]event.Type
	heartbeat time.Duration // how often a stream shows that it is alive
}

// Config is what the service needs.
type Config struct {
	DB      *db.DB
	Box     *secret.Box      // seals the signing secrets
	Out     *outbound.Client // says which addresses are allowed
	Bus     bus.Bus          // tells streams about new events
	Catalog event.Catalog
	Owners  Owners  // notified when a secret is rotated or an endpoint deleted
	Sender  *Sender // of this process, notified of what is queued and changed
}

// New returns the service. It returns an error if something is missing.
func New(c Config) (*Service, error) {
	if c.DB == nil || c.Box == nil || c.Out == nil || c.Bus == nil || c.Owners == nil || c.Sender == nil {
		return nil, errors.New("webhook: the service needs a database, a box of secrets, a client, a bus, owners and a sender")
	}
	types := map[string]event.Type{}
	for _, t := range c.Catalog {
		types[t.Name] = t
	}
	return &Service{
		db: c.DB, box: c.Box, idKey: c.Box.Derive("webhook delivery id"), out: c.Out, owners: c.Owners,
		bus: c.Bus, sender: c.Sender, types: types, heartbeat: defaultHeartbeat,
		catalog: sync.OnceValues(func() ([]CatalogEntry, error) { return describe(c.Catalog) }),
	}, nil
}

// Catalog lists the events that the workspace's licences allow, described in a
// language: "tr" or "en".
func (s *Service) Catalog(ctx context.Context, lang string) ([]CatalogEntry, error) {
	all, err := s.catalog()
	who, out := caller.From(ctx), []CatalogEntry{}
	for _, e := range all {
		if !isLicensed(who, e.Module) {
			continue
		}
		if lang == "tr" {
			e.Description = e.turkish
		}
		out = append(out, e)
	}
	return out, err
}

// checkEvents refuses names that are not in the workspace's catalog, at the field that
// contained them.
func (s *Service) checkEvents(ctx context.Context, field string, names ...string) error {
	who := caller.From(ctx)
	for _, name := range names {
		t, known := s.types[name]
		if !known || t.Hidden || !isLicensed(who, t.Module) {
			return fault.New(fault.UnknownEvent, name).Field(field, "unknown_event")
		}
	}
	return nil
}

// Endpoints lists a module's endpoints, newest first.
func (s *Service) Endpoints(ctx context.Context, module string, p db.Page) (db.List[Endpoint], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[Endpoint], error) {
		return listEndpoints(r, module, p)
	})
}

// Endpoint returns one endpoint.
func (s *Service) Endpoint(ctx context.Context, module string, id uuid.UUID) (Endpoint, error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (Endpoint, error) {
		e, err := endpointByID(r, module, id)
		return e, db.NotFound(err)
	})
}

// Registered is an endpoint with its secret, which is shown once.
type Registered struct {
	Endpoint
	Secret string `json:"secret" example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" doc:"Shown only in this response"`
}

// Create is the gate for a new endpoint.
func (s *Service) Create(ctx context.Context, module string, set settings) (Registered, error) {
	if err := s.check(ctx, &set, Endpoint{}); err != nil {
		return Registered{}, err
	}
	key := signature.NewSecret()
	out := Registered{Secret: key}
	err := idempotency.Do(ctx, s.db.TenantOf(ctx), &out, func(tx *db.Tx) error {
		if n, err := countEndpoints(tx, module); err != nil {
			return err
		} else if n >= maxEndpoints {
			return fault.New(fault.LimitReached, maxEndpoints)
		}
		id := tx.NewID()
		sealed := s.box.Seal(tx.Tenant(), secretPurpose(id), []byte(key))
		if err := putEndpoint(tx, module, id, set, sealed, secret.Last4(key), caller.From(ctx).Actor()); err != nil {
			return fmt.Errorf("webhook: put endpoint: %w", err)
		}
		var err error
		if out.Endpoint, err = endpointByID(&tx.Reader, module, id); err != nil {
			return err
		}
		return audit.Write(tx, "webhook.created", id.String(), map[string]any{"address": set.address, "events": set.events})
	})
	return out, err
}

// check normalises settings and refuses new values that are not allowed. What an endpoint
// had before stays: the licence of an event may have ended since, or the range of its
// address may have been blocked, and neither must keep a person from changing the rest.
func (s *Service) check(ctx context.Context, set *settings, old Endpoint) (err error) {
	set.normalise()
	if set.address != old.Address {
		if set.address, err = parseAddress(s.out, set.address); err != nil {
			return err
		}
	}
	added := slices.DeleteFunc(slices.Clone(set.events), func(name string) bool { return slices.Contains(old.Events, name) })
	if err := s.checkEvents(ctx, "events", added...); err != nil {
		return err
	}
	if set.address != old.Address {
		added = set.events // another address receives all of them
	}
	return s.checkMaySee(caller.From(ctx), added)
}

// checkMaySee returns forbidden, with the missing permission, unless the caller may see the
// data of each of the events.
func (s *Service) checkMaySee(who *caller.Caller, events []string) error {
	for _, name := range events {
		if !s.maySee(who, name) {
			return fault.Lacking(s.types[name].Permission).Field("events", "not_permitted")
		}
	}
	return nil
}

// maySee reports whether the caller may see the data of an event. A ping carries no data of
// the workspace, so everyone who may see webhooks may see it.
func (s *Service) maySee(who *caller.Caller, eventType string) bool {
	t, ok := s.types[eventType]
	return eventType == PingTest || ok && who.Can(t.Permission)
}

// Change is a change of an endpoint; nil fields stay unchanged.
type Change struct {
	Address     *string
	Description *string
	Events      []string
	StrictOrder *bool
	RateLimit   *int // 0 for none
}

// Update is the gate for changing an endpoint. Its secret stays. A disabled endpoint with a
// new address is tried at once.
func (s *Service) Update(ctx context.Context, module string, id uuid.UUID, c Change) (e Endpoint, err error) {
	err = s.change(ctx, module, id, func(tx *db.Tx, old Endpoint) error {
		set := settings{address: old.Address, description: old.Description, events: old.Events, strict: old.StrictOrder}
		if old.RateLimit != nil {
			set.rate = *old.RateLimit
		}
		assign(&set.address, c.Address)
		assign(&set.description, c.Description)
		assign(&set.strict, c.StrictOrder)
		assign(&set.rate, c.RateLimit)
		if c.Events != nil {
			set.events = c.Events
		}
		if err := s.check(ctx, &set, old); err != nil {
			return err
		}
		if err := updateEndpoint(tx, id, set); err != nil {
			return err
		}
		if old.Status == Disabled && set.address != old.Address {
			if err := holdLane(tx, laneKey{tx.Tenant(), id}, clock.At(tx.Now())); err != nil {
				return err
			}
			tx.Wake(Topic)
		}
		if e, err = endpointByID(&tx.Reader, module, id); err != nil {
			return err
		}
		return audit.Write(tx, "webhook.changed", id.String(), map[string]any{"address": set.address, "events": set.events})
	})
	return e, err
}

func assign[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// SetStatus is the gate for a status that a person sets: active or paused. Making a
// disabled endpoint active clears the reason why it was disabled.
func (s *Service) SetStatus(ctx context.Context, module string, id uuid.UUID, status string) (e Endpoint, err error) {
	err = s.change(ctx, module, id, func(tx *db.Tx, old Endpoint) error {
		if old.Status == status {
			e = old
			return nil
		}
		if err := setStatus(tx, id, status); err != nil {
			return err
		}
		tx.Wake(Topic)
		if e, err = endpointByID(&tx.Reader, module, id); err != nil {
			return err
		}
		return audit.Write(tx, "webhook.status", id.String(), map[string]any{"from": old.Status, "to": status})
	})
	return e, err
}

// Rotate is the gate for a new secret. With a grace period the old one is also signed with
// until it ends; without one it is invalid at once.
func (s *Service) Rotate(ctx context.Context, module string, id uuid.UUID, grace time.Duration) (Registered, error) {
	key := signature.NewSecret()
	out := Registered{Secret: key}
	err := s.change(ctx, module, id, func(tx *db.Tx, old Endpoint) (err error) {
		var until *clock.Time
		if grace > 0 {
			until = clock.Ptr(tx.Now().Add(grace))
		}
		if err := rotateSecret(tx, id, s.box.Seal(tx.Tenant(), secretPurpose(id), []byte(key)), secret.Last4(key), until); err != nil {
			return err
		}
		if until != nil {
			if _, err := jobs.Enqueue(tx, forgetKind, until.Time, id); err != nil {
				return err
			}
		}
		if out.Endpoint, err = endpointByID(&tx.Reader, module, id); err != nil {
			return err
		}
		if err := s.owners.Notify(tx, Notice{Kind: NoticeRotated, Module: module, Endpoint: id, Address: old.Address, IP: caller.From(ctx).IP}); err != nil {
			return err
		}
		return audit.Write(tx, "webhook.rotated", id.String(), map[string]any{"grace_seconds": int(grace.Seconds())})
	})
	return out, err
}

// forgetOldSecret removes the secret before the last rotation once its grace period is
// over.
func (s *Service) forgetOldSecret(ctx context.Context, j *jobs.Job, id uuid.UUID) error {
	return s.db.Tenant(j.TenantID).InTx(ctx, func(tx *db.Tx) error { return forgetSecret(tx, id) })
}

// Jobs: removing the rows of a deleted endpoint, giving up the deliveries of one that is
// off for good, and removing secrets whose grace period is over.
const (
	purgeKind  = "webhook.purge"
	giveUpKind = "webhook.give_up"
	forgetKind = "webhook.forget_secret"
)

// Delete is the gate for removing an endpoint and its history.
func (s *Service) Delete(ctx context.Context, module string, id uuid.UUID) error {
	return s.change(ctx, module, id, func(tx *db.Tx, old Endpoint) error {
		if err := dropEndpoint(tx, id); err != nil {
			return err
		}
		if _, err := jobs.Enqueue(tx, purgeKind, tx.Now(), id); err != nil {
			return err
		}
		if err := s.owners.Notify(tx, Notice{Kind: NoticeDeleted, Module: module, Address: old.Address, IP: caller.From(ctx).IP}); err != nil {
			return err
		}
		return audit.Write(tx, "webhook.deleted", id.String(), map[string]any{"address": old.Address})
	})
}

// change runs a gate on a locked endpoint and notifies the sender. Every endpoint is live,
// so a test-environment key changes none.
func (s *Service) change(ctx context.Context, module string, id uuid.UUID, fn func(*db.Tx, Endpoint) error) error {
	if caller.From(ctx).Test {
		return fault.New(fault.TestEnvironment)
	}
	return idempotency.Do(ctx, s.db.TenantOf(ctx), &struct{}{}, func(tx *db.Tx) error {
		e, err := lockEndpoint(tx, module, id)
		if err != nil {
			return db.NotFound(err)
		}
		tx.AfterCommit(func() { s.sender.rereadSettings(id) })
		return fn(tx, e)
	})
}

// Keyless reports whether the routes that carry an id work without a credential.
func (s *Service) Keyless(ctx context.Context) (bool, error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (bool, error) {
		return isKeylessAllowed(r)
	})
}

// SetKeyless is the gate for that setting.
func (s *Service) SetKeyless(ctx context.Context, on bool) error {
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if err := setKeyless(tx, on); err != nil {
			return err
		}
		return audit.Write(tx, "webhook.keyless", "", map[string]bool{"keyless": on})
	})
}
