package apptest

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
)

// How long a service may be silent: as short as is practical while it misbehaves, and
// otherwise longer than a busy machine ever needs.
const (
	shortPatience = 2 * time.Second
	longPatience  = time.Minute
)

// Faults describes how one kind of channel is tested against failures of its provider and
// of the network in between.
type Faults struct {
	// Say lets the customer write a message.
	Say func(text string)
	// Sends reports whether a call hands a message to the provider.
	Sends func(*http.Request) bool
	// Sent returns the texts that the provider accepted since the last call.
	Sent func() []string
	// Busy answers that the account has to wait for BusyFor.
	Busy http.HandlerFunc
	// StatusCounts reports that a successful status counts even if the rest of the answer
	// is missing.
	StatusCounts bool
	// SilentReason is why the account needs attention while its provider is silent.
	SilentReason string
	// SendPicture lets the customer send a picture that the provider stores, and Fetches
	// reports whether a call reads its bytes.
	SendPicture func(content []byte)
	Fetches     func(*http.Request) bool
	// Post posts a customer's message to the server as the provider does, with or without a
	// proof, and returns the status of the answer.
	Post func(m PostedMessage, proved bool) int
	// Unproved is the status that a call without a proof is answered with.
	Unproved int
	// Untimed reports that the provider does not say when a message was written.
	Untimed bool
}

// BusyFor is the pause that Faults.Busy asks for.
const BusyFor = 90 * time.Second

// PostedMessage is a customer's message that a provider posts.
type PostedMessage struct {
	Number int // what its provider's id is made of
	Text   string
	At     time.Time
}

// hangUntilGone does not answer until the caller gives up.
func hangUntilGone(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // so that the end of the connection is noticed
	<-r.Context().Done()
}

// cutInTheMiddle closes the connection in the middle of an answer.
func cutInTheMiddle(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, `{"ok":true,"messages":[{"id":"`)
	panic(http.ErrAbortHandler)
}

// answerWithoutEnd writes as long as the caller reads.
func answerWithoutEnd(w http.ResponseWriter, _ *http.Request) {
	for block := make([]byte, 1<<16); ; {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// BusyGraph is Faults.Busy for Meta's channels.
func BusyGraph(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "90")
	w.WriteHeader(http.StatusTooManyRequests)
	_, _ = io.WriteString(w, `{"error":{"code":4,"message":"(#4) Application request limit reached"}}`)
}

func answerGarbage(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }

func answerBroken(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusInternalServerError)
}

// noAnswer discards an answer.
type noAnswer struct{ header http.Header }

func (n noAnswer) Header() http.Header         { return n.header }
func (n noAnswer) Write(b []byte) (int, error) { return len(b), nil }
func (n noAnswer) WriteHeader(int)             {}

// misbehave answers the selected calls with answer; the service answers all others. If took
// is set, the service first carries the call out.
func (sh *Shop[S]) misbehave(meant func(*http.Request) bool, took bool, answer http.HandlerFunc) {
	sh.impatient.Store(true)
	sh.Answer(func(w http.ResponseWriter, r *http.Request) {
		if !meant(r) {
			sh.Box.ServeHTTP(w, r)
			return
		}
		if took {
			sh.Box.ServeHTTP(noAnswer{http.Header{}}, r)
		}
		answer(w, r)
	})
}

// recoverAfter restores the service and lets time pass until everything that waited was
// tried again.
func (sh *Shop[S]) recoverAfter(d time.Duration) {
	sh.T.Helper()
	sh.Answer(nil)
	for range 3 {
		sh.Later(d)
		sh.Settle()
	}
}

// MeetFaults tests a channel against every fault: while answers are sent, in a pause, for
// hours, and while customers send pictures with that content.
func (sh *Shop[S]) MeetFaults(f Faults, content []byte) {
	sh.T.Helper()
	sh.MeetSendFaults(f)
	sh.MeetPause(f)
	sh.meetOvertaking(f)
	sh.meetLongFault(f)
	sh.meetFileFaults(f, content)
}

// hearCustomer lets the customer write, and returns the conversation.
func (sh *Shop[S]) hearCustomer(f Faults) uuid.UUID {
	sh.T.Helper()
	f.Say("Merhaba")
	in := sh.Only().ID
	f.Sent()
	return in
}

