package identity

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// Roles lists the workspace's roles: the built-in ones, then its own.
func (s *Service) Roles(ctx context.Context) (RoleList, error) {
	out := RoleList{Permissions: perm.Table, Scopes: perm.Scopes}
	err := s.db.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		own, err := ownRoles(r)
		if err != nil {
			return err
		}
		members, err := membersByRole(r)
		if err != nil {
			return err
		}
		out.Roles = slices.Clone(builtIn)
		for _, ro := range own {
			if i := slices.IndexFunc(out.Roles, func(b Role) bool { return b.Name == ro.Name }); i >= 0 {
				out.Roles[i].Permissions, out.Roles[i].Changed = ro.Permissions, true
				continue
			}
			out.Roles = append(out.Roles, ro)
		}
		for i := range out.Roles {
			out.Roles[i].Members = members[out.Roles[i].Name]
		}
		return nil
	})
	return out, err
}

// maxRoles is the maximum number of roles of a workspace.
const maxRoles = 50

// SetRole is the gate for creating a role or replacing its permissions.
func (s *Service) SetRole(ctx context.Context, ro Role) (Role, error) {
	if ro.Name == RoleOwner {
		return Role{}, fault.New(fault.RoleFixed)
	}
	if !roleName.MatchString(ro.Name) {
		return Role{}, fault.Invalid("name", "invalid_format")
	}
	for _, p := range ro.Permissions {
		if !perm.Known(p) {
			return Role{}, fault.Invalid("permissions", "unknown_permission")
		}
	}
	if err := mayGive(ctx, ro.Permissions); err != nil {
		return Role{}, err
	}
	ro.Permissions = perm.NewSet(ro.Permissions...).Sorted()
	ro.Title, ro.Changed, ro.BuiltIn = strings.TrimSpace(ro.Title), true, isBuiltIn(ro.Name)
	if i := slices.IndexFunc(builtIn, func(b Role) bool { return b.Name == ro.Name }); i >= 0 {
		ro.Title = builtIn[i].Title
	} else if ro.Title == "" {
		return Role{}, fault.Invalid("title", "required")
	}
	err := s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if err := lockWorkspace(tx); err != nil {
			return err
		}
		before, _, err := roleByName(&tx.Reader, ro.Name)
		if err != nil {
			return err
		}
		// Taking rights from a role that has more than the caller would be acting on people
		// who may do more.
		if err := mayGive(ctx, before.Permissions); err != nil {
			return err
		}
		own, err := ownRoles(&tx.Reader)
		if err != nil {
			return err
		}
		if len(own) >= maxRoles && before.Name == "" {
			return fault.New(fault.LimitReached, maxRoles)
		}
		if err := saveRole(tx, ro); err != nil {
			return fmt.Errorf("identity: save role: %w", err)
		}
		members, err := membersByRole(&tx.Reader)
		if err != nil {
			return err
		}
		ro.Members = members[ro.Name]
		tx.AfterCommit(func() { s.forgetTenant(tx.Tenant()) })
		was := perm.NewSet(before.Permissions...)
		return audit.Write(tx, "role.changed", ro.Name, map[string]any{
			"given": was.Missing(ro.Permissions...), "taken": perm.NewSet(ro.Permissions...).Missing(before.Permissions...),
		})
	})
	return ro, err
}

// DeleteRole is the gate for deleting a custom role, which must have no members, or for
// resetting a built-in one.
func (s *Service) DeleteRole(ctx context.Context, name string) error {
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if err := lockWorkspace(tx); err != nil {
			return err
		}
		before, err := ownRole(&tx.Reader, name)
		if err != nil {
			return db.NotFound(err)
		}
		if err := mayGive(ctx, before.Permissions); err != nil {
			return err
		}
		if isBuiltIn(name) {
			if err := mayGive(ctx, rolePermissions[name].Sorted()); err != nil {
				return err
			}
		} else if used, err := roleInUse(&tx.Reader, name); err != nil {
			return err
		} else if used {
			return fault.New(fault.RoleInUse)
		}
		if _, err := dropRole(tx, name); err != nil {
			return err
		}
		tx.AfterCommit(func() { s.forgetTenant(tx.Tenant()) })
		return audit.Write(tx, "role.deleted", name, map[string]any{"permissions": before.Permissions})
	})
}

// roleByName finds a role of the workspace; false if there is none.
func roleByName(r *db.Reader, name string) (Role, bool, error) {
	ro, err := ownRole(r, name)
	if err == nil && name != RoleOwner {
		return ro, true, nil
	}
	if err != nil && !db.IsNoRow(err) {
		return Role{}, false, err
	}
	i := slices.IndexFunc(builtIn, func(b Role) bool { return b.Name == name })
	if i < 0 {
		return Role{}, false, nil
	}
	return builtIn[i], true, nil
}

// mayGive refuses to grant rights that the caller does not have, and to act on people who
// have them. The system itself may do anything.
func mayGive(ctx context.Context, ps []perm.Permission) error {
	who := caller.From(ctx)
	if who.Kind == caller.System {
		return nil
	}
	if missing := who.Perms.Missing(ps...); len(missing) > 0 {
		return fault.Lacking(missing[0]).Because("exceeds_own_permissions")
	}
	return nil
}

// keepOwner checks a change of members at its end: at least one owner must remain.
func keepOwner(tx *db.Tx) error {
	ok, err := ownerExists(&tx.Reader)
	if err == nil && !ok {
		return fault.New(fault.LastAdmin)
	}
	return err
}

// Owners returns the workspace's owners, for notices to them.
func (s *Service) Owners(r *db.Reader) ([]User, error) { return activeOwners(r) }
