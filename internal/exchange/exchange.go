// Package exchange carries calls: telephones register with it, it dials them and the
// outside lines (trunks), and it joins them, plays to them and records them.
//
// It knows only legs and bridges. A leg is one telephone or one line in a call; a bridge
// joins legs so that they hear each other. Its callers decide whom to ring, what a call
// costs, who may listen and what is logged, so that another exchange can replace the
// embedded one (package sipexchange) behind the same interface.
//
// What always holds:
//   - The caller chooses the ids of outgoing legs, bridges, playbacks and recordings,
//     so it can store them before the request. A repeated request with the same id
//     has no effect, as long as the leg's events are kept.
//   - Every leg that began has exactly one leg.ended event, even after a crash.
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
	// ErrUnknown means that the device, trunk, leg, bridge or recording does not exist in
	// this tenant.
	ErrUnknown = errors.New("exchange: unknown")
	// ErrState means that the leg is not in a state that allows the request, for example
	// Answer of a leg that has ended.
	ErrState = errors.New("exchange: not possible in this state")
	// ErrNotRegistered means that no telephone is signed in as the device, or that a trunk
	// that registers is not registered.
	ErrNotRegistered = errors.New("exchange: not registered")
	// ErrBusy means that a limit is reached: legs of the tenant, or media ports.
	ErrBusy = errors.New("exchange: no free capacity")
	// ErrUnavailable means that the exchange is not running yet, or no longer.
	ErrUnavailable = errors.New("exchange: not running")
	// ErrTaken means that the username belongs to another tenant's device, or the extension
	// to another device.
	ErrTaken = errors.New("exchange: already in use")
	// ErrInvalid means that a value cannot be used in a SIP message, such as a number with
	// a line break, or a trunk without a server.
	ErrInvalid = errors.New("exchange: invalid value")
)

// AccountKey is the parameter, in the user part of the called address, that carries the key
// with which the provider of a messaging account proves that a call is its own.
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

// Devices manages the telephones that may sign in.
type Devices interface {
	// Realm is the realm in the HA1 of a device: MD5(username:realm:password). It is the
	// same for every tenant and never changes during the life of an installation.
	Realm() string
	// PutDevice creates or changes a device. A device whose HA1 changed is signed out
	// everywhere. It returns ErrTaken if another device has the username or extension.
	PutDevice(ctx context.Context, d Device) error
	// DropDevice deletes a device, signs it out and ends its legs. It is no error if the
	// device does not exist.
	DropDevice(ctx context.Context, tenant uuid.UUID, username string) error
	// Registrations lists the telephones that are signed in now.
	Registrations(ctx context.Context, tenant uuid.UUID) ([]Registration, error)
}

// A Device is an account that telephones sign in with.
type Device struct {
	Tenant uuid.UUID
	// Username is unique in the installation: 3 to 64 of a-z, 0-9, '.', '-', '_'.
	Username string
	// Extension is the short number, unique in the tenant: 2 to 6 digits.
	Extension string
	// Name is shown on the telephones that it calls.
	Name string
	// HA1 is MD5(username:realm:password) in hexadecimal; the password never
	// reaches the exchange.
	HA1 secret.Text
}

// A Registration is a telephone that is signed in.
type Registration struct {
	Username  string
	Extension string
	// Agent is the telephone's own, unverified User-Agent, such as "baresip v1.0".
	Agent     string
	Transport string
	Since     clock.Time
	ExpiresAt clock.Time
}

// Trunks manages the outside lines.
type Trunks interface {
	// CheckServer returns ErrInvalid for a server that lines must not use.
	CheckServer(ctx context.Context, server, transport string) error
	// PutTrunk creates or changes a line. With an empty password the previous one stays
	// valid if server, transport, username and auth user are the same; otherwise the line
	// gets the status TrunkNeedsPassword.
	PutTrunk(ctx context.Context, t Trunk) error
	// DropTrunk deletes a line, signs it out at its server and ends its legs. It is no
	// error if the line does not exist.
	DropTrunk(ctx context.Context, tenant, trunk uuid.UUID) error
	// TrunkStatus returns the status of a line. It returns ErrUnknown if the exchange has
	// no line of this id; after a restore this means that the password must be given again.
	TrunkStatus(ctx context.Context, tenant, trunk uuid.UUID) (TrunkStatus, error)
}

// A Trunk is an outside line at a provider.
type Trunk struct {
	Tenant uuid.UUID
	ID     uuid.UUID
	// Server is host or host:port.
	Server string
	// Transport is udp, tcp or tls. With tls, the server's certificate must be valid for
	// its host.
	Transport string
	// Encryption sets whether the line's sound is encrypted; empty is EncryptionOff. All
	// other values need the transport tls, as the keys are sent in the messages of the
	// call.
	Encryption Encryption
	Username   string
	// AuthUser is the user name for digest authentication, if it is not Username.
	AuthUser string
	Password secret.Text
	// Register is set if the line signs in at its server. Otherwise the provider knows it
	// by our address.
	Register bool
}

