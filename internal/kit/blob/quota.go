package blob

import (
	"cmp"
	"context"
	"io"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Pool is the share of a workspace's storage that a blob belongs to.
type Pool int

const (
	// accepted bytes count as the workspace's and are never refused.
	accepted Pool = iota
	// Workspace is for files from members, API keys and mail.
	Workspace
	// Visitors is for files from unknown people. It is a separate pool, so that they cannot
	// use up the workspace's storage.
	Visitors
)

const (
	// DefaultQuota is the number of bytes a workspace may keep unless the operator sets
	// another.
	DefaultQuota = 10 << 30
	// visitorPart is the fraction of the quota that visitors get in addition to it: one
	// tenth.
	visitorPart = 10
)

// The reasons of storage_full: the pool that is used up.
const (
	WorkspaceFull = "workspace"
	VisitorsFull  = "visitors"
)

// Use is the number of bytes that a workspace keeps and may keep. Blobs that no record
// holds are counted until they are removed.
type Use struct {
	Bytes        int64 `json:"used_bytes" example:"1288490188" doc:"Files from members, API keys and mail, and call recordings"`
	Quota        int64 `json:"quota_bytes" example:"10737418240"`
	VisitorBytes int64 `json:"visitor_used_bytes" example:"52428800" doc:"Files sent by live chat visitors"`
	VisitorQuota int64 `json:"visitor_quota_bytes" example:"1073741824" doc:"A tenth of the quota, in addition to it"`
	OwnQuota     bool  `json:"own_quota" doc:"Whether the operator set a quota for this workspace"`
}

// use is a row of the counters; quota is nil if the default applies.
type use struct {
	bytes, visitorBytes int64
	quota               *int64
}

func (s *Store) publicUse(u use) Use {
	out := Use{Bytes: u.bytes, VisitorBytes: u.visitorBytes, Quota: cmp.Or(s.Quota, DefaultQuota), OwnQuota: u.quota != nil}
	if u.quota != nil {
		out.Quota = *u.quota
	}
	out.VisitorQuota = out.Quota / visitorPart
	return out
}

// over returns storage_full if a pool would exceed its quota with that many more bytes.
func (u Use) over(pool Pool, more int64) error {
	switch {
	case pool == Workspace && u.Bytes+more > u.Quota:
		return fault.New(fault.StorageFull).Because(WorkspaceFull)
	case pool == Visitors && u.VisitorBytes+more > u.VisitorQuota:
		return fault.New(fault.StorageFull).Because(VisitorsFull)
	}
	return nil
}

// PutWithin stores a stream as Put does, but returns storage_full if it does not fit into
// the pool. If the pool is full, nothing is read.
func (s *Store) PutWithin(ctx context.Context, tenant uuid.UUID, pool Pool, r io.Reader, limit int64) (Blob, error) {
	if err := s.CheckRoom(ctx, tenant, pool); err != nil {
		return Blob{}, err
	}
	return s.put(ctx, tenant, pool, r, limit)
}

// CheckRoom returns storage_full if a pool cannot take a single byte more.
func (s *Store) CheckRoom(ctx context.Context, tenant uuid.UUID, pool Pool) error {
	u, err := s.Use(ctx, tenant)
	if err != nil {
		return err
	}
	return u.over(pool, 1)
}

// count adds the bytes of a new blob to the counters of its workspace. It returns
// storage_full if they exceed the pool; the caller must then not commit the transaction.
func (s *Store) count(tx *db.Tx, pool Pool, size int64) error {
	u, err := addUse(tx, tx.Tenant(), pool, size)
	if err != nil {
		return err
	}
	return s.publicUse(u).over(pool, 0)
}

// CountBeside adds the size of files that are stored outside the blobs, such as recordings,
// to the counters of a workspace; a negative size subtracts it. They exist already, so they
// are not refused; see Full.
func CountBeside(tx *db.Tx, size int64) error {
	_, err := addUse(tx, tx.Tenant(), accepted, size)
	return err
}

// Full reports whether a workspace has used up its quota.
func (s *Store) Full(r *db.Reader) (bool, error) {
	u, err := readUse(r)
	return s.publicUse(u).over(Workspace, 1) != nil, err
}

// Use returns the storage that a workspace uses and may use.
func (s *Store) Use(ctx context.Context, tenant uuid.UUID) (Use, error) {
	u, err := db.Read(ctx, s.db.Tenant(tenant), readUse)
	return s.publicUse(u), err
}

// SetQuota sets a workspace's own quota, or with nil restores the default. Existing files
// stay, even if they exceed it. Only the operator may call it.
func (s *Store) SetQuota(ctx context.Context, tenant uuid.UUID, quota *int64) error {
	return s.db.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		before, err := readUse(&tx.Reader)
		if err != nil {
			return err
		}
		if err := setQuota(tx, quota); err != nil {
			return err
		}
		return audit.Write(tx, "storage.quota_set_by_operator", tenant.String(), map[string]any{"quota_bytes": quota, "before_bytes": before.quota})
	})
}
