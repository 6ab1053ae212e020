// Package exchange carries calls: telephones register with it, it dials them and the
// outside lines (trunks), and it joins, plays to and records what they say.
//
// It knows legs and bridges and nothing else. A leg is one telephone or one line in a
// call; a bridge joins legs so that they hear each other. Whom to ring, what a call
// costs, who may listen and what is written down are decided above it, so that another
// exchange can take the place of the embedded one (package sipexchange) behind the
// same interface.
//
// What always holds:
//   - The caller chooses the ids of outgoing legs, bridges, playbacks and recordings,
//     so it can write them down before it asks. A repeated request with the same id
//     does nothing a second time, as long as the leg's events are kept.
//   - Every leg that began has exactly one leg.ended event, whatever crashed when.
//   - Events are durable before they are handed out, and stay until TrimEvents.
//   - A leg belongs to one tenant. A request that names another tenant's leg, bridge
//     or recording returns ErrUnknown.
package exchange

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/secret"
)

// The errors that callers can act on.
var (
	// ErrUnknown says that there is no such device, trunk, leg, bridge or recording
	// in this tenant.
	ErrUnknown = errors.New("exchange: unknown")
	// ErrState says that the leg is not in a state that allows the request, for
	// example Answer of a leg that has ended.
	ErrState = errors.New("exchange: not possible in this state")
	// ErrNotRegistered says that a device has no telephone signed in, or that a
	// trunk that registers is not registered.
	ErrNotRegistered = errors.New("exchange: not registered")
	// ErrBusy says that a bound is reached: legs of the tenant, or media ports.
	ErrBusy = errors.New("exchange: no free capacity")
	// ErrUnavailable says that the exchange does not run yet or any more.
	ErrUnavailable = errors.New("exchange: not running")
	// ErrTaken says that the username belongs to another tenant's device, or that
	// the extension is another device's.
	ErrTaken = errors.New("exchange: taken")
	// ErrInvalid says that a value cannot stand in a SIP message, such as a number
	// with a line break, or a trunk without a server.
	ErrInvalid = errors.New("exchange: invalid value")
)

// AccountKey is the parameter, in the user of the address that is called, by which the
// provider of a messaging account shows that a call is its own.
const AccountKey = "konak"

// An Exchange carries calls.
type Exchange interface {
	Devices
	Trunks
	Legs
	Bridges
	Sounds
	Events
}

// Devices keeps which telephones may sign in.
type Devices interface {
	// Realm is what HA1 of a device is made with: MD5(username:realm:password). It
	// is the same for every tenant and never changes while the installation lives.
	Realm() string
	// PutDevice makes a device or changes it. A device whose HA1 changed is signed
	// out everywhere. It returns ErrTaken where username or extension is another's.
	PutDevice(ctx context.Context, d Device) error
	// DropDevice forgets a device, signs it out and ends its legs. A device that is
	// not there is no error.
	DropDevice(ctx context.Context, tenant uuid.UUID, username string) error
	// Registrations lists the telephones that are signed in now.
	Registrations(ctx context.Context, tenant uuid.UUID) ([]Registration, error)
}

// A Device is what a telephone signs in as.
type Device struct {
	Tenant uuid.UUID
	// Username is unique over the installation: 3 to 64 of a-z, 0-9, '.', '-', '_'.
	Username string
	// Extension is the short number, unique in the tenant: 2 to 6 digits.
	Extension string
	// Name is shown on the telephones that it calls.
	Name string
	// HA1 is MD5(username:realm:password) in hexadecimal; the password never
	// reaches the exchange.
	HA1 secret.Text
}

// A Registration is one telephone that is signed in.
type Registration struct {
	Username  string
	Extension string
	// Agent is what the telephone says it is, such as "baresip v1.0". It is a claim.
	Agent     string
	Transport string
	Since     clock.Time
	ExpiresAt clock.Time
}

// Trunks keeps the outside lines.
type Trunks interface {
	// CheckServer returns ErrInvalid for a server that no line may lead to.
	CheckServer(ctx context.Context, server, transport string) error
	// PutTrunk makes a line or changes it. An empty password keeps the one given
	// before if server, transport, username and auth user are the same; otherwise
	// the line has the status TrunkNeedsPassword.
	PutTrunk(ctx context.Context, t Trunk) error
	// DropTrunk forgets a line, signs it out at its server and ends its legs. A line
	// that is not there is no error.
	DropTrunk(ctx context.Context, tenant, trunk uuid.UUID) error
	// TrunkStatus says how a line is doing. It returns ErrUnknown where the exchange
	// has none of this id, which after a restore means: give the password again.
	TrunkStatus(ctx context.Context, tenant, trunk uuid.UUID) (TrunkStatus, error)
}

