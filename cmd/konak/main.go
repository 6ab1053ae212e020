// Command konak is the whole platform in one binary.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"konak/internal/app"
	"konak/internal/kit/clock"
	"konak/internal/kit/node"
	"konak/internal/kit/obs"
	"konak/internal/kit/secret"
	"konak/web"
)

type cli struct {
	Config string `env:"KONAK_CONFIG" type:"path" placeholder:"FILE" help:"JSON file whose keys are the flag names; by default konak.json if it exists, or else /etc/konak/konak.json."`

	Serve     serveCmd     `cmd:"" help:"Serve the panel and the API."`
	Migrate   migrateCmd   `cmd:"" help:"Apply database migrations and exit."`
	Backup    backupCmd    `cmd:"" help:"Back up the embedded database and its files; a server can be running."`
	Restore   restoreCmd   `cmd:"" help:"Restore a backup into an empty data folder."`
	Key       keyCmd       `cmd:"" help:"Rotate the master key."`
	Move      moveCmd      `cmd:"" help:"Move the embedded database to PostgreSQL, or files to an S3 service and back."`
	Advisor   advisorCmd   `cmd:"" help:"Manage the regulation corpus."`
	Doctor    doctorCmd    `cmd:"" help:"Check that this machine and configuration can run Konak."`
	Health    healthCmd    `cmd:"" help:"Check whether the server on this machine is ready."`
	Show      configCmd    `cmd:"" name:"config" help:"List every setting with its value and source."`
	OpenAPI   openapiCmd   `cmd:"" name:"openapi" help:"Print the OpenAPI document."`
	Webhooks  webhooksCmd  `cmd:"" help:"Tools for developing webhook receivers."`
	Mail      mailCmd      `cmd:"" help:"Show the service's own mail."`
	Jobs      jobsCmd      `cmd:"" help:"List, retry and delete jobs that failed permanently."`
	Workspace workspaceCmd `cmd:"" help:"Manage workspaces."`
	User      userCmd      `cmd:"" help:"List users, and help those who cannot sign in."`
	Audit     auditCmd     `cmd:"" help:"Show operator actions that belong to no workspace, such as deleting one."`
	Version   versionCmd   `cmd:"" help:"Print the version."`
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func newParser(c *cli, file fileResolver, stdout, stderr io.Writer) *kong.Kong {
	parser, err := kong.New(c, kong.Name("konak"), kong.Description("A business platform in one binary."),
		kong.UsageOnError(), kong.Writers(stdout, stderr), kong.Resolvers(secretFiles{}, file),
		kong.Help(printHelp), kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}))
	if err != nil {
		panic(err) // the flags are declared wrongly
	}
	return parser
}

