// Package appdata is what the app on the phone had before its number was connected: what was
// written in it and its address book. It divides them into parts, each of which is the work
// of one job, and bounds what is taken of one call of the provider.
package appdata

import (
	"slices"
	"time"

	"konak/internal/crm/channel/transport"
)

// History is what was written in the app.
type History struct {
	// Declined says that the owner does not share it.
	Declined bool
	Threads  []Thread
}

// Thread is what was written with one customer, whose number it names.
type Thread struct {
	Customer string    `json:"customer"`
	Messages []Message `json:"messages"`
}

// Message is a message of the past.
type Message struct {
	ID   string    `json:"id"`
	At   time.Time `json:"at"`
	Text string    `json:"text"`
	// Media says that it was a file. The provider hands over those of two weeks: then File
	// is where it lies, be it told of later than of the message.
	Media   bool                  `json:"media,omitempty"`
	File    *transport.RemoteFile `json:"file,omitempty"`
	OfOwner bool                  `json:"of_owner,omitempty"`
}

// Contact is somebody in the address book.
type Contact struct {
	Customer string `json:"customer"` // the number
	Name     string `json:"name"`
}

const (
	// reach is how far back the provider's history goes.
	reach = 180 * 24 * time.Hour
	// partSize is how many messages or contacts a part has at most, and mostTaken how many
	// of one call are taken.
	partSize  = 100
	mostTaken = 20_000
)

// PartsOfHistory divides threads into parts, and says whether there is more than is taken:
// then the newest of a thread are.
func PartsOfHistory(threads []Thread, now time.Time) (parts []Thread, more bool) {
	left := mostTaken
	for _, t := range threads {
		list := recent(t.Messages, now)
		if len(list) > left {
			list, more = list[len(list)-left:], true
		}
		left -= len(list)
		for part := range slices.Chunk(list, partSize) {
			parts = append(parts, Thread{t.Customer, part})
		}
	}
	return parts, more
}

// recent gives the messages that are not too old, the oldest first.
func recent(list []Message, now time.Time) []Message {
	out := slices.DeleteFunc(slices.Clone(list), func(m Message) bool { return m.At.Before(now.Add(-reach)) || m.At.After(now) })
	slices.SortStableFunc(out, func(a, b Message) int { return a.At.Compare(b.At) })
	return out
}

// PartsOfContacts divides an address book into parts, and says whether there is more than is
// taken.
func PartsOfContacts(list []Contact) (parts [][]Contact, more bool) {
	taken := list[:min(len(list), mostTaken)]
	return slices.Collect(slices.Chunk(taken, partSize)), len(taken) < len(list)
}