// A Trunk is an outside line at a provider.
type Trunk struct {
	Tenant uuid.UUID
	ID     uuid.UUID
	// Server is host or host:port.
	Server string
	// Transport is udp, tcp or tls. Over TLS the server's certificate must be for its
	// host.
	Transport string
	// Encryption is whether the line's sound is encrypted; empty is EncryptionOff. All
	// others need the transport tls, as keys travel in the messages of the call.
	Encryption Encryption
	Username   string
	// AuthUser is the name for digest where it is not Username.
	AuthUser string
	Password secret.Text
	// Register says that the line signs in at its server. A line that does not is
	// known to the provider by our address.
	Register bool
}

// Encryption says whether the sound of a line is encrypted (SRTP with keys in the
// description, RFC 4568).
type Encryption string

// How a line's sound is encrypted.
const (
	// EncryptionOff offers no key; one that the other side offers is used.
	EncryptionOff Encryption = "off"
	// EncryptionOptional offers a key, which the other side may leave out.
	EncryptionOptional Encryption = "optional"
	// EncryptionRequired ends a call whose sound the other side does not encrypt.
	EncryptionRequired Encryption = "required"
)

// TrunkState is how a line is doing.
type TrunkState string

// The states of a line.
const (
	TrunkNeedsPassword TrunkState = "needs_password"
	TrunkRegistering   TrunkState = "registering"
	TrunkRegistered    TrunkState = "registered"
	// TrunkReady is a line that does not register.
	TrunkReady TrunkState = "ready"
	// TrunkFailed is tried again with growing pauses.
	TrunkFailed TrunkState = "failed"
)

// A TrunkStatus is how a line is doing, since when, and why it does not work: a word and a
// sentence of the exchange's own, such as "unreachable: The server does not answer".
type TrunkStatus struct {
	State     TrunkState `json:"state"`
	LastError string     `json:"last_error,omitempty"`
	Since     clock.Time `json:"since"`
}

// Legs dials and ends.
type Legs interface {
	// Originate dials and returns as soon as the leg exists; what becomes of it is
	// told by events. It returns ErrNotRegistered, ErrBusy, ErrUnknown (device or
	// trunk) or ErrInvalid, and then there is no leg and no event.
	Originate(ctx context.Context, o Originate) error
	// Extend changes how long the leg may last, counted from its answer. Zero takes
	// the bound away.
	Extend(ctx context.Context, tenant, leg uuid.UUID, max time.Duration) error
	// Ring tells an incoming leg's caller that it rings. With early it opens the
	// media before the answer, so that Play is heard.
	Ring(ctx context.Context, tenant, leg uuid.UUID, early bool) error
	// Answer takes an incoming leg.
	Answer(ctx context.Context, tenant, leg uuid.UUID) error
	// Hangup ends a leg in any state. The cause decides what the other side is told
	// before an answer. A leg that has ended is no error.
	Hangup(ctx context.Context, tenant, leg uuid.UUID, cause Cause) error
	// Hold stops the sound of a leg in both directions and tells its telephone;
	// hold false resumes it. Play to a held leg is heard: that is hold music.
	Hold(ctx context.Context, tenant, leg uuid.UUID, hold bool) error
	// Mute keeps what a leg says from the others in its bridge.
	Mute(ctx context.Context, tenant, leg uuid.UUID, mute bool) error
	// SendDTMF presses keys (0-9, *, #, A-D; at most 32) towards the leg.
	SendDTMF(ctx context.Context, tenant, leg uuid.UUID, digits string) error
	// Snapshot lists the legs of all tenants that exist now. A leg that is not in it
	// has ended, and its leg.ended is among the events. It returns ErrUnavailable where
	// the exchange does not run.
	Snapshot(ctx context.Context) ([]Leg, error)
}

