package sipexchange

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

// DropMissing deletes the telephones and lines of tenants that no longer exist, signs them
// out and ends their legs.
func (x *Exchange) DropMissing(ctx context.Context, exists func(ctx context.Context, tenant uuid.UUID) (bool, error)) error {
	for tenant := range x.tenants() {
		there, err := exists(ctx, tenant)
		if err == nil && !there {
			err = x.dropTenant(ctx, tenant)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tenants returns the tenants that have a telephone or a line here.
func (x *Exchange) tenants() map[uuid.UUID]bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	out := map[uuid.UUID]bool{}
	for _, d := range x.devices {
		out[d.Tenant] = true
	}
	for _, t := range x.trunks {
		out[t.Tenant] = true
	}
	return out
}

func (x *Exchange) dropTenant(ctx context.Context, tenant uuid.UUID) error {
	x.mu.Lock()
	var devices []string
	var trunks []uuid.UUID
	for name, d := range x.devices {
		if d.Tenant == tenant {
			devices = append(devices, name)
		}
	}
	for id, t := range x.trunks {
		if t.Tenant == tenant {
			trunks = append(trunks, id)
		}
	}
	x.mu.Unlock()
	var err error
	for _, name := range devices {
		err = errors.Join(err, x.DropDevice(ctx, tenant, name))
	}
	for _, id := range trunks {
		err = errors.Join(err, x.DropTrunk(ctx, tenant, id))
	}
	return err
}
