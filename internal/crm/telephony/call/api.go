package call

import (
	"context"
	"errors"
	"io"

	"github.com/google/uuid"

	"konak/internal/crm/telephony"
	"konak/internal/exchange"
	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

func isUnknown(err error) bool { return errors.Is(err, exchange.ErrUnknown) }

type placeCallIn struct {
	Body struct {
		To             string     `json:"to" minLength:"2" maxLength:"30" example:"+905321234567" doc:"A number, a colleague's extension, or an emergency number"`
		NumberID       *uuid.UUID `json:"number_id,omitempty" format:"uuid" doc:"Number to show; defaults to the default number"`
		ContactID      *uuid.UUID `json:"contact_id,omitempty" format:"uuid" doc:"Contact to call; defaults to the contact with this number"`
		ConversationID *uuid.UUID `json:"conversation_id,omitempty" format:"uuid" doc:"Conversation the call belongs to"`
		Via            string     `json:"via,omitempty" enum:"line,number" doc:"Line to use; if left out, a purchased number is preferred to the own line"`
	}
}

type ownCallIn struct {
	Body struct {
		CallID api.ID `json:"call_id"`
	}
}

type forwardCallIn struct {
	Body struct {
		CallID api.ID `json:"call_id"`
		To     string `json:"to" minLength:"2" maxLength:"30" example:"+905321234567"`
		Mode   string `json:"mode,omitempty" enum:"blind,asked" default:"blind" doc:"asked: you talk to the other person first, and leave by hanging up"`
	}
}

type transferCallIn struct {
	Body struct {
		CallID  api.ID     `json:"call_id"`
		AgentID *uuid.UUID `json:"agent_id,omitempty" format:"uuid" doc:"Colleague to transfer the call to"`
		GroupID *uuid.UUID `json:"group_id,omitempty" format:"uuid" doc:"Or a group: whoever answers first gets the call"`
	}
}

type callIn struct {
	ID api.ID `path:"id" record:"phone_call"`
}

type recordingIn struct {
	ID api.ID `path:"cdr_id" record:"phone_call"`
}

// FilterIn is the filter of the log, the summary and the export.
type FilterIn struct {
	From        clock.Time   `query:"from" format:"date-time" example:"2026-11-01T00:00:00Z"`
	To          clock.Time   `query:"to" format:"date-time" example:"2026-12-01T00:00:00Z" doc:"End of the period, exclusive"`
	Direction   string       `query:"direction" enum:"inbound,outbound"`
	Disposition string       `query:"disposition" enum:"answered,missed,abandoned,voicemail,busy,rejected,blocked,failed,no_credit,cancelled"`
	AgentID     api.FilterID `query:"agent_id"`
	NumberID    api.FilterID `query:"number_id"`
	ContactID   api.FilterID `query:"contact_id"`
	ToReturn    bool         `query:"to_return" doc:"Only calls to return"`
	Unheard     bool         `query:"unheard" doc:"Only calls with an unheard voicemail message"`
}

func (in *FilterIn) filter() Filter {
	f := Filter{
		Direction: in.Direction, Disposition: in.Disposition, ToReturn: in.ToReturn, Unheard: in.Unheard,
		AgentID: in.AgentID.V, NumberID: in.NumberID.V, ContactID: in.ContactID.V,
	}
	for given, to := range map[*clock.Time]**clock.Time{&in.From: &f.From, &in.To: &f.To} {
		if !given.IsZero() {
			*to = given
		}
	}
	return f
}

type listCallsIn struct {
	api.Paged
	FilterIn
}

type filterCallsIn struct {
	FilterIn
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	s.registerControl(a)
	s.registerLog(a)
}

func (s *Service) registerControl(a *api.API) {
	const refusals = "409: no_device (your phone is not signed in; reason colleague: theirs is not), no_line (there is none; otherwise the reason is its status), no_credit, cap_reached (the reason says which cap)."
	place := telephony.Route("POST", "/call", "place-call", "Make a call", perm.CallsMake)
	place.Doc = "Your phone rings first; after you answer, the other one rings. " + refusals
	place.Status, place.TakesKey, place.Refusals = 201, true, []int{409}
	api.Handle(a, place, func(ctx context.Context, in *placeCallIn) (Call, error) {
		b := in.Body
		return s.Place(ctx, NewCall{To: b.To, NumberID: b.NumberID, ContactID: b.ContactID, ConversationID: b.ConversationID, Via: b.Via})
	})

	const own = "Only for your own call; another agent's returns 404. 409 call_state if the call's state does not allow it."
	control := func(sub, id, summary, doc string) api.Route {
		rt := telephony.Route("POST", "/call/"+sub, id, summary, perm.CallsMake)
		rt.Doc, rt.Refusals = doc+own, []int{404, 409}
		return rt
	}
	api.Handle(a, control("detach", "detach-call", "Leave a call while the customer waits", "The customer hears music; after five minutes your phone rings again. "),
		func(ctx context.Context, in *ownCallIn) (Call, error) { return s.Detach(ctx, in.Body.CallID.UUID) })
	api.Handle(a, control("resume", "resume-call", "Return to a call you left", "Your phone rings. "),
		func(ctx context.Context, in *ownCallIn) (Call, error) { return s.Resume(ctx, in.Body.CallID.UUID) })
	api.Handle(a, control("forward", "forward-call", "Forward a call to an outside number", "This is an outside call and costs minutes. "+refusals+" "),
		func(ctx context.Context, in *forwardCallIn) (Call, error) {
			return s.Forward(ctx, in.Body.CallID.UUID, in.Body.To, in.Body.Mode)
		})
	api.Handle(a, control("transfer", "transfer-call", "Transfer a call to a colleague or a group", "Their phones ring; if nobody answers, nothing changes. "),
		func(ctx context.Context, in *transferCallIn) (Call, error) {
			return s.TransferTo(ctx, in.Body.CallID.UUID, in.Body.AgentID, in.Body.GroupID)
		})
}

func (s *Service) registerLog(a *api.API) {
	api.HandleList(a, telephony.Route("GET", "/calls", "list-calls", "List calls, newest first", perm.CallsView),
		func(ctx context.Context, in *listCallsIn) (db.List[Call], error) {
			return s.Calls(ctx, in.filter(), in.Page())
		})
	api.Handle(a, telephony.Route("GET", "/calls/counts", "get-call-counts", "Count calls to return and unheard voicemail messages", perm.CallsView).Polled(),
		func(ctx context.Context, _ *struct{}) (Counts, error) { return s.Counts(ctx) })
	api.Handle(a, telephony.Route("GET", "/calls/summary", "get-call-summary", "Summarise ended calls", perm.CallsView),
		func(ctx context.Context, in *filterCallsIn) (Summary, error) { return s.Summary(ctx, in.filter()) })
	api.HandleBytes(a, telephony.Route("GET", "/calls/export", "export-calls", "Download calls as CSV", perm.CallsExport),
		"text/csv", func(ctx context.Context, in *filterCallsIn) (*api.Bytes, error) {
			return &api.Bytes{
				ContentType: "text/csv; charset=utf-8", Filename: "calls.csv",
				Write: func(w io.Writer) error { return s.WriteExport(ctx, in.filter(), w) },
			}, nil
		})
	dismiss := telephony.Route("PUT", "/calls/{id}/dismiss", "dismiss-call", "Remove a call from the calls to return", perm.CallsView)
	dismiss.Doc, dismiss.Refusals = "409 call_state for a call that is not to be returned, such as an answered one.", []int{409}
	api.Handle(a, dismiss,
		func(ctx context.Context, in *callIn) (Call, error) { return s.Dismiss(ctx, in.ID.UUID) })
	heard := telephony.Route("PUT", "/calls/{id}/heard", "mark-voicemail-heard", "Mark a voicemail message as heard", perm.CallsView)
	heard.Doc, heard.Refusals = "409 call_state for a call without a voicemail message.", []int{409}
	api.Handle(a, heard, func(ctx context.Context, in *callIn) (Call, error) { return s.MarkHeard(ctx, in.ID.UUID) })
	api.Handle(a, telephony.Route("GET", "/live", "list-live-calls", "List ongoing calls", perm.CallsView).Polled(),
		func(ctx context.Context, _ *struct{}) ([]Live, error) { return s.Live(ctx) })

	listen := telephony.Route("GET", "/recordings/{cdr_id}", "get-recording", "Play a recording or voicemail message", perm.CallsView)
	listen.Doc = "Supports Range requests. A voicemail message needs crm.calls.view, any other recording crm.recordings.listen. 409 call_state while the call is ongoing. Every access is written to the audit log; responses are not cached."
	listen.Refusals = []int{409, 410}
	api.HandleFile(a, listen, func(ctx context.Context, in *recordingIn) (*api.File, error) {
		c, content, err := s.OpenRecording(ctx, in.ID.UUID)
		if err != nil {
			return nil, err
		}
		return &api.File{
			Name: c.ID.String() + ".wav", Type: "audio/wav", Inline: true, NoStore: true, Tag: c.ID.String(), Modified: c.StartedAt.Time, Content: content,
			Opened: func(ctx context.Context) error { return s.WriteOpened(ctx, c) },
		}, nil
	})
}
