package call

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

// The events of calls.
const (
	Started       = "call.started"
	AnsweredEvent = "call.answered"
	EndedEvent    = "call.ended"
	MissedEvent   = "call.missed"
	MessageLeft   = "voicemail.received"
)

// Events returns the events that this package announces.
func Events() event.Catalog {
	id := func(end string) uuid.UUID { return uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b" + end) }
	at := clock.At(time.Date(2026, 11, 16, 9, 30, 0, 0, time.UTC))
	agent, contact := id("4d"), id("4e")
	started := Call{
		ID: id("4c"), CDRID: id("4c"), Direction: Inbound, Via: ViaLine, From: "+905321234567", To: "+902125550101", ContactID: &contact,
		State: Screening, StartedAt: at, Legs: []Leg{},
	}
	ringing, ended := clock.At(at.Add(2*time.Second)), clock.At(at.Add(130*time.Second))
	answered := started
	answered.State, answered.AgentID, answered.RingingAt, answered.AnsweredAt = Active, &agent, &ringing, clock.Ptr(at.Add(7*time.Second))
	over := answered
	over.State, over.Disposition, over.EndedBy, over.Cause, over.EndedAt, over.TalkSeconds, over.RingSeconds = Ended, Answered, byCustomer, "normal", &ended, 123, 5
	over.Quality = api.Some(Quality{Received: 12_300, Lost: 3, Jitter: 4})
	missed := started
	missed.State, missed.Disposition, missed.EndedBy, missed.Cause, missed.RingingAt, missed.EndedAt, missed.ToReturn = Ended, Missed, byCustomer, "cancelled", &ringing, &ended, true
	message := missed
	message.Disposition, message.Message.V, message.Recorded, message.RecordingMS = LeftMail, &Message{}, true, 21_000
	list := event.Catalog{}
	for _, t := range []struct {
		name, english, turkish string
		example                Call
	}{
		{Started, "A call started.", "Bir arama başladı.", started},
		{AnsweredEvent, "A call was answered.", "Bir arama yanıtlandı.", answered},
		{EndedEvent, "A call ended.", "Bir arama bitti.", over},
		{MissedEvent, "Nobody answered an incoming call.", "Gelen bir aramayı kimse yanıtlamadı.", missed},
		{MessageLeft, "A caller left a voicemail message.", "Arayan, sesli mesaj bıraktı.", message},
	} {
		list = append(list, event.Type{
			Name: t.name, Module: "crm", Permission: perm.CallsView, Description: t.english, Turkish: t.turkish, Example: t.example,
		})
	}
	return list
}
