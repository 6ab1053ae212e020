package finder

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/search"
)

// workspaceIndexes holds the indexes of one workspace.
type workspaceIndexes struct {
	tenant uuid.UUID
	ready  chan struct{} // closed once there is a state, or failed
	failed error
	used   atomic.Int64 // when somebody last searched, in microseconds

	mu    sync.Mutex // one change at a time
	state atomic.Pointer[state]
	saved int64 // the revision that the files have
	// recent holds the texts that refreshes need again; refreshed is when the last
	// background refresh was.
	recent    recentTexts
	refreshed time.Time
}

// state is both indexes up to the same event. The indexes go on changing by Apply; a state
// is always consistent.
type state struct {
	index    [kindCount]*search.Index
	built    [kindCount]int // documents when it was built
	revision int64
}

func (w *workspaceIndexes) bytes() int {
	n := 4 << 10
	if st := w.state.Load(); st != nil {
		for _, x := range st.index {
			n += x.Snapshot().Bytes()
		}
	}
	return n
}

// unsaved returns the number of events that the files are behind.
func (w *workspaceIndexes) unsaved() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state.Load().revision - w.saved
}

const (
	// page is the number of records or events that are read at a time, textPage the number
	// of conversations with all their texts.
	page     = 500
	textPage = 50
	// tooFar is the number of events behind at which an index is rebuilt instead.
	tooFar = 50_000
	// mostFollowed is the maximum number of conversations that are updated when their
	// customer changes.
	mostFollowed = 1000
)

// build builds both indexes from the database. Each page is a separate read, so that a
// large workspace holds no transaction open for long; whatever changes meanwhile has an
// event after the revision and is read again.
func build(ctx context.Context, h db.Handle) (*state, error) {
	revision, err := db.Read(ctx, h, event.Last)
	if err != nil {
		return nil, err
	}
	st := &state{revision: revision}
	for k := range kinds {
		var docs []search.Document
		last, failed := &uuid.Nil, error(nil)
		next := func() (search.Document, bool) {
			for len(docs) == 0 && last != nil && failed == nil {
				failed = h.Read(ctx, func(r *db.Reader) (err error) {
					docs, last, err = kinds[k].after(r, *last, page)
					return err
				})
			}
			if len(docs) == 0 || failed != nil {
				return search.Document{}, false
			}
			d := docs[0]
			docs = docs[1:]
			return d, true
		}
		x, err := search.Build(kinds[k].schema, st.revision, next)
		if failed != nil {
			err = failed
		}
		if err != nil {
			return nil, err
		}
		st.index[k], st.built[k] = x, x.Snapshot().Len()
	}
	return st, nil
}

// refresh applies the events since the last refresh to the indexes. It reads at most the
// given number of pages of events, and returns any read error.
func (w *workspaceIndexes) refresh(ctx context.Context, h db.Handle, pages int) error {
	if last, err := db.Read(ctx, h, event.Last); err != nil || last == w.state.Load().revision {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	last, err := db.Read(ctx, h, event.Last)
	if err != nil {
		return err
	}
	for st := w.state.Load(); st.revision != last && pages > 0; st = w.state.Load() {
		pages--
		var events []event.Event
		if st.revision < last && last-st.revision < tooFar {
			err := h.Read(ctx, func(r *db.Reader) (err error) { events, err = event.After(r, st.revision, page); return err })
			if err != nil {
				return err
			}
		}
		// Rebuild if events are missing, the database was restored, or the index has
		// outgrown its statistics.
		if len(events) == 0 || events[0].Sequence != st.revision+1 || st.outgrown() {
			if st, err = build(ctx, h); err != nil {
				return err
			}
			w.state.Store(st)
			w.recent = recentTexts{}
			return nil
		}
		if err := st.take(ctx, h, events, &w.recent); err != nil {
			return err
		}
		next := *st
		next.revision = events[len(events)-1].Sequence
		w.state.Store(&next)
	}
	return nil
}

// outgrown reports whether the index has grown so much since it was built that the lengths
// with which it compares documents are out of date.
func (st *state) outgrown() bool {
	for k, x := range st.index {
		if x.Snapshot().Len() > 4*st.built[k]+100 {
			return true
		}
	}
	return false
}

// take reads the records that events name and puts them into the indexes.
func (st *state) take(ctx context.Context, h db.Handle, events []event.Event, recent *recentTexts) error {
	ids, changes := changedRecords(events)
	revision := events[len(events)-1].Sequence
	for k := range kinds {
		var change search.Change
		err := h.Read(ctx, func(r *db.Reader) error {
			if k == contacts {
				for part := range slices.Chunk(ids[k], page) {
					rows, err := contact.SearchOf(r, part)
					if err != nil {
						return err
					}
					change.Put = append(change.Put, people(rows)...)
				}
				return nil
			}
			more, err := conversation.OfContacts(r, ids[contacts], mostFollowed)
			if err != nil {
				return err
			}
			ids[k] = unique(append(ids[k], more...))
			for part := range slices.Chunk(ids[k], textPage) {
				rows, err := conversation.SearchOf(r, part)
				if err != nil {
					return err
				}
				texts, err := recent.read(r, idsOf(rows), changes)
				if err != nil {
					return err
				}
				docs, err := conversationDocuments(r, rows, texts)
				if err != nil {
					return err
				}
				change.Put = append(change.Put, docs...)
			}
			return nil
		})
		if err != nil {
			return err
		}
		found := make(map[string]bool, len(change.Put))
		for _, d := range change.Put {
			found[d.ID] = true
		}
		for _, id := range ids[k] {
			if text := id.String(); !found[text] {
				change.Delete = append(change.Delete, text)
			}
		}
		if err := st.index[k].Apply(revision, change); err != nil {
			return err
		}
	}
	return nil
}

// changedRecords returns the records that events may have changed, and what each event does
// to texts. An event is only a hint: every field in it that could hold an id is looked up.
func changedRecords(events []event.Event) (ids [kindCount][]uuid.UUID, changes map[uuid.UUID]textChange) {
	changes = map[uuid.UUID]textChange{}
	for _, e := range events {
		var body struct {
			Data struct {
				Object map[string]json.RawMessage `json:"object"`
				Item   map[string]json.RawMessage `json:"item"`
			} `json:"data"`
		}
		if e.Emitted || json.Unmarshal(e.Body(), &body) != nil {
			continue // a customer's own event may contain anything
		}
		k := conversations
		if strings.HasPrefix(e.Type, "contact.") {
			k = contacts
		}
		for _, part := range []map[string]json.RawMessage{body.Data.Object, body.Data.Item} {
			for name, raw := range part {
				if name != "id" && !strings.HasSuffix(name, "_id") || len(raw) != 38 {
					continue
				}
				if id, err := uuid.ParseBytes(raw[1:37]); err == nil {
					ids[k] = append(ids[k], id)
					changes[id] = max(changes[id], textChangeOf(e.Type))
				}
			}
		}
	}
	for k := range ids {
		ids[k] = unique(ids[k])
	}
	return ids, changes
}

func unique(ids []uuid.UUID) []uuid.UUID {
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}
