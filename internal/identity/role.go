package identity

import (
	"konak/internal/kit/perm"
)

// Role names.
const (
	RoleOwner = "owner"
	RoleAgent = "agent"
	// RoleGuest may sign in and see their own profile, nothing else.
	RoleGuest = "guest"
)

// rolePermissions is what each built-in role may do.
var rolePermissions = map[string]perm.Set{
	RoleOwner: perm.NewSet(perm.All()...),
	RoleAgent: perm.NewSet(perm.ConversationsView, perm.ConversationsReply),
}
