// Package command stores the requests to the exchange.
//
// A command is a row that is written in the transaction that makes it necessary, and
// carried out by the node that runs the exchange; this works the same for one node and
// for many. Commands are carried out in order. The exchange ignores a repeated request
// with the same id, so a command that was carried out when the node died may be carried
// out again.
//
// Commands never contain passwords or keys.
package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/kit/db"
)

// Topic is notified when a command was added.
const Topic = "phone_command"

// The kinds of commands.
const (
	DropDevice = "drop_device"
	DropTrunk  = "drop_trunk"
	Originate  = "originate"
	Extend     = "extend"
	Ring       = "ring"
	Answer     = "answer"
	Hangup     = "hangup"
	Mute       = "mute"
	Press      = "press"
	Bridge     = "bridge"
	Join       = "join"
	Leave      = "leave"
	Unbridge   = "unbridge"
	Play       = "play"
	StopPlay   = "stop_play"
	Record     = "record"
	DropRecord = "drop_record"
)

// Command is a request to the exchange. Fields that do not belong to its kind are empty.
type Command struct {
	Kind   string    `json:"kind"`
	Leg    uuid.UUID `json:"leg,omitzero"`
	Bridge uuid.UUID `json:"bridge,omitzero"`
	// Object is the id of the sound or recording.
	Object       uuid.UUID      `json:"object,omitzero"`
	Device       string         `json:"device,omitempty"`
	Trunk        uuid.UUID      `json:"trunk,omitzero"`
	Number       string         `json:"number,omitempty"`
	CallerNumber string         `json:"caller_number,omitempty"`
	CallerName   string         `json:"caller_name,omitempty"`
	RingSeconds  int            `json:"ring_s,omitempty"`
	MaxSeconds   int            `json:"max_s,omitempty"`
	Cause        exchange.Cause `json:"cause,omitempty"`
	// Sound is the sound to play, by its name in Sounds; Loop repeats it.
	Sound string `json:"sound,omitempty"`
	Loop  bool   `json:"loop,omitempty"`
	// On mutes a leg; false unmutes it.
	On bool `json:"on,omitempty"`
	// Digits are the keys to press.
	Digits string `json:"digits,omitempty"`
}

// Put adds commands in the transaction that makes them necessary.
func Put(tx *db.Tx, list ...Command) error {
	for _, c := range list {
		if err := putCommand(tx, c); err != nil {
			return fmt.Errorf("command: put %s: %w", c.Kind, err)
		}
	}
	if len(list) > 0 {
		tx.Wake(Topic)
	}
	return nil
}

// Sounds finds the sounds that callers hear.
type Sounds interface {
	// Samples returns a sound of a workspace at 8,000 samples per second.
	Samples(ctx context.Context, tenant uuid.UUID, sound string) ([]int16, error)
}

// Config is the configuration of a Runner.
type Config struct {
	DB       *db.DB
	Log      *slog.Logger
	Exchange exchange.Exchange
	Sounds   Sounds
	// Refused is called for a command that the exchange cannot carry out, such as a call to
	// a phone that is not signed in.
	Refused func(ctx context.Context, tenant uuid.UUID, c Command, why error) error
}

// Runner carries out commands.
type Runner struct{ Config }

// Step carries out waiting commands and returns their number. If the exchange is not
// running it returns an error, and the command stays. A command that fails holds back those
// of its own workspace only.
func (r *Runner) Step(ctx context.Context) (int, error) {
	list, err := db.Read(ctx, r.DB.System("phone commands"), nextCommands)
	if err != nil {
		return 0, err
	}
	done, failed := 0, map[uuid.UUID]error{}
	for _, s := range list {
		if failed[s.tenant] != nil {
			continue // a workspace's commands keep their order
		}
		err := r.run(ctx, s)
		if errors.Is(err, exchange.ErrUnavailable) || ctx.Err() != nil {
			return done, err
		}
		if failed[s.tenant] = err; err == nil {
			done++
		}
	}
	return done, errors.Join(slices.Collect(maps.Values(failed))...)
}

// run carries out one command and deletes it.
func (r *Runner) run(ctx context.Context, s stored) error {
	err := r.carryOut(ctx, s.tenant, s.command)
	switch {
	case err == nil:
	case isRefusal(err):
		r.Log.DebugContext(ctx, "the exchange refused a command", "kind", s.command.Kind, "leg", s.command.Leg, "reason", err)
		if err := r.Refused(ctx, s.tenant, s.command, err); err != nil {
			return err
		}
	default:
		return fmt.Errorf("command: %s: %w", s.command.Kind, err)
	}
	return r.DB.Tenant(s.tenant).InTx(ctx, func(tx *db.Tx) error { return deleteCommand(tx, s.id) })
}

// isRefusal reports whether trying again would not help.
func isRefusal(err error) bool {
	for _, refusal := range []error{
		exchange.ErrUnknown, exchange.ErrState, exchange.ErrNotRegistered, exchange.ErrBusy, exchange.ErrTaken, exchange.ErrInvalid,
	} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}

func (r *Runner) carryOut(ctx context.Context, tenant uuid.UUID, c Command) error {
	x := r.Exchange
	switch c.Kind {
	case DropDevice:
		return x.DropDevice(ctx, tenant, c.Device)
	case DropTrunk:
		return x.DropTrunk(ctx, tenant, c.Trunk)
	case Originate:
		return x.Originate(ctx, exchange.Originate{
			Tenant: tenant, Leg: c.Leg, Device: c.Device, Trunk: c.Trunk, Number: c.Number, CallerNumber: c.CallerNumber,
			CallerName: c.CallerName, RingTime: seconds(c.RingSeconds), MaxDuration: seconds(c.MaxSeconds),
		})
	case Extend:
		return x.Extend(ctx, tenant, c.Leg, seconds(c.MaxSeconds))
	case Ring:
		return x.Ring(ctx, tenant, c.Leg, false)
	case Answer:
		return x.Answer(ctx, tenant, c.Leg)
	case Hangup:
		return x.Hangup(ctx, tenant, c.Leg, c.Cause)
	case Mute:
		return x.Mute(ctx, tenant, c.Leg, c.On)
	case Press:
		return x.SendDTMF(ctx, tenant, c.Leg, c.Digits)
	case Bridge:
		return x.CreateBridge(ctx, tenant, c.Bridge)
	case Join:
		return x.Join(ctx, tenant, c.Bridge, c.Leg)
	case Leave:
		return x.Leave(ctx, tenant, c.Leg)
	case Unbridge:
		return x.DestroyBridge(ctx, tenant, c.Bridge)
	}
	return r.carryOutSound(ctx, tenant, c)
}

func (r *Runner) carryOutSound(ctx context.Context, tenant uuid.UUID, c Command) error {
	x := r.Exchange
	switch c.Kind {
	case Play:
		samples, err := r.Sounds.Samples(ctx, tenant, c.Sound)
		if err != nil {
			// Silence is better for the caller than waiting for a sound that fails.
			r.Log.WarnContext(ctx, "a sound cannot be played", "sound", c.Sound, "error", err)
			samples = make([]int16, 800)
		}
		return x.Play(ctx, exchange.Play{Tenant: tenant, Leg: c.Leg, ID: c.Object, Samples: samples, Loop: c.Loop})
	case StopPlay:
		return x.StopPlay(ctx, tenant, c.Leg)
	case Record:
		return x.Record(ctx, tenant, c.Leg, c.Object)
	case DropRecord:
		return x.DropRecording(ctx, tenant, c.Object)
	}
	return fmt.Errorf("%w: command %q", exchange.ErrInvalid, c.Kind)
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
