package finder

import (
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/db"
)

// recentTexts caches the texts of the conversations that changed last, so that an event
// costs only what is new in its conversation. It is used by one refresh at a time.
type recentTexts struct {
	of    map[uuid.UUID]*recentText
	bytes int
}

type recentText struct {
	text  string // the newest first, of about mostBytes
	items map[uuid.UUID]struct{}
}

const (
	// recentBytes is the size of a workspace's recentTexts at which they are cleared.
	recentBytes = 1 << 20
	// newestTexts is the number of a conversation's texts that are checked for new ones.
	newestTexts = 20
)

// textChange is what events do to the texts of a conversation.
type textChange int

const (
	sameTexts textChange = iota // none was written or changed
	newTexts                    // some were written
	allTexts                    // any may have changed
)

// textChangeOf returns what an event of a type does to the texts of its conversation.
func textChangeOf(name string) textChange {
	switch name {
	case conversation.ClosedEvent, conversation.SnoozedEvent, conversation.Opened, conversation.Assigned, conversation.Tagged,
		conversation.Updated, conversation.Rated, conversation.DeliveryFailed, conversation.ScheduleChanged, conversation.Annotated:
		return sameTexts
	case conversation.Replied, conversation.Noted:
		return newTexts
	}
	if strings.HasPrefix(name, "contact.") {
		return sameTexts
	}
	return allTexts
}

// read returns the texts of conversations. It reads all texts of those that are not cached
// or may have changed throughout, and of the others only what is new.
func (t *recentTexts) read(r *db.Reader, ids []uuid.UUID, changes map[uuid.UUID]textChange) (map[uuid.UUID]string, error) {
	var whole, some []uuid.UUID
	for _, id := range ids {
		switch change, ok := changes[id]; {
		case t.of[id] == nil || ok && change == allTexts:
			whole = append(whole, id)
		case change == newTexts:
			some = append(some, id)
		}
	}
	latest, err := conversation.Texts(r, some, newestTexts)
	if err != nil {
		return nil, err
	}
	whole = append(whole, t.add(latest)...)
	all, err := conversation.Texts(r, whole, mostTexts)
	if err != nil {
		return nil, err
	}
	t.replace(whole, all)
	out := make(map[uuid.UUID]string, len(ids))
	for _, id := range ids {
		out[id] = t.of[id].text
	}
	if t.bytes > recentBytes {
		t.of, t.bytes = nil, 0
	}
	return out, nil
}

// add puts new texts, the newest of each conversation first, before the cached ones. It
// returns the conversations of which no newest text is cached: what lies between must be
// read too.
func (t *recentTexts) add(latest []conversation.Text) (unknown []uuid.UUID) {
	fresh, known := map[uuid.UUID][]conversation.Text{}, map[uuid.UUID]bool{}
	for _, text := range latest {
		if _, ok := t.of[text.ConversationID].items[text.ItemID]; ok {
			known[text.ConversationID] = true
		} else {
			fresh[text.ConversationID] = append(fresh[text.ConversationID], text)
		}
	}
	for id, list := range fresh {
		if !known[id] {
			unknown = append(unknown, id)
			continue
		}
		entry := t.of[id]
		var b strings.Builder
		for _, text := range list {
			entry.items[text.ItemID] = struct{}{}
			b.WriteString(text.Body + "\n")
		}
		t.set(entry, b.String()+entry.text)
	}
	return unknown
}

// replace caches the texts of conversations that were read whole.
func (t *recentTexts) replace(ids []uuid.UUID, all []conversation.Text) {
	if t.of == nil {
		t.of = map[uuid.UUID]*recentText{}
	}
	said := join(all)
	for _, id := range ids {
		if old := t.of[id]; old != nil {
			t.bytes -= old.bytes()
		}
		entry := &recentText{text: said[id], items: map[uuid.UUID]struct{}{}}
		t.of[id] = entry
		for _, text := range all {
			if text.ConversationID == id {
				entry.items[text.ItemID] = struct{}{}
			}
		}
		t.bytes += entry.bytes()
	}
}

// set replaces the text of an entry, keeping at most mostBytes.
func (t *recentTexts) set(entry *recentText, text string) {
	t.bytes -= len(entry.text)
	if len(text) > mostBytes {
		text = strings.ToValidUTF8(text[:mostBytes], "")
	}
	entry.text = text
	t.bytes += len(text)
}

func (e *recentText) bytes() int { return len(e.text) + 32*len(e.items) }

// join concatenates the texts of each conversation, up to about mostBytes.
func join(texts []conversation.Text) map[uuid.UUID]string {
	said := map[uuid.UUID]*strings.Builder{}
	for _, t := range texts {
		b := said[t.ConversationID]
		if b == nil {
			b = &strings.Builder{}
			said[t.ConversationID] = b
		}
		if b.Len() < mostBytes {
			b.WriteString(t.Body)
			b.WriteByte('\n')
		}
	}
	out := make(map[uuid.UUID]string, len(said))
	for id, b := range said {
		out[id] = b.String()
	}
	return out
}
