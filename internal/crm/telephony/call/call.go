package call

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/kit/api"
	"konak/internal/kit/clock"
)

// State is the state of a call.
type State string

// The states of a call.
const (
	Created    State = "created"
	Screening  State = "screening"
	Routing    State = "routing"
	Ringing    State = "ringing"
	Active     State = "active"
	Held       State = "held"
	Detached   State = "detached"
	Forwarding State = "forwarding"
	Voicemail  State = "voicemail"
	Ending     State = "ending"
	Ended      State = "ended"
)

// next is the state machine: the states that a call may move to from each state. Every
// state may move to Ending, and only Ending to Ended.
var next = map[State][]State{
	Created:    {Screening, Ringing},
	Screening:  {Routing},
	Routing:    {Ringing, Voicemail},
	Ringing:    {Routing, Active, Voicemail},
	Active:     {Held, Detached, Forwarding},
	Held:       {Active, Detached, Forwarding},
	Detached:   {Active},
	Forwarding: {Active, Detached},
	Voicemail:  {},
}

// mayGo reports whether a call may move from one state to another.
func mayGo(from, to State) bool {
	switch {
	case from == to || to == Ending:
		return from != Ended
	case to == Ended:
		return from == Ending
	}
	return slices.Contains(next[from], to)
}

// The directions of a call.
const (
	Inbound  = "inbound"
	Outbound = "outbound"
)

// The values of Via: what carries a call.
const (
	ViaLine    = "line"    // the workspace's own line
	ViaNumber  = "number"  // a bought number over the operator's line
	ViaInside  = "inside"  // from one phone of the workspace to another
	ViaChannel = "channel" // a messaging account
)

// The dispositions of a call: how it ended.
const (
	Answered   = "answered"
	Missed     = "missed"
	Abandoned  = "abandoned"
	LeftMail   = "voicemail"
	Busy       = "busy"
	Rejected   = "rejected"
	Blocked    = "blocked"
	Failed     = "failed"
	Cancelled  = "cancelled"
	byAgent    = "agent"
	byCustomer = "customer"
	bySystem   = "system"
)

