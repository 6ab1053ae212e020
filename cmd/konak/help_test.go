package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// screen is the maximum number of lines of a command's help.
const screen = 36

// helpOf prints the help of a command.
func helpOf(t *testing.T, command ...string) string {
	t.Helper()
	var c cli
	var out bytes.Buffer
	parser := newParser(&c, fileResolver{}, &out, &out)
	type ended struct{}
	parser.Exit = func(int) { panic(ended{}) }
	func() {
		defer func() {
			if _, ok := recover().(ended); !ok {
				t.Errorf("the help of %v does not end", command)
			}
		}()
		_, _ = parser.Parse(append(command, "--help"))
	}()
	return out.String()
}

// The help of each command fits on a screen and begins with the flags of the command
// itself; the help of konak config has every setting.
func TestHelpFitsAScreen(t *testing.T) {
	t.Parallel()
	var c cli
	model := newParser(&c, fileResolver{}, &bytes.Buffer{}, &bytes.Buffer{}).Model
	settings := namesOf(flagsOf(child(model.Node, listSettings)))
	all := helpOf(t, listSettings)
	for _, name := range settings {
		if !strings.Contains(all, "--"+name) {
			t.Errorf("konak config --help says nothing of --%s", name)
		}
	}
	commands := [][]string{{}}
	var collect func(n *kong.Node, path []string)
	collect = func(n *kong.Node, path []string) {
		for _, sub := range n.Children {
			here := append(slices.Clone(path), sub.Name)
			commands = append(commands, here)
			collect(sub, here)
		}
	}
	collect(model.Node, nil)
	if len(commands) < 40 {
		t.Fatalf("%d commands", len(commands))
	}
	for _, command := range commands {
		if len(command) == 1 && command[0] == listSettings {
			continue
		}
		text := helpOf(t, command...)
		if n := strings.Count(text, "\n"); n > screen {
			t.Errorf("the help of %v has %d lines", command, n)
		}
		checkOrder(t, command, text, settings)
	}
	if text := helpOf(t, "backup"); !strings.Contains(text, "--previous") || !strings.Contains(text, "<target>") || !strings.Contains(text, "backup verify") {
		t.Errorf("it does not say how a backup is made:\n%s", text)
	}
	if text := helpOf(t, "workspace", "create"); !strings.Contains(text, "--data") || !strings.Contains(text, "konak config --help") {
		t.Errorf("it does not say where the other settings are:\n%s", text)
	}
}

// checkOrder checks that a command's own flags come before the settings.
func checkOrder(t *testing.T, command []string, text string, settings []string) {
	t.Helper()
	setting := ""
	for line := range strings.Lines(text) {
		flag, ok := strings.CutPrefix(strings.TrimSpace(line), "--")
		if !ok {
			continue
		}
		name := strings.FieldsFunc(flag, func(r rune) bool { return r == '=' || r == ' ' || r == '\n' || r == '[' })[0]
		switch {
		case slices.Contains(settings, name):
			setting = name
		case setting != "" && name != "config":
			t.Errorf("the help of %v has the setting --%s before its own --%s", command, setting, name)
		}
	}
}