// Originate says whom to dial.
type Originate struct {
	Tenant uuid.UUID
	Leg    uuid.UUID
	// Device is the username to ring, on every telephone that is signed in as it.
	// Or Trunk and Number: the line and what to dial on it.
	Device string
	Trunk  uuid.UUID
	Number string
	// CallerNumber and CallerName are what the called telephone shows.
	CallerNumber string
	CallerName   string
	// RingTime ends an unanswered leg with CauseNoAnswer; zero is 60 seconds.
	RingTime time.Duration
	// MaxDuration cuts the leg so long after its answer with CauseMaxDuration, also
	// while nobody above the exchange is alive. Zero is no bound of the caller's.
	MaxDuration time.Duration
}

// LegState is how far a leg is.
type LegState string

// The states of a leg.
const (
	LegDialling LegState = "dialling"
	LegIncoming LegState = "incoming"
	LegRinging  LegState = "ringing"
	LegAnswered LegState = "answered"
	LegHeld     LegState = "held"
)

// A Leg is one telephone or line in a call.
type Leg struct {
	ID     uuid.UUID
	Tenant uuid.UUID
	State  LegState
	// Device or Trunk is what it goes to or comes from.
	Device     string
	Trunk      uuid.UUID
	Bridge     uuid.UUID
	StartedAt  clock.Time
	AnsweredAt clock.Time
}

// Cause is why a leg ended.
type Cause string

// The causes of an end.
const (
	CauseNormal      Cause = "normal"
	CauseCancelled   Cause = "cancelled"
	CauseBusy        Cause = "busy"
	CauseNoAnswer    Cause = "no_answer"
	CauseRejected    Cause = "rejected"
	CauseNotFound    Cause = "not_found"
	CauseUnavailable Cause = "unavailable"
	// CauseFailed is every other refusal and every fault of the peer.
	CauseFailed Cause = "failed"
	// CauseNoMedia ends an answered leg from which no sound came for too long.
	CauseNoMedia     Cause = "no_media"
	CauseMaxDuration Cause = "max_duration"
	// CauseNotEncrypted ends a leg of a line whose sound must be encrypted and whose
	// other side does not do it.
	CauseNotEncrypted Cause = "not_encrypted"
	// The causes by which a telephone's own call is refused: its user may not call, its
	// workspace has no telephony, no phone is signed in there, there is no line to the
	// outside, no credit, or a limit is reached. CauseNoCredit also ends a call that was
	// cut when the credit ended.
	CauseForbidden   Cause = "forbidden"
	CauseNotLicensed Cause = "not_licensed"
	CauseNoDevice    Cause = "no_device"
	CauseNoLine      Cause = "no_line"
	CauseNoCredit    Cause = "no_credit"
	CauseCapReached  Cause = "cap_reached"
	// CauseLost ends a leg that was alive when the exchange stopped or crashed.
	CauseLost Cause = "lost"
)

// EndedBy is who ended a leg.
type EndedBy string

// Who can end a leg.
const (
	EndedByPeer     EndedBy = "peer"     // the telephone or the line
	EndedByCaller   EndedBy = "caller"   // Hangup, DropDevice or DropTrunk
	EndedByExchange EndedBy = "exchange" // a bound, a time-out, a fault
)

// Bridges joins legs.
type Bridges interface {
	CreateBridge(ctx context.Context, tenant, bridge uuid.UUID) error
	// Join puts a leg into a bridge and takes it out of the one that it was in. A
	// bridge joins two legs; a third is refused with ErrState.
	Join(ctx context.Context, tenant, bridge, leg uuid.UUID) error
	// Leave takes a leg out of its bridge; the leg lives on and hears nothing.
	Leave(ctx context.Context, tenant, leg uuid.UUID) error
	// DestroyBridge takes all legs out of a bridge and forgets it. A bridge that is
	// not there is no error.
	DestroyBridge(ctx context.Context, tenant, bridge uuid.UUID) error
}

// Sounds plays to legs and records them.
type Sounds interface {
	// Play plays to a leg instead of what it would hear from its bridge, and ends
	// with play.ended. A second Play on the same leg replaces the first.
	Play(ctx context.Context, p Play) error
	// StopPlay ends what is played to a leg.
	StopPlay(ctx context.Context, tenant, leg uuid.UUID) error
	// Record writes what a leg says (left) and hears (right) into a WAV file with
	// two channels. It ends with the leg or by StopRecord, and then record.ended says
	// how long it is.
	Record(ctx context.Context, tenant, leg, recording uuid.UUID) error
	// PauseRecord writes silence instead of sound until pause is false.
	PauseRecord(ctx context.Context, tenant, recording uuid.UUID, pause bool) error
	StopRecord(ctx context.Context, tenant, recording uuid.UUID) error
	// OpenRecording reads a recording that has ended.
	OpenRecording(ctx context.Context, tenant, recording uuid.UUID) (io.ReadSeekCloser, error)
	// DropRecording deletes a recording that has ended, after it was copied or its
	// time is over. One that is not there is no error.
	DropRecording(ctx context.Context, tenant, recording uuid.UUID) error
}

