// Package pgtest gives tests a real PostgreSQL without asking anything of the
// machine but the server's binaries.
//
// A server comes from one of two places. When KONAK_TEST_POSTGRES holds a
// postgres:// URL, that server is used: `make test` starts one with
// scripts/with-postgres and shares it among all test processes. Without it,
// every test process starts a private cluster in a temporary folder (in memory, where the
// machine has some to spare), on a unix socket only, so that there is no port to collide on and nobody else on the
// machine can reach it.
//
// The private cluster is owned by a small watchdog process that reads from a
// pipe held by the test process. However that process ends, by returning, by
// os.Exit, by a panic or by kill -9, the pipe closes and the watchdog stops the
// server and removes the folder. No TestMain is needed.
//
// PostgreSQL refuses to run as root. There, the cluster runs as the user
// "postgres" or, where that is missing, "nobody".
//
// Tests never act as the superuser: NewDatabase hands out two roles, an owner
// that runs migrations and an application role that row security binds.
package pgtest
