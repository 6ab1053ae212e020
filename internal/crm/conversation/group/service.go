package group

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/trtext"
)

// Agents knows the members of a workspace.
type Agents interface {
	// IsAgent reports whether an id is an active member's.
	IsAgent(r *db.Reader, id uuid.UUID) (bool, error)
}

// Config is what the package needs.
type Config struct {
	DB     *db.DB
	Agents Agents
}

// Service keeps the teams.
type Service struct{ Config }

// New returns the service.
func New(c Config) *Service { return &Service{c} }

// List lists the teams, the oldest first.
func (s *Service) List(ctx context.Context, p db.Page) (db.List[Group], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Group], error) {
		return list(r, p)
	})
}

// Get returns one team.
func (s *Service) Get(ctx context.Context, id uuid.UUID) (Group, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Group, error) {
		g, err := ByID(r, id)
		return g, db.NotFound(err)
	})
}

// nameKey returns a group's name without case, diacritics and extra spaces.
func nameKey(name string) string { return strings.Join(strings.Fields(trtext.Fold(name)), " ") }

// Exists reports whether an id is a group's.
func Exists(r *db.Reader, id uuid.UUID) (bool, error) {
	_, err := ByID(r, id)
	return db.Found(err)
}

// Add creates a team.
func (s *Service) Add(ctx context.Context, name, description string, members []uuid.UUID) (g Group, err error) {
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &g, func(tx *db.Tx) error {
		g = Group{ID: tx.NewID(), Name: strings.TrimSpace(name), Description: strings.TrimSpace(description), CreatedAt: clock.At(tx.Now())}
		if err := s.fill(tx, &g, members); err != nil {
			return err
		}
		if free, err := put(tx, g, nameKey(g.Name)); err != nil {
			return err
		} else if !free {
			return fault.New(fault.Conflict).Field("name", "taken")
		}
		if err := putMembers(tx, g.ID, g.AgentIDs); err != nil {
			return err
		}
		return audit.Write(tx, "group.created", g.ID.String(), map[string]string{"name": g.Name})
	})
	return g, err
}

func (s *Service) fill(tx *db.Tx, g *Group, members []uuid.UUID) error {
	if g.Name == "" || nameKey(g.Name) == "" {
		return fault.Invalid("name", "required")
	}
	g.AgentIDs = []uuid.UUID{}
	for _, id := range members {
		if slices.Contains(g.AgentIDs, id) {
			continue
		}
		if ok, err := s.Agents.IsAgent(&tx.Reader, id); err != nil {
			return err
		} else if !ok {
			return fault.Invalid("agent_ids", "unknown_agent")
		}
		g.AgentIDs = append(g.AgentIDs, id)
	}
	return nil
}

// Change replaces the data of a team.
func (s *Service) Change(ctx context.Context, id uuid.UUID, name, description string, members []uuid.UUID) (g Group, err error) {
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if g, err = ByID(&tx.Reader, id); err != nil {
			return db.NotFound(err)
		}
		g.Name, g.Description = strings.TrimSpace(name), strings.TrimSpace(description)
		if err := s.fill(tx, &g, members); err != nil {
			return err
		}
		holder, err := byName(&tx.Reader, nameKey(g.Name))
		if err == nil && holder != id {
			return fault.New(fault.Conflict).Field("name", "taken")
		}
		if err != nil && !db.IsNoRow(err) {
			return err
		}
		if err := save(tx, g, nameKey(g.Name)); err != nil {
			return err
		}
		if err := putMembers(tx, id, g.AgentIDs); err != nil {
			return err
		}
		return audit.Write(tx, "group.changed", id.String(), map[string]string{"name": g.Name})
	})
	if _, known := fault.As(err); !known && db.IsUnique(err) {
		err = fault.New(fault.Conflict).Field("name", "taken").Wrap(err)
	}
	return g, err
}

// Delete removes a team that no conversation belongs to.
func (s *Service) Delete(ctx context.Context, id uuid.UUID) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		g, err := ByID(&tx.Reader, id)
		if err != nil {
			return db.NotFound(err)
		}
		if used, err := inUse(&tx.Reader, id); err != nil {
			return err
		} else if used {
			return fault.New(fault.Conflict).Because("in_use")
		}
		if err := drop(tx, id); err != nil {
			return err
		}
		return audit.Write(tx, "group.deleted", id.String(), map[string]string{"name": g.Name})
	})
}

// IsGroup reports whether an id is a group's.
func (s *Service) IsGroup(r *db.Reader, id uuid.UUID) (bool, error) { return Exists(r, id) }

// GroupMembers lists the agents of a group; it is empty if the group does not exist.
func (s *Service) GroupMembers(r *db.Reader, id uuid.UUID) ([]uuid.UUID, error) {
	g, err := db.OrZero(ByID(r, id))
	return g.AgentIDs, err
}
