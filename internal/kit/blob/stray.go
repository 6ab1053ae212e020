package blob

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// Strays lists the workspace folders that contain files but are unknown to the database:
// leftovers of an import that was killed and never repeated, or files newer than a restored
// database.
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

// tenantOf parses the name of a workspace's folder. Other folders belong to the store
// itself, or to somebody else.
func tenantOf(name string) (uuid.UUID, bool) {
	tenant, err := uuid.Parse(name)
	return tenant, err == nil && tenant != uuid.Nil && tenant.String() == name
}
