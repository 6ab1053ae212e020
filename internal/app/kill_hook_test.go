package app_test

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// hookKills is how often TestKillSender ends the server.
var hookKills = stormOr(4, 30)

const (
	// hookRound is the number of replies per kill. A kill repeats at most 6 deliveries at
	// an endpoint, and one more for every 200 that were marked: at this rate less than the
	// share below, whenever the kills happen.
	hookRound = 1250
	// mostRepeatedShare is the largest share of an endpoint's deliveries that may be
	// repetitions.
	mostRepeatedShare = 0.01
	// mostAhead is how far customers may get ahead of the deliveries.
	mostAhead = 1000

	// pairKills is how often one of two nodes is killed and restarted.
	pairKills = 4
	pairLease = 4 * time.Second
)

// A server that is killed again and again while customers write loses no reply that it
// acknowledged: each arrives at every endpoint, in the order of its conversation if strict
// order is on, and less than one delivery in a hundred is a repetition.
func TestKillSender(t *testing.T) {
	t.Parallel()
	onBoth(t, ownPostgres, func(k *trial) { (&hookTrial{trial: k, nodes: make([]node, 1)}).killedAlone() })
}

// Two nodes share a database, customers write to both, and one is killed again and again,
// at last for good: nothing is lost, the order is kept, and what a dead node held continues
// when its lease ends, or with its successor.
func TestKillOneOfTwo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the server several times")
	}
	k := &hookTrial{trial: ownPostgres(t), nodes: make([]node, 2)}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		t.Fatal(err)
	}
	k.args = append(k.args, "--master-key="+base64.StdEncoding.EncodeToString(key), "--webhook-lease="+pairLease.String())
	k.killedInPairs()
}

// hookTrial is a trial of webhooks: two endpoints, and customers who write.
type hookTrial struct {
	*trial
	inOrder *receiver // of the endpoint that asked for it; the other is hook
	talks   [writers]talk
	nodes   []node
	rounds  int
	enough  chan struct{} // closed when the customers may stop
	wg      sync.WaitGroup
}

// talk is a conversation in which one customer writes.
type talk struct {
	id   string
	said int // acknowledged
}

// node is a place where a server runs.
type node struct {
	data   string
	claim  uuid.UUID // what it holds lanes with
	server *process
	client *client // nil while nobody is there
}

func (k *hookTrial) killedAlone() {
	k.runNode(0, k.data)
	d := k.open()
	k.begin(d)
	for range hookKills {
		k.round()
		k.killNode(d, 0)
		k.runNode(0, k.data)
	}
	k.end(d)
}

func (k *hookTrial) killedInPairs() {
	k.runNode(0, k.data)
	k.runNode(1, k.anotherFolder())
	d := k.open()
	k.begin(d)
	// A successor on the same folder knows that the dead node is gone. On another folder
	// nobody knows, and only the end of the lease frees what it held. Both are tried until
	// there was something to free.
	inherited, expired := 0, 0
	for i := 0; i < pairKills || inherited == 0 || expired == 0; i++ {
		k.round()
		victim := k.rand.IntN(len(k.nodes))
		if i%2 == 1 {
			victim = k.holder(d)
		}
		dead := k.killNode(d, victim)
		if inherited <= expired {
			k.runNode(victim, dead.data)
			k.takenOver(d, dead, "its successor")
			inherited += len(dead.leases)
		} else {
			k.runNode(victim, k.anotherFolder())
			k.takenOver(d, dead, "the end of its lease")
			expired += len(dead.leases)
		}
	}
	k.round()
	k.takenOver(d, k.killNode(d, k.holder(d)), "the end of its lease")
	k.end(d)
}

// runNode starts a server on a data folder.
func (k *hookTrial) runNode(i int, data string) {
	k.t.Helper()
	n := node{data: data, server: k.startOn(data)}
	before := k.nodes[i].claim
	k.until("the server to say what it claims with", func() bool {
		b, err := os.ReadFile(filepath.Join(data, "node"))
		if err != nil {
			return false
		}
		n.claim, err = uuid.Parse(strings.TrimSpace(string(b)))
		return err == nil && n.claim != before
	})
	n.client = newClient(n.server.url, k.token)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.nodes[i] = n
}

