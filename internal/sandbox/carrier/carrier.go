// Package carrier stands in for a carrier in a demo: outgoing calls reach it over the
// operator's line, and it calls the numbers of the demo's workspaces.
//
// Every number rings for two seconds, answers, plays a short melody, echoes what it hears
// and hangs up after a minute. A number that ends in 00 is busy, and one that ends in 01
// does not answer.
//
// It serves and calls this machine only, and carries at most 20 calls at once.
package carrier

import (
	"errors"
	"strings"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/sandbox/sipphone"
)

// The carrier's address, unless it is in use.
const wanted = "127.0.0.1:15070"

const (
	ringTime = 2 * time.Second
	// talkTime is the longest call.
	talkTime = time.Minute
	// unanswered is longer than callers wait for an answer.
	unanswered = 3 * time.Minute
	// ownTalk is how long a call made by the carrier's customers lasts.
	ownTalk = 30 * time.Second
)

// Carrier is the stand-in.
type Carrier struct{ phone *sipphone.Phone }

// Start starts it. Close ends it.
func Start(c clock.Source) (*Carrier, error) {
	cfg := sipphone.Config{Clock: c, Takes: mannerFor, Talk: talkTime, Listen: wanted}
	phone, err := sipphone.Start(cfg)
	if err != nil {
		cfg.Listen = ""
		phone, err = sipphone.Start(cfg)
	}
	return &Carrier{phone}, err
}

// mannerFor decides what happens to a call to a number.
func mannerFor(number string) sipphone.Manner {
	switch {
	case strings.HasSuffix(number, "00"):
		return sipphone.Manner{Refuse: 486}
	case strings.HasSuffix(number, "01"):
		return sipphone.Manner{Ring: unanswered, Refuse: 480}
	}
	return sipphone.Manner{Ring: ringTime}
}

// Server returns the address and port of the line.
func (c *Carrier) Server() string { return c.phone.Addr().String() }

// Phone returns the phone that makes its calls.
func (c *Carrier) Phone() *sipphone.Phone { return c.phone }

// Call lets a person call a number of the exchange at an address, and reports the state of
// the call.
func (c *Carrier) Call(exchange, number, from string, tell func(state string)) error {
	if exchange == "" {
		return errors.New("the demo carries no calls")
	}
	return c.phone.Call(sipphone.Call{Server: exchange, To: number, From: from, Talk: ownTalk, Tell: tell})
}

// HangUp ends the calls of a person.
func (c *Carrier) HangUp(from string) { c.phone.HangUp(from) }

// Close ends all calls.
func (c *Carrier) Close() error {
	if c == nil {
		return nil
	}
	return c.phone.Close()
}
