package team

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/command"
	"konak/internal/exchange"
	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
	"konak/internal/kit/secret"
)

// Agents finds the workspace's members.
type Agents interface {
	// AgentsWho returns the active members who have a permission, and their names.
	AgentsWho(r *db.Reader, p perm.Permission, ids ...uuid.UUID) (map[uuid.UUID]string, error)
	// HasLicence reports whether the workspace has one of some licences.
	HasLicence(r *db.Reader, names ...string) (bool, error)
	// FindAgent finds an active member by their own id or that of their account.
	FindAgent(r *db.Reader, id uuid.UUID) (uuid.UUID, error)
	// AgentNames returns the names of members, including those who are no longer active.
	AgentNames(r *db.Reader, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// Config is the configuration of a Service.
type Config struct {
	DB     *db.DB
	Agents Agents
	// Exchange is where phones sign in; nil if this node has none.
	Exchange exchange.Devices
	// Server and Transports are where phones reach the exchange.
	Server     string
	Transports []string
}

// Service manages the team.
type Service struct{ Config }

// New returns the service.
func New(c Config) (*Service, error) {
	if c.DB == nil || c.Agents == nil {
		return nil, errors.New("team: the database and the agents are needed")
	}
	return &Service{c}, nil
}

// Team lists the agents who have a phone, newest first.
func (s *Service) Team(ctx context.Context, p db.Page) (list db.List[Member], err error) {
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		if list, err = listMembers(r, p); err != nil {
			return err
		}
		return s.fill(r, list.Rows)
	})
	if err == nil {
		err = s.fillRegistered(ctx, list.Rows)
	}
	return list, err
}

// fill sets the names and whether the members are in a call.
func (s *Service) fill(r *db.Reader, list []Member) error {
	ids := each.Map(list, func(m Member) uuid.UUID { return m.AgentID })
	names, err := s.Agents.AgentNames(r, ids)
	if err != nil {
		return err
	}
	busy, err := inCall(r)
	for i := range list {
		list[i].Name, list[i].InCall = names[list[i].AgentID], busy[list[i].AgentID] != Free
	}
	return err
}

// fillRegistered sets whether the members' phones are signed in.
func (s *Service) fillRegistered(ctx context.Context, list []Member) error {
	if s.Exchange == nil {
		return nil
	}
	registered, err := s.Registered(ctx, caller.From(ctx).TenantID)
	for i := range list {
		list[i].Registered = registered[list[i].Username]
	}
	return err
}

// Registered returns the usernames whose phone is signed in.
func (s *Service) Registered(ctx context.Context, tenant uuid.UUID) (map[string]bool, error) {
	list, err := s.Exchange.Registrations(ctx, tenant)
	out := make(map[string]bool, len(list))
	for _, r := range list {
		out[r.Username] = true
	}
	if err != nil {
		return nil, fmt.Errorf("team: registrations: %w", err)
	}
	return out, nil
}

// one fills a single row for a response.
func (s *Service) one(ctx context.Context, m Member) (Member, error) {
	list := []Member{m}
	err := s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error { return s.fill(r, list) })
	if err == nil {
		err = s.fillRegistered(ctx, list)
	}
	return list[0], err
}

var extensionForm = regexp.MustCompile(`^[1-9][0-9]{1,5}$`)

func checkExtension(e string) error {
	if !extensionForm.MatchString(e) || address.IsEmergency(e) {
		return fault.Invalid("extension", "invalid_extension")
	}
	return nil
}

