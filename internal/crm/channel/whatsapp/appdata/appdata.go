// Package appdata holds what was in the app on the phone before its number was connected:
// message history and address book. It splits them into parts, each of which is the work of
// one job, and limits what is taken from one call of the provider.
package appdata

import (
	"slices"
	"time"

	"konak/internal/crm/channel/transport"
)

// History is the message history of the app.
type History struct {
	// Declined is set if the owner does not share it.
	Declined bool
	Threads  []Thread
}

// Thread is the history with one customer, who is identified by their number.
type Thread struct {
	Customer string    `json:"customer"`
	Messages []Message `json:"messages"`
}

// Message is a message of the history.
type Message struct {
	ID   string    `json:"id"`
	At   time.Time `json:"at"`
	Text string    `json:"text"`
	// Media is set if it was a file. The provider hands over files of the last two weeks:
	// then File tells where the file is stored, which may arrive later than the message.
	Media   bool                  `json:"media,omitempty"`
	File    *transport.RemoteFile `json:"file,omitempty"`
	OfOwner bool                  `json:"of_owner,omitempty"`
}

// Contact is an entry of the address book.
type Contact struct {
	Customer string `json:"customer"` // the number
	Name     string `json:"name"`
}

const (
	// reach is how far back the provider's history goes.
	reach = 180 * 24 * time.Hour
	// partSize is the maximum number of messages or contacts in a part, and mostTaken the
	// maximum taken from one call.
	partSize  = 100
	mostTaken = 20_000
)

// PartsOfHistory splits threads into parts, and reports whether there is more than is
// taken; of the thread that reaches the limit, the newest messages are taken.
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

// recent returns the messages that are not too old, oldest first.
func recent(list []Message, now time.Time) []Message {
	out := slices.DeleteFunc(slices.Clone(list), func(m Message) bool { return m.At.Before(now.Add(-reach)) || m.At.After(now) })
	slices.SortStableFunc(out, func(a, b Message) int { return a.At.Compare(b.At) })
	return out
}

// PartsOfContacts splits an address book into parts, and reports whether there is more than
// is taken.
func PartsOfContacts(list []Contact) (parts [][]Contact, more bool) {
	taken := list[:min(len(list), mostTaken)]
	return slices.Collect(slices.Chunk(taken, partSize)), len(taken) < len(list)
}
