package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"konak/internal/app"
	"konak/internal/kit/blob"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/node"
	"konak/internal/kit/outbound"
	"konak/internal/kit/secret"
	"konak/internal/kit/trace"
	"konak/migrations"
	"konak/web"
)

type doctorCmd struct{ app.Config }

var errUnwell = errors.New("some checks failed")

// Run checks everything that serving needs and says what to do about problems. It leaves
// nothing behind.
func (d *doctorCmd) Run(ctx context.Context, out io.Writer) error {
	c := &checkup{Config: d.Config, now: clock.System{}.Now, freeDisk: node.FreeDisk, lookUp: net.DefaultResolver.LookupHost, lookUpMX: net.DefaultResolver.LookupMX}
	c.openDatabase(ctx)
	defer c.close()
	checks := []struct {
		name string
		run  func(context.Context) (string, error)
	}{
		{"data folder", c.folder},
		{"access", c.modes},
		{"disk", c.disk},
		{"clock", c.clock},
		{"DNS", c.names},
		{"database", c.database},
		{"files", c.files},
		{"backups", c.backups},
		{"settings", c.settings},
		{"master key", c.key},
		{"listen address", c.listen},
		{"private address", c.private},
		{"outgoing mail", c.smtp},
		{"incoming mail", c.mail},
		{"calls", c.calls},
		{"traces", c.traces},
		{"panel", c.panel},
	}
	failed := false
	for _, c := range checks {
		text, err := c.run(ctx)
		mark := "ok  "
		if warned, is := errors.AsType[warning](err); is {
			mark, text = "warn", string(warned)
		} else if err != nil {
			mark, text, failed = "FAIL", err.Error(), true
		}
		_, _ = fmt.Fprintf(out, "%s  %-15s %s\n", mark, c.name, text)
	}
	if failed {
		return errUnwell
	}
	return nil
}

// warning is a problem with which Konak still starts and serves.
type warning string

func (w warning) Error() string { return string(w) }

// checkup is one check of a configuration.
type checkup struct {
	app.Config
	db      *db.DB // nil if it does not exist yet or cannot be opened
	openErr error

	now      func() time.Time
	freeDisk func(folder string) (uint64, error)
	lookUp   func(ctx context.Context, host string) ([]string, error)
	lookUpMX func(ctx context.Context, domain string) ([]*net.MX, error)
}

func (d *checkup) openDatabase(ctx context.Context) {
	if d.openErr = d.CheckEmptied(); d.openErr == nil && d.HasDatabase() {
		d.db, d.openErr = db.Open(ctx, db.Options{URL: d.DatabaseURL(), RowSecurity: d.RowSecurity})
	}
}

func (d *checkup) close() {
	if d.db != nil {
		_ = d.db.Close()
	}
}

// folder tries to write in the data folder, or where it will be created.
func (d *checkup) folder(context.Context) (string, error) {
	info, err := os.Stat(d.Data)
	if errors.Is(err, os.ErrNotExist) {
		parent := filepath.Dir(d.Data)
		probe, err := os.MkdirTemp(parent, ".doctor-*")
		if err != nil {
			return "", fmt.Errorf("%s cannot be created: %w; create %s, or choose another --data", d.Data, err, parent)
		}
		return d.Data + " will be created at the first start", os.Remove(probe)
	}
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder; choose another with --data", d.Data)
	}
	if err := tryWriting(d.Data); err != nil {
		return "", fmt.Errorf("cannot write there: %w", err)
	}
	return d.Data + " is writable", nil
}

