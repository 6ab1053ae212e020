package identity

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/db"
)

// Audit lists the workspace's audit log, newest first.
func (s *Service) Audit(ctx context.Context, f audit.Filter, p db.Page) (db.List[AuditLine], error) {
	var out db.List[AuditLine]
	err := s.db.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		list, err := audit.List(r, f, p)
		if err != nil {
			return fmt.Errorf("identity: audit: %w", err)
		}
		var actors []uuid.UUID
		for _, l := range list.Rows {
			if l.ActorID != nil {
				actors = append(actors, *l.ActorID)
			}
		}
		names, err := actorNames(r, actors)
		if err != nil {
			return fmt.Errorf("identity: audit: %w", err)
		}
		out = db.List[AuditLine]{Rows: make([]AuditLine, len(list.Rows)), Next: list.Next}
		for i, l := range list.Rows {
			a := AuditActor{Kind: l.ActorKind, ID: l.ActorID}
			if l.ActorID != nil {
				if name, ok := names[*l.ActorID]; ok {
					a.Name = &name
				}
			}
			out.Rows[i] = AuditLine{
				ID: l.ID, At: l.At, Actor: a, Action: l.Action, Object: l.Object,
				Details: l.Details, IP: l.IP, TraceID: l.TraceID,
			}
		}
		return nil
	})
	return out, err
}
