package mailtest

import (
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
)

// The login for the servers of this package.
const (
	User     = "destek"
	Password = "geheim-1"
)

// IMAP is a running server with one mailbox.
type IMAP struct {
	Port int
	put  func(raw string) error
}

// Put stores a mail in the mailbox.
func (m *IMAP) Put(t testing.TB, raw string) {
	t.Helper()
	if err := m.put(raw); err != nil {
		t.Fatal(err)
	}
}

type literal struct {
	*strings.Reader
	size int64
}

// Size implements imap.LiteralReader.
func (l literal) Size() int64 { return l.size }

// StartIMAP runs go-imap's own server in this process.
func StartIMAP(t testing.TB) *IMAP {
	t.Helper()
	box := imapmemserver.NewUser(User, Password)
	if err := box.Create("INBOX", nil); err != nil {
		t.Fatal(err)
	}
	mem := imapmemserver.New()
	mem.AddUser(box)
	server := imapserver.New(&imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return mem.NewSession(), nil, nil
		},
		Caps: imap.CapSet{imap.CapIMAP4rev1: {}}, InsecureAuth: true,
		Logger: log.New(io.Discard, "", 0),
	})
	ln := listen(t)
	done := make(chan error, 1)
	go func() { done <- server.Serve(ln) }()
	t.Cleanup(func() { _, _ = server.Close(), <-done })
	return &IMAP{Port: port(ln), put: func(raw string) error {
		_, err := box.Append("INBOX", literal{strings.NewReader(raw), int64(len(raw))}, &imap.AppendOptions{})
		return err
	}}
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

func port(ln net.Listener) int { return ln.Addr().(*net.TCPAddr).Port }

// dovecot is a configuration for Dovecot 2.3 that uses a single folder.
const dovecot = `base_dir = %[1]s/run
state_dir = %[1]s/state
log_path = %[1]s/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
default_login_user = %[2]s
default_internal_user = %[3]s
default_internal_group = %[3]s
first_valid_uid = 0
first_valid_gid = 0
mail_location = maildir:%[1]s/mail
passdb {
  driver = static
  args = password=%[4]s
}
userdb {
  driver = static
  args = uid=%[5]s gid=%[6]s home=%[1]s
}
service imap-login {
  chroot =
  inet_listener imap {
    port = %[7]d
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
`

// StartDovecot runs the system's Dovecot in its own folder. The test is skipped if Dovecot
// is not installed or is not version 2.3.
func StartDovecot(t testing.TB) *IMAP {
	t.Helper()
	bin, err := exec.LookPath("dovecot")
	if err != nil {
		t.Skip("Dovecot is not installed (scripts/ensure-mail-servers)")
	}
	if version, err := exec.CommandContext(t.Context(), bin, "--version").Output(); err != nil || !strings.HasPrefix(string(version), "2.3.") {
		t.Skipf("Dovecot %s is configured differently: %v", version, err)
	}
	// t.TempDir would return a path too long for a socket.
	dir, err := os.MkdirTemp("", "dc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for _, d := range []string{"cur", "new", "tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, "mail", d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	login, internal := me.Username, me.Username
	if me.Uid == "0" {
		// These users come with the package: Dovecot refuses to serve mail as root.
		login, internal, me.Uid, me.Gid = "dovenull", "dovecot", "65534", "65534"
		for _, d := range []string{"", "mail", "mail/cur", "mail/new", "mail/tmp"} {
			if err := os.Chown(filepath.Join(dir, d), 65534, 65534); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ln := listen(t)
	m := &IMAP{Port: port(ln)}
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	conf := fmt.Sprintf(dovecot, dir, login, internal, Password, me.Uid, me.Gid, m.Port)
	if err := os.WriteFile(filepath.Join(dir, "conf"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "-F", "-c", filepath.Join(dir, "conf"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Dovecot's children exit with it on an interrupt, not when it is killed.
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait()
		if said, err := os.ReadFile(filepath.Join(dir, "log")); t.Failed() {
			t.Logf("Dovecot says: %s %v", said, err)
		}
	})
	await(t, m.Port)
	n := 0
	m.put = func(raw string) error {
		n++
		return os.WriteFile(filepath.Join(dir, "mail", "new", fmt.Sprintf("%d.x", n)), []byte(raw), 0o644)
	}
	return m
}

// await waits until a server listens on the port.
func await(t testing.TB, port int) {
	t.Helper()
	for tries := 0; ; tries++ {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			_ = conn.Close()
			return
		}
		if tries > 200 {
			t.Fatalf("nobody listens on port %d", port)
		}
		<-time.After(25 * time.Millisecond)
	}
}
