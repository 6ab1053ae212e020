// Package db is the storage kit: one set of SQL on SQLite and PostgreSQL.
//
// There are two ways in. Tenant returns a handle that is bound to one workspace;
// System, for the few callers that cross workspaces (dispatcher, job claim,
// credential look-up), takes a reason, and a test lists its callers.
//
// Writing goes through InTx. On SQLite all writers share one connection and
// their transactions are committed in groups: each but the first runs in its own
// savepoint, and one fsync serves all. On PostgreSQL a function passed to InTx may
// run more than once (after a deadlock or a serialization failure). On both it
// must not do network I/O, and must not start another transaction or a separate
// read, which is refused with ErrNested. Its caller cannot cancel it half-way: a
// Tx carries its own context, so no caller can roll back another's work.
//
// Portable SQL: $1-style parameters, UUIDs in uuid columns, times as BIGINT
// microseconds (clock.Time), JSON in text columns, ON CONFLICT instead of
// catching a unique violation (PostgreSQL aborts the transaction on an error).
package db