// Add gives an agent a phone, by their id or that of their account. It returns conflict if
// they have one or the extension is taken, and validation_failed if they may not call.
func (s *Service) Add(ctx context.Context, id uuid.UUID, extension string) (m Member, err error) {
	if extension != "" {
		if err := checkExtension(extension); err != nil {
			return m, err
		}
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		agent, err := s.Agents.FindAgent(&tx.Reader, id)
		if db.IsNoRow(err) {
			return fault.Invalid("user_id", "unknown")
		}
		if err != nil {
			return err
		}
		if err := s.MayCall(&tx.Reader, agent); fault.Is(err, fault.Forbidden) {
			return fault.Invalid("user_id", "may_not_call")
		} else if err != nil {
			return err
		}
		taken, err := takenExtensions(&tx.Reader)
		if err != nil {
			return err
		}
		if extension == "" {
			if extension = freeExtension(taken); extension == "" {
				return fault.New(fault.LimitReached, lastExtension-firstExtension+1)
			}
		}
		m = Member{AgentID: agent, Extension: extension, Rings: true, Device: DeviceDesk, CreatedAt: clock.At(tx.Now())}
		if free, err := putMember(tx, m); err != nil {
			return err
		} else if !free {
			field := "user_id"
			if taken[extension] {
				field = "extension"
			}
			return fault.New(fault.Conflict).Field(field, "taken")
		}
		return audit.Write(tx, "phone_member.added", agent.String(), map[string]any{"extension": extension})
	})
	if err != nil {
		return m, err
	}
	return s.one(ctx, m)
}

// change locks an agent's row, lets fn change it and stores it. It returns conflict if the
// extension is taken.
func (s *Service) change(ctx context.Context, agent uuid.UUID, missing fault.Code, fn func(*db.Tx, *Member) error) (m Member, err error) {
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if m, err = lockMember(tx, agent); err != nil {
			return db.IfNoRow(err, fault.New(missing))
		}
		if err := fn(tx, &m); err != nil {
			return err
		}
		if free, err := saveMember(tx, m); err != nil {
			return err
		} else if !free {
			return fault.New(fault.Conflict).Field("extension", "taken")
		}
		return audit.Write(tx, "phone_member.changed", agent.String(),
			map[string]any{"extension": m.Extension, "rings": m.Rings, "device": m.Device, "has_phone": m.Username != ""})
	})
	if err != nil {
		return m, err
	}
	return s.one(ctx, m)
}

// Change sets whether the team's calls ring at an agent's phone, and its extension. With a
// new extension the phone is signed out and needs new credentials; for an agent who is in a
// call, Change then returns call_state.
func (s *Service) Change(ctx context.Context, agent uuid.UUID, rings *bool, extension *string) (Member, error) {
	if extension != nil {
		if err := checkExtension(*extension); err != nil {
			return Member{}, err
		}
	}
	return s.change(ctx, agent, fault.NotFound, func(tx *db.Tx, m *Member) error {
		if rings != nil && *rings && !m.Rings {
			if err := s.MayCall(&tx.Reader, agent); fault.Is(err, fault.Forbidden) {
				return fault.Invalid("rings", "may_not_call")
			} else if err != nil {
				return err
			}
		}
		if rings != nil {
			m.Rings = *rings
		}
		if extension == nil || *extension == m.Extension {
			return nil
		}
		busy, err := inCall(&tx.Reader)
		if err != nil {
			return err
		}
		if busy[agent] != Free && m.Username != "" {
			return fault.New(fault.CallState)
		}
		m.Extension = *extension
		return s.takePhone(tx, m)
	})
}

// takePhone makes the exchange forget an agent's phone.
func (s *Service) takePhone(tx *db.Tx, m *Member) error {
	if m.Username == "" {
		return nil
	}
	device := m.Username
	m.Username, m.HasPhone = "", false
	return command.Put(tx, command.Command{Kind: command.DropDevice, Device: device})
}

// SetDevice sets where the caller's own calls ring. It returns no_device if they have no
// phone, and not_supported for the browser, which cannot be a phone yet.
func (s *Service) SetDevice(ctx context.Context, kind, e164 string) (Member, error) {
	if kind == DeviceBrowser {
		return Member{}, fault.New(fault.NotSupported)
	}
	var outside *string
	if kind == DeviceOutside {
		number, ok := address.ParsePhone(e164)
		if !ok {
			return Member{}, fault.Invalid("e164", "invalid_phone")
		}
		outside = &number
	}
	return s.change(ctx, caller.From(ctx).ID, fault.NoDevice, func(_ *db.Tx, m *Member) error {
		m.Device, m.OutsideNum = kind, outside
		return nil
	})
}

