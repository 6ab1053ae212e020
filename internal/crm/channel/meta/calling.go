package meta

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/transport"
	"konak/internal/kit/fault"
)

// CallProvider makes the provider's requests about calls, for accounts that are opened with
// an A.
type CallProvider[A any] interface {
	CallSettings(ctx context.Context, at A) (channel.ProviderCalls, error)
	SetCallSettings(ctx context.Context, at A, c channel.CallChange) error
	// CallPermission returns whether a customer may be called.
	CallPermission(ctx context.Context, at A, customer string) (channel.CallPermission, error)
	// AskToCall asks a customer for permission to call them.
	AskToCall(ctx context.Context, at A, customer, text string) error
}

// Calling implements channel.Calls, except for SpeaksSIP and CallNumber, for accounts that
// are opened with an A.
type Calling[A any] struct {
	provider CallProvider[A]
	open     func(ctx context.Context, account uuid.UUID) (A, error)
	record   func(ctx context.Context, account uuid.UUID, err error)
}

// NewCalling returns a Calling that uses open to open an account, and record to record what
// an answer says about an account's token.
func NewCalling[A any](p CallProvider[A], open func(context.Context, uuid.UUID) (A, error), record func(context.Context, uuid.UUID, error)) Calling[A] {
	return Calling[A]{p, open, record}
}

// callRequest is the text of the question for permission.
const callRequest = "Sizi arayabilir miyiz? / May we call you?"

// ask opens an account, makes one call to the provider and records what the answer says
// about the token.
func (c *Calling[A]) ask(ctx context.Context, account uuid.UUID, fn func(at A) error) error {
	at, err := c.open(ctx, account)
	if err != nil {
		return err
	}
	err = fn(at)
	c.record(ctx, account, err)
	return err
}

// Calls implements channel.Calls.
func (c *Calling[A]) Calls(ctx context.Context, a channel.Account) (out channel.ProviderCalls, err error) {
	err = c.ask(ctx, a.ID, func(at A) (err error) {
		out, err = c.provider.CallSettings(ctx, at)
		return err
	})
	return out, err
}

// SetCalls implements channel.Calls.
func (c *Calling[A]) SetCalls(ctx context.Context, a channel.Account, change channel.CallChange) (channel.ProviderCalls, error) {
	err := c.ask(ctx, a.ID, func(at A) error { return c.provider.SetCallSettings(ctx, at, change) })
	if r, refused := errors.AsType[*Refusal](err); refused && !r.Passing() {
		return channel.ProviderCalls{}, &channel.CallsRefused{Words: r.Words()}
	}
	if err != nil {
		return channel.ProviderCalls{}, transport.FaultOf(err, fault.Conflict)
	}
	return c.Calls(ctx, a)
}

// CallPermission implements channel.Calls.
func (c *Calling[A]) CallPermission(ctx context.Context, a channel.Account, address string) (out channel.CallPermission, err error) {
	err = c.ask(ctx, a.ID, func(at A) (err error) {
		out, err = c.provider.CallPermission(ctx, at, address)
		return err
	})
	return out, err
}

// AskCallPermission implements channel.Calls. Outside the window the provider accepts no
// question; any other final refusal is a conflict with the provider's words.
func (c *Calling[A]) AskCallPermission(ctx context.Context, a channel.Account, address string) error {
	err := c.ask(ctx, a.ID, func(at A) error { return c.provider.AskToCall(ctx, at, address, callRequest) })
	if r, refused := errors.AsType[*Refusal](err); refused && !r.Passing() && !r.Auth() && !r.WindowClosed() {
		return fault.New(fault.Conflict, r.Words()).Because("question_refused").Wrap(err)
	}
	return transport.FaultOf(err, fault.Conflict)
}
