package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"konak/internal/app"
	"konak/internal/kit/blob"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/secret"
	"konak/migrations"
	"konak/web"
)

type doctorCmd struct{ app.Config }

var errUnwell = errors.New("some checks failed")

// Run looks at everything that serving needs and says what to do about what
// is missing. It changes nothing.
func (d *doctorCmd) Run(ctx context.Context, out io.Writer) error {
	checks := []struct {
		name string
		run  func(context.Context) (string, error)
	}{
		{"data folder", d.folder},
		{"who may read it", d.modes},
		{"database", d.database},
		{"files", d.files},
		{"settings", d.settings},
		{"master key", d.key},
		{"listen address", d.listen},
		{"private address", d.private},
		{"outgoing mail", d.smtp},
		{"incoming mail", d.mail},
		{"panel", d.panel},
	}
	failed := false
	for _, c := range checks {
		text, err := c.run(ctx)
		mark := "ok  "
		if err != nil {
			mark, text, failed = "FAIL", err.Error(), true
		}
		_, _ = fmt.Fprintf(out, "%s  %-15s %s\n", mark, c.name, text)
	}
	if failed {
		return errUnwell
	}
	return nil
}

func (d *doctorCmd) folder(context.Context) (string, error) {
	info, err := os.Stat(d.Data)
	if errors.Is(err, os.ErrNotExist) {
		return d.Data + " will be made at the first start", nil
	}
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder; choose another with --data", d.Data)
	}
	f, err := os.CreateTemp(d.Data, ".doctor-*")
	if err != nil {
		return "", fmt.Errorf("cannot write there: %w", err)
	}
	return d.Data + " can be written", errors.Join(f.Close(), os.Remove(f.Name()))
}

// modes looks whether others on this machine can read what Konak keeps.
func (d *doctorCmd) modes(context.Context) (string, error) {
	exposed, err := d.Exposed()
	if err != nil {
		return "", err
	}
	if len(exposed) == 0 {
		return "only the user that Konak runs as", nil
	}
	e := exposed[0]
	return "", fmt.Errorf("others on this machine can reach %s (%04o); run chmod %o %s, or start Konak, which does so (%d such files and folders)", e.Path, e.Has, e.Want, e.Path, len(exposed))
}

func (d *doctorCmd) database(ctx context.Context) (string, error) {
	if d.DB == "" && !d.filled() {
		return "embedded, will be made at the first start", nil
	}
	handle, err := db.Open(ctx, db.Options{URL: d.DatabaseURL()})
	if err != nil {
		return "", err
	}
	defer func() { _ = handle.Close() }()
	pending, err := handle.Pending(ctx, migrations.Files)
	if err != nil {
		return "", err
	}
	if pending {
		return string(handle.Dialect()) + ", migrations wait for `konak migrate` or the next start", nil
	}
	return string(handle.Dialect()) + ", up to date", nil
}

func (d *doctorCmd) files(ctx context.Context) (string, error) {
	where := "in the data folder"
	store, err := blob.New(blob.Config{Folder: d.FilesFolder(), S3URL: d.S3URL})
	if err != nil {
		return "", err
	}
	if d.S3URL != "" {
		where = "with the S3 service of --s3-url, which answers"
		if err := store.Check(ctx); err != nil {
			return "", err
		}
	}
	return where, d.findings(ctx)
}

// listedFindings is how many missing or damaged files are listed.
const listedFindings = 10

// findings returns an error that lists the files that were found missing or
// damaged.
func (d *doctorCmd) findings(ctx context.Context) error {
	if d.DB == "" && !d.filled() {
		return nil
	}
	handle, err := db.Open(ctx, db.Options{URL: d.DatabaseURL()})
	if err != nil {
		return fmt.Errorf("the database does not answer: %w", err)
	}
	defer func() { _ = handle.Close() }()
	if pending, err := handle.Pending(ctx, migrations.Files); err != nil || pending {
		return err
	}
	store, err := blob.New(blob.Config{DB: handle, Folder: d.FilesFolder()})
	if err != nil {
		return err
	}
	total, first, err := store.Findings(ctx, listedFindings)
	if err != nil || total == 0 {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d of them are missing or damaged; bring them back from a copy, or upload the same files again", total)
	for _, f := range first {
		fmt.Fprintf(&text, "\n        %s since %s: %s", f.Damage, f.Found.UTC().Format(time.RFC3339), f.Name)
	}
	if more := total - len(first); more > 0 {
		fmt.Fprintf(&text, "\n        and %d more", more)
	}
	return errors.New(text.String())
}

func (d *doctorCmd) settings(context.Context) (string, error) {
	return "fit together", d.Check()
}

// key looks at the key that seals secrets, without making one.
func (d *doctorCmd) key(context.Context) (string, error) {
	if d.MasterKey != "" {
		_, err := secret.ParseBox(d.MasterKey)
		return "from --master-key", err
	}
	path := filepath.Join(d.Data, "master.key")
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && d.filled():
		return "", fmt.Errorf("%s is not there, but the database is: what it has sealed cannot be opened; bring the file back", path)
	case errors.Is(err, os.ErrNotExist):
		return path + " will be made at the first start", nil
	case err != nil:
		return "", err
	}
	_, err = secret.ParseBox(string(text))
	return path + " can be read; keep a copy", err
}

// filled says whether the embedded database has been made.
func (d *doctorCmd) filled() bool {
	_, err := os.Stat(filepath.Join(d.Data, "konak.db"))
	return d.DB == "" && err == nil
}

func (d *doctorCmd) listen(ctx context.Context) (string, error) {
	return free(ctx, "--listen", d.Listen)
}

func (d *doctorCmd) private(ctx context.Context) (string, error) {
	if d.PrivateListen == "off" {
		return "off", nil
	}
	return free(ctx, "--private-listen", d.PrivateListen)
}

// free says whether an address can be listened on.
func free(ctx context.Context, flag, address string) (string, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return "", fmt.Errorf("%w; stop what runs there or choose another %s", err, flag)
	}
	return address + " is free", ln.Close()
}

// reach bounds how long another server is waited for.
const reach = 5 * time.Second

// smtp asks the mail server for its greeting and sends nothing.
func (d *doctorCmd) smtp(ctx context.Context) (string, error) {
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

func (d *doctorCmd) mail(ctx context.Context) (string, error) {
	if d.MailListen == "" || d.MailListen == "off" {
		return "off: only mailboxes elsewhere are fetched", nil
	}
	tlsText := ", without STARTTLS"
	if d.MailTLSCert != "" {
		pair, err := tls.LoadX509KeyPair(d.MailTLSCert, d.MailTLSKey)
		if err != nil {
			return "", fmt.Errorf("--mail-tls-cert: %w", err)
		}
		tlsText = ", STARTTLS until " + pair.Leaf.NotAfter.UTC().Format(time.DateOnly)
		if now := (clock.System{}).Now(); now.After(pair.Leaf.NotAfter) {
			return "", fmt.Errorf("--mail-tls-cert: it ended on %s", pair.Leaf.NotAfter.UTC().Format(time.DateOnly))
		}
	}
	text, err := free(ctx, "--mail-listen", d.MailListen)
	return text + tlsText, err
}

func (d *doctorCmd) panel(context.Context) (string, error) {
	if !web.Built() {
		return "", errors.New("not in this binary; run make build")
	}
	return "embedded", nil
}
