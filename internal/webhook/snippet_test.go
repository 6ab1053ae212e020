package webhook_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"konak/internal/webhook"
)

// harness turns a snippet of the documentation into a program that reads the
// body from its input and takes the secret and the signature as arguments.
var harness = map[string]struct {
	program      []string
	file         string
	before, tail string
}{
	"go": {
		[]string{"go", "run"},
		"main.go",
		"package main\n\nimport (\n\t\"crypto/hmac\"\n\t\"crypto/sha256\"\n\t\"encoding/hex\"\n\t\"fmt\"\n\t\"io\"\n\t\"os\"\n)\n\n",
		"\nfunc main() {\n\tb, _ := io.ReadAll(os.Stdin)\n\tfmt.Print(verify(os.Args[1], b, os.Args[2]))\n}\n",
	},
	"node": {
		[]string{"node"},
		"main.js", "",
		"\nprocess.stdout.write(String(verify(process.argv[2], require('node:fs').readFileSync(0), process.argv[3])))\n",
	},
	"python": {
		[]string{"python3"},
		"main.py", "",
		"\n\nimport sys\nprint(str(verify(sys.argv[1], sys.stdin.buffer.read(), sys.argv[2])).lower(), end='')\n",
	},
	"php": {
		[]string{"php"},
		"main.php", "<?php\n",
		"\necho verify($argv[1], file_get_contents('php://stdin'), $argv[2]) ? 'true' : 'false';\n",
	},
}

var snippet = regexp.MustCompile("(?s)<!-- snippet: (\\w+) -->\n```\\w+\n(.*?)```")

// The snippets of the documentation verify what the sender signs, where their
// language is installed.
func TestSnippets(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	found := snippet.FindAllStringSubmatch(string(page), -1)
	if len(found) != len(harness) {
		t.Fatalf("%d snippets in the documentation, want %d", len(found), len(harness))
	}
	secret, body := webhook.NewSecret(), []byte(`{"sequence":1,"data":{"object":{"name":"Gülşah Öztürk"}}}`)
	good := webhook.Sign(secret, body)
	for _, m := range found {
		h, ok := harness[m[1]]
		if !ok {
			t.Fatalf("no harness for %s", m[1])
		}
		t.Run(m[1], func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(h.program[0]); err != nil {
				t.Skip(err)
			}
			file := filepath.Join(t.TempDir(), h.file)
			if err := os.WriteFile(file, []byte(h.before+m[2]+h.tail), 0o600); err != nil {
				t.Fatal(err)
			}
			run := func(body []byte, signature string) string {
				cmd := exec.CommandContext(t.Context(), h.program[0], append(h.program[1:], file, secret, signature)...)
				cmd.Stdin = bytes.NewReader(body)
				var errs bytes.Buffer
				cmd.Stderr = &errs
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v\n%s", err, errs.String())
				}
				return string(out)
			}
			if got := run(body, good); got != "true" {
				t.Errorf("a good signature: %q", got)
			}
			if got := run(append(body, ' '), good); got != "false" {
				t.Errorf("a changed body: %q", got)
			}
			if got := run(body, good[:63]); got != "false" {
				t.Errorf("a short signature: %q", got)
			}
		})
	}
}

// An off-the-shelf verifier of Standard Webhooks takes what the sender signs,
// where it is installed.
func TestStandardWebhooks(t *testing.T) {
	t.Parallel()
	const program = `const { Webhook } = require('standardwebhooks')
const [secret, id, timestamp, signature] = process.argv.slice(1)
const body = require('node:fs').readFileSync(0, 'utf8')
const verify = body => { try {
  new Webhook(secret).verify(body, { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature })
  return true } catch (e) { return false } }
process.stdout.write(verify(body) + ' ' + verify(body + ' '))`
	if err := exec.CommandContext(t.Context(), "node", "-e", "require('standardwebhooks')").Run(); err != nil {
		t.Skip("node with the package standardwebhooks is not installed")
	}
	stamp, err := exec.CommandContext(t.Context(), "node", "-e", "process.stdout.write(String(Math.floor(Date.now() / 1000)))").Output()
	if err != nil {
		t.Fatal(err)
	}
	secret, id, body := webhook.NewSecret(), "msg_1", `{"sequence":1}`
	cmd := exec.CommandContext(t.Context(), "node", "-e", program, secret, id, string(stamp), webhook.SignStandard(secret, id, string(stamp), []byte(body)))
	cmd.Stdin = strings.NewReader(body)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "true false" {
		t.Errorf("%s, %v", out, err)
	}
}