// tryWriting writes a file in a folder and removes it.
func tryWriting(folder string) error {
	f, err := os.CreateTemp(folder, ".doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// modes checks whether others on this machine can read Konak's files.
func (d *checkup) modes(context.Context) (string, error) {
	exposed, err := d.Exposed()
	if err != nil {
		return "", err
	}
	if len(exposed) == 0 {
		return "only Konak's own user has access", nil
	}
	e := exposed[0]
	return "", fmt.Errorf("other users on this machine can access %s (%04o); run chmod %o %s, or start Konak, which does this (%d such files and folders)", e.Path, e.Has, e.Want, e.Path, len(exposed))
}

func (d *checkup) database(ctx context.Context) (string, error) {
	if d.db == nil && d.openErr == nil {
		return "embedded, will be created at the first start", nil
	}
	if d.openErr != nil {
		return "", d.openErr
	}
	if err := d.db.CheckRowSecurity(ctx); err != nil {
		return "", err
	}
	pending, err := d.db.Pending(ctx, migrations.Files)
	if err != nil {
		return "", err
	}
	if pending {
		return string(d.db.Dialect()) + ", migrations pending until `konak migrate` or the next start", nil
	}
	return string(d.db.Dialect()) + ", up to date", nil
}

func (d *checkup) files(ctx context.Context) (string, error) {
	where := "in the data folder"
	store, err := blob.New(blob.Config{Folder: d.FilesFolder(), S3URL: d.S3URL})
	if err != nil {
		return "", err
	}
	if d.S3URL != "" {
		where = "in the S3 service of --s3-url, which responds"
		if err := store.Check(ctx); err != nil {
			return "", err
		}
	}
	if d.db == nil {
		return where, nil // the check of the database says why
	}
	if pending, err := d.db.Pending(ctx, migrations.Files); err != nil || pending {
		return where, nil
	}
	// A node that serves the database must not keep its files elsewhere.
	if err := node.CheckStore(ctx, d.db, d.S3URL, d.FilesFolder()); err != nil {
		return "", err
	}
	return where, d.findings(ctx)
}

// strays warns of files that belong to no workspace.
func strays(ctx context.Context, store *blob.Store) error {
	ctx, cancel := context.WithTimeout(ctx, reach)
	defer cancel()
	folders, err := store.Strays(ctx)
	if err != nil {
		return warning(fmt.Sprintf("cannot check for files without a workspace: %v", err))
	}
	if len(folders) == 0 {
		return nil
	}
	return warning(fmt.Sprintf("%s contains files without a workspace (%d such folders): a killed import left them, or they are newer than a restored database; "+
		"repeat the import, or delete the folder", folders[0], len(folders)))
}

// listedFindings is the maximum number of missing or damaged files that are listed.
const listedFindings = 10

// findings returns an error that lists the files that were found missing or
// damaged.
func (d *checkup) findings(ctx context.Context) error {
	store, err := blob.New(blob.Config{DB: d.db, Folder: d.FilesFolder(), S3URL: d.S3URL})
	if err != nil {
		return err
	}
	total, first, err := store.Findings(ctx, listedFindings)
	if err != nil {
		return err
	}
	if total == 0 {
		return strays(ctx, store)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d of them are missing or damaged; restore them from a copy, or upload the same files again", total)
	for _, f := range first {
		fmt.Fprintf(&text, "\n        %s since %s: %s", f.Damage, f.Found.UTC().Format(time.RFC3339), f.Name)
	}
	if more := total - len(first); more > 0 {
		fmt.Fprintf(&text, "\n        and %d more", more)
	}
	return errors.New(text.String())
}

// traces checks whether the collector accepts traces.
func (d *checkup) traces(ctx context.Context) (string, error) {
	if d.Traces.Address == "" {
		return "off", nil
	}
	way := outbound.New(outbound.Options{Operator: true, MaxBody: trace.MaxAnswer})
	if err := trace.Probe(ctx, d.Traces, way); err != nil {
		return "", warning(fmt.Sprintf("the collector of --traces does not accept traces: %v; Konak runs anyway", err))
	}
	return "the collector of --traces accepts traces", nil
}

func (d *checkup) settings(context.Context) (string, error) {
	return "valid", d.Check()
}

// key checks the key that seals secrets, without creating one, and compares it with the
// database.
func (d *checkup) key(ctx context.Context) (string, error) {
	if d.db != nil {
		if err := d.CheckKey(ctx, d.db); err != nil {
			return "", err
		}
	}
	if d.MasterKey != "" {
		return "from --master-key", nil // the check of the settings looks at its form
	}
	path := secret.KeyPath(d.Data)
	_, err := secret.ReadBox(d.Data)
	if errors.Is(err, os.ErrNotExist) {
		return path + " will be created at the first start", nil
	}
	return path + " is readable; keep a copy", err
}

func (d *checkup) listen(ctx context.Context) (string, error) {
	text, err := free(ctx, "--listen", d.Listen)
	if err == nil {
		return text, nil
	}
	switch answer := ask(ctx, "http://"+d.Listen+"/readyz"); {
	case strings.HasPrefix(answer, "ready"):
		return "a server runs at " + d.Listen + " and is ready", nil
	case strings.HasPrefix(answer, "not ready"):
		return "", fmt.Errorf("a server runs at %s and is %s", d.Listen, strings.TrimSpace(answer))
	}
	return "", err
}

func (d *checkup) private(ctx context.Context) (string, error) {
	if !d.HasMetrics() {
		return "off", nil
	}
	text, err := free(ctx, "--private-listen", d.PrivateListen)
	if err != nil && strings.Contains(ask(ctx, "http://"+d.PrivateListen+"/metrics"), "\nkonak_") {
		return "Konak's metrics are at " + d.PrivateListen, nil
	}
	return text, err
}

// ask returns the answer of an address of this machine, or "" if there is none.
func ask(ctx context.Context, url string) string {
	ctx, cancel := context.WithTimeout(ctx, reach)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return ""
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer func() { _ = resp.Body.Close() }()
	b, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return string(b)
}

// free reports whether an address can be listened on.
func free(ctx context.Context, flag, address string) (string, error) {
	ln, err := app.ListenOn(ctx, flag, address)
	if err != nil {
		return "", err
	}
	return address + " is free", ln.Close()
}

// reach is the time limit for another server's answer.
const reach = 5 * time.Second

// smtp asks the mail server for its greeting and sends nothing.
func (d *checkup) smtp(ctx context.Context) (string, error) {
	if d.SMTPURL == "" {
		return "kept in an outbox (konak mail outbox)", nil
	}
	u, err := url.Parse(d.SMTPURL)
	if err != nil || u.Host == "" {
		return "", errors.New("--smtp-url: write smtp://user:password@host:587 or smtps://host:465")
	}
	port := cmp.Or(u.Port(), map[string]string{"smtp": "587", "smtps": "465"}[u.Scheme])
	address := net.JoinHostPort(u.Hostname(), port)
	ctx, cancel := context.WithTimeout(ctx, reach)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return "", fmt.Errorf("--smtp-url: %w", err)
	}
	return "the server at " + address + " can be reached", conn.Close()
}

func (d *checkup) mail(ctx context.Context) (string, error) {
	if !d.TakesMail() {
		return "off: mail is only fetched from mailboxes elsewhere", nil
	}
	tlsText := ", without STARTTLS"
	if d.MailTLSCert != "" {
		until, err := certificateEnd("--mail-tls-cert", d.MailTLSCert, d.MailTLSKey)
		if err != nil {
			return "", err
		}
		tlsText = ", STARTTLS until " + until
	}
	text, err := free(ctx, "--mail-listen", d.MailListen)
	if err != nil && greetsMail(ctx, d.MailListen) {
		text, err = "a mail server responds at "+d.MailListen, nil
	}
	return text + tlsText, err
}

// certificateEnd returns the last day of a certificate. It is an error if that is over.
func certificateEnd(flag, cert, key string) (string, error) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	until := pair.Leaf.NotAfter.UTC().Format(time.DateOnly)
	if (clock.System{}).Now().After(pair.Leaf.NotAfter) {
		return "", fmt.Errorf("%s: expired on %s", flag, until)
	}
	return until, nil
}

// greetsMail reports whether an address of this machine greets as mail servers do.
func greetsMail(ctx context.Context, address string) bool {
	return answersWith(ctx, address, "220 ", func(net.Conn) error { return nil })
}

// answersWith reports whether an address of this machine answers what ask sends with a text.
func answersWith(ctx context.Context, address, text string, ask func(net.Conn) error) bool {
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	answer := make([]byte, len(text))
	if err = ask(conn); err == nil {
		_, err = io.ReadFull(conn, answer)
	}
	return err == nil && string(answer) == text
}

func (d *checkup) panel(context.Context) (string, error) {
	if !web.Built() {
		return "", errors.New("not in this binary; run make build")
	}
	return "embedded", nil
}