// Call is a call.
type Call struct {
	ID             uuid.UUID             `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	CDRID          uuid.UUID             `json:"cdr_id" format:"uuid" doc:"Id of the recording; same as id"`
	Direction      string                `json:"direction" enum:"inbound,outbound" example:"inbound"`
	Via            string                `json:"via" enum:"line,number,inside,channel" example:"line" doc:"line: the workspace's own line; number: a purchased number; inside: from phone to phone; channel: a messaging account"`
	From           string                `json:"from_e164" example:"+905321234567" doc:"Number claimed by the caller's line; empty if withheld"`
	To             string                `json:"to_e164" example:"+902125550101"`
	NumberID       *uuid.UUID            `json:"number_id" nullable:"true" format:"uuid"`
	ChannelID      *uuid.UUID            `json:"channel_account_id" nullable:"true" format:"uuid" doc:"Messaging account the call came over"`
	ContactID      *uuid.UUID            `json:"contact_id" nullable:"true" format:"uuid"`
	ConversationID *uuid.UUID            `json:"conversation_id" nullable:"true" format:"uuid"`
	AgentID        *uuid.UUID            `json:"agent_id" nullable:"true" format:"uuid"`
	State          State                 `json:"state" enum:"created,screening,routing,ringing,active,held,detached,forwarding,voicemail,ending,ended" example:"ended"`
	Disposition    string                `json:"disposition" enum:",answered,missed,abandoned,voicemail,busy,rejected,blocked,failed,no_credit,cancelled" example:"answered" doc:"Outcome of the call; empty until decided"`
	EndedBy        string                `json:"ended_by" enum:",agent,customer,system" example:"customer"`
	Cause          string                `json:"cause" example:"normal" doc:"Why it ended, for example normal, busy, no_answer, max_duration; no_credit: cut off when the credit ran out; no_device: no phone was signed in; storage_full: the caller could not leave a message"`
	StartedAt      clock.Time            `json:"started_at"`
	RingingAt      *clock.Time           `json:"ringing_at" nullable:"true"`
	AnsweredAt     *clock.Time           `json:"answered_at" nullable:"true"`
	EndedAt        *clock.Time           `json:"ended_at" nullable:"true"`
	RingSeconds    int64                 `json:"ring_s" example:"7" doc:"Time until the answer, the voicemail or the end"`
	TalkSeconds    int64                 `json:"talk_s" example:"125" doc:"Time from the answer to the end, without time on hold"`
	HoldSeconds    int64                 `json:"hold_s" example:"0" doc:"Time on hold, or while its agent had left it (detach)"`
	BilledSeconds  int64                 `json:"billed_s" example:"180"`
	Cost           int64                 `json:"cost_micros" example:"1800000" doc:"In millionths of the wallet's currency"`
	Recorded       bool                  `json:"recording" doc:"Whether there is a recording or voicemail message. Inside calls are never recorded"`
	RecordingMS    int64                 `json:"recording_ms" example:"125000"`
	Message        api.Nullable[Message] `json:"voicemail" doc:"The caller's voicemail message; null if there is none"`
	Quality        api.Nullable[Quality] `json:"quality" doc:"Quality of the audio the exchange received from the phones and lines; null until one of them has ended"`
	DismissedAt    *clock.Time           `json:"dismissed_at" nullable:"true"`
	ToReturn       bool                  `json:"to_return" doc:"Whether the call is to be returned"`
	Callback       bool                  `json:"callback_requested" doc:"Whether the caller pressed a key to ask for a callback"`
	Legs           []Leg                 `json:"legs" nullable:"false"`

	bridge    uuid.UUID
	item      *uuid.UUID
	recording *uuid.UUID
	heldAt    *clock.Time
	held      time.Duration
	plan      plan
	dueAt     *clock.Time
	mailAt    *clock.Time // when the voicemail began
	keepUntil *clock.Time // when its recording is deleted
	channel   string      // kind of the messaging account; not stored
}

// Message records who heard a voicemail message, and when.
type Message struct {
	HeardAt *clock.Time `json:"heard_at" nullable:"true"`
	By      *uuid.UUID  `json:"by" nullable:"true" format:"uuid"`
}

// Quality is the quality of the received audio, over all legs of a call that have ended.
type Quality struct {
	Received int64 `json:"packets_received" example:"6150" doc:"Each packet carries 20 ms of audio"`
	Lost     int64 `json:"packets_lost" example:"3"`
	Jitter   int64 `json:"jitter_ms" example:"4" doc:"Jitter of the worst leg at its end (RFC 3550)"`
}

// addMediaStats adds the media statistics of a leg to the call's quality.
func (c *Call) addMediaStats(m *exchange.MediaStats) {
	if m == nil {
		return
	}
	var q Quality
	if c.Quality.V != nil {
		q = *c.Quality.V
	}
	c.Quality = api.Some(Quality{q.Received + m.PacketsReceived, q.Lost + m.PacketsLost, max(q.Jitter, (m.JitterMicros+500)/1000)})
}

// The roles of a leg.
const (
	RoleCustomer = "customer" // the caller or the called party
	RoleAgent    = "agent"    // the agent's phone
	RoleRing     = "ring"     // a phone that is being rung
	RoleThird    = "third"    // the party that the call is forwarded to
	RoleLeft     = "left"     // an agent's phone that left the call; the call goes on
)

// The states of a leg.
const (
	legPlanned  = "planned"
	legDialling = "dialling"
	legRinging  = "ringing"
	legAnswered = "answered"
	legEnded    = "ended"
)

// Leg is one telephone or line in a call.
type Leg struct {
	ID         uuid.UUID   `json:"id" format:"uuid"`
	Role       string      `json:"role" enum:"customer,agent,ring,third,left" example:"agent" doc:"ring: a phone the call is ringing; third: the party it is forwarded to; left: a phone that left the call"`
	State      string      `json:"state" enum:"planned,dialling,ringing,answered,ended" example:"ended"`
	AgentID    *uuid.UUID  `json:"agent_id" nullable:"true" format:"uuid"`
	Number     string      `json:"number" example:"+905321234567" doc:"Outside number; empty for a phone of the workspace"`
	RingingAt  *clock.Time `json:"ringing_at" nullable:"true"`
	AnsweredAt *clock.Time `json:"answered_at" nullable:"true"`
	EndedAt    *clock.Time `json:"ended_at" nullable:"true"`
	Cause      string      `json:"cause" example:"normal"`
	Billed     int64       `json:"billed_s" example:"180"`
	Cost       int64       `json:"cost_micros" example:"1800000"`

	open      bool
	device    string
	trunk     *uuid.UUID
	createdAt clock.Time
	lastN     int64
	lastAt    clock.Time
	rate      *Rate
	paid      int64       // seconds for which credit is set aside
	paidUntil *clock.Time // when that ends
	max       int64       // maximum length in seconds
	warned    bool        // whether the warning that the credit ends was played
	dirty     bool        // whether it must be stored
}

// plan is what to do next with a call.
type plan struct {
	// Sounds are queued to be played to the customer; Play is the one being played.
	Sounds []string  `json:"sounds,omitempty"`
	Play   uuid.UUID `json:"play,omitzero"`
	// Then is the step after the last of them.
	Then string `json:"then,omitempty"`
	// Menu is the menu that the customer hears, and Tries the number of times so far.
	Menu  string `json:"menu,omitempty"`
	Tries int    `json:"tries,omitempty"`
	// Ring are the agents who are still to be rung; Marked is set once the agent who was
	// rung first has been noted.
	Ring   []uuid.UUID `json:"ring,omitempty"`
	Marked bool        `json:"marked,omitempty"`
	// Mode is how the call is forwarded.
	Mode string `json:"mode,omitempty"`
}

// The steps after the sounds that a customer hears.
const (
	thenRoute    = "route"
	thenClosed   = "closed"
	thenKey      = "key"
	thenRecord   = "record"
	thenNothing  = ""
	dueKey       = "wait_key"
	ModeBlind    = "blind"
	ModeAsked    = "asked"
	dueRecording = "recording"
	thenGoodbye  = "goodbye"
	thenBack     = "back"       // to the agent, if no colleague takes the call
	duePhone     = "wait_phone" // until a phone of the team is free
	thenTeam     = "team"       // to the team, if the agent does not come back
	thenOver     = "over"       // the end, if nobody in the team answers either
)

// setTimes fills the fields that are derived from the times of a call.
func (c *Call) setTimes() {
	c.CDRID, c.Recorded = c.ID, c.recording != nil && c.RecordingMS > 0
	end := c.EndedAt
	if c.RingingAt != nil {
		until := cmp.Or(c.AnsweredAt, c.mailAt, end)
		if until != nil {
			c.RingSeconds = wholeSeconds(until.Sub(c.RingingAt.Time))
		}
	}
	c.HoldSeconds = wholeSeconds(c.held)
	if c.AnsweredAt != nil && end != nil {
		c.TalkSeconds = max(wholeSeconds(end.Sub(c.AnsweredAt.Time)-c.held), 0)
	}
}

func wholeSeconds(d time.Duration) int64 { return int64(max(d, 0) / time.Second) }

// dispositionOf returns the disposition of a call whose leg ended before it was answered.
func dispositionOf(cause exchange.Cause) string {
	switch cause {
	case exchange.CauseBusy:
		return Busy
	case exchange.CauseRejected:
		return Rejected
	case exchange.CauseNoAnswer:
		return Missed
	case exchange.CauseCancelled, exchange.CauseNormal:
		return Cancelled
	}
	return Failed
}