// A Play is what to play.
type Play struct {
	Tenant uuid.UUID
	Leg    uuid.UUID
	ID     uuid.UUID
	// Samples are PCM with 16 bits at 8,000 a second, at most 10 minutes of them.
	Samples []int16
	// Loop plays them again and again until StopPlay: hold music.
	Loop bool
}

// Events hands out what happened.
type Events interface {
	// Events returns up to limit events after a cursor, oldest first. Zero is the
	// beginning. Whoever reads applies an event and its Cursor in one transaction.
	Events(ctx context.Context, after int64, limit int) ([]Event, error)
	// TrimEvents forgets events up to a cursor, once they are applied.
	TrimEvents(ctx context.Context, upTo int64) error
	// Wake receives after new events; it is a hint that may be missed.
	Wake() <-chan struct{}
}

// EventType is what happened.
type EventType string

// What can happen.
const (
	// LegIncomingEvent is a new leg that a telephone or line began: Device or Trunk, From
	// and To are set. It waits for Answer or Hangup for at most 3 minutes.
	LegIncomingEvent EventType = "leg.incoming"
	LegRingingEvent  EventType = "leg.ringing"
	LegAnsweredEvent EventType = "leg.answered"
	// LegDTMFEvent is one pressed key: Digit.
	LegDTMFEvent EventType = "leg.dtmf"
	// LegHeldEvent and LegResumedEvent tell that the telephone held or resumed.
	LegHeldEvent    EventType = "leg.held"
	LegResumedEvent EventType = "leg.resumed"
	// LegEndedEvent is the last of a leg: Cause, EndedBy, and Media if it had any.
	LegEndedEvent EventType = "leg.ended"
	// PlayEndedEvent tells that Play is over: Object is its id.
	PlayEndedEvent EventType = "play.ended"
	// RecordEndedEvent tells that a recording can be opened: Object is its id,
	// Seconds and Bytes say how long it is.
	RecordEndedEvent EventType = "record.ended"
	// DeviceRegisteredEvent and DeviceUnregisteredEvent tell that the first
	// telephone signed in as a device, or the last one signed out: Device.
	DeviceRegisteredEvent   EventType = "device.registered"
	DeviceUnregisteredEvent EventType = "device.unregistered"
	// TrunkStatusEvent tells that a line's state changed: Trunk and Status.
	TrunkStatusEvent EventType = "trunk.status"
)

// An Event is one thing that happened. What does not belong to its type is empty.
type Event struct {
	// Cursor grows over all tenants. (Leg, N) is unique where there is a leg.
	Cursor int64      `json:"-"`
	Tenant uuid.UUID  `json:"-"`
	Type   EventType  `json:"-"`
	Leg    uuid.UUID  `json:"-"`
	N      int        `json:"-"`
	At     clock.Time `json:"-"`

	Device string    `json:"device,omitempty"`
	Trunk  uuid.UUID `json:"trunk,omitzero"`
	// Trunk is the messaging account of a call that its provider led here. From is the
	// caller as the peer claims it; for a device it is the device's own
	// extension. To is what was dialled.
	From    string       `json:"from,omitempty"`
	To      string       `json:"to,omitempty"`
	Digit   string       `json:"digit,omitempty"`
	Cause   Cause        `json:"cause,omitempty"`
	EndedBy EndedBy      `json:"ended_by,omitempty"`
	Media   *MediaStats  `json:"media,omitempty"`
	Object  uuid.UUID    `json:"object,omitzero"`
	Seconds float64      `json:"seconds,omitempty"`
	Bytes   int64        `json:"bytes,omitempty"`
	Status  *TrunkStatus `json:"status,omitempty"`
}

// MediaStats is how a leg's sound travelled.
type MediaStats struct {
	PacketsReceived int64 `json:"packets_received"`
	PacketsSent     int64 `json:"packets_sent"`
	PacketsLost     int64 `json:"packets_lost"`
	// JitterMicros is the interarrival jitter of RFC 3550 at the end.
	JitterMicros int64 `json:"jitter_us"`
}
