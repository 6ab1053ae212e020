package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"

	"konak/internal/app"
)

type healthCmd struct{ app.Config }

// Run asks the server of this machine whether it is ready, for containers and scripts
// that have no other way to ask.
func (h *healthCmd) Run(ctx context.Context, out io.Writer) error {
	host, port, err := net.SplitHostPort(h.Listen)
	if err != nil {
		return fmt.Errorf("--listen %q: %w", h.Listen, err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	answer := strings.TrimSpace(ask(ctx, "http://"+net.JoinHostPort(host, port)+"/readyz"))
	if answer == "" {
		return fmt.Errorf("nothing answers at %s", h.Listen)
	}
	if answer != "ready" {
		return fmt.Errorf("the server at %s is %s", h.Listen, answer)
	}
	_, err = fmt.Fprintln(out, answer)
	return err
}
