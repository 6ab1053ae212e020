package socket

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/call"
	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

const (
	// commandTime is the time limit of a command.
	commandTime = 10 * time.Second
	// maxID is the maximum length of a command's id.
	maxID = 64
)

// command is a request of the client.
type command struct {
	Type   string    `json:"type"`
	ID     string    `json:"id"`
	CallID uuid.UUID `json:"call_id"`
	On     *bool     `json:"on"`
	Digits string    `json:"digits"`
}

// refusal is the reason why a command was not carried out.
type refusal struct {
	Code    string              `json:"code"`
	Message string              `json:"message"`
	Reason  string              `json:"reason,omitempty"`
	Fields  map[string][]string `json:"fields,omitempty"`
}

// runCommands carries out commands, one after the other, until the socket ends. Commands received
// by then are still carried out: a page may hang up just before it closes.
func (c *connection) runCommands(ctx context.Context) {
	select {
	case <-c.started:
	case <-ctx.Done():
		return
	}
	for {
		select {
		case text := <-c.socket.Incoming:
			if c.answer(ctx, text) != nil {
				return
			}
			continue
		default:
		}
		select {
		case text := <-c.socket.Incoming:
			if c.answer(ctx, text) != nil {
				return
			}
		case <-ctx.Done():
			if len(c.socket.Incoming) == 0 {
				return
			}
		}
	}
}

// answer carries out one command and sends the result. It returns an error if the person
// may no longer be connected. If the result cannot be sent, the connection is over, but the
// commands already received are still carried out.
func (c *connection) answer(ctx context.Context, text []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandTime)
	defer cancel()
	var in command
	if err := json.Unmarshal(text, &in); err != nil || len(in.ID) > maxID {
		c.refuse("", fault.Invalid("message", "invalid"))
		return nil
	}
	if err := c.socket.Allow(ctx); err != nil {
		if fault.Is(err, fault.RateLimited) {
			c.refuse(in.ID, err)
			return nil
		}
		return err
	}
	done, err := c.carryOut(caller.With(ctx, api.Watcher(ctx)), in)
	if err != nil {
		c.refuse(in.ID, err)
		return nil
	}
	_ = c.send(message{Type: "ack", ID: in.ID, Data: done})
	return nil
}

// carryOut carries out a command on a call of the caller.
func (c *connection) carryOut(ctx context.Context, in command) (call.Call, error) {
	switch in.Type {
	case "call.hangup":
		return c.Calls.Hangup(ctx, in.CallID)
	case "call.hold", "call.mute":
		if in.On == nil {
			return call.Call{}, fault.Invalid("on", "required")
		}
		if in.Type == "call.hold" {
			return c.Calls.Hold(ctx, in.CallID, *in.On)
		}
		return c.Calls.Mute(ctx, in.CallID, *in.On)
	case "call.dtmf":
		return c.Calls.PressKeys(ctx, in.CallID, in.Digits)
	case "call.answer", "call.decline", "device.ready", "sdp", "candidate", "stats":
		return call.Call{}, fault.New(fault.NotSupported) // for a phone in the browser
	}
	return call.Call{}, fault.Invalid("type", "invalid")
}

// refuse sends the reason why a command was not carried out.
func (c *connection) refuse(id string, err error) {
	f, ok := fault.As(err)
	switch {
	case ok:
	case db.IsUnavailable(err):
		f = fault.New(fault.Unavailable)
	default:
		c.Log.ErrorContext(c.ctx, "a command of the telephony socket failed", "error", err)
		f = fault.New(fault.Internal)
	}
	_ = c.send(message{Type: "error", ID: id, Error: &refusal{string(f.Code), f.Message(c.language), f.Reason, f.Fields}})
}
