package blob

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// Strays lists the folders of workspaces with files of which the database knows none: what
// an import left that was killed and never repeated, or what is newer than a database that
// was restored.
func (s *Store) Strays(ctx context.Context) ([]string, error) {
	tenants, err := s.back.tenants(ctx)
	if err != nil {
		return nil, fmt.Errorf("blob: strays: %w", err)
	}
	var out []string
	for _, tenant := range tenants {
		known, err := db.Read(ctx, s.db.Tenant(tenant), func(r *db.Reader) (bool, error) {
			return db.One(r, db.Scalar[bool], `SELECT EXISTS (SELECT 1 FROM blob WHERE tenant_id = $1)`, tenant)
		})
		if err != nil {
			return nil, fmt.Errorf("blob: strays: %w", err)
		}
		if !known {
			out = append(out, s.back.place(tenant))
		}
	}
	return out, nil
}

// tenantOf reads the name of a workspace's folder. Others are of the store itself, or
// somebody's own.
func tenantOf(name string) (uuid.UUID, bool) {
	tenant, err := uuid.Parse(name)
	return tenant, err == nil && tenant != uuid.Nil && tenant.String() == name
}
