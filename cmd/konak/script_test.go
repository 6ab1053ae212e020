package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/smtp"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"konak/internal/app"
	"konak/internal/identity"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
	"konak/web"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"konak": main})
}

// testscriptsOwn are the commands of testscript itself. Its stop ends a script as if it had
// passed.
var testscriptsOwn = strings.Fields(`cd chmod cmp cmpenv cp env exec exists grep kill mkdir mv rm skip stderr stdin stdout
	stop symlink ttyin ttyout unix2dos unquote wait`)

// Each script is a journey at the command line, with the real program. Beside
// the commands of testscript it knows:
//
//	exits CODE command [argument ...]  runs a command that must end with the code
//	serve [argument ...]               serves ./data on a free port; sets $URL and $ADDR
//	shutdown                           asks the server to end, expects code 0 and writes
//	                                   what it printed to server.log
//	drain                              stops the server in the middle of a request
//	fetch PATH FILE                    saves what the server answers
//	json FILE                          checks that the file is JSON
//	jsonlines FILE                     checks that each line of it is
//	losefile                           deletes a file of ./data that the database counts on
//	workspace                          puts a workspace that is no demo into ./data
//	deadjob                            puts a job of that workspace that failed for good into ./data; sets $JOB
func TestScripts(t *testing.T) {
	t.Parallel()
	commands := map[string]func(*testscript.TestScript, bool, []string){
		"exits": exits, "serve": serve, "shutdown": shutdown, "drain": drain, "sendmail": sendMail,
		"fetch": fetch, "json": checkJSON, "jsonlines": checkJSONLines, "losefile": loseFile, "workspace": workspace, "deadjob": makeDeadJob,
	}
	for _, own := range testscriptsOwn {
		if commands[own] != nil {
			t.Fatalf("testscript has a command %q of its own, which would run instead", own)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: commands,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GOGC", "400") // the programs are short-lived
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name == "panel" {
				return web.Built(), nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
	})
}

// Every setting is listed with its flag and its variable.
func TestConfigListsEverySetting(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	if code := run([]string{"config"}, &out, &errs); code != 0 {
		t.Fatalf("code %d: %s", code, &errs)
	}
	want := 0
	for field := range reflect.TypeFor[app.Config]().Fields() {
		if field.Tag.Get("kong") != "-" {
			want++
		}
	}
	if got := strings.Count(out.String(), "KONAK_"); got < want {
		t.Errorf("%d settings and %d of them listed:\n%s", want, got, &out)
	}
	for line := range strings.Lines(out.String()) {
		flag, rest, ok := strings.Cut(strings.TrimPrefix(line, "--"), " ")
		if ok && strings.HasPrefix(line, "--") && !strings.HasPrefix(strings.TrimSpace(rest), "KONAK_"+strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))+" ") {
			t.Errorf("a setting without its variable: %s", line)
		}
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE command [argument ...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			ts.Fatalf("%v", err)
		}
		got = ended.ExitCode()
	}
	if got != want {
		ts.Fatalf("ended with %d, not %d", got, want)
	}
}

// server is the process that a script started.
type server struct {
	cmd  *exec.Cmd
	addr string
	done chan error
	out  *tail
}

// tail collects a process's output and can be read meanwhile.
type tail struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (o *tail) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *tail) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// servers are the servers of the scripts that are running, by script.
var servers sync.Map

func running(ts *testscript.TestScript) *server {
	s, ok := servers.Load(ts)
	if !ok {
		ts.Fatalf("no server was started")
	}
	return s.(*server)
}

const patience = 30 * time.Second

var panelLine = regexp.MustCompile(`(?:Panel\s+|"panel":")http://[^:]+:(\d+)`)