// Encryption is whether the sound of a line is encrypted (SRTP with keys in the
// description, RFC 4568).
type Encryption string

// The values of Encryption.
const (
	// EncryptionOff offers no key, but uses one that the other side offers.
	EncryptionOff Encryption = "off"
	// EncryptionOptional offers a key, which the other side may decline.
	EncryptionOptional Encryption = "optional"
	// EncryptionRequired ends a call if the other side does not encrypt its sound.
	EncryptionRequired Encryption = "required"
)

// TrunkState is the state of a line.
type TrunkState string

// The states of a line.
const (
	TrunkNeedsPassword TrunkState = "needs_password"
	TrunkRegistering   TrunkState = "registering"
	TrunkRegistered    TrunkState = "registered"
	// TrunkReady is a working line that does not register.
	TrunkReady TrunkState = "ready"
	// TrunkFailed is a line that failed and is retried at growing intervals.
	TrunkFailed TrunkState = "failed"
)

// A TrunkStatus is the state of a line, since when, and why it does not work: a word and a
// sentence written by the exchange, such as "unreachable: The server does not answer".
type TrunkStatus struct {
	State     TrunkState `json:"state"`
	LastError string     `json:"last_error,omitempty"`
	Since     clock.Time `json:"since"`
}

// Legs controls the legs of calls.
type Legs interface {
	// Originate dials and returns as soon as the leg exists; the result is reported by
	// events. If it returns ErrNotRegistered, ErrBusy, ErrUnknown (device or trunk) or
	// ErrInvalid, there is no leg and no event.
	Originate(ctx context.Context, o Originate) error
	// Extend changes how long the leg may last, counted from its answer. Zero removes the
	// limit.
	Extend(ctx context.Context, tenant, leg uuid.UUID, max time.Duration) error
	// Ring tells an incoming leg's caller that it is ringing. With early it opens the media
	// before the answer, so that Play is heard.
	Ring(ctx context.Context, tenant, leg uuid.UUID, early bool) error
	// Answer answers an incoming leg.
	Answer(ctx context.Context, tenant, leg uuid.UUID) error
	// Hangup ends a leg in any state. Before an answer, the cause decides what the other
	// side is told. It is no error if the leg has ended.
	Hangup(ctx context.Context, tenant, leg uuid.UUID, cause Cause) error
	// Hold stops the sound of a leg in both directions and tells its telephone; with hold
	// false it resumes. A held leg still hears Play, such as hold music.
	Hold(ctx context.Context, tenant, leg uuid.UUID, hold bool) error
	// Mute stops the others in the bridge from hearing a leg.
	Mute(ctx context.Context, tenant, leg uuid.UUID, mute bool) error
	// SendDTMF sends key presses (0-9, *, #, A-D; at most 32) to the leg.
	SendDTMF(ctx context.Context, tenant, leg uuid.UUID, digits string) error
	// Snapshot lists the existing legs of all tenants. A leg that is not listed has ended,
	// and its leg.ended is among the events. It returns ErrUnavailable if the exchange is
	// not running.
	Snapshot(ctx context.Context) ([]Leg, error)
}

// Originate is a request to dial.
type Originate struct {
	Tenant uuid.UUID
	Leg    uuid.UUID
	// Device is the username to ring, on every telephone that is signed in with it.
	// Alternatively, Trunk and Number are the line and the number to dial on it.
	Device string
	Trunk  uuid.UUID
	Number string
	// CallerNumber and CallerName are shown on the called telephone.
	CallerNumber string
	CallerName   string
	// RingTime ends an unanswered leg with CauseNoAnswer; zero is 60 seconds.
	RingTime time.Duration
	// MaxDuration cuts the leg this long after its answer with CauseMaxDuration, even if
	// the caller of the exchange has died. Zero is no limit.
	MaxDuration time.Duration
}

// LegState is the state of a leg.
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
	// Device or Trunk is where it goes to or comes from.
	Device     string
	Trunk      uuid.UUID
	Bridge     uuid.UUID
	StartedAt  clock.Time
	AnsweredAt clock.Time
}

// Cause is the reason why a leg ended.
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
	// CauseFailed is every other refusal and every error of the peer.
	CauseFailed Cause = "failed"
	// CauseNoMedia ends an answered leg that sent no sound for too long.
	CauseNoMedia     Cause = "no_media"
	CauseMaxDuration Cause = "max_duration"
	// CauseNotEncrypted ends a leg of a line that requires encrypted sound if the other
	// side does not encrypt.
	CauseNotEncrypted Cause = "not_encrypted"
	// The causes for refusing a telephone's own call: its user may not call, its workspace
	// has no telephony, no phone is signed in there, there is no outside line, there is no
	// credit, or a limit is reached. CauseNoCredit also ends a call that was cut because
	// the credit ended.
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
	EndedByExchange EndedBy = "exchange" // a limit, a time-out, an error
)