// MakePhone creates credentials for the caller's own phone, replacing the previous ones,
// and signs the phone out. It returns no_device if they were not given a phone, and
// not_configured if there is no exchange.
func (s *Service) MakePhone(ctx context.Context) (out Credentials, err error) {
	if s.Exchange == nil {
		return out, fault.New(fault.NotConfigured)
	}
	who := caller.From(ctx)
	var device exchange.Device
	_, err = s.change(ctx, who.ID, fault.NoDevice, func(tx *db.Tx, m *Member) error {
		if m.Username == "" {
			id := tx.NewID()
			m.Username, m.HasPhone = fmt.Sprintf("p%x", id[10:]), true
		}
		password, realm := secret.NewToken("sip_"), s.Exchange.Realm()
		out = Credentials{
			Extension: m.Extension, Username: m.Username, Password: password, Realm: realm, Server: s.Server, Transports: db.OrEmpty(s.Transports),
		}
		device = exchange.Device{
			Tenant: who.TenantID, Username: m.Username, Extension: m.Extension, HA1: secret.Of(hashPassword(m.Username, realm, password)),
		}
		names, err := s.Agents.AgentNames(&tx.Reader, []uuid.UUID{who.ID})
		device.Name = names[who.ID]
		return err
	})
	if err != nil {
		return Credentials{}, err
	}
	if err := s.Exchange.PutDevice(ctx, device); err != nil {
		return Credentials{}, fault.New(fault.Unavailable).Wrap(err)
	}
	return out, nil
}

// Leave removes the phone of an agent who is suspended or removed, in the transaction that
// does so. The exchange drops the phone after the transaction is committed.
func (s *Service) Leave(tx *db.Tx, agent uuid.UUID) error {
	m, err := deleteMember(tx, agent)
	if db.IsNoRow(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := s.takePhone(tx, &m); err != nil {
		return err
	}
	return audit.Write(tx, "phone_member.removed", agent.String(), map[string]any{"extension": m.Extension})
}

// Find returns the member row of an agent; db.ErrNoRow if they have no phone.
func (s *Service) Find(r *db.Reader, agent uuid.UUID) (Member, error) { return memberByAgent(r, agent) }

// FindByUsername returns the member whose phone signs in with a username; db.ErrNoRow if
// there is none.
func (s *Service) FindByUsername(r *db.Reader, username string) (Member, error) {
	return memberByUsername(r, username)
}

// Ringing lists the members at whose phones the team's calls ring now, those who were rung
// longest ago first. Members who have just had a call are left out. Those who may not call
// are included: dialling them is refused.
func (s *Service) Ringing(r *db.Reader, now time.Time) ([]Member, error) {
	list, err := ringingMembers(r)
	return slices.DeleteFunc(list, func(m Member) bool { return now.Before(m.BusyUntil.Time) }), err
}

// InCall returns the agents who are in a call, or whose phone is ringing for one.
func (s *Service) InCall(r *db.Reader) (map[uuid.UUID]Busy, error) { return inCall(r) }

// MarkRung moves an agent behind the others for the next call to the team.
func (s *Service) MarkRung(tx *db.Tx, agent uuid.UUID) error { return saveRung(tx, agent) }

// WrapUp keeps the team's calls from ringing at an agent for a while after a call.
func (s *Service) WrapUp(tx *db.Tx, agent uuid.UUID, d time.Duration) error {
	return saveBusyUntil(tx, agent, clock.At(tx.Now().Add(d)))
}

// FindByExtension returns the member who has an extension; db.ErrNoRow if nobody has it.
func (s *Service) FindByExtension(r *db.Reader, extension string) (Member, error) {
	return memberByExtension(r, extension)
}