func serve(ts *testscript.TestScript, neg bool, args []string) {
	path, err := exec.LookPath("konak")
	ts.Check(err)
	cmd := exec.Command(path, append([]string{
		"serve", "--listen=127.0.0.1:0", "--private-listen=off", "--data=data",
	}, args...)...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = []string{"PATH=" + ts.Getenv("PATH"), "TMPDIR=" + ts.Getenv("TMPDIR"), "GOGC=" + ts.Getenv("GOGC")}
	s := &server{cmd: cmd, done: make(chan error, 1), out: &tail{}}
	printed, end := io.Pipe()
	cmd.Stdout, cmd.Stderr = end, end
	ts.Check(cmd.Start())
	exited := make(chan error, 1)
	go func() {
		exited <- cmd.Wait()
		_ = end.Close()
	}()
	lines := bufio.NewScanner(printed)
	for s.addr == "" && lines.Scan() {
		_, _ = fmt.Fprintln(s.out, lines.Text())
		if m := panelLine.FindStringSubmatch(lines.Text()); m != nil {
			s.addr = "127.0.0.1:" + m[1]
		}
	}
	go func() {
		for lines.Scan() {
			_, _ = fmt.Fprintln(s.out, lines.Text())
		}
		s.done <- <-exited
	}()
	if s.addr == "" {
		ts.Fatalf("the server did not start: %v\n%s", <-s.done, s.out)
	}
	servers.Store(ts, s)
	ts.Defer(func() {
		if _, ok := servers.LoadAndDelete(ts); ok {
			_ = cmd.Process.Kill()
			<-s.done
		}
	})
	ts.Setenv("ADDR", s.addr)
	ts.Setenv("URL", "http://"+s.addr)
	s.waitReady(ts)
}

// waitReady polls until the server is ready: it answers a moment before its search index is
// loaded.
func (s *server) waitReady(ts *testscript.TestScript) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.addr+"/readyz", nil)
		ts.Check(err)
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-ctx.Done():
			ts.Fatalf("the server was never ready\n%s", s.out)
		case <-tick.C:
		}
	}
}

func shutdown(ts *testscript.TestScript, neg bool, args []string) {
	s := running(ts)
	ts.Check(s.cmd.Process.Signal(syscall.SIGTERM))
	s.ended(ts)
	ts.Check(os.WriteFile(ts.MkAbs("server.log"), []byte(s.out.String()), 0o600))
}

// ended expects the process to end normally.
func (s *server) ended(ts *testscript.TestScript) {
	servers.Delete(ts)
	select {
	case err := <-s.done:
		if err != nil {
			ts.Fatalf("the server ended with %v\n%s", err, s.out)
		}
	case <-time.After(patience):
		_ = s.cmd.Process.Kill()
		ts.Fatalf("the server did not end\n%s", s.out)
	}
}

// drain sends half a request, asks the server to end, and sends the other half when it
// accepts no new connections any more: it must still be answered.
func drain(ts *testscript.TestScript, neg bool, args []string) {
	s := running(ts)
	body := `{"email":"owner@demo.localhost","password":"` + app.DemoPassword + `"}`
	conn, err := net.Dial("tcp", s.addr)
	ts.Check(err)
	defer func() { _ = conn.Close() }()
	ts.Check(conn.SetDeadline(time.Now().Add(patience)))
	_, err = fmt.Fprintf(conn, "POST /api/v1/auth/sign-in HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body))
	ts.Check(err)
	in := bufio.NewReader(conn)
	// The server requests the body once its handler reads, so the request is in progress.
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		ts.Fatalf("the server did not ask for the body: %q, %v", line, err)
	}
	ts.Check(s.cmd.Process.Signal(syscall.SIGTERM))
	refused(ts, s.addr)
	_, err = io.WriteString(conn, body)
	ts.Check(err)
	if _, err := in.ReadString('\n'); err != nil { // the empty line after "100 Continue"
		ts.Fatalf("%v", err)
	}
	resp, err := http.ReadResponse(in, nil)
	ts.Check(err)
	ts.Check(resp.Body.Close())
	if resp.StatusCode != http.StatusOK {
		ts.Fatalf("the open request was answered %d", resp.StatusCode)
	}
	s.ended(ts)
}

// refused waits until an address accepts no connections.
func refused(ts *testscript.TestScript, addr string) {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end); <-tick.C {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			return
		}
		ts.Check(conn.Close())
	}
	ts.Fatalf("%s still takes connections", addr)
}

func fetch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fetch PATH FILE")
	}
	resp, err := http.Get("http://" + running(ts).addr + args[0])
	ts.Check(err)
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	ts.Check(err)
	if resp.StatusCode != http.StatusOK {
		ts.Fatalf("%s was answered %d: %s", args[0], resp.StatusCode, b)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b, 0o600))
}

func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: json FILE")
	}
	if !json.Valid([]byte(ts.ReadFile(args[0]))) {
		ts.Fatalf("%s is not JSON", args[0])
	}
}

func checkJSONLines(ts *testscript.TestScript, neg bool, args []string) {
	lines := 0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if lines++; !json.Valid([]byte(line)) {
			ts.Fatalf("%q is not JSON", line)
		}
	}
	if lines == 0 {
		ts.Fatalf("%s is empty", args[0])
	}
}

