package obs_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"konak/internal/kit/tooltest"
)

var alertName = regexp.MustCompile(`(?m)^ +- alert: (\w+)$`)

// Every alert of the packages fires when it should, with its labels and its text, and is
// silent when all is well.
func TestAlertRules(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile("../../../packaging/prometheus-alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/alerts.yml"
	tried, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := alertName.FindAllStringSubmatch(string(rules), -1)
	if len(found) == 0 {
		t.Fatal("there are no alerts")
	}
	for _, m := range found {
		if n := strings.Count(string(tried), "alertname: "+m[1]+","); n == 0 {
			t.Errorf("%s does not try when %s is silent", file, m[1])
		}
		if n := strings.Count(string(tried), "alertname: "+m[1]+"\n"); n == 0 {
			t.Errorf("%s does not try when %s fires", file, m[1])
		}
	}
	tooltest.Need(t, "promtool", "ensure-promtool")
	if out, err := exec.CommandContext(t.Context(), "promtool", "test", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}
