package whatsapp

import (
	"context"
	"errors"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/meta"
	"konak/internal/kit/fault"
)

var _ channel.Calls = (*Service)(nil)

// callRequest is what the question for permission says.
const callRequest = "Sizi arayabilir miyiz? / May we call you?"

// CallNumber implements channel.Calls.
func (s *Service) CallNumber(a channel.Account) (string, error) {
	var set Settings
	err := a.Read(&set)
	return "+" + digits(set.Display), err
}

// Calls implements channel.Calls.
func (s *Service) Calls(ctx context.Context, a channel.Account) (channel.ProviderCalls, error) {
	_, at, err := s.open(ctx, a.ID)
	if err != nil {
		return channel.ProviderCalls{}, err
	}
	out, err := s.Provider.CallSettings(ctx, at)
	s.recordAnswer(ctx, a.ID, err)
	return out, err
}

// SetCalls implements channel.Calls.
func (s *Service) SetCalls(ctx context.Context, a channel.Account, c channel.CallChange) (out channel.ProviderCalls, err error) {
	_, at, err := s.open(ctx, a.ID)
	if err != nil {
		return out, err
	}
	err = s.Provider.SetCallSettings(ctx, at, c)
	s.recordAnswer(ctx, a.ID, err)
	if r, refused := errors.AsType[*Refusal](err); refused && !r.Passing() {
		return out, &channel.CallsRefused{Words: r.Words()}
	}
	if err != nil {
		return out, meta.Unreachable(err)
	}
	return s.Calls(ctx, a)
}

// CallPermission implements channel.Calls.
func (s *Service) CallPermission(ctx context.Context, a channel.Account, address string) (channel.CallPermission, error) {
	_, at, err := s.open(ctx, a.ID)
	if err != nil {
		return channel.CallPermission{}, err
	}
	out, err := s.Provider.CallPermission(ctx, at, address)
	s.recordAnswer(ctx, a.ID, err)
	return out, err
}

// AskCallPermission implements channel.Calls. Outside the window the provider takes
// no question.
func (s *Service) AskCallPermission(ctx context.Context, a channel.Account, address string) error {
	_, at, err := s.open(ctx, a.ID)
	if err != nil {
		return err
	}
	_, err = s.Provider.Send(ctx, at, Message{To: address, Kind: KindCallRequest, Text: callRequest})
	s.recordAnswer(ctx, a.ID, err)
	if err == nil {
		return nil
	}
	why, final := finalReason(err)
	switch {
	case !final:
		return meta.Unreachable(err)
	case why == string(fault.WindowClosed):
		return fault.New(fault.WindowClosed)
	}
	return fault.New(fault.Conflict).Because(why)
}
