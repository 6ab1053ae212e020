package bus_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/bus"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// node is a link on a database that is shared with others.
type node struct {
	*bus.Link
	db *db.DB
}

const topic = "work"

// startNodes starts nodes on one PostgreSQL that know of each other.
func startNodes(t *testing.T, n int) []node {
	t.Helper()
	url := dbtest.URL(t, db.Postgres)
	nodes := make([]node, n)
	for i := range nodes {
		nodes[i] = startNode(t, url)
	}
	for _, from := range nodes {
		for _, to := range nodes {
			if from != to {
				awaitWord(t, from, to)
			}
		}
	}
	return nodes
}

func startNode(t *testing.T, url string) node {
	t.Helper()
	d, err := db.Open(t.Context(), db.Options{URL: url, Clock: clock.System{}})
	if err != nil {
		t.Fatal(err)
	}
	l := bus.NewLink(bus.LinkConfig{DB: d, Log: slog.New(slog.DiscardHandler), Topics: []string{topic}})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); l.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-done
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return node{l, d}
}

// awaitWord publishes on one node until another receives it.
func awaitWord(t *testing.T, from, to node) {
	t.Helper()
	tenant := uuid.New()
	sub := to.Subscribe(tenant)
	defer sub.Close()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	end := time.After(30 * time.Second)
	for {
		from.Publish(tenant, bus.Message{Type: "hello", Body: []byte("x")})
		select {
		case <-sub.C:
			return
		case <-again.C:
		case <-end:
			t.Fatal("two nodes do not hear each other")
		}
	}
}

func receive(t *testing.T, sub *bus.Subscription) bus.Message {
	t.Helper()
	select {
	case m := <-sub.C:
		return m
	case <-time.After(20 * time.Second):
		t.Fatal("a message of another node does not arrive")
		return bus.Message{}
	}
}

// What one node publishes reaches the streams of the others, in order, and its own only
// once; another tenant receives nothing.
func TestLinkCarriesMessages(t *testing.T) {
	t.Parallel()
	nodes := startNodes(t, 3)
	tenant, other := uuid.New(), uuid.New()
	own, foreign := nodes[0].Subscribe(tenant), nodes[1].Subscribe(other)
	subs := []*bus.Subscription{nodes[1].Subscribe(tenant), nodes[2].Subscribe(tenant), own}
	// JSON inside JSON, characters that are escaped in it, and a NUL.
	body := []byte("{\"data\":{\"text\":\"<b>\\u0000 & ğ \\\"x\\\"\"}}")
	begin := time.Now()
	nodes[0].Publish(tenant, bus.Message{Sequence: 7, Type: "conversation.replied", Body: body})
	nodes[0].Publish(tenant, bus.Message{Type: "conversation.typing", Body: []byte(`{}`)})
	for i, sub := range subs {
		if m := receive(t, sub); m.Sequence != 7 || m.Type != "conversation.replied" || !bytes.Equal(m.Body, body) {
			t.Errorf("subscriber %d received %d %s %s", i, m.Sequence, m.Type, m.Body)
		}
		if m := receive(t, sub); m.Sequence != 0 || m.Type != "conversation.typing" {
			t.Errorf("subscriber %d received %+v second", i, m)
		}
	}
	t.Logf("two messages reached two other nodes after %v", time.Since(begin))
	// The next message is the next thing that each receives: nothing came twice.
	nodes[2].Publish(tenant, bus.Message{Type: "end"})
	nodes[2].Publish(other, bus.Message{Type: "end"})
	for i, sub := range append(subs, foreign) {
		if m := receive(t, sub); m.Type != "end" {
			t.Errorf("subscriber %d received %+v", i, m)
		}
	}
}

// An event that is too large for a notification arrives as a hint to read it; a signal that
// is too large is lost, but what follows is not.
func TestLinkTellsOfLargeEvents(t *testing.T) {
	t.Parallel()
	nodes := startNodes(t, 2)
	tenant := uuid.New()
	sub := nodes[1].Subscribe(tenant)
	large := []byte(strings.Repeat("<", 2000)) // six bytes each on the way
	nodes[0].Publish(tenant, bus.Message{Type: "conversation.typing", Body: large})
	nodes[0].Publish(tenant, bus.Message{Sequence: 9, Type: "conversation.replied", Body: large})
	if m := receive(t, sub); m.Sequence != 9 || m.Body != nil {
		t.Errorf("received sequence %d with %d bytes", m.Sequence, len(m.Body))
	}
}

