package conversation

// Trigger is what happens to a conversation.
type Trigger string

// The triggers. Those that begin a conversation have no earlier state.
const (
	Begin           Trigger = "begin"            // first inbound, new-as-agent, create, submission, call
	BeginBlocked    Trigger = "begin_blocked"    // first inbound from a blocked contact
	BeginImported   Trigger = "begin_imported"   // messages from before the channel was connected
	CustomerMessage Trigger = "customer_message" // a customer wrote
	BlockedMessage  Trigger = "blocked_message"  // a blocked customer wrote
	MachineMessage  Trigger = "machine_message"  // an automatic reply arrived, such as an absence note
	AgentComment    Trigger = "agent_comment"    // an agent, the API or the assistant answered
	WriteNote       Trigger = "note"
	Snooze          Trigger = "snooze"
	Wake            Trigger = "wake" // the snooze's time has come
	Close           Trigger = "close"
	Reopen          Trigger = "open"
	Join            Trigger = "join"
	Leave           Trigger = "leave"
	Assign          Trigger = "assign"
	Escalate        Trigger = "escalate"
	MergeInto       Trigger = "merge"
	Delete          Trigger = "delete"
	Restore         Trigger = "restore"
)

// Transition is one row of the state machine: from a state, on a trigger, to a state, with
// the events to announce, in this order.
type Transition struct {
	From  State // "" before there is a conversation
	On    Trigger
	To    State
	Emits []string
	// Item is the timeline's event, "" if the trigger brings its own item or none.
	Item string
	// Nothing marks a repeat: nothing is written and nothing announced.
	Nothing bool
	// IfOwner marks triggers that announce only if the owner changed.
	IfOwner bool
}

// Transitions is the whole state machine. Nothing else changes a state.
var Transitions = []Transition{
	{On: Begin, To: Open, Emits: []string{Created}},
	{On: BeginBlocked, To: Closed, Emits: []string{Created}},
	{On: BeginImported, To: Closed},

	{From: Open, On: CustomerMessage, To: Open, Emits: []string{Replied}},
	{From: Snoozed, On: CustomerMessage, To: Open, Emits: []string{Replied, Opened}, Item: "opened"},
	{From: Closed, On: CustomerMessage, To: Open, Emits: []string{Replied, Opened}, Item: "opened"},

	{From: Open, On: BlockedMessage, To: Open, Emits: []string{Replied}},
	{From: Snoozed, On: BlockedMessage, To: Snoozed, Emits: []string{Replied}},
	{From: Closed, On: BlockedMessage, To: Closed, Emits: []string{Replied}},

	{From: Open, On: MachineMessage, To: Open, Emits: []string{Replied}},
	{From: Snoozed, On: MachineMessage, To: Snoozed, Emits: []string{Replied}},
	{From: Closed, On: MachineMessage, To: Closed, Emits: []string{Replied}},

	{From: Open, On: AgentComment, To: Open, Emits: []string{Replied}},
	{From: Snoozed, On: AgentComment, To: Snoozed, Emits: []string{Replied}},
	{From: Closed, On: AgentComment, To: Open, Emits: []string{Replied, Opened}, Item: "opened"},

	// Notes reach open panels and never a webhook: their event is hidden.
	{From: Open, On: WriteNote, To: Open, Emits: []string{Noted}},
	{From: Snoozed, On: WriteNote, To: Snoozed, Emits: []string{Noted}},
	{From: Closed, On: WriteNote, To: Closed, Emits: []string{Noted}},

	{From: Open, On: Snooze, To: Snoozed, Emits: []string{SnoozedEvent}, Item: "snoozed"},
	{From: Snoozed, On: Snooze, To: Snoozed, Emits: []string{SnoozedEvent}, Item: "snoozed"},
	{From: Closed, On: Snooze, To: Snoozed, Emits: []string{SnoozedEvent}, Item: "snoozed"},

	{From: Open, On: Wake, To: Open, Nothing: true},
	{From: Snoozed, On: Wake, To: Open, Emits: []string{Opened}, Item: "woken"},
	{From: Closed, On: Wake, To: Closed, Nothing: true},

	{From: Open, On: Close, To: Closed, Emits: []string{ClosedEvent}, Item: "closed"},
	{From: Snoozed, On: Close, To: Closed, Emits: []string{ClosedEvent}, Item: "closed"},
	{From: Closed, On: Close, To: Closed, Nothing: true},

	{From: Open, On: Reopen, To: Open, Nothing: true},
	{From: Snoozed, On: Reopen, To: Open, Emits: []string{Opened}, Item: "opened"},
	{From: Closed, On: Reopen, To: Open, Emits: []string{Opened}, Item: "opened"},

	{From: Open, On: Join, To: Open, Emits: []string{Assigned}, Item: "joined", IfOwner: true},
	{From: Snoozed, On: Join, To: Snoozed, Emits: []string{Assigned}, Item: "joined", IfOwner: true},
	{From: Closed, On: Join, To: Closed, Emits: []string{Assigned}, Item: "joined", IfOwner: true},
	{From: Open, On: Leave, To: Open, Emits: []string{Assigned}, Item: "left", IfOwner: true},
	{From: Snoozed, On: Leave, To: Snoozed, Emits: []string{Assigned}, Item: "left", IfOwner: true},
	{From: Closed, On: Leave, To: Closed, Emits: []string{Assigned}, Item: "left", IfOwner: true},
	{From: Open, On: Assign, To: Open, Emits: []string{Assigned}, Item: "assigned", IfOwner: true},
	{From: Snoozed, On: Assign, To: Snoozed, Emits: []string{Assigned}, Item: "assigned", IfOwner: true},
	{From: Closed, On: Assign, To: Closed, Emits: []string{Assigned}, Item: "assigned", IfOwner: true},

	{From: Open, On: Escalate, To: Open, Emits: []string{Updated}, Item: "escalated"},
	{From: Snoozed, On: Escalate, To: Open, Emits: []string{Opened}, Item: "escalated"},
	{From: Closed, On: Escalate, To: Open, Emits: []string{Opened}, Item: "escalated"},

	{From: Open, On: MergeInto, To: Closed, Emits: []string{ClosedEvent, Merged}, Item: "merged"},
	{From: Snoozed, On: MergeInto, To: Closed, Emits: []string{ClosedEvent, Merged}, Item: "merged"},
	{From: Closed, On: MergeInto, To: Closed, Emits: []string{Merged}, Item: "merged"},

	{From: Open, On: Delete, To: Open, Emits: []string{Deleted}, Item: "deleted"},
	{From: Snoozed, On: Delete, To: Snoozed, Emits: []string{Deleted}, Item: "deleted"},
	{From: Closed, On: Delete, To: Closed, Emits: []string{Deleted}, Item: "deleted"},
	{From: Open, On: Restore, To: Open, Emits: []string{Restored}, Item: "restored"},
	{From: Snoozed, On: Restore, To: Snoozed, Emits: []string{Restored}, Item: "restored"},
	{From: Closed, On: Restore, To: Closed, Emits: []string{Restored}, Item: "restored"},
}

type fork struct {
	from State
	on   Trigger
}

var byFork = func() map[fork]*Transition {
	m := make(map[fork]*Transition, len(Transitions))
	for i := range Transitions {
		t := &Transitions[i]
		m[fork{t.From, t.On}] = t
	}
	return m
}()

// transition returns the row for a trigger in a state; every pair has one.
func transition(from State, on Trigger) *Transition {
	t, ok := byFork[fork{from, on}]
	if !ok {
		panic("conversation: no transition from " + string(from) + " on " + string(on))
	}
	return t
}