// anotherFolder creates the data folder of another node, which shares the files.
func (k *hookTrial) anotherFolder() string {
	k.t.Helper()
	dir := k.t.TempDir()
	k.must(os.Symlink(filepath.Join(k.data, "files"), filepath.Join(dir, "files")))
	return dir
}

// deadNode is a killed node and the leases that it left.
type deadNode struct {
	node
	leases []clock.Time
	ago    func() time.Duration
}

// killNode kills a server. None of its leases ends later than if it had been taken in the
// server's last moment.
func (k *hookTrial) killNode(d *db.DB, i int) deadNode {
	k.t.Helper()
	k.must(k.nodes[i].server.kill())
	at := clock.System{}.Now()
	k.mu.Lock()
	n := deadNode{node: k.nodes[i], ago: clock.Stopwatch()}
	k.nodes[i].client = nil
	k.mu.Unlock()
	n.client.http.CloseIdleConnections()
	n.leases = k.leases(d, n.claim)
	for _, end := range n.leases {
		if len(k.nodes) > 1 && end.After(at.Add(pairLease)) {
			k.t.Errorf("a dead node holds an endpoint until %s after its death", end.Sub(at))
		}
	}
	return n
}

// leases returns until when endpoints are claimed by a node.
func (k *hookTrial) leases(d *db.DB, claim uuid.UUID) (ends []clock.Time) {
	k.must(d.System("test").Read(k.ctx, func(r *db.Reader) (err error) {
		ends, err = db.All(r, db.Scalar[clock.Time], `SELECT run_at FROM webhook_lane WHERE claim_id = $1`, claim)
		return err
	}))
	return ends
}

// holder finds a node that currently holds an endpoint.
func (k *hookTrial) holder(d *db.DB) (i int) {
	k.t.Helper()
	k.until("a node to hold an endpoint", func() bool {
		i = slices.IndexFunc(k.nodes, func(n node) bool { return len(k.leases(d, n.claim)) > 0 })
		return i >= 0
	})
	return i
}

// takenOver waits until the living nodes have taken what a dead node held.
func (k *hookTrial) takenOver(d *db.DB, n deadNode, by string) {
	k.t.Helper()
	k.until("the endpoints of a dead node to be taken over", func() bool { return len(k.leases(d, n.claim)) == 0 })
	k.t.Logf("%d endpoints of a dead node were free by %s within %.1f s", len(n.leases), by, n.ago().Seconds())
}

// begin registers the endpoints, opens the conversations and lets the customers write, once
// the demo's own events are out of the way.
func (k *hookTrial) begin(d *db.DB) {
	k.settle(d)
	p := k.nodes[0].server
	k.signIn(p)
	for i := range k.nodes {
		k.nodes[i].client.token = k.token
	}
	k.inOrder = newReceiver()
	k.subscribe(p, k.hook, map[string]any{"events": []string{conversation.Replied}})
	k.subscribe(p, k.inOrder, map[string]any{"events": []string{conversation.Replied}, "strict_order": true})
	k.enough = make(chan struct{})
	const crm = "/api/crm/v1"
	c := k.nodes[0].client
	for i := range k.talks {
		customer, err := c.post(k.ctx, crm+"/contacts", "", map[string]any{"name": fmt.Sprintf("Müşteri %d", i)})
		k.must(err)
		opened, err := c.post(k.ctx, crm+"/conversations", "",
			map[string]any{"contact_id": customer.Data.ID, "subject": "Teslimat", "body": "Ne zaman?"})
		k.must(err)
		if k.talks[i].id = opened.Data.ID; opened.Status != http.StatusCreated {
			k.t.Fatalf("opening a conversation: %+v, %+v", customer, opened)
		}
	}
	k.t.Cleanup(k.wg.Wait)
	for i := range k.talks {
		k.wg.Go(func() { k.converse(i) })
	}
}

