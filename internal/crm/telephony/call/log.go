package call

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// Filter selects calls. An empty field matches all.
type Filter struct {
	From, To    *clock.Time
	Direction   string
	Disposition string
	AgentID     *uuid.UUID
	NumberID    *uuid.UUID
	ContactID   *uuid.UUID
	ToReturn    bool
	Unheard     bool
}

// Summary holds the totals of many calls.
type Summary struct {
	Total     int64 `json:"total" example:"120"`
	Answered  int64 `json:"answered" example:"96"`
	Missed    int64 `json:"missed" example:"14"`
	Abandoned int64 `json:"abandoned" example:"4"`
	Voicemail int64 `json:"voicemail" example:"6"`
	Talk      int64 `json:"talk_s" example:"14400" doc:"Total talk time"`
	Wait      int64 `json:"wait_s" example:"1200" doc:"Total time callers waited for an answer"`
	Cost      int64 `json:"cost_micros" example:"98000000" doc:"In millionths of the wallet's currency"`
}

// Counts are the numbers next to the menu.
type Counts struct {
	ToReturn int64 `json:"to_return" example:"3" doc:"Calls to return"`
	Unheard  int64 `json:"unheard" example:"1" doc:"Unheard voicemail messages"`
}

// Live is a call in progress.
type Live struct {
	CallID        uuid.UUID   `json:"call_id" format:"uuid"`
	State         State       `json:"state" enum:"created,screening,routing,ringing,active,held,detached,forwarding,voicemail,ending,ended" example:"active"`
	Direction     string      `json:"direction" enum:"inbound,outbound" example:"inbound"`
	From          string      `json:"from_e164" example:"+905321234567"`
	To            string      `json:"to_e164" example:"+902125550101"`
	AgentID       *uuid.UUID  `json:"agent_id" nullable:"true" format:"uuid"`
	Agent         string      `json:"agent" example:"Ayşe Demir"`
	ContactID     *uuid.UUID  `json:"contact_id" nullable:"true" format:"uuid"`
	Since         clock.Time  `json:"since" doc:"When it was answered, or started if not answered"`
	Device        string      `json:"device" enum:",desk,outside" example:"desk" doc:"Device the agent talks on"`
	ReservedUntil *clock.Time `json:"reserved_until" nullable:"true" doc:"Credit is reserved until then; null if the call costs nothing"`
}

// Calls lists calls, newest first.
func (s *Service) Calls(ctx context.Context, f Filter, p db.Page) (db.List[Call], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Call], error) { return listCalls(r, f, p) })
}

// Summary returns the totals of calls.
func (s *Service) Summary(ctx context.Context, f Filter) (Summary, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Summary, error) { return sumCalls(r, f) })
}

// Counts counts the calls to return and the unheard messages.
func (s *Service) Counts(ctx context.Context) (Counts, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), countWaiting)
}

// Live lists the calls in progress.
func (s *Service) Live(ctx context.Context) (out []Live, err error) {
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		calls, err := listOpenCalls(r)
		if err != nil {
			return err
		}
		ids := []uuid.UUID{}
		for _, c := range calls {
			if c.AgentID != nil {
				ids = append(ids, *c.AgentID)
			}
		}
		names, err := s.Team.Agents.AgentNames(r, ids)
		out = each.Map(calls, func(c Call) Live { return liveOf(c, names) })
		return err
	})
	return out, err
}

func liveOf(c Call, names map[uuid.UUID]string) Live {
	l := Live{
		CallID: c.ID, State: c.State, Direction: c.Direction, From: c.From, To: c.To, AgentID: c.AgentID, ContactID: c.ContactID, Since: c.StartedAt,
	}
	if c.AnsweredAt != nil {
		l.Since = *c.AnsweredAt
	}
	if c.AgentID != nil {
		l.Agent = names[*c.AgentID]
	}
	for _, leg := range c.Legs {
		if leg.open && leg.Role == RoleAgent {
			l.Device = "desk"
			if leg.trunk != nil {
				l.Device = "outside"
			}
		}
		if leg.open && leg.paidUntil != nil {
			l.ReservedUntil = leg.paidUntil
		}
	}
	return l
}

