package channel_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	folderName = regexp.MustCompile("`([a-z/]+)`")
	testName   = regexp.MustCompile("`(Test[A-Za-z]+)`")
)

// Every cell of docs/channel-faults.md names existing tests.
func TestFaultsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/channel-faults.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{} // by folder below internal
	source := func(folder string) string {
		if tests[folder] == "" {
			files, err := filepath.Glob("../../" + folder + "/*_test.go")
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				text, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				tests[folder] += string(text)
			}
		}
		return tests[folder]
	}
	var folders []string
	for row := range strings.Lines(string(page)) {
		if !strings.HasPrefix(row, "| ") || strings.HasPrefix(row, "|---") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(row), "|"), "|")[1:]
		if folders == nil {
			for _, c := range cells {
				folders = append(folders, folderName.FindStringSubmatch(c)[1])
			}
			continue
		}
		for i, c := range cells {
			names := testName.FindAllStringSubmatch(c, -1)
			if len(names) == 0 {
				t.Errorf("no test for %s", row)
			}
			for _, n := range names {
				head := "func " + n[1] + "(t *testing.T)"
				if !strings.Contains(source(folders[i]), head) && !strings.Contains(source("app"), head) {
					t.Errorf("%s is in neither %s nor app", n[1], folders[i])
				}
			}
		}
	}
	if len(folders) == 0 {
		t.Error("there is no table")
	}
}
