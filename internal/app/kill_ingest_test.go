package app_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"konak/internal/kit/db"
)

// ingestKills is how often TestKillIngest kills the server.
var ingestKills = stormOr(2, 8)

// ingestRound is the minimum number of messages accepted on each route between two kills.
const ingestRound = 10

// What a customer wrote and the server accepted is stored once after kill -9 at any moment,
// on every route: a message of a custom channel, one of live chat, a form.
func TestKillIngest(t *testing.T) {
	t.Parallel()
	onBoth(t, sharedPostgres, (*trial).runIngest)
}

// inlet is one way in: what is posted to which route, and how the record is found.
type inlet struct {
	path string
	// token returns the credential for the nth message: one visitor may not write much.
	token func(n int) string
	head  http.Header
	body  func(id string) map[string]any
	count string // how often a message is there

	mu       sync.Mutex
	pending  string
	made     int
	accepted []string
}

func (k *trial) runIngest() {
	p := k.start()
	inlets := k.inlets(p)
	d := k.open()
	for range ingestKills {
		ctx, cancel := context.WithCancel(k.ctx)
		var wg sync.WaitGroup
		goals := make([]int, len(inlets))
		for i, in := range inlets {
			goals[i] = in.done() + ingestRound
			wg.Go(func() { k.pour(ctx, p.url, in) })
		}
		for i, in := range inlets {
			k.until("messages to be accepted", func() bool { return in.done() >= goals[i] })
		}
		select {
		case <-time.After(time.Duration(k.rand.Int64N(int64(10 * time.Millisecond)))):
		case <-ctx.Done():
		}
		k.must(p.kill())
		cancel()
		wg.Wait()
		p = k.start()
	}
	k.must(p.stop())
	for _, in := range inlets {
		for _, id := range in.accepted {
			var n int
			k.must(d.System("test").Read(k.ctx, func(r *db.Reader) (err error) {
				n, err = db.One(r, db.Scalar[int], in.count, id)
				return err
			}))
			if n != 1 {
				k.t.Errorf("%s: %s was accepted and is there %d times", in.path, id, n)
			}
		}
		k.t.Logf("%s: %d accepted", in.path, len(in.accepted))
	}
}

func (in *inlet) done() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.accepted)
}

// pour posts until ctx ends. An unanswered message is posted again with its id.
func (k *trial) pour(ctx context.Context, url string, in *inlet) {
	c := newClient(url, "")
	c.head = in.head
	defer c.http.CloseIdleConnections()
	for ctx.Err() == nil {
		if in.pending == "" {
			in.made++
			in.pending = fmt.Sprintf("k%d", in.made)
		}
		c.token = in.token(in.made)
		r, err := c.post(ctx, in.path, "", in.body(in.pending))
		switch {
		case err != nil || r.Status >= 500 || r.Status == http.StatusTooManyRequests:
			select {
			case <-ctx.Done():
			case <-time.After(5 * time.Millisecond):
			}
		case r.Status == http.StatusOK:
			in.mu.Lock()
			in.accepted = append(in.accepted, in.pending)
			in.pending = ""
			in.mu.Unlock()
			select { // within the limits of one caller
			case <-ctx.Done():
			case <-time.After(10 * time.Millisecond):
			}
		default:
			k.t.Errorf("%s was answered %+v", in.path, r)
			return
		}
	}
}

// inlets signs in and opens every way in.
func (k *trial) inlets(p *process) []*inlet {
	k.t.Helper()
	k.signIn(p)
	owner := newClient(p.url, k.token)
	key, err := owner.post(k.ctx, "/api/v1/auth/api-keys", "",
		map[string]any{"name": "kill", "environment": "live", "scopes": []string{"channels.write"}})
	k.must(err)
	custom, err := owner.post(k.ctx, "/api/crm/v1/channels/custom", "", map[string]any{"name": "kill", "address": "https://kill.example/in"})
	k.must(err)
	text := map[string]any{"title": "", "greeting": "", "away": ""}
	chat, err := owner.post(k.ctx, "/api/crm/v1/channels/widget", "", map[string]any{"name": "kill", "look": map[string]any{
		"color": "#112233", "position": "right", "language": "tr", "tr": text, "en": text, "origins": []string{"https://kill.example"},
		"prechat": map[string]any{"enabled": false, "name_required": false, "email_required": false, "phone": false},
	}})
	k.must(err)
	page := http.Header{"Origin": {"https://kill.example"}}
	visitor := newClient(p.url, "")
	visitor.head = page
	widget := "/api/crm/widget/v1/" + chat.Data.Settings.Key
	visitors := make([]string, 16)
	for i := range visitors {
		session, err := visitor.post(k.ctx, widget+"/session", "", map[string]any{})
		k.must(err)
		if visitors[i] = session.Data.VisitorToken; visitors[i] == "" || key.Data.Key == "" || custom.Data.ID == "" {
			k.t.Fatalf("the ways in could not be opened: %+v, %+v, %+v, %+v", key, custom, chat, session)
		}
	}
	ofKey := func(int) string { return key.Data.Key }
	base := "/api/crm/public/v1/channels/custom/" + custom.Data.ID
	return []*inlet{
		{
			path: base + "/messages", token: ofKey,
			body: func(id string) map[string]any {
				return map[string]any{"contact": map[string]any{"external_id": "u" + id[len(id)-1:]}, "body": "c-" + id, "message_id": id}
			},
			count: `SELECT count(*) FROM conversation_item WHERE body = 'c-' || $1`,
		},
		{
			path: base + "/submissions", token: ofKey,
			body: func(id string) map[string]any {
				return map[string]any{"form": "f-" + id, "submission_id": id, "contact": map[string]any{"email": id + "@kill.example"}}
			},
			count: `SELECT count(*) FROM form_submission WHERE form = 'f-' || $1`,
		},
		{
			path: widget + "/messages", token: func(n int) string { return visitors[n%len(visitors)] }, head: page,
			body:  func(id string) map[string]any { return map[string]any{"body": "w-" + id, "message_id": id} },
			count: `SELECT count(*) FROM conversation_item WHERE body = 'w-' || $1`,
		},
	}
}
