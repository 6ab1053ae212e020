package hostile

import (
	"strconv"
	"strings"
	"testing"
)

// HTTPPhases are where an HTTP peer can misbehave. S3 services are HTTP peers:
// "error" is their refusal in XML.
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

// readRequest reads a request with its body; false when there is none.
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