func run(args []string, stdout, stderr io.Writer) int {
	var c cli
	refuse := func(reason any) int {
		_, _ = fmt.Fprintln(stderr, "konak:", reason)
		return 2
	}
	file, err := configFile(args)
	if err != nil {
		return refuse(err)
	}
	parser := newParser(&c, file, stdout, stderr)
	misspelled := errors.Join(checkEnviron(parser, os.Environ()), file.check(parser.Model))
	listing := len(args) > 0 && args[0] == "config" // it shows what the names are
	if misspelled != nil && !listing {
		return refuse(misspelled)
	}
	if len(args) == 0 {
		return refuse("no command given: `konak serve` starts the server, `konak --help` lists all commands")
	}
	kctx, err := parser.Parse(args)
	if err != nil {
		parser.Errorf("%s; `konak --help` lists the commands, `konak COMMAND --help` a command's settings", err)
		return 2
	}
	if err := checkZeros(kctx); err != nil {
		return refuse(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	kctx.BindTo(ctx, (*context.Context)(nil))
	kctx.BindTo(stdout, (*io.Writer)(nil))
	kctx.Bind(parser, file)
	if err := kctx.Run(); err != nil {
		if _, said := errors.AsType[logged](err); !said {
			_, _ = fmt.Fprintln(stderr, "konak:", err)
		}
		if _, rest := errors.AsType[incomplete](err); rest {
			return codeIncomplete
		}
		return 1
	}
	if misspelled != nil {
		return refuse(misspelled)
	}
	return 0
}

// incomplete is the error of a command that did everything except for data that was already
// missing.
type incomplete struct{ error }

// codeIncomplete is the exit code of such a command. Other failures exit with 1, and wrong
// usage with 2.
const codeIncomplete = 3

// noZero are the settings of which 0 would mean none, rather than the default or no limit.
var noZero = []string{
	"limit-key", "limit-account", "limit-address", "storage-quota", "mail-max-size", "mail-daily-quota", "webhook-lease", "assistant-time",
}

// checkZeros refuses 0 for those settings.
func checkZeros(kctx *kong.Context) error {
	for _, f := range kctx.Flags() {
		if slices.Contains(noZero, f.Name) && f.Target.IsZero() {
			return fmt.Errorf("--%s 0: use a number above 0, or omit it for the default %s; only --limit-workspace can be unlimited", f.Name, f.Default)
		}
	}
	return nil
}

// logJSON is the value of --log-format for lines of JSON.
const logJSON = "json"

func logger(c app.Config) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	return obs.NewLogger(os.Stderr, level, c.LogFormat == logJSON)
}

type serveCmd struct{ app.Config }

// logged is an error that is in the log already.
type logged struct{ error }

// Run serves. If the log is JSON, every line that the server prints is JSON.
func (s *serveCmd) Run(ctx context.Context, out io.Writer) error {
	log := logger(s.Config)
	slog.SetDefault(log) // for libraries that have no other
	err := s.serve(ctx, out, log)
	if err != nil && s.LogFormat == logJSON {
		log.Error("konak serve failed", "error", err)
		return logged{err}
	}
	return err
}

func (s *serveCmd) serve(ctx context.Context, out io.Writer, log *slog.Logger) error {
	listeners, err := s.listen(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = listeners.Close() }()
	a, err := app.Open(ctx, s.Config, log, clock.System{})
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	// Serving would refuse it, too, but after the greeting.
	if err := node.CheckStore(ctx, a.DB, s.S3URL, s.FilesFolder()); err != nil {
		return err
	}
	base := s.panelURL(listeners.Address())
	var firstOwner secret.Text
	if !s.Demo {
		if firstOwner, err = a.Accounts.FirstOwnerLink(ctx, base); err != nil {
			return err
		}
	}
	if s.LogFormat != logJSON {
		s.greet(out, base, listeners.MailAddress(), firstOwner)
	} else if link := firstOwner.Reveal(); link != "" {
		log.Warn("there are no accounts yet; open the first one within an hour, or use konak workspace create", "link", link)
	}
	log.Info("serving", "panel", base, "address", listeners.Address().String(), "database", string(a.DB.Dialect()), "version", app.Version, "commit", app.Commit)
	err = a.Serve(ctx, listeners)
	log.Info("stopped")
	return err
}

// demoMailPort is where a demo takes mail, on loopback.
const demoMailPort = "127.0.0.1:2525"

// listen opens the addresses. A demo also takes mail, on another port if its own is in use,
// for example by a second demo.
func (s *serveCmd) listen(ctx context.Context) (*app.Listeners, error) {
	if !s.Demo || s.MailListen != "" {
		return app.Listen(ctx, s.Config)
	}
	s.MailListen = demoMailPort
	listeners, err := app.Listen(ctx, s.Config)
	if err != nil {
		s.MailListen = "127.0.0.1:0"
		listeners, err = app.Listen(ctx, s.Config)
	}
	return listeners, err
}

// panelURL returns where people on this machine open the panel, unless a public address is
// set. The domain resolves to 127.0.0.1 by default, so any other address is named itself.
func (s *serveCmd) panelURL(at *net.TCPAddr) string {
	if s.PublicURL != "" {
		return strings.TrimSuffix(s.PublicURL, "/")
	}
	host := s.Domain
	if host == "localhost" && !at.IP.IsUnspecified() && !at.IP.Equal(net.IPv4(127, 0, 0, 1)) && !at.IP.Equal(net.IPv6loopback) {
		host = at.IP.String()
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(at.Port))
}

// greet prints where everything is, and in an empty installation how to sign in first.
func (s *serveCmd) greet(out io.Writer, base, mail string, firstOwner secret.Text) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  Konak %s is running.\n\n  Panel   %s\n  API     %s/docs\n", app.Version, base, base)
	if s.HasMetrics() {
		fmt.Fprintf(&b, "  Metrics http://%s/metrics\n", s.PrivateListen)
	}
	if mail != "" {
		fmt.Fprintf(&b, "  Mail    smtp://%s (receives mail; mail programs can sign in after STARTTLS)\n", mail)
	}
	if s.Demo {
		fmt.Fprintf(&b, `
  Sign in  owner@demo.localhost   %[1]s   (workspace demo)
           owner@acme.localhost   %[1]s   (workspace acme)

  Try      CRM > Inbox: answer a customer, with a second window open next to it.
           %[2]s/demo/customer: be the customer, on every channel and on the phone.
           CRM > Calls: every outside number answers, except those ending in 00 (busy) or 01 (no answer).
           CRM > Channels: add the live chat to your own web page.
           Advisor: search for "kidem tazminati", with or without Turkish letters.
           ERP > Webhooks: register http://127.0.0.1:9000/ and send a test;
           listen with: nc -l 9000

`, app.DemoPassword, base)
	}
	if firstOwner.Reveal() != "" {
		fmt.Fprintf(&b, "\n  There are no accounts yet. Open the first one within an hour (each start prints a new link):\n  %s\n"+
			"  or create the first workspace with `konak workspace create`.\n", firstOwner.Reveal())
	}
	if !web.Built() {
		b.WriteString("  The panel is not in this binary: run make build.\n")
	}
	_, _ = io.WriteString(out, b.String()+"\n")
}

type migrateCmd struct{ app.Config }

func (m *migrateCmd) Run(ctx context.Context, out io.Writer) error {
	applied, err := asOwner(&m.Config, func() ([]int64, error) { return app.Migrate(ctx, m.Config, logger(m.Config)) })
	for _, v := range applied {
		_, _ = fmt.Fprintf(out, "applied %05d\n", v)
	}
	if err == nil && len(applied) == 0 {
		_, _ = fmt.Fprintln(out, "nothing to do: the database is up to date")
	}
	return err
}

type openapiCmd struct{}

func (openapiCmd) Run(ctx context.Context, out io.Writer) error {
	b, err := app.Document(ctx)
	if err != nil {
		return err
	}
	_, err = out.Write(b)
	return err
}

type versionCmd struct{}

func (versionCmd) Run(out io.Writer) error {
	_, err := fmt.Fprintf(out, "konak %s (commit %s)\n", app.Version, app.Commit)
	return err
}
