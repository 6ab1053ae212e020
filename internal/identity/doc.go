// Package identity is who may do what: people, workspaces, memberships,
// sessions and API keys.
//
// A person signs in once and works in one workspace at a time; a session is
// bound to a membership. Only hashes of tokens are stored. Checking a
// credential costs one indexed read or a cache hit, never a password hash.
// The tables of this room are global: a credential must be found before its
// tenant is known.
package identity