// Many messages at once: the newest sequence arrives, whatever else is left out.
func TestLinkKeepsUpWithMany(t *testing.T) {
	t.Parallel()
	nodes := startNodes(t, 2)
	const many = 5000
	tenant := uuid.New()
	sub := nodes[1].Subscribe(tenant)
	body := bytes.Repeat([]byte("x"), 300)
	for i := range int64(many) {
		nodes[0].Publish(tenant, bus.Message{Sequence: i + 1, Type: "t", Body: body})
	}
	for last := int64(0); last < many; {
		select {
		case m, ok := <-sub.C:
			if !ok { // it did not keep up and starts over, as a feed does
				sub = nodes[1].Subscribe(tenant)
				nodes[0].Publish(tenant, bus.Message{Sequence: many, Type: "t"})
				continue
			}
			if m.Sequence < last {
				t.Fatalf("%d came after %d", m.Sequence, last)
			}
			last = m.Sequence
		case <-time.After(20 * time.Second):
			t.Fatalf("it stands still at %d", last)
		}
	}
}

// A carried topic wakes its listeners on the other nodes, and does not come back.
func TestLinkCarriesWakeUps(t *testing.T) {
	t.Parallel()
	nodes := startNodes(t, 2)
	heard, here := make(chan string, 10), make(chan string, 10)
	for _, name := range []string{topic, "private"} {
		nodes[0].db.Listen(name, func() { here <- name })
		nodes[1].db.Listen(name, func() { heard <- name })
	}
	nodes[0].db.Wake("private")
	nodes[0].db.Wake(topic)
	select {
	case name := <-heard:
		if name != topic {
			t.Errorf("the other node was woken for %q", name)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the other node was not woken")
	}
	awaitWord(t, nodes[0], nodes[1])
	awaitWord(t, nodes[1], nodes[0])
	if len(here) != 2 || len(heard) != 0 {
		t.Errorf("%d wake-ups here, %d more there", len(here), len(heard))
	}
}

// Nodes hear each other again after the database has closed their connections.
func TestLinkSurvivesLostConnections(t *testing.T) {
	t.Parallel()
	nodes := startNodes(t, 2)
	err := nodes[0].db.System("test").Read(t.Context(), func(r *db.Reader) error {
		_, err := db.All(r, db.Scalar[bool], `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND query LIKE 'LISTEN%' AND pid <> pg_backend_pid()`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	awaitWord(t, nodes[0], nodes[1])
	awaitWord(t, nodes[1], nodes[0])
}

// A node that is alone sends nothing but heartbeats.
func TestLinkIsQuietAlone(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t, db.Postgres)
	alone := startNode(t, url)
	d, err := db.Open(t.Context(), db.Options{URL: url, Clock: clock.System{}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	heard, ready, done := make(chan string, 100), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		_ = d.Hear(ctx, "konak", func() { close(ready) }, func(p string) { heard <- p })
	}()
	<-ready
	alone.Publish(uuid.New(), bus.Message{Sequence: 1, Type: "secret", Body: []byte("x")})
	alone.db.Wake(topic)
	if err := d.Notify(t.Context(), "konak", []string{`{"node":"` + uuid.NewString() + `","hello":true}`}); err != nil {
		t.Fatal(err)
	}
	// Its answer to another node's first message comes after anything it sent before.
	for p := range heard {
		if strings.Contains(p, "secret") || strings.Contains(p, topic) {
			t.Errorf("a node that is alone sends %s", p)
		}
		if answered := strings.Contains(p, "hello") && len(heard) == 0; answered {
			break
		}
	}
	cancel()
	<-done
}

// A notification that none of our nodes sent is skipped.
func TestLinkSkipsInvalidNotifications(t *testing.T) {
	t.Parallel()
	nodes := startNodes(t, 2)
	if err := nodes[0].db.Notify(t.Context(), "konak", []string{"", "{", `{"notes":[1,"x",{"tenant":7}]}`, `[]`}); err != nil {
		t.Fatal(err)
	}
	awaitWord(t, nodes[0], nodes[1])
}
