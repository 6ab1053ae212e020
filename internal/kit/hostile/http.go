package hostile

import (
	"context"
	"strconv"
	"strings"
	"testing"
)

// HTTPPhases returns the phases in which an HTTP peer can misbehave. S3 services are HTTP
// peers: "error" is their error response in XML.
func HTTPPhases() []string {
	return []string{"status", "interim", "header", "body", "chunks", "extension", "trailer", "error"}
}

// HTTP starts a server that answers each request with 200 and {} up to the
// phase.
func HTTP(t testing.TB, phase string, manner Manner) *Peer {
	t.Helper()
	return Start(t, phase, manner, func(c *Conn) {
		for readRequest(c) {
			switch {
			case c.At("status", "HTTP/1.1 200 ", "a reason without an end "),
				c.At("interim", "", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"),
				c.At("header", "HTTP/1.1 200 OK\r\n", "X-A: hostile\r\n"),
				c.At("body", "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n", "hostile "),
				c.At("chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "8\r\nhostile \r\n"),
				c.At("extension", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x=", "hostile"),
				c.At("trailer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-A\r\n\r\n2\r\n{}\r\n0\r\n", "X-A: hostile\r\n"),
				c.At("error", "HTTP/1.1 403 Forbidden\r\nContent-Type: application/xml\r\nConnection: close\r\n\r\n<Error><Code>X</Code>", "<Message>hostile</Message>"):
				return
			}
			if !c.Say("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}") {
				return
			}
		}
	})
}

// CallEach makes one call to every misbehaving HTTP peer, for each phase and manner. A call
// must fail, must end with its context if the peer keeps it waiting, and must not read more
// than most bytes.
func CallEach(t *testing.T, most int64, call func(ctx context.Context, address string) error) {
	t.Helper()
	for _, phase := range HTTPPhases() {
		for _, manner := range Manners() {
			t.Run(phase+"/"+string(manner), func(t *testing.T) {
				t.Parallel()
				peer := HTTP(t, phase, manner)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if manner.Waits() {
					go func() { <-peer.Reached(); cancel() }()
				}
				if err := call(ctx, "http://"+peer.Address()); err == nil {
					t.Error("a peer that misbehaves was believed")
				}
				if sent := peer.Sent(); sent > most {
					t.Errorf("%d bytes were read", sent)
				}
			})
		}
	}
}

// readRequest reads a request with its body; it returns false if there is none.
func readRequest(c *Conn) bool {
	length := 0
	for first := true; ; first = false {
		line, ok := c.Line()
		if !ok {
			return false
		}
		if line == "" && !first {
			break
		}
		if name, value, _ := strings.Cut(line, ":"); strings.EqualFold(name, "Content-Length") {
			length, _ = strconv.Atoi(strings.TrimSpace(value))
		}
	}
	_, err := c.in.Discard(length)
	return err == nil
}