// MeetSendFaults sends answers while the provider fails in every way. None is lost, one
// that the provider accepted before it failed is sent at most once more, and each shows
// that it waits.
func (sh *Shop[S]) MeetSendFaults(f Faults) {
	sh.T.Helper()
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		// accepts reports that the answer begins with a successful status.
		accepts bool
	}{
		{"slow", hangUntilGone, false},
		{"429", f.Busy, false},
		{"500", answerBroken, false},
		{"cut in the middle", cutInTheMiddle, true},
		{"endless answer", answerWithoutEnd, true},
		{"garbage", answerGarbage, true},
	} {
		if !c.accepts || !f.StatusCounts {
			sh.meetSendFault(f, c.name, false, c.answer)
		}
		sh.meetSendFault(f, c.name+" after it took the message", true, c.answer)
	}
}

func (sh *Shop[S]) meetSendFault(f Faults, name string, took bool, answer http.HandlerFunc) {
	sh.T.Helper()
	in := sh.hearCustomer(f)
	sh.misbehave(f.Sends, took, answer)
	item := sh.Reply(in, name)
	sh.Settle()
	if got := DeliveryOf(sh.Item(in, item.ID)); got != conversation.Queued && (!took || got != conversation.Sent) {
		sh.T.Errorf("%s: the message is %s", name, got)
	}
	if a := sh.ReadAccount(sh.Account.ID); strings.HasPrefix(name, "slow") && f.SilentReason != "" && (a.Reason == nil || *a.Reason != f.SilentReason) {
		sh.T.Errorf("%s: the account is %s because of %v", name, a.Status, a.Reason)
	}
	sh.recoverAfter(20 * time.Minute)
	most := 1
	if took {
		most = 2
	}
	if got := f.Sent(); len(got) < 1 || len(got) > most || slices.ContainsFunc(got, func(s string) bool { return s != name }) {
		sh.T.Errorf("%s: the provider took %q", name, got)
	}
	if got := DeliveryOf(sh.Item(in, item.ID)); got != conversation.Sent {
		sh.T.Errorf("%s: in the end the message is %s", name, got)
	}
	if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Active {
		sh.T.Errorf("%s: in the end the account is %s because of %v", name, a.Status, a.Reason)
	}
}

// MeetPause lets the provider ask for a pause: everything of the account waits, in order,
// and no alarm is raised.
func (sh *Shop[S]) MeetPause(f Faults) {
	sh.T.Helper()
	in := sh.hearCustomer(f)
	sh.misbehave(f.Sends, false, f.Busy)
	first := sh.Reply(in, "bir")
	sh.Settle()
	sh.Answer(nil)
	sh.Server.Clock.Advance(time.Millisecond)
	sh.Reply(in, "iki")
	sh.Settle()
	sh.Server.Clock.Advance(BusyFor - time.Second)
	sh.Settle()
	if got := f.Sent(); len(got) > 0 || DeliveryOf(sh.Item(in, first.ID)) != conversation.Queued {
		sh.T.Errorf("in the pause %q went out", got)
	}
	if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Active {
		sh.T.Errorf("a pause alarms people: %+v", a)
	}
	sh.Server.Clock.Advance(2 * time.Second)
	sh.Settle()
	if got := f.Sent(); !slices.Equal(got, []string{"bir", "iki"}) {
		sh.T.Errorf("after the pause %q went out", got)
	}
}

// meetOvertaking lets the provider fail on a message while the next ones are written: they
// arrive in the order in which they were written, and one that never leaves delays the
// others by a quarter of an hour.
func (sh *Shop[S]) meetOvertaking(f Faults) {
	sh.T.Helper()
	in := sh.hearCustomer(f)
	sh.misbehave(f.Sends, false, answerBroken)
	sh.Reply(in, "önce")
	sh.Settle()
	sh.Answer(nil)
	sh.Server.Clock.Advance(1500 * time.Millisecond)
	sh.Reply(in, "sonra")
	sh.Settle()
	if got := f.Sent(); len(got) > 0 {
		sh.T.Errorf("%q overtook what was written before", got)
	}
	sh.recoverAfter(10 * time.Minute)
	if got := f.Sent(); !slices.Equal(got, []string{"önce", "sonra"}) {
		sh.T.Errorf("after a failure the provider took %q", got)
	}
}

