// Package identity decides who may do what: people, workspaces, memberships, roles,
// sessions and API keys. It guards every request.
//
// A person signs in once and works in one workspace at a time; a session is bound to a
// membership. Only hashes of tokens are stored. Checking a credential costs one indexed
// read or a cache hit, never a password hash. Most of its tables belong to no tenant: a
// credential must be found before its tenant is known.
//
// Its subpackages depend on it, and it does not depend on them: signin (how people prove
// who they are), oauth (apps that people let in), captcha (the robot check), password
// (hashing and strength) and notice (the texts of its mails).
package identity
