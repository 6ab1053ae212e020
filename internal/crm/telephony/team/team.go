package team

import (
	"crypto/md5"
	"encoding/hex"
	"strconv"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/clock"
)

// Where an agent's calls ring.
const (
	DeviceBrowser = "browser"
	DeviceDesk    = "desk"
	DeviceOutside = "outside"
)

// Member is an agent with a phone.
type Member struct {
	AgentID    uuid.UUID  `json:"agent_id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Name       string     `json:"name" example:"Ayşe Demir"`
	Extension  string     `json:"extension" example:"101"`
	Rings      bool       `json:"rings" doc:"Whether calls to the team ring the agent"`
	Device     string     `json:"device" enum:"browser,desk,outside" example:"desk" doc:"Where the agent's calls ring"`
	OutsideNum *string    `json:"outside_e164" nullable:"true" example:"+905321234567" doc:"Number to call when the device is outside"`
	HasPhone   bool       `json:"has_phone" doc:"Whether credentials were created for a phone; see POST /phone"`
	Registered bool       `json:"registered" doc:"Whether a phone is signed in now"`
	InCall     bool       `json:"in_call" doc:"Whether the agent is in a call (also with a colleague) or their phone is ringing for one"`
	CreatedAt  clock.Time `json:"created_at"`

	// Username is what the agent's phone signs in with; "" if they have no phone.
	Username string `json:"-"`
	// RungAt is when the team's calls last rang first at this phone.
	RungAt clock.Time `json:"-"`
	// BusyUntil is the end of the pause after a call, during which the team's calls do not
	// ring here.
	BusyUntil clock.Time `json:"-"`
}

// Busy is what an agent's phone is doing.
type Busy int

// The values of Busy.
const (
	Free Busy = iota
	Rings
	Talks
)

// Credentials are what a phone signs in with.
type Credentials struct {
	Extension  string   `json:"extension" example:"101"`
	Username   string   `json:"username" example:"p3f1f6f0a2b4c"`
	Password   string   `json:"password" example:"sip_…" doc:"Shown only once"`
	Realm      string   `json:"realm" example:"konak"`
	Server     string   `json:"server" example:"sip.example.com:5060" doc:"Server the phone signs in to"`
	Transports []string `json:"transports" nullable:"false" example:"udp"`
}

// The first and the last extension that are assigned automatically.
const (
	firstExtension = 100
	lastExtension  = 9999
)

// freeExtension returns the smallest free extension; "" if all are taken.
func freeExtension(taken map[string]bool) string {
	for n := firstExtension; n <= lastExtension; n++ {
		if text := strconv.Itoa(n); !taken[text] && !address.IsEmergency(text) {
			return text
		}
	}
	return ""
}

// hashPassword returns HA1 of RFC 2617, which SIP requires.
func hashPassword(username, realm, password string) string {
	sum := md5.Sum([]byte(username + ":" + realm + ":" + password)) //nolint:gosec // the protocol knows no other
	return hex.EncodeToString(sum[:])
}
