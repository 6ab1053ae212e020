package outbound

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"konak/internal/kit/hostile"
)

// buffers is the amount that the system may hold between two local ends of a connection.
const buffers = 16 << 20

// A peer that never stops is cut off at the budget, and renewing gives it just
// as much again.
func TestConnBudget(t *testing.T) {
	t.Parallel()
	peer := hostile.Start(t, "talk", hostile.Endless, func(c *hostile.Conn) { c.At("talk", "", "blah ") })
	conn, err := New(Options{Allowed: loopback}).Dial(t.Context(), peer.Address(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.CopyN(io.Discard, conn, MaxAnswer); err != nil {
		t.Fatalf("within the budget: %v", err)
	}
	conn.Renew(1000, AnswerTime)
	n, err := io.Copy(io.Discard, conn)
	if n != 1000 || !errors.Is(err, ErrTooMuch) || !errors.Is(conn.Explain(io.EOF), ErrTooMuch) {
		t.Errorf("read %d: %v", n, err)
	}
	if class, _ := Class(err); class != ClassBody {
		t.Errorf("class %s", class)
	}
	<-peer.Ended()
	if peer.Sent() > buffers {
		t.Errorf("the peer could send %d bytes", peer.Sent())
	}
}

// A waiting read ends when its context does, and when the time for the answer is over.
func TestConnReadEndsWithContextAndTimeout(t *testing.T) {
	t.Parallel()
	peer := hostile.Start(t, "talk", hostile.Silent, func(c *hostile.Conn) { c.At("talk", "", "") })
	client := New(Options{Allowed: loopback})
	ctx, cancel := context.WithCancel(t.Context())
	conn, err := client.Dial(ctx, peer.Address(), true)
	if err != nil {
		t.Fatal(err)
	}
	go func() { <-peer.Reached(); cancel() }()
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
	<-peer.Ended()
	if conn, err = client.Dial(t.Context(), peer.Address(), true); err != nil {
		t.Fatal(err)
	}
	conn.Renew(MaxAnswer, time.Millisecond)
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the time for an answer: %v", err)
	}
	<-peer.Ended()
}

// Whatever an HTTP peer does at whatever phase: Post and RoundTrip end, with the context if
// the peer keeps them waiting, and read no more than they promise.
func TestHostileHTTP(t *testing.T) {
	t.Parallel()
	client := New(Options{Allowed: loopback, MaxBody: 1 << 20})
	for _, phase := range hostile.HTTPPhases() {
		for _, manner := range hostile.Manners() {
			t.Run(phase+"/"+string(manner), func(t *testing.T) {
				t.Parallel()
				peer := hostile.HTTP(t, phase, manner)
				address, err := url.Parse("http://" + peer.Address() + "/")
				if err != nil {
					t.Fatal(err)
				}
				for _, call := range []func(ctx context.Context) error{
					func(ctx context.Context) error {
						return client.Post(ctx, address, Header{}, []byte("{}"), time.Time{}).Err
					},
					func(ctx context.Context) error { return get(ctx, client, address) },
				} {
					ctx, cancel := context.WithCancel(t.Context())
					if manner.Waits() {
						go func() { <-peer.Reached(); cancel() }()
					}
					err := call(ctx)
					cancel()
					<-peer.Ended()
					if manner.Waits() && err == nil {
						t.Error("a peer that keeps its caller waiting was waited for")
					}
				}
				if peer.Sent() > 2*buffers {
					t.Errorf("the peer could send %d bytes", peer.Sent())
				}
			})
		}
	}
}

func get(ctx context.Context, client *Client, address *url.URL) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return err
	}
	resp, err := client.RoundTrip(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
