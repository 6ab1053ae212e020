// Package db is the storage kit: one set of SQL on SQLite and PostgreSQL.
//
// There are two ways in. Tenant gives a handle that is bound to one workspace;
// System, for the few that cross workspaces (dispatcher, job claim, credential
// look-up), names its reason, and a test holds the list of its callers.
//
// Writing goes through InTx. On SQLite all writers share one connection and
// their transactions are committed in groups: each runs in a savepoint of its
// own, one fsync serves all. On PostgreSQL a function passed to InTx may run more
// than once (after a deadlock or a serialization failure). On both it must not
// do network I/O, and must not start another transaction or a read beside
// it, which is refused with ErrNested. It cannot be
// cancelled half-way by its caller: a Tx carries a context of its own, so no
// caller can roll back another's work.
//
// Portable SQL: $1-style parameters, UUIDs in uuid columns, times as BIGINT
// microseconds (clock.Time), JSON in text columns, ON CONFLICT instead of
// catching a unique violation (PostgreSQL aborts the transaction on an error).
package db
