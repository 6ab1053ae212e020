// Package perm is the one table of permissions.
//
// Routes name a permission from this table, roles and API-key scopes are sets
// of them, and the API lists them. A permission that is not here does not
// exist; a guard test fails a route that names none.
package perm

import (
	"slices"

	"konak/internal/kit/each"
)

// Permission is a right inside one workspace.
type Permission string

// Entry describes a permission for display.
type Entry struct {
	Name   Permission `json:"name" example:"crm.conversations.view"`
	Module string     `json:"module" example:"crm"`
	EN     string     `json:"en" example:"See conversations"`
	TR     string     `json:"tr" example:"Konuşmaları görme"`
}

// Set is a set of permissions, such as those of a caller.
type Set map[Permission]struct{}

// NewSet creates a set.
func NewSet(ps ...Permission) Set {
	s := make(Set, len(ps))
	for _, p := range ps {
		s[p] = struct{}{}
	}
	return s
}

// Has reports whether p is in the set.
func (s Set) Has(p Permission) bool { _, ok := s[p]; return ok }

// Sorted returns the set in the order of the table.
func (s Set) Sorted() []Permission {
	out := make([]Permission, 0, len(s))
	for _, e := range Table {
		if s.Has(e.Name) {
			out = append(out, e.Name)
		}
	}
	return out
}

// All returns every permission, the owner's set.
func All() []Permission {
	return each.Map(Table, func(e Entry) Permission { return e.Name })
}

// Known reports whether p is in the table.
func Known(p Permission) bool {
	return slices.ContainsFunc(Table, func(e Entry) bool { return e.Name == p })
}

// Within returns the permissions that are in both sets, for rights that must not exceed
// those of the person who grants them.
func (s Set) Within(ps Set) Set {
	out := make(Set, len(s))
	for p := range s {
		if ps.Has(p) {
			out[p] = struct{}{}
		}
	}
	return out
}

// Missing returns, in order, the permissions among ps that the set does not contain.
func (s Set) Missing(ps ...Permission) []Permission {
	out := []Permission{}
	for _, p := range ps {
		if !s.Has(p) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}
