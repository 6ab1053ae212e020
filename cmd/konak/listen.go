package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"konak/internal/webhook"
)

type webhooksCmd struct {
	Listen listenCmd `cmd:"" help:"Print a workspace's deliveries as they arrive and forward them to a server on this machine."`
}

type listenCmd struct {
	Forward  string `placeholder:"URL" help:"URL to forward them to, such as http://localhost:3000/hook; without it they are only printed."`
	Server   string `default:"http://localhost:8080" env:"KONAK_SERVER" placeholder:"URL" help:"URL of the Konak server."`
	Token    string `env:"KONAK_TOKEN" placeholder:"KEY" help:"API key with permission for webhooks and their events, or a session token; preferably set as KONAK_TOKEN."`
	Endpoint string `placeholder:"ID" help:"Only deliveries to this endpoint."`
}

const (
	streamPath = "/api/erp/v1/webhooks/stream"
	longest    = 1 << 20 // of a line of the stream
	reconnect  = 2 * time.Second
)

// errFatal is an answer that the next attempt would also get.
var errFatal = errors.New("refused")

// Run reads the stream and resumes it after interruptions.
func (l *listenCmd) Run(ctx context.Context, out io.Writer) error {
	if l.Token == "" {
		return errors.New("--token: give an API key with permission for webhooks, preferably as KONAK_TOKEN")
	}
	if l.Forward != "" {
		if u, err := url.Parse(l.Forward); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("--forward %q: write http://HOST:PORT/PATH", l.Forward)
		}
	}
	last := ""
	for {
		err := l.stream(ctx, out, &last)
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, errFatal) {
			return err
		}
		_, _ = fmt.Fprintf(os.Stderr, "konak: the stream was interrupted (%v); reconnecting\n", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(reconnect):
		}
	}
}

// stream reads until the connection ends; last is the id to resume from.
func (l *listenCmd) stream(ctx context.Context, out io.Writer, last *string) error {
	address := strings.TrimSuffix(l.Server, "/") + streamPath
	if l.Endpoint != "" {
		address += "?endpoint=" + url.QueryEscape(l.Endpoint)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", errFatal, err)
	}
	req.Header.Set("Authorization", "Bearer "+l.Token)
	req.Header.Set("Accept", "text/event-stream")
	if *last != "" {
		req.Header.Set("Last-Event-ID", *last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
		err := fmt.Errorf("%s answered %d: %s", l.Server, resp.StatusCode, refusalText(b))
		if resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests {
			return fmt.Errorf("%w: %w", errFatal, err)
		}
		return err
	}
	_, _ = fmt.Fprintf(out, "listening to %s\n", l.Server)
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, longest)
	id := ""
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "id":
			id = value
		case "data":
			if err := l.deliver(ctx, out, value); err != nil {
				return err
			}
			*last = id
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}

// refusalText returns the message of an API error, and the scope that a key needs; the
// whole body if it is not an API error.
func refusalText(body []byte) string {
	var refusal struct {
		Error struct {
			Message string `json:"message"`
			Scope   string `json:"scope"`
		} `json:"error"`
	}
	if err := json.Unmarshal(body, &refusal); err != nil || refusal.Error.Message == "" {
		return string(bytes.TrimSpace(body))
	}
	if refusal.Error.Scope != "" {
		return refusal.Error.Message + " An API key needs the scope " + refusal.Error.Scope + "."
	}
	return refusal.Error.Message
}

// deliver forwards one delivery with its own headers and prints the result.
func (l *listenCmd) deliver(ctx context.Context, out io.Writer, data string) error {
	var d webhook.StreamedDelivery
	if err := json.Unmarshal([]byte(data), &d); err != nil {
		return err
	}
	if d.BodyHidden {
		_, _ = fmt.Fprintf(out, "%s %s: the token does not have this event's permission\n", d.EventType, d.DeliveryID)
		return nil
	}
	if l.Forward == "" {
		_, _ = fmt.Fprintf(out, "%s %s\n%s\n", d.EventType, d.DeliveryID, d.Body)
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.Forward, strings.NewReader(d.Body))
	if err != nil {
		return fmt.Errorf("%w: %w", errFatal, err)
	}
	for name, value := range d.Headers {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		_, _ = fmt.Fprintf(out, "%s %s -> %v\n", d.EventType, d.DeliveryID, err)
		return nil // the developer's server may be between two starts
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	_, _ = fmt.Fprintf(out, "%s %s -> %d\n", d.EventType, d.DeliveryID, resp.StatusCode)
	return resp.Body.Close()
}
