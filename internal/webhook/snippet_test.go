package webhook_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/webhook/signature"
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

// The snippets of the documentation verify what the sender signs, if their language is
// installed.
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
	secret, body := signature.NewSecret(), []byte(`{"sequence":1,"data":{"object":{"name":"Gülşah Öztürk"}}}`)
	good := signature.Sign(secret, body)
	for _, m := range found {
		h, ok := harness[m[1]]
		if !ok {
			t.Fatalf("no harness for %s", m[1])
		}
		t.Run(m[1], func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(h.program[0]); err != nil {
				t.Skipf("%v (scripts/ensure-snippets installs what is missing)", err)
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

// Third-party verifiers accept what the sender signs, if the panel's packages are
// installed: with the secret as it was shown, with one of two signatures during a rotation,
// and not with a changed body, a foreign secret or an old time.
func TestStandardWebhooks(t *testing.T) {
	t.Parallel()
	const program = `const { Webhook } = require(process.argv[1])
const { secret, cases } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
const verify = c => { try {
  new Webhook(secret).verify(c.body, { 'webhook-id': c.id, 'webhook-timestamp': c.stamp, 'webhook-signature': c.signature })
  return true } catch { return false } }
process.stdout.write(JSON.stringify(cases.map(verify)))`
	type delivery struct {
		Body      string `json:"body"`
		ID        string `json:"id"`
		Stamp     string `json:"stamp"`
		Signature string `json:"signature"`
	}
	secret, old := signature.NewSecret(), signature.NewSecret()
	sign := func(secret string, at time.Time, body string) delivery {
		d := delivery{Body: body, ID: "5b0c6a0e-6a43-4a8e-9a3e-1f0f2d9c7b11", Stamp: fmt.Sprint(at.Unix())}
		d.Signature = signature.SignStandard(secret, d.ID, d.Stamp, []byte(body))
		return d
	}
	now := clock.System{}.Now()
	body := `{"sequence":1,"data":{"object":{"name":"Gülşah Öztürk"}}}`
	good := sign(secret, now, body)
	both := good
	both.Signature = sign(old, now, body).Signature + " " + good.Signature
	changed := good
	changed.Body += " "
	input, err := json.Marshal(map[string]any{
		"secret": secret,
		"cases":  []delivery{good, both, changed, sign(old, now, body), sign(secret, now.Add(-time.Hour), body)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"standardwebhooks", "svix"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			node := func(args ...string) *exec.Cmd {
				cmd := exec.CommandContext(t.Context(), "node", append([]string{"-e"}, args...)...)
				cmd.Env = append(os.Environ(), "NODE_PATH=../../web/node_modules")
				cmd.Stdin = bytes.NewReader(input)
				return cmd
			}
			if err := node("require(process.argv[1])", name).Run(); err != nil {
				t.Skipf("node with the package %s is not installed (npm ci in web/)", name)
			}
			if out, err := node(program, name).CombinedOutput(); err != nil || string(out) != "[true,true,false,false,false]" {
				t.Errorf("%s, %v", out, err)
			}
		})
	}
}
