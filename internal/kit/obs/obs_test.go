package obs_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"konak/internal/kit/caller"
	"konak/internal/kit/obs"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	parent  = "00-" + traceID + "-00f067aa0ba902b7-01"
)

func TestTraceOfCallerIsContinued(t *testing.T) {
	t.Parallel()
	for _, header := range []string{parent, strings.TrimSuffix(parent, "01") + "00", "cc" + parent[2:] + "-what-the-future-holds"} {
		ctx, trace := obs.StartTrace(t.Context(), header)
		if trace.ID != traceID || obs.TraceID(ctx) != traceID {
			t.Errorf("%q began the trace %s", header, trace.ID)
		}
		if strings.Contains(trace.Parent(), "00f067aa0ba902b7") || !strings.HasPrefix(trace.Parent(), "00-"+traceID+"-") {
			t.Errorf("%q is answered by %s", header, trace.Parent())
		}
	}
}

// A header that is not strictly valid is ignored as a whole.
func TestInvalidTraceHeaderStartsNewTrace(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	form := regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-01$`)
	for _, header := range []string{
		"", "x", parent[1:], parent + "-more", "ff" + parent[2:], "zz" + parent[2:], strings.ToUpper(parent),
		strings.Replace(parent, traceID, strings.Repeat("0", 32), 1),
		strings.Replace(parent, "00f067aa0ba902b7", strings.Repeat("0", 16), 1),
		strings.Replace(parent, "00f067aa0ba902b7", "00f067aa0ba902bg", 1),
		strings.Replace(parent, "4bf9", "4bf\n", 1), strings.ReplaceAll(parent, "-", "_"), "cc" + parent[2:] + "more",
	} {
		ctx, trace := obs.StartTrace(t.Context(), header)
		if trace.ID == traceID || seen[trace.ID] || !form.MatchString(trace.Parent()) || obs.TraceID(ctx) != trace.ID {
			t.Errorf("%q began the trace %q", header, trace.Parent())
		}
		seen[trace.ID] = true
	}
	if obs.TraceID(context.Background()) != "" {
		t.Error("a trace from nowhere")
	}
}

func TestLinesCarryTraceAndTenant(t *testing.T) {
	t.Parallel()
	ctx, _ := obs.StartTrace(t.Context(), parent)
	ctx = caller.With(ctx, &caller.Caller{Slug: "demo"})
	var out strings.Builder
	log := obs.NewLogger(&out, slog.LevelInfo, true).With("part", "test")
	log.DebugContext(ctx, "not this")
	log.InfoContext(ctx, "this")
	var line struct {
		Msg, Part, Tenant string
		TraceID           string `json:"trace_id"`
	}
	if err := json.Unmarshal([]byte(out.String()), &line); err != nil {
		t.Fatal(err)
	}
	if line.Msg != "this" || line.Part != "test" || line.Tenant != "demo" || line.TraceID != traceID {
		t.Errorf("got %s", out.String())
	}
	out.Reset()
	obs.NewLogger(&out, slog.LevelInfo, false).WithGroup("g").InfoContext(context.Background(), "alone", "a", 1)
	if got := out.String(); !strings.Contains(got, "msg=alone g.a=1") || strings.Contains(got, "trace_id") {
		t.Errorf("got %s", got)
	}
}
