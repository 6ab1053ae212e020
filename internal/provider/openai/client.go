// Package openai is a client of servers with the OpenAI-compatible chat API: one route,
// POST /chat/completions, whose answer is streamed as server-sent events. A server that
// does not stream may answer with one JSON document.
//
// An answer has at most maxAnswer bytes on the wire and maxText bytes of text; an answer
// that is longer or malformed is assistant.ErrBadAnswer. Redirects are not followed, so
// that a key is sent to no other server.
package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"konak/internal/crm/assistant"
	"konak/internal/kit/fault"
	"konak/internal/kit/outbound"
)

// Bounds of an answer.
const (
	maxAnswer = 1 << 20
	maxText   = 16 << 10
	maxCalls  = 16
)

// Client sends requests to such servers.
type Client struct{ out *outbound.Client }

var _ assistant.Model = (*Client)(nil)

// New creates a client.
func New(out *outbound.Client) *Client { return &Client{out} }

// CheckAddress implements assistant.Model.
func (c *Client) CheckAddress(field, address string) (string, error) {
	u, err := c.out.ParseField(field, address)
	if f, ok := fault.As(err); ok && slices.Contains(f.Fields[field], "inside_address") {
		return "", f.Because(f.Reason + "; the operator names ranges for language models with --model-allow")
	}
	if err != nil {
		return "", err
	}
	if u.RawQuery != "" || u.ForceQuery {
		return "", fault.Invalid(field, "query_in_address")
	}
	return strings.TrimRight(u.String(), "/"), nil
}