// Bridges joins legs.
type Bridges interface {
	CreateBridge(ctx context.Context, tenant, bridge uuid.UUID) error
	// Join puts a leg into a bridge and takes it out of its previous one. A bridge joins
	// two legs; a third is refused with ErrState.
	Join(ctx context.Context, tenant, bridge, leg uuid.UUID) error
	// Leave takes a leg out of its bridge; the leg stays connected and hears nothing.
	Leave(ctx context.Context, tenant, leg uuid.UUID) error
	// DestroyBridge takes all legs out of a bridge and deletes it. It is no error if the
	// bridge does not exist.
	DestroyBridge(ctx context.Context, tenant, bridge uuid.UUID) error
}

// Sounds plays to legs and records them.
type Sounds interface {
	// Play plays samples to a leg instead of the sound of its bridge, and ends with
	// play.ended. A second Play on the same leg replaces the first.
	Play(ctx context.Context, p Play) error
	// StopPlay stops what is played to a leg.
	StopPlay(ctx context.Context, tenant, leg uuid.UUID) error
	// Record records what a leg says (left) and hears (right) in a WAV file with two
	// channels. It ends with the leg or by StopRecord; record.ended then reports the
	// length.
	Record(ctx context.Context, tenant, leg, recording uuid.UUID) error
	// PauseRecord writes silence instead of sound until pause is false.
	PauseRecord(ctx context.Context, tenant, recording uuid.UUID, pause bool) error
	StopRecord(ctx context.Context, tenant, recording uuid.UUID) error
	// OpenRecording opens a recording that has ended.
	OpenRecording(ctx context.Context, tenant, recording uuid.UUID) (io.ReadSeekCloser, error)
	// DropRecording deletes a recording that has ended. It is no error if the recording
	// does not exist.
	DropRecording(ctx context.Context, tenant, recording uuid.UUID) error
}

// A Play is a request to play samples.
type Play struct {
	Tenant uuid.UUID
	Leg    uuid.UUID
	ID     uuid.UUID
	// Samples are 16-bit PCM at 8,000 per second, at most 10 minutes.
	Samples []int16
	// Loop repeats them until StopPlay, as for hold music.
	Loop bool
}

// Events provides the events.
type Events interface {
	// Events returns up to limit events after a cursor, oldest first. Zero is the
	// beginning. The reader must apply an event and its Cursor in one transaction.
	Events(ctx context.Context, after int64, limit int) ([]Event, error)
	// TrimEvents deletes the events up to a cursor, once they are applied.
	TrimEvents(ctx context.Context, upTo int64) error
	// Wake is signalled after new events; a signal may be missed.
	Wake() <-chan struct{}
}

// EventType is the type of an event.
type EventType string

// The types of events.
const (
	// LegIncomingEvent reports a new leg from a telephone or line: Device or Trunk, From
	// and To are set. It waits for Answer or Hangup for at most 3 minutes.
	LegIncomingEvent EventType = "leg.incoming"
	LegRingingEvent  EventType = "leg.ringing"
	LegAnsweredEvent EventType = "leg.answered"
	// LegDTMFEvent reports one pressed key: Digit.
	LegDTMFEvent EventType = "leg.dtmf"
	// LegHeldEvent and LegResumedEvent report that the telephone held or resumed.
	LegHeldEvent    EventType = "leg.held"
	LegResumedEvent EventType = "leg.resumed"
	// LegEndedEvent is the last event of a leg: Cause, EndedBy, and Media if it had any.
	LegEndedEvent EventType = "leg.ended"
	// PlayEndedEvent reports that Play has ended: Object is its id.
	PlayEndedEvent EventType = "play.ended"
	// RecordEndedEvent reports that a recording can be opened: Object is its id, Seconds
	// and Bytes are its length.
	RecordEndedEvent EventType = "record.ended"
	// DeviceRegisteredEvent and DeviceUnregisteredEvent report that the first telephone of
	// a device signed in, or the last one signed out: Device.
	DeviceRegisteredEvent   EventType = "device.registered"
	DeviceUnregisteredEvent EventType = "device.unregistered"
	// TrunkStatusEvent reports that a line's state changed: Trunk and Status.
	TrunkStatusEvent EventType = "trunk.status"
)

// An Event is something that happened. Fields that do not belong to its type are empty.
type Event struct {
	// Cursor increases over all tenants. (Leg, N) is unique if the event has a leg.
	Cursor int64      `json:"-"`
	Tenant uuid.UUID  `json:"-"`
	Type   EventType  `json:"-"`
	Leg    uuid.UUID  `json:"-"`
	N      int        `json:"-"`
	At     clock.Time `json:"-"`

	Device string    `json:"device,omitempty"`
	Trunk  uuid.UUID `json:"trunk,omitzero"`
	// For a call from a messaging provider, Trunk is the messaging account. From is the
	// caller as the peer claims; for a device it is the device's own extension. To is the
	// dialled number.
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

// MediaStats are the statistics of a leg's sound.
type MediaStats struct {
	PacketsReceived int64 `json:"packets_received"`
	PacketsSent     int64 `json:"packets_sent"`
	PacketsLost     int64 `json:"packets_lost"`
	// JitterMicros is the interarrival jitter of RFC 3550 at the end.
	JitterMicros int64 `json:"jitter_us"`
}
