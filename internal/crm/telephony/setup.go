package telephony

import (
	"context"

	"konak/internal/kit/caller"
)

// Part is something that a workspace needs before it can make calls.
type Part interface {
	// SetupState returns its state, and what is wrong with it.
	SetupState(ctx context.Context) (state, detail string, err error)
}

// PartState is the state of a part of the setup.
type PartState struct {
	State  string `json:"state" example:"active"`
	Detail string `json:"detail" example:"" doc:"What is wrong, if anything"`
}

// Setup is what a workspace has for making calls, and what is missing.
type Setup struct {
	Number      PartState `json:"number" doc:"The default number: none or active. Without a default, the state of the newest pending or suspended number"`
	Line        PartState `json:"line" doc:"The workspace's own line: its status, or none"`
	OutsideLine PartState `json:"outside_line" doc:"The operator's line, which carries calls of purchased numbers: ready or not_configured"`
	Ready       bool      `json:"ready" doc:"Whether calls can be made: over the workspace's own line, or with a number over the operator's line"`
}

// The states of the operator's line.
const (
	outsideReady   = "ready"
	outsideMissing = "not_configured"
)

// Setup returns the state of the workspace's telephony.
func (s *Service) Setup(ctx context.Context) (out Setup, err error) {
	out = Setup{Number: PartState{State: "none"}, Line: PartState{State: "none"}, OutsideLine: PartState{State: outsideMissing}}
	if s.OutsideLine {
		out.OutsideLine.State = outsideReady
	}
	has := caller.From(ctx).Licences
	if has[licenceExchange] {
		if out.Number.State, out.Number.Detail, err = s.Number.SetupState(ctx); err != nil {
			return out, err
		}
	}
	if has[licenceExchange] || has[licenceLine] {
		if out.Line.State, out.Line.Detail, err = s.Line.SetupState(ctx); err != nil {
			return out, err
		}
	}
	ownLine := out.Line.State == "registered" || out.Line.State == "ready"
	out.Ready = ownLine || out.Number.State == "active" && s.OutsideLine
	return out, nil
}