type wireMessage struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"`
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type wireCall struct {
	Index    int    `json:"index,omitempty"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type wireFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type wireTool struct {
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireRequest struct {
	Model         string          `json:"model"`
	Messages      []wireMessage   `json:"messages"`
	Tools         []wireTool      `json:"tools,omitempty"`
	MaxTokens     int             `json:"max_tokens"`
	Stream        bool            `json:"stream"`
	StreamOptions map[string]bool `json:"stream_options"`
}

// wireAnswer is a piece of an answer, or the whole answer.
type wireAnswer struct {
	Choices []struct {
		Delta   wireMessage `json:"delta"`
		Message wireMessage `json:"message"`
	} `json:"choices"`
	Usage *struct {
		Input  int64 `json:"prompt_tokens"`
		Output int64 `json:"completion_tokens"`
	} `json:"usage"`
	Error any `json:"error"`
}

func encode(model string, r assistant.ChatRequest) ([]byte, error) {
	out := wireRequest{Model: model, MaxTokens: r.MaxTokens, Stream: true, StreamOptions: map[string]bool{"include_usage": true}}
	for _, m := range r.Messages {
		w := wireMessage{Role: m.Role, Content: &m.Text, ToolCallID: m.For}
		for _, c := range m.Calls {
			call := wireCall{ID: c.ID, Type: "function"}
			call.Function.Name, call.Function.Arguments = c.Name, c.Arguments
			w.ToolCalls = append(w.ToolCalls, call)
		}
		out.Messages = append(out.Messages, w)
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, wireTool{"function", wireFunction(t)})
	}
	return json.Marshal(out)
}

// Complete implements assistant.Model.
func (c *Client) Complete(ctx context.Context, to assistant.Endpoint, r assistant.ChatRequest) (out assistant.ChatAnswer, err error) {
	body, err := encode(to.Model, r)
	if err != nil {
		return out, fmt.Errorf("openai: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.Address+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return out, errors.New(outbound.ClassRefused)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	if key := to.Key.Reveal(); key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	var sent atomic.Bool
	req = req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(w httptrace.WroteRequestInfo) { sent.Store(w.Err == nil) },
	}))
	resp, err := c.out.RoundTrip(req)
	if err != nil {
		return out, neverAnswered(err, sent.Load())
	}
	defer func() { _ = resp.Body.Close() }()
	outbound.LimitBody(resp, maxAnswer)
	if resp.StatusCode != http.StatusOK {
		return out, unused{fmt.Errorf("status_%d", resp.StatusCode)}
	}
	var a answer
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "application/json" {
		err = a.readDocument(resp.Body)
	} else {
		err = a.readStream(resp.Body)
	}
	if err != nil {
		return out, explain(err)
	}
	return a.finish()
}

// explain replaces the error of a failed request with the class of the failure.
func explain(err error) error {
	if errors.Is(err, assistant.ErrBadAnswer) {
		return err
	}
	if errors.Is(err, outbound.ErrTooMuch) {
		return fmt.Errorf("%w: %w", assistant.ErrBadAnswer, err)
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	class, _ := outbound.Class(err)
	return errors.New(class)
}

// neverAnswered explains why no answer began. A server that got the whole request and timed
// out, or that answered badly, may have used something; any other failure used nothing.
func neverAnswered(err error, sent bool) error {
	class, _ := outbound.Class(err)
	err = explain(err)
	if sent && class == outbound.ClassTimeout || errors.Is(err, assistant.ErrBadAnswer) {
		return err
	}
	return unused{err}
}

// unused is a failure that used nothing; its text is that of the failure.
type unused struct{ error }

// Is reports that it is assistant.ErrNothingUsed.
func (unused) Is(target error) bool { return target == assistant.ErrNothingUsed }

// Unwrap returns the failure.
func (u unused) Unwrap() error { return u.error }

// answer collects an answer that comes in pieces.
type answer struct {
	text  strings.Builder
	calls []assistant.ToolCall
	input int64
	spent int64
	done  bool
}

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{assistant.ErrBadAnswer}, args...)...)
}

// readStream reads server-sent events up to [DONE].
func (a *answer) readStream(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4<<10), 64<<10)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data:")
		if !ok {
			continue
		}
		data = strings.TrimSpace(data)
		if data == "[DONE]" {
			a.done = true
			return nil
		}
		var piece wireAnswer
		if err := json.Unmarshal([]byte(data), &piece); err != nil {
			return bad("no JSON")
		}
		if err := a.add(&piece, true); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return bad("a line that is too long")
	}
	return lines.Err()
}

// readDocument reads an answer that comes as one document.
func (a *answer) readDocument(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	var whole wireAnswer
	if err := json.Unmarshal(text, &whole); err != nil {
		return bad("no JSON")
	}
	a.done = true
	return a.add(&whole, false)
}

// add adds a piece of an answer.
func (a *answer) add(piece *wireAnswer, streamed bool) error {
	if piece.Error != nil {
		return bad("an error in place of an answer")
	}
	if piece.Usage != nil {
		a.input, a.spent = piece.Usage.Input, piece.Usage.Output
	}
	if len(piece.Choices) == 0 {
		return nil
	}
	m := piece.Choices[0].Message
	if streamed {
		m = piece.Choices[0].Delta
	}
	if m.Content != nil {
		a.text.WriteString(*m.Content)
	}
	size := a.text.Len()
	for i, c := range m.ToolCalls {
		if !streamed {
			c.Index = i
		}
		if c.Index < 0 || c.Index >= maxCalls || c.Index > len(a.calls) {
			return bad("a call out of order")
		}
		if c.Index == len(a.calls) {
			a.calls = append(a.calls, assistant.ToolCall{})
		}
		call := &a.calls[c.Index]
		call.ID += c.ID
		call.Name += c.Function.Name
		call.Arguments += c.Function.Arguments
		size += len(call.ID) + len(call.Name) + len(call.Arguments)
	}
	if size > maxText {
		return bad("a text that is too long")
	}
	return nil
}

// finish returns the whole answer.
func (a *answer) finish() (out assistant.ChatAnswer, err error) {
	if !a.done {
		return out, bad("it was cut")
	}
	return assistant.ChatAnswer{Text: a.text.String(), Calls: a.calls, Input: a.input, Output: a.spent}, nil
}
