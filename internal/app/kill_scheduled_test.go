package app_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// scheduleKills is how often TestKillScheduled kills the server.
var scheduleKills = stormOr(2, 8)

// scheduleRound is the number of messages scheduled between two kills.
const scheduleRound = 24

// An acknowledged scheduled message is sent, and sent once, however often the server is
// killed before, while and after it sends it.
func TestKillScheduled(t *testing.T) {
	t.Parallel()
	onBoth(t, sharedPostgres, (*trial).runScheduled)
}

func (k *trial) runScheduled() {
	p := k.start()
	k.signIn(p)
	d := k.open()
	conversation := k.newConversation(d)
	acknowledged := map[string]string{} // text -> id
	for round := range scheduleKills {
		stop := k.schedule(p, conversation, round, acknowledged)
		before := k.sentCount(d)
		k.until("messages to be sent", func() bool { return k.sentCount(d) > before })
		select {
		case <-time.After(time.Duration(k.rand.Int64N(int64(500 * time.Millisecond)))):
		case <-k.ctx.Done():
		}
		k.must(p.kill())
		stop()
		p = k.start()
	}
	k.until("what is scheduled to be sent", func() bool {
		n := -1
		k.must(d.System("test").Read(k.ctx, func(r *db.Reader) (err error) {
			n, err = db.One(r, db.Scalar[int], `SELECT (SELECT count(*) FROM scheduled_message WHERE state = 'waiting') +
				(SELECT count(*) FROM outbox WHERE sequence IS NULL)`)
			return err
		}))
		return n == 0
	})
	k.must(p.stop())
	k.verifyScheduled(d, acknowledged)
}

// newConversation turns one of the demo's conversations into one that needs no channel.
func (k *trial) newConversation(d *db.DB) (id uuid.UUID) {
	k.must(d.System("test").InTx(k.ctx, func(tx *db.Tx) (err error) {
		id, err = db.One(&tx.Reader, db.Scalar[uuid.UUID], `SELECT c.id FROM conversation c JOIN tenant t ON t.id = c.tenant_id
			WHERE t.slug = 'demo' AND c.deleted_at IS NULL AND c.merged_into_id IS NULL ORDER BY c.id LIMIT 1`)
		if err != nil {
			return err
		}
		return tx.Exec(`UPDATE conversation SET channel = 'api', channel_account_id = NULL, single_thread = false WHERE id = $1`, id)
	}))
	return id
}

// schedule writes messages that become due while the server is being killed.
func (k *trial) schedule(p *process, conversation uuid.UUID, round int, acknowledged map[string]string) (stop func()) {
	ctx, cancel := context.WithCancel(k.ctx)
	c := newClient(p.url, k.token)
	var wg sync.WaitGroup
	for i := range scheduleRound {
		wg.Go(func() {
			text := fmt.Sprintf("scheduled %d-%d", round, i)
			at := clock.At(clock.System{}.Now().Add(time.Duration(1000+25*i) * time.Millisecond))
			r, err := c.post(ctx, "/api/crm/v1/conversations/"+conversation.String()+"/scheduled", text, map[string]any{"body": text, "send_at": at})
			if err != nil || r.Status != http.StatusCreated {
				return // killed, or so late that the time had passed
			}
			k.mu.Lock()
			acknowledged[text] = r.Data.ID
			k.mu.Unlock()
		})
	}
	return func() {
		cancel()
		wg.Wait()
		c.http.CloseIdleConnections()
	}
}

func (k *trial) sentCount(d *db.DB) (n int) {
	k.must(d.System("test").Read(k.ctx, func(r *db.Reader) (err error) {
		n, err = db.One(r, db.Scalar[int], `SELECT count(*) FROM scheduled_message WHERE state = 'sent'`)
		return err
	}))
	return n
}

// verifyScheduled compares what was acknowledged with the timeline and the events.
func (k *trial) verifyScheduled(d *db.DB, acknowledged map[string]string) {
	type sent struct {
		text, state string
		id          uuid.UUID
		items       int
	}
	var rows []sent
	var announced int
	k.must(d.System("test").Read(k.ctx, func(r *db.Reader) (err error) {
		rows, err = db.All(r, func(s db.Row) (v sent, err error) { return v, s.Scan(&v.text, &v.state, &v.id, &v.items) },
			`SELECT m.body, m.state, m.id, (SELECT count(*) FROM conversation_item i
				WHERE i.tenant_id = m.tenant_id AND i.conversation_id = m.conversation_id AND i.body = m.body) FROM scheduled_message m`)
		if err != nil {
			return err
		}
		announced, err = db.One(r, db.Scalar[int], `SELECT count(*) FROM outbox WHERE type = 'conversation.replied' AND payload LIKE '%"scheduled %'`)
		return err
	}))
	seen := map[string]uuid.UUID{}
	for _, v := range rows {
		if seen[v.text] = v.id; v.state != "sent" || v.items != 1 {
			k.t.Errorf("%q is %s and stands %d times in the timeline", v.text, v.state, v.items)
		}
	}
	for text, id := range acknowledged {
		if seen[text].String() != id {
			k.t.Errorf("%q was acknowledged as %s and is %s", text, id, seen[text])
		}
	}
	if announced != len(rows) || len(acknowledged) == 0 {
		k.t.Errorf("%d messages, %d acknowledged, %d announced", len(rows), len(acknowledged), announced)
	}
	k.t.Logf("%d messages over %d kills, %d acknowledged", len(rows), scheduleKills, len(acknowledged))
}
