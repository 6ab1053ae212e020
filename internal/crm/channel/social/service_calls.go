package social

import (
	"context"
	"errors"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/meta"
	"konak/internal/kit/fault"
)

// page is the kind messenger: over a page customers can be called too.
type page struct{ *Service }

// instagram is the kind instagram.
type instagram struct{ *Service }

var (
	_ channel.Calls   = page{}
	_ channel.Capable = page{}
	_ channel.Capable = instagram{}
)

// Kinds are the kinds of channel that the service carries.
func (s *Service) Kinds() map[string]channel.Kind {
	return map[string]channel.Kind{Messenger: page{s}, Instagram: instagram{s}}
}

// Types of file that are more than a file to the provider.
var (
	imageTypes = []string{"image/gif", "image/jpeg", "image/png"}
	videoTypes = []string{"video/mp4"}
	audioTypes = []string{"audio/aac", "audio/mp4", "audio/mpeg", "audio/wav"}
)

const mib = 1 << 20

// Capabilities implements channel.Capable.
func (page) Capabilities() channel.Capabilities {
	return channel.Capabilities{
		Files:     []channel.FileRule{{Types: []string{channel.AnyType}, MaxSize: 25 * mib}},
		Reactions: true, EditsIn: true, DeletesIn: true, Calls: true, ReadReceipts: true, WindowHours: 24, HumanWindowHours: 168,
	}
}

// Capabilities implements channel.Capable. Instagram takes pictures, films and sound,
// and lets programs put a heart on a message and nothing else.
func (instagram) Capabilities() channel.Capabilities {
	return channel.Capabilities{
		Files: []channel.FileRule{
			{Types: imageTypes, MaxSize: 8 * mib}, {Types: videoTypes, MaxSize: 25 * mib}, {Types: audioTypes, MaxSize: 25 * mib},
		},
		Reactions: true, ReactionSigns: []string{"❤️", "❤"}, EditsIn: true, DeletesIn: true, ReadReceipts: true, WindowHours: 24, HumanWindowHours: 168,
	}
}

// callRequest is what the question for permission says.
const callRequest = "Sizi arayabilir miyiz? / May we call you?"

// CallNumber implements channel.Calls: a page has none.
func (page) CallNumber(channel.Account) (string, error) { return "", nil }

// Calls implements channel.Calls.
func (p page) Calls(ctx context.Context, a channel.Account) (channel.ProviderCalls, error) {
	_, at, err := p.working(ctx, a.ID)
	if err != nil {
		return channel.ProviderCalls{}, err
	}
	out, err := p.Provider.CallSettings(ctx, at)
	p.tokenAnswered(ctx, a.ID, err)
	return out, err
}

// SetCalls implements channel.Calls.
func (p page) SetCalls(ctx context.Context, a channel.Account, c channel.CallChange) (out channel.ProviderCalls, err error) {
	_, at, err := p.working(ctx, a.ID)
	if err != nil {
		return out, err
	}
	err = p.Provider.SetCallSettings(ctx, at, c)
	p.tokenAnswered(ctx, a.ID, err)
	if r, refused := errors.AsType[*Refusal](err); refused && !r.Passing() {
		return out, &channel.CallsRefused{Words: r.Words()}
	}
	if err != nil {
		return out, meta.Unreachable(err)
	}
	return p.Calls(ctx, a)
}

// CallPermission implements channel.Calls.
func (p page) CallPermission(ctx context.Context, a channel.Account, address string) (channel.CallPermission, error) {
	_, at, err := p.working(ctx, a.ID)
	if err != nil {
		return channel.CallPermission{}, err
	}
	out, err := p.Provider.CallPermission(ctx, at, address)
	p.tokenAnswered(ctx, a.ID, err)
	return out, err
}

// AskCallPermission implements channel.Calls.
func (p page) AskCallPermission(ctx context.Context, a channel.Account, address string) error {
	_, at, err := p.working(ctx, a.ID)
	if err != nil {
		return err
	}
	err = p.Provider.AskToCall(ctx, at, address, callRequest)
	p.tokenAnswered(ctx, a.ID, err)
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
