package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"konak/internal/kit/tooltest"
)

// packaged returns a file of the packages.
func packaged(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "packaging", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// wantSettings checks that a container with these variables would start: that each is a
// setting, and that they fit together. Files of secrets get a text.
func wantSettings(t *testing.T, variables map[string]string) {
	t.Helper()
	secrets := map[string]string{
		"KONAK_DB_FILE": "postgres://konak:secret@db/konak", "KONAK_S3_URL_FILE": "https://key:secret@s3.example.com/konak",
		"KONAK_MASTER_KEY_FILE": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
	}
	for name, value := range variables {
		if text, ok := secrets[name]; ok {
			value = filepath.Join(t.TempDir(), "secret")
			if err := os.WriteFile(value, []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv(name, value)
	}
	var c cli
	parser := newParser(&c, fileResolver{}, io.Discard, io.Discard)
	if err := checkEnviron(parser, os.Environ()); err != nil {
		t.Error(err)
	}
	if _, err := parser.Parse([]string{"serve", "--data", t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	if err := c.Serve.Check(); err != nil {
		t.Error(err)
	}
	if c.Serve.DB == "" || c.Serve.PublicURL == "" || len(c.Serve.TrustedProxies) == 0 {
		t.Errorf("the variables do not arrive: %v", variables)
	}
}

// wantImage expects the image of this version.
func wantImage(t *testing.T, image string) {
	t.Helper()
	version, err := os.ReadFile(filepath.Join("..", "..", "VERSION"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "konak:" + strings.TrimSpace(string(version)); image != want {
		t.Errorf("the image is %s, and VERSION makes %s", image, want)
	}
}

// manifest holds the parts of Kubernetes objects that are checked.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		Ports    []struct{ Port int }
		Template struct {
			Spec struct {
				Containers []struct {
					Image string
					Env   []struct{ Name, Value string }
				}
			}
		}
	}
}

// The manifests of Kubernetes can be read, and Konak starts with their variables and those
// that Kubernetes adds for their Service.
func TestKubernetesManifests(t *testing.T) {
	in, service, variables := yaml.NewDecoder(strings.NewReader(packaged(t, "kubernetes.yaml"))), "", map[string]string{}
	for {
		var m manifest
		if err := in.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		switch m.Kind {
		case "Deployment":
			for _, c := range m.Spec.Template.Spec.Containers {
				wantImage(t, c.Image)
				for _, v := range c.Env {
					variables[v.Name] = v.Value
				}
			}
		case "Service":
			service = strings.ToUpper(strings.ReplaceAll(m.Metadata.Name, "-", "_"))
			for _, p := range m.Spec.Ports {
				for name, value := range kubernetesVariables(service, p.Port) {
					variables[name] = value
				}
			}
		}
	}
	if service != "KONAK" || variables["KONAK_PORT"] == "" {
		t.Fatalf("the Service is named %q: %v", service, variables)
	}
	wantSettings(t, variables)
}

// kubernetesVariables are the variables that Kubernetes adds to the environment for a
// Service.
func kubernetesVariables(service string, port int) map[string]string {
	one := fmt.Sprintf("%s_PORT_%d_TCP", service, port)
	return map[string]string{
		"KUBERNETES_SERVICE_HOST": "10.0.0.1", service + "_SERVICE_HOST": "10.0.0.7", service + "_SERVICE_PORT": fmt.Sprint(port),
		service + "_SERVICE_PORT_HTTP": fmt.Sprint(port), service + "_PORT": fmt.Sprintf("tcp://10.0.0.7:%d", port), one: fmt.Sprintf("tcp://10.0.0.7:%d", port),
		one + "_PROTO": "tcp", one + "_PORT": fmt.Sprint(port), one + "_ADDR": "10.0.0.7",
	}
}

// The compose file can be read, and with its variables Konak starts.
func TestComposeFile(t *testing.T) {
	var file struct {
		Services map[string]struct {
			Image       string
			Environment map[string]string
			Secrets     []string
		}
		Secrets map[string]any
	}
	if err := yaml.Unmarshal([]byte(packaged(t, "compose.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	for name, s := range file.Services {
		for _, needed := range s.Secrets {
			if file.Secrets[needed] == nil {
				t.Errorf("%s needs the secret %s, which is nowhere", name, needed)
			}
		}
	}
	wantImage(t, file.Services["konak"].Image)
	wantSettings(t, file.Services["konak"].Environment)
}

// The configuration of the package is consistent, and its unit starts with it.
func TestPackagedConfiguration(t *testing.T) {
	t.Parallel()
	path, err := filepath.Abs(filepath.Join("..", "..", "packaging", "konak.json"))
	if err != nil {
		t.Fatal(err)
	}
	_, command, _ := strings.Cut(packaged(t, "konak.service"), "\nExecStart=/usr/bin/konak ")
	command, _, _ = strings.Cut(command, "\n")
	args := strings.Fields(strings.Replace(command, packageFile, path, 1))
	file, err := configFile(args)
	if err != nil {
		t.Fatal(err)
	}
	var c cli
	parser := newParser(&c, file, io.Discard, io.Discard)
	if err := file.check(parser.Model); err != nil {
		t.Error(err)
	}
	if kctx, err := parser.Parse(args); err != nil || kctx.Command() != "serve" {
		t.Fatalf("%v: %v", args, err)
	}
	if err := c.Serve.Check(); err != nil {
		t.Error(err)
	}
	if c.Serve.Data == "./data" {
		t.Error("the configuration of the package is not read")
	}
}

// nginx accepts the example for nginx.
func TestNginxExample(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	example := packaged(t, "nginx.conf")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	// Testing a configuration opens its ports and reads its certificate.
	example = regexp.MustCompile(`(?m)^ *listen \[::\]:443 ssl;\n`).ReplaceAllString(example, "")
	example = strings.ReplaceAll(example, "listen 443 ssl;", "listen "+address+" ssl;")
	cert, key := writeCertificate(t, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
	example = strings.NewReplacer("/etc/ssl/konak/fullchain.pem", cert, "/etc/ssl/konak/privkey.pem", key).Replace(example)
	conf := filepath.Join(dir, "nginx.conf")
	text := fmt.Sprintf("pid %[1]s/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n"+
		"client_body_temp_path %[1]s/a;\nproxy_temp_path %[1]s/b;\nfastcgi_temp_path %[1]s/c;\nuwsgi_temp_path %[1]s/d;\nscgi_temp_path %[1]s/e;\n%[2]s}\n", dir, example)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	tooltest.Need(t, "nginx", "ensure-proxies")
	if out, err := exec.CommandContext(t.Context(), "nginx", "-t", "-e", "stderr", "-c", conf).CombinedOutput(); err != nil {
		t.Errorf("nginx: %v\n%s", err, out)
	}
}

// Caddy accepts the example for Caddy, except for the module of a DNS provider, which each
// operator chooses.
func TestCaddyExample(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	example := packaged(t, "Caddyfile")
	without := regexp.MustCompile(`(?m)^\ttls \{\n\t\tdns PROVIDER [^\n]*\n\t\}\n`).ReplaceAllString(example, "")
	if without == example {
		t.Fatal("the example names no DNS provider")
	}
	path := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(path, []byte(without), 0o600); err != nil {
		t.Fatal(err)
	}
	tooltest.Need(t, "caddy", "ensure-proxies")
	cmd := exec.CommandContext(t.Context(), "caddy", "validate", "--adapter", "caddyfile", "--config", path)
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("Valid configuration")) {
		t.Errorf("caddy: %v\n%s", err, out)
	}
}
