// Package pgtest provides a real PostgreSQL for tests; the machine needs only the server's
// binaries.
//
// A server comes from one of two places. If KONAK_TEST_POSTGRES is a postgres:// URL, that
// server is used: `make test` starts one with scripts/with-postgres and shares it among all
// test processes. Without it, every test process starts a private cluster in a temporary
// folder (in memory, if the machine has enough of it), on a unix socket only, so that there
// is no port conflict and nobody else on the machine can reach it.
//
// The private cluster is owned by a small watchdog process that reads from a pipe held by
// the test process. However that process ends, by returning, by os.Exit, by a panic or by
// kill -9, the pipe closes and the watchdog stops the server and removes the folder. No
// TestMain is needed.
//
// PostgreSQL refuses to run as root. If the caller is root, the cluster runs as the user
// "postgres" or, if that does not exist, "nobody".
//
// Tests never act as the superuser: NewDatabase provides two roles, an owner that runs
// migrations and an application role that is subject to row security.
package pgtest