// converse writes numbered replies. An unanswered one is sent again, with the same number
// and key, to whichever node is up.
func (k *hookTrial) converse(i int) {
	id := k.talks[i].id
	for n := 1; k.ctx.Err() == nil; {
		c := k.nextClient(i + n)
		if c == nil || k.said()-k.arrived() >= mostAhead {
			k.rest()
			continue
		}
		r, err := c.post(k.ctx, "/api/crm/v1/conversations/"+id+"/reply-as-customer",
			fmt.Sprintf("%s-%d", id, n), map[string]any{"body": line(n)})
		switch {
		case err != nil || r.Status >= 500 || r.Status == http.StatusTooManyRequests:
			k.rest()
		case r.Status == http.StatusOK || r.Error.Code == "idempotency_replay":
			k.mu.Lock()
			k.talks[i].said = n
			k.mu.Unlock()
			select {
			case <-k.enough:
				return
			default:
				n++
			}
		default:
			k.t.Errorf("reply %d was answered %+v", n, r)
			return
		}
	}
}

// rest waits a moment before something is tried again.
func (k *hookTrial) rest() {
	select {
	case <-k.ctx.Done():
	case <-time.After(5 * time.Millisecond):
	}
}

// line returns the text of a customer's nth reply.
func line(n int) string { return fmt.Sprintf("reply %d", n) }

// nextClient returns the node that gets a reply: each in turn, or the next one while that
// is down.
func (k *hookTrial) nextClient(i int) *client {
	k.mu.Lock()
	defer k.mu.Unlock()
	for j := range k.nodes {
		if c := k.nodes[(i+j)%len(k.nodes)].client; c != nil {
			return c
		}
	}
	return nil
}

// arrived returns the number of replies that have reached both endpoints.
func (k *hookTrial) arrived() int {
	one, oneAgain := k.hook.repeated()
	two, twoAgain := k.inOrder.repeated()
	return min(one-oneAgain, two-twoAgain)
}

// said returns the number of acknowledged replies.
func (k *hookTrial) said() (n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range k.talks {
		n += t.said
	}
	return n
}

// round waits for a random point in the next hookRound replies.
func (k *hookTrial) round() {
	k.t.Helper()
	k.arrive(k.rounds*hookRound + k.rand.IntN(hookRound))
	k.rounds++
}

func (k *hookTrial) arrive(n int) {
	k.t.Helper()
	k.until("replies to arrive", func() bool { return k.arrived() >= n })
}

// end lets the customers finish, waits for the rest and checks what arrived.
func (k *hookTrial) end(d *db.DB) {
	k.t.Helper()
	k.arrive(k.rounds * hookRound)
	close(k.enough)
	k.wg.Wait()
	said := k.said()
	k.arrive(said)
	k.settle(d)
	for i := range k.nodes {
		if k.nodes[i].client != nil {
			k.must(k.nodes[i].server.stop())
		}
	}
	for name, r := range map[string]*receiver{"the ordinary endpoint": k.hook, "the endpoint in strict order": k.inOrder} {
		for _, t := range k.talks {
			want := make([]string, t.said)
			for i := range want {
				want[i] = line(i + 1)
			}
			got := r.objects[t.id]
			if r != k.inOrder { // it promises that all come, in any order
				slices.Sort(want)
				slices.Sort(got)
			}
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || got[i] != want[i] {
					k.t.Errorf("%s got %d of %d replies in %s, and not as expected from %d on: %q instead of %q", name,
						len(got), len(want), t.id, i, got[i:min(i+5, len(got))], want[i:min(i+5, len(want))])
					break
				}
			}
		}
		for _, fault := range r.faults {
			k.t.Errorf("%s: %s", name, fault)
		}
		all, again := r.repeated()
		if float64(again) >= mostRepeatedShare*float64(all) {
			k.t.Errorf("%s: %d of %d deliveries were repetitions, not less than %.0f %%", name, again, all, 100*mostRepeatedShare)
		}
		k.t.Logf("%s: %d replies, %d deliveries, %d repetitions at %d kills (%.2f %%)", name, said, all, again, k.rounds, 100*float64(again)/float64(all))
	}
}
