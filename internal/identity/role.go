package identity

import (
	"regexp"
	"slices"

	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

// Role names that every workspace has.
const (
	// RoleOwner may do everything, always. A workspace has at least one owner.
	RoleOwner = "owner"
	RoleAdmin = "admin"
	RoleAgent = "agent"
	// RoleGuest may sign in and see their own profile, nothing else.
	RoleGuest = "guest"
)

// Role is a named set of permissions that a member has.
type Role struct {
	Name        string            `json:"name" example:"support-lead"`
	Title       string            `json:"title" example:"Support lead"`
	BuiltIn     bool              `json:"built_in" doc:"Built-in roles exist in every workspace and cannot be deleted, only reset"`
	Fixed       bool              `json:"fixed" doc:"Cannot be changed (the owner role)"`
	Changed     bool              `json:"changed" doc:"Whether this workspace created or changed it"`
	Permissions []perm.Permission `json:"permissions" nullable:"false"`
	Members     int               `json:"members" example:"3" doc:"Number of members with this role"`
}

// builtIn are the roles as the program has them, in the order of the list.
var builtIn = []Role{
	{Name: RoleOwner, Title: "Owner", BuiltIn: true, Fixed: true, Permissions: perm.NewSet(perm.All()...).Sorted()},
	{Name: RoleAdmin, Title: "Administrator", BuiltIn: true, Permissions: allBut(perm.WorkspaceManage)},
	{Name: RoleAgent, Title: "Agent", BuiltIn: true, Permissions: perm.NewSet(
		perm.ConversationsView, perm.ConversationsReply, perm.ConversationsAssign, perm.ConversationsManage,
		perm.MacrosUse, perm.ContactsView, perm.ContactsManage, perm.ChannelsView, perm.TemplatesView,
		perm.TemplatesSend, perm.ArticlesView, perm.CallsView, perm.CallsMake, perm.AgentsView, perm.AdvisorSearch,
	).Sorted()},
	{Name: RoleGuest, Title: "Guest", BuiltIn: true, Permissions: []perm.Permission{}},
}

func allBut(ps ...perm.Permission) []perm.Permission {
	s := perm.NewSet(perm.All()...)
	for _, p := range ps {
		delete(s, p)
	}
	return s.Sorted()
}

// rolePermissions are the permissions of each built-in role, for the check of every
// request.
var rolePermissions = func() map[string]perm.Set {
	m := map[string]perm.Set{}
	for _, r := range builtIn {
		m[r.Name] = perm.NewSet(r.Permissions...)
	}
	return m
}()

// permissionsOf returns the permissions of a member with this role: the workspace's own
// version of it if there is one, or the built-in one. No role grants a right that is no
// longer in the table.
func permissionsOf(role string, own *db.JSON[[]perm.Permission]) perm.Set {
	if own == nil || role == RoleOwner {
		return rolePermissions[role]
	}
	return perm.NewSet(own.V...).Within(rolePermissions[RoleOwner])
}

func isBuiltIn(name string) bool {
	return slices.ContainsFunc(builtIn, func(r Role) bool { return r.Name == name })
}

// roleName is the form of a custom role's name.
var roleName = regexp.MustCompile(`^[a-z][a-z0-9-]{1,39}$`)

// RoleList is every role and the permissions that roles consist of.
type RoleList struct {
	Roles       []Role       `json:"roles" nullable:"false"`
	Permissions []perm.Entry `json:"permissions" nullable:"false" doc:"All permissions"`
	Scopes      []perm.Scope `json:"scopes" nullable:"false" doc:"Named sets for API keys and apps"`
}