func loseFile(ts *testscript.TestScript, neg bool, args []string) {
	ctx, log := context.Background(), slog.New(slog.DiscardHandler)
	a, err := app.OpenExisting(ctx, app.Config{Data: ts.MkAbs("data"), Listen: "127.0.0.1:0", Domain: "localhost"}, log, clock.System{})
	ts.Check(err)
	tenant, err := a.WorkspaceID(ctx, "real")
	ts.Check(err)
	for _, text := range []string{"kept", "lost"} {
		b, err := a.Blobs.Put(ctx, tenant, strings.NewReader(text), 10)
		ts.Check(err)
		ts.Setenv(strings.ToUpper(text), b.ID.String())
	}
	ts.Check(a.Close())
	ts.Check(filepath.WalkDir(ts.MkAbs("data/files"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.Contains(path, ts.Getenv("LOST")) {
			err = os.Remove(path)
		}
		return err
	}))
}

func workspace(ts *testscript.TestScript, neg bool, args []string) {
	ctx, log := context.Background(), slog.New(slog.DiscardHandler)
	a, err := app.Open(ctx, app.Config{Data: ts.MkAbs("data"), Listen: "127.0.0.1:0", Domain: "localhost"}, log, clock.System{})
	ts.Check(err)
	_, _, err = a.Identity.CreateWorkspace(ctx, identity.NewWorkspace{
		Slug: "real", Name: "Real", OwnerName: "Owner", OwnerEmail: "owner@real.example", Password: "correct horse battery staple",
	})
	ts.Check(errors.Join(err, a.Close()))
}

func makeDeadJob(ts *testscript.TestScript, neg bool, args []string) {
	ctx, log := context.Background(), slog.New(slog.DiscardHandler)
	a, err := app.Open(ctx, app.Config{Data: ts.MkAbs("data"), Listen: "127.0.0.1:0", Domain: "localhost"}, log, clock.System{})
	ts.Check(err)
	r, err := jobs.New(jobs.Config{DB: a.DB, Log: log, Random: func() float64 { return 0 }, Kinds: []jobs.Kind{{
		Name: "test.kind", PerNode: 1, PerTenant: 1, MaxAttempts: 1,
		Handler: func(context.Context, *jobs.Job) error { return errors.New("it cannot be done") },
	}}})
	ts.Check(err)
	tenant, err := a.WorkspaceID(ctx, "real")
	ts.Check(err)
	ts.Check(a.DB.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		id, err := jobs.Enqueue(tx, "test.kind", tx.Now(), nil)
		ts.Setenv("JOB", id.String())
		return err
	}))
	for n := 1; n > 0; {
		n, err = r.Step(ctx)
		ts.Check(err)
	}
	ts.Check(a.Close())
}

// mailLine matches the address for mail in the greeting.
var mailLine = regexp.MustCompile(`Mail +smtp://(127\.0\.0\.1:\d+) `)

// sendMail sends a mail to the mail server that the greeting names, and expects an answer:
// sendmail TO CODE.
func sendMail(ts *testscript.TestScript, neg bool, args []string) {
	s := running(ts)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	var at string
	for end := time.Now().Add(patience); at == "" && time.Now().Before(end); <-tick.C {
		if m := mailLine.FindStringSubmatch(s.out.String()); m != nil {
			at = m[1]
		}
	}
	if at == "" {
		ts.Fatalf("the greeting names no mail server\n%s", s.out)
	}
	c, err := smtp.Dial(at)
	ts.Check(err)
	defer func() { _ = c.Close() }()
	ts.Check(c.Hello("kaya.example"))
	if ok, _ := c.Extension("STARTTLS"); !ok {
		ts.Fatalf("no STARTTLS")
	}
	ts.Check(c.Mail("elif@kaya.example"))
	err = c.Rcpt(args[0])
	if err == nil {
		var w io.WriteCloser
		w, err = c.Data()
		ts.Check(err)
		_, err = io.WriteString(w, "From: elif@kaya.example\r\nTo: "+args[0]+"\r\nSubject: Merhaba\r\n\r\nMerhaba\r\n")
		ts.Check(err)
		err = w.Close()
	}
	code := 250
	if said, ok := errors.AsType[*textproto.Error](err); ok {
		code = said.Code
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[1] {
		ts.Fatalf("mail to %s: said %d, want %s", args[0], code, args[1])
	}
}
