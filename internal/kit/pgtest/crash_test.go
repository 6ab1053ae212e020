package pgtest_test

import (
	"testing"

	"konak/internal/kit/pgtest"
)

func TestCrashKeepsWhatWasCommitted(t *testing.T) {
	t.Parallel()
	server := pgtest.StartFor(t, pgtest.Options{Durable: true})
	before := connect(t, server.URL())
	if _, err := before.Exec(t.Context(), `CREATE TABLE kept (x int); INSERT INTO kept VALUES (7)`); err != nil {
		t.Fatal(err)
	}
	if err := server.Crash(); err != nil {
		t.Fatal(err)
	}
	if err := before.Ping(t.Context()); err == nil {
		t.Error("the connection outlived the server")
	}
	if x := ask[int](t, connect(t, server.URL()), `SELECT x FROM kept`); x != 7 {
		t.Errorf("got %d", x)
	}
}

func TestCrashSparesForeignServers(t *testing.T) {
	t.Parallel()
	server, err := pgtest.Connect("postgres://elsewhere/")
	if err != nil {
		t.Fatal(err)
	}
	if server.Crash() == nil {
		t.Error("a server that is not ours was crashed")
	}
}
