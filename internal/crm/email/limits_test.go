package email

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/outbound"
)

// Automatic answers are counted per address, per domain and in total, and the counts are
// deleted after a day.
func TestMayAutoReply(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		tenant := dbtest.Tenant(t, d, "demo")
		account := uuid.UUID{1}
		may := func(account uuid.UUID, limit int64, addrs ...string) (n int) {
			t.Helper()
			err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
				n = 0
				for _, a := range addrs {
					ok, err := mayAutoReply(tx, account, a, limit)
					if err != nil {
						return err
					}
					if ok {
						n++
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		want := func(what string, got, want int) {
			t.Helper()
			if got != want {
				t.Errorf("%s: %d answers, want %d", what, got, want)
			}
		}
		var domain, many, others []string
		for i := range autoRepliesPerDomain + 20 {
			domain = append(domain, fmt.Sprintf("a%d@One.example", i))
			many = append(many, fmt.Sprintf("a@m%d.example", i))
			others = append(others, fmt.Sprintf("a@o%d.example", i))
		}
		want("one person", may(account, 1000, "elif@kaya.example", "Elif@KAYA.example", "elif+1@kaya.example"), 1)
		want("at another mailbox", may(uuid.UUID{2}, 1000, "elif@kaya.example"), 1)
		want("one domain", may(account, 1000, domain...), autoRepliesPerDomain)
		want("in all", may(account, autoRepliesPerDomain+12, many...), 10)
		c.Set(c.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour))
		want("a new day, the same person", may(account, 1000, "elif@kaya.example"), 0)
		want("a new day", may(account, 5, others...), 5)
		c.Advance(24 * time.Hour)
		want("a day later", may(account, 1000, "elif+2@kaya.example"), 1)
		err := d.Tenant(tenant).Read(t.Context(), func(r *db.Reader) error {
			n, err := db.One(r, db.Scalar[int64], `SELECT count(*) FROM email_auto_reply WHERE tenant_id = $1`, r.Tenant())
			if n != 3 {
				t.Errorf("%d rows are kept", n)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// A trial returns the same for a name that does not exist and for one inside the network,
// and names no address.
func TestTrialsRevealNothingInternal(t *testing.T) {
	t.Parallel()
	inside := &net.OpError{Op: "dial", Err: fmt.Errorf("%w: 10.0.0.5 is private", outbound.ErrInside)}
	none := &net.OpError{Op: "dial", Err: &net.DNSError{Name: "db.internal", Server: "10.0.0.53:53", IsNotFound: true}}
	named := &Server{Host: "db.internal", Port: 25}
	if a, b := failedTrial(named, inside), failedTrial(named, none); a != b || a.Class != outbound.ClassDNS {
		t.Errorf("a name inside: %+v; one that does not exist: %+v", a, b)
	}
	if got := failedTrial(&Server{Host: "10.0.0.5", Port: 25}, inside); got.Class != outbound.ClassRefused {
		t.Errorf("an address: %+v", got)
	}
	for _, err := range []error{inside, none, &net.OpError{
		Op: "read", Source: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 9), Port: 40123}, Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 5), Port: 25}, Err: net.ErrClosed,
	}} {
		for what, text := range map[string]string{"trial": failedTrial(named, err).Message, "poll": pollError(err), "message": plainReason(err)} {
			if text == "" || strings.Contains(text, "10.0.0.") || strings.Contains(text, "40123") || strings.Contains(text, "private") {
				t.Errorf("%s: %q", what, text)
			}
		}
	}
}
