package secret_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/secret"
)

func TestTextIsNeverPrinted(t *testing.T) {
	t.Parallel()
	const hidden = "hidden-value"
	held := struct {
		Name  string
		Token secret.Text
		Ptr   *secret.Text
	}{"x", secret.Of(hidden), new(secret.Text)}
	*held.Ptr = secret.Of(hidden)
	var out strings.Builder
	for _, verb := range strings.Split("v +v #v s q x X d t c U e T", " ") {
		fmt.Fprintf(&out, "%"+verb+" %"+verb+"\n", held, held.Token)
	}
	b, err := json.Marshal(held)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(b)
	log := slog.New(slog.NewTextHandler(&out, nil))
	log.Info("held", "token", held.Token, "all", held)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("held", "token", held.Token, "all", held)
	text := out.String()
	for _, leak := range []string{hidden, fmt.Sprintf("%x", hidden), fmt.Sprintf("%X", hidden)} {
		if strings.Contains(text, leak) {
			t.Errorf("%q was printed:\n%s", leak, text)
		}
	}
	if !strings.Contains(string(b), `"Token":"***"`) || held.Token.Reveal() != hidden {
		t.Errorf("got %s and %q", b, held.Token.Reveal())
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	token := secret.NewToken(secret.SessionPrefix)
	if !secret.WellFormed(token, secret.SessionPrefix) || secret.WellFormed(token, secret.KeyLivePrefix) {
		t.Errorf("%s is not a session token", token)
	}
	if token == secret.NewToken(secret.SessionPrefix) {
		t.Error("two tokens are the same")
	}
	// Any single wrong character is detected without a look-up.
	for i := range token {
		bad := []byte(token)
		if bad[i]++; secret.WellFormed(string(bad), secret.SessionPrefix) {
			t.Errorf("%s passes for %s", bad, token)
		}
	}
	for _, bad := range []string{"", "ses_", token + "0", token[:len(token)-1], strings.ToUpper(token)} {
		if secret.WellFormed(bad, secret.SessionPrefix) {
			t.Errorf("%q is well formed", bad)
		}
	}
	if len(secret.Hash(token)) != 32 || bytes.Equal(secret.Hash(token), secret.Hash(token+"x")) {
		t.Error("the hash says nothing")
	}
	if secret.Last4(token) != token[len(token)-4:] || secret.Last4("abc") != "" {
		t.Errorf("got %q and %q", secret.Last4(token), secret.Last4("abc"))
	}
}

func newBox(t *testing.T, fill byte) *secret.Box {
	t.Helper()
	b, err := secret.NewBox(bytes.Repeat([]byte{fill}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBoxOpensOnlyWhereItWasSealed(t *testing.T) {
	t.Parallel()
	box, tenant := newBox(t, 1), uuid.New()
	sealed := box.Seal(tenant, "webhook_endpoint/1", []byte("whsec_x"))
	if bytes.Contains(sealed, []byte("whsec_x")) || bytes.Equal(sealed, box.Seal(tenant, "webhook_endpoint/1", []byte("whsec_x"))) {
		t.Error("sealing hides nothing, or twice the same")
	}
	plain, err := box.Open(tenant, "webhook_endpoint/1", sealed)
	if err != nil || string(plain) != "whsec_x" {
		t.Errorf("got %q, %v", plain, err)
	}
	changed := bytes.Clone(sealed)
	changed[len(changed)-1] ^= 1
	for name, open := range map[string]func() ([]byte, error){
		"another tenant": func() ([]byte, error) { return box.Open(uuid.New(), "webhook_endpoint/1", sealed) },
		"another place":  func() ([]byte, error) { return box.Open(tenant, "webhook_endpoint/2", sealed) },
		"another key":    func() ([]byte, error) { return newBox(t, 2).Open(tenant, "webhook_endpoint/1", sealed) },
		"changed":        func() ([]byte, error) { return box.Open(tenant, "webhook_endpoint/1", changed) },
		"cut":            func() ([]byte, error) { return box.Open(tenant, "webhook_endpoint/1", sealed[:5]) },
		"empty":          func() ([]byte, error) { return box.Open(tenant, "webhook_endpoint/1", nil) },
	} {
		if plain, err := open(); err == nil {
			t.Errorf("%s: opened as %q", name, plain)
		}
	}
	if bytes.Equal(box.Derive("cursor"), box.Derive("other")) || !bytes.Equal(box.Derive("cursor"), newBox(t, 1).Derive("cursor")) {
		t.Error("a derived key is of its purpose and master alone")
	}
}

func TestMasterKey(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "not base64!", base64.StdEncoding.EncodeToString(make([]byte, 31))} {
		if _, err := secret.ParseBox(bad); err == nil {
			t.Errorf("%q is a master key", bad)
		}
	}
	dir := t.TempDir()
	keys := make([]string, 8)
	var wg sync.WaitGroup
	for i := range keys { // nodes that start together
		wg.Go(func() {
			b, err := secret.LoadBox(dir)
			if err != nil {
				t.Error(err)
				return
			}
			keys[i] = string(b.Derive("x"))
		})
	}
	wg.Wait()
	for _, k := range keys {
		if k != keys[0] {
			t.Fatal("two starts ended up with different keys")
		}
	}
	info, err := os.Stat(filepath.Join(dir, "master.key"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".key-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := os.WriteFile(filepath.Join(dir, "master.key"), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := secret.LoadBox(dir); err == nil {
		t.Error("a broken key file was replaced or accepted")
	}
}