// Dismiss marks a call as not to be returned. It returns call_state for a call that was not
// to be returned anyway.
func (s *Service) Dismiss(ctx context.Context, id uuid.UUID) (Call, error) {
	return s.inCall(ctx, caller.From(ctx).TenantID, id, func(w *work) error {
		if w.DismissedAt == nil {
			if !w.ToReturn {
				return fault.New(fault.CallState)
			}
			w.DismissedAt = clock.Ptr(w.tx.Now())
		}
		w.ToReturn = false
		return audit.Write(w.tx, "call.dismissed", id.String(), nil)
	})
}

// MarkHeard marks a voicemail message as heard. It returns call_state for a call without
// one.
func (s *Service) MarkHeard(ctx context.Context, id uuid.UUID) (Call, error) {
	who := caller.From(ctx)
	return s.inCall(ctx, who.TenantID, id, func(w *work) error {
		if w.Message.V == nil {
			return fault.New(fault.CallState)
		}
		if w.Message.V.HeardAt == nil {
			w.Message.V = &Message{HeardAt: clock.Ptr(w.tx.Now()), By: &who.ID}
		}
		return audit.Write(w.tx, "voicemail.heard", id.String(), nil)
	})
}

// OpenRecording opens the recording of a call; WriteOpened records who did. For a voicemail
// message the permission to see calls is enough; any other recording needs its own
// permission. OpenRecording returns call_state for a call in progress.
func (s *Service) OpenRecording(ctx context.Context, id uuid.UUID) (c Call, content io.ReadSeekCloser, err error) {
	who := caller.From(ctx)
	c, err = db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Call, error) { return findCall(r, id) })
	if err == nil && c.recording != nil && c.State != Ended {
		return c, nil, fault.New(fault.CallState)
	}
	if err == nil && !c.Recorded {
		err = db.ErrNoRow
	}
	if err != nil {
		return c, nil, db.NotFound(err)
	}
	if c.Message.V == nil && !who.Can(perm.RecordingsListen) {
		return c, nil, fault.Lacking(perm.RecordingsListen)
	}
	if s.Exchange == nil {
		return c, nil, fault.New(fault.NotConfigured)
	}
	content, err = s.Exchange.OpenRecording(ctx, who.TenantID, *c.recording)
	if isUnknown(err) {
		return c, nil, fault.New(fault.FileMissing)
	}
	return c, content, err
}

// WriteOpened records in the audit log that the caller opened a recording.
func (s *Service) WriteOpened(ctx context.Context, c Call) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		return audit.Write(tx, "recording.opened", c.ID.String(), map[string]any{"voicemail": c.Message.V != nil})
	})
}

// exportHead are the columns of an export.
var exportHead = []string{
	"id", "started_at", "direction", "via", "from", "to", "agent_id", "contact_id", "disposition", "ended_by", "cause", "ring_s", "talk_s", "hold_s", "billed_s", "cost_micros",
}

// WriteExport writes calls as CSV, newest first.
func (s *Service) WriteExport(ctx context.Context, f Filter, w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write(exportHead) // Flush reports errors
	page := db.Page{Limit: 500, After: db.First}
	for {
		list, err := s.Calls(ctx, f, page)
		if err != nil {
			return err
		}
		for _, c := range list.Rows {
			_ = out.Write([]string{
				c.ID.String(), c.StartedAt.Format(time.RFC3339), c.Direction, c.Via, c.From, c.To, textOf(c.AgentID), textOf(c.ContactID),
				c.Disposition, c.EndedBy, c.Cause, strconv.FormatInt(c.RingSeconds, 10), strconv.FormatInt(c.TalkSeconds, 10),
				strconv.FormatInt(c.HoldSeconds, 10), strconv.FormatInt(c.BilledSeconds, 10), strconv.FormatInt(c.Cost, 10),
			})
		}
		if out.Flush(); out.Error() != nil || list.Next == nil {
			return out.Error()
		}
		page.After = *list.Next
	}
}

func textOf(id *uuid.UUID) string {
	if id == nil {
		return ""
	}
	return id.String()
}