// meetLongFault lets the provider fail for hours: the message shows that it failed, with
// the reason, and is sent once somebody retries it.
func (sh *Shop[S]) meetLongFault(f Faults) {
	sh.T.Helper()
	in := sh.hearCustomer(f)
	sh.misbehave(f.Sends, false, answerBroken)
	item := sh.Reply(in, "uzun")
	for range 14 {
		sh.Settle()
		sh.Later(time.Hour)
	}
	sh.Answer(nil)
	if got := sh.Item(in, item.ID); DeliveryOf(got) != conversation.Failed || got.DeliveryError == nil || *got.DeliveryError == "" {
		sh.T.Errorf("after hours the message is %+v", got)
	}
	sh.Owner.Post(Conversations+"/"+in.String()+"/items/"+item.ID.String()+"/retry", nil).Want(200)
	sh.Settle()
	if got := f.Sent(); !slices.Equal(got, []string{"uzun"}) || DeliveryOf(sh.Item(in, item.ID)) != conversation.Sent {
		sh.T.Errorf("tried again, the provider took %q", got)
	}
}

// meetFileFaults lets customers send pictures while the provider serves files badly. A
// temporary fault loses nothing, and a file that never ends is shown as too large.
func (sh *Shop[S]) meetFileFaults(f Faults, content []byte) {
	sh.T.Helper()
	head := func(w http.ResponseWriter, length string) {
		w.Header().Set("Content-Type", "image/png")
		if length != "" {
			w.Header().Set("Content-Length", length)
		}
		_, _ = w.Write(content)
	}
	for _, c := range []struct {
		name    string
		answer  http.HandlerFunc
		blocked string
	}{
		{"slow", hangUntilGone, ""},
		{"silent in the middle", func(w http.ResponseWriter, r *http.Request) {
			head(w, "100000")
			_ = http.NewResponseController(w).Flush()
			hangUntilGone(w, r)
		}, ""},
		{"429", f.Busy, ""},
		{"500", answerBroken, ""},
		{"cut in the middle", func(w http.ResponseWriter, _ *http.Request) {
			head(w, "100000")
			panic(http.ErrAbortHandler)
		}, ""},
		{"huge", func(w http.ResponseWriter, r *http.Request) { head(w, "1099511627776"); answerWithoutEnd(w, r) }, file.BlockedSize},
		{"endless", func(w http.ResponseWriter, r *http.Request) { head(w, ""); answerWithoutEnd(w, r) }, file.BlockedSize},
		{"an endless program", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "MZ\x90\x00")
			answerWithoutEnd(w, r)
		}, file.BlockedType},
	} {
		sh.misbehave(f.Fetches, false, c.answer)
		f.SendPicture(content)
		sh.Settle()
		item := sh.Items(sh.Only().ID)[0]
		if len(item.Attachments) != 1 || item.Attachments[0].Pending != (c.blocked == "") {
			sh.T.Errorf("%s: the message has %+v", c.name, item.Attachments)
			continue
		}
		sh.recoverAfter(20 * time.Minute)
		a := sh.Item(item.ConversationID, item.ID).Attachments[0]
		switch {
		case c.blocked != "":
			if a.Blocked == nil || *a.Blocked != c.blocked {
				sh.T.Errorf("%s: in the end the file is %+v", c.name, a)
			}
		case a.Pending || a.Blocked != nil || a.Size != int64(len(content)):
			sh.T.Errorf("%s: in the end the file is %+v", c.name, a)
		}
	}
}

// MeetPostFaults posts customers' messages twice, in the wrong order and without proof.
func (sh *Shop[S]) MeetPostFaults(f Faults) {
	sh.T.Helper()
	f.Say("Merhaba")
	in, now := sh.Only().ID, sh.Server.Clock.Now().Truncate(time.Second)
	third, second := PostedMessage{1_000_003, "üç", now.Add(3 * time.Second)}, PostedMessage{1_000_002, "iki", now.Add(2 * time.Second)}
	for _, m := range []PostedMessage{third, second, third, second} {
		if got := f.Post(m, true); got != http.StatusOK {
			sh.T.Errorf("%q was answered with %d", m.Text, got)
		}
	}
	if got := f.Post(PostedMessage{1_000_004, "sahte", now}, false); got != f.Unproved {
		sh.T.Errorf("a call without a proof was answered with %d", got)
	}
	items := sh.Items(in)
	for _, m := range []PostedMessage{third, second} {
		found := slices.DeleteFunc(slices.Clone(items), func(i conversation.Item) bool { return i.Body != m.Text })
		if len(found) != 1 {
			sh.T.Errorf("%q is there %d times", m.Text, len(found))
		} else if at := found[0].SentAt; !f.Untimed && (at == nil || !at.Equal(m.At)) {
			sh.T.Errorf("%q was written at %v, want %v", m.Text, at, m.At)
		}
	}
	if len(items) != 3 || sh.Only().ID == uuid.Nil {
		sh.T.Errorf("%d items, want three", len(items))
	}
}
