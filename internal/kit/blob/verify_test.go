package blob_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/kit/blob"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/fault"
)

func (r *fixture) name(b blob.Blob) string {
	text := b.ID.String()
	return r.tenant.String() + "/" + text[len(text)-2:] + "/" + text
}

// damage replaces the stored bytes of a blob; nil removes them.
func (r *fixture) damage(b blob.Blob, content []byte) { r.overwrite(r.name(b), content) }

// findings lists the blobs that are known to be missing or damaged.
func (r *fixture) findings(t *testing.T) map[uuid.UUID]string {
	t.Helper()
	total, list, err := r.Findings(t.Context(), 100)
	if err != nil || total != len(list) {
		t.Fatal(total, list, err)
	}
	out := map[uuid.UUID]string{}
	for _, f := range list {
		out[f.ID] = f.Damage
	}
	return out
}

func (r *fixture) alarms() int { return strings.Count(r.logs.String(), "level=ERROR") }

// A blob of the wrong size is not opened, one without bytes is missing, and each is logged
// as an error once.
func TestOpenChecksSize(t *testing.T) {
	run(t, func(t *testing.T, r *fixture) {
		short, gone, whole := r.put(t, "short"), r.put(t, "gone"), r.put(t, "whole")
		r.damage(short, []byte("shor"))
		r.damage(gone, nil)
		for range 2 {
			if _, err := r.Open(t.Context(), r.tenant, short.ID); !fault.Is(err, fault.FileDamaged) || !errors.Is(err, blob.ErrDamaged) {
				t.Errorf("another size: %v", err)
			}
			if _, err := r.Open(t.Context(), r.tenant, gone.ID); !fault.Is(err, fault.FileMissing) || !errors.Is(err, blob.ErrMissing) {
				t.Errorf("gone: %v", err)
			}
		}
		if got := r.findings(t); len(got) != 2 || got[short.ID] != blob.Damaged || got[gone.ID] != blob.Missing {
			t.Errorf("findings %v", got)
		}
		if n := r.alarms(); n != 2 {
			t.Errorf("%d alarms\n%s", n, r.logs)
		}
		if r.read(t, whole.ID) != "whole" {
			t.Error("the whole one")
		}
		// A blob that never existed is missing too, but not logged.
		if _, err := r.Open(t.Context(), r.tenant, uuid.New()); !fault.Is(err, fault.FileMissing) || r.alarms() != 2 {
			t.Error(err, r.alarms())
		}
	})
}

// The last bytes of a blob with a wrong hash are never returned, however it is read.
func TestReadChecksHash(t *testing.T) {
	run(t, func(t *testing.T, r *fixture) {
		text := []byte(strings.Repeat("0123456789", 10_000))
		b := r.put(t, string(text))
		text[10]++
		r.damage(b, text)
		f, err := r.Open(t.Context(), r.tenant, b.ID)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		// As http.ServeContent does, and after reading only the beginning.
		if _, err := io.CopyN(io.Discard, f, 100); err != nil {
			t.Fatal(err)
		}
		for _, whence := range []int{io.SeekEnd, io.SeekStart} {
			if _, err := f.Seek(0, whence); err != nil {
				t.Fatal(err)
			}
		}
		got, err := io.ReadAll(f)
		if !errors.Is(err, blob.ErrDamaged) || len(got) >= len(text) {
			t.Errorf("%d bytes of %d, %v", len(got), len(text), err)
		}
		if got := r.findings(t)[b.ID]; got != blob.Damaged || r.alarms() != 1 {
			t.Errorf("%q, %d alarms", got, r.alarms())
		}
		if _, err := r.Open(t.Context(), r.tenant, b.ID); !fault.Is(err, fault.FileDamaged) {
			t.Errorf("known as damaged: %v", err)
		}
	})
}

// A blob is opened as a file that can be read in any order and leaves nothing behind, and
// only if it is completely as stored.
func TestOpenFile(t *testing.T) {
	run(t, func(t *testing.T, r *fixture) {
		text := []byte(strings.Repeat("0123456789", 10_000))
		b, damaged, gone := r.put(t, string(text)), r.put(t, string(text)+"x"), r.put(t, "gone")
		f, err := r.OpenFile(t.Context(), r.tenant, b.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int64{99_995, 7} {
			var got [5]byte
			if n, err := f.ReadAt(got[:], at); n != 5 || string(got[:]) != string(text[at:at+5]) {
				t.Errorf("at %d: %q %v", at, got[:n], err)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(filepath.Join(r.folder, "incoming")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
		if r.read(t, b.ID) != string(text) {
			t.Error("the blob changed")
		}
		r.damage(damaged, []byte(string(text)+"y"))
		if _, err := r.OpenFile(t.Context(), r.tenant, damaged.ID); !fault.Is(err, fault.FileDamaged) || !errors.Is(err, blob.ErrDamaged) {
			t.Errorf("another hash: %v", err)
		}
		r.damage(gone, nil)
		if _, err := r.OpenFile(t.Context(), r.tenant, gone.ID); !fault.Is(err, fault.FileMissing) {
			t.Errorf("gone: %v", err)
		}
		if got := r.findings(t); got[damaged.ID] != blob.Damaged || got[gone.ID] != blob.Missing || r.alarms() != 2 {
			t.Errorf("%v, %d alarms", got, r.alarms())
		}
	})
}

// Putting the same bytes again repairs a blob under its id, whether its damage was noticed
// or not, and so does a file restored by the operator.
func TestPutOfSameBytesRepairsBlob(t *testing.T) {
	run(t, func(t *testing.T, r *fixture) {
		for _, c := range []struct {
			text    string
			content []byte
		}{{"was removed", nil}, {"was cut", []byte("was")}, {"was changed", []byte("was damaged")}} {
			for _, noticed := range []bool{false, true} {
				text := c.text
				b := r.put(t, text)
				r.damage(b, c.content)
				if noticed {
					r.clock.Advance(31 * day)
					r.scrub(t)
				}
				if again := r.put(t, text); again.ID != b.ID || r.read(t, b.ID) != text {
					t.Errorf("%s: %v instead of %v", text, again.ID, b.ID)
				}
				if got := r.findings(t); len(got) != 0 {
					t.Errorf("%s: still %v", text, got)
				}
			}
		}
		b := r.put(t, "brought back")
		r.damage(b, nil)
		if _, err := r.Open(t.Context(), r.tenant, b.ID); !errors.Is(err, blob.ErrMissing) {
			t.Fatal(err)
		}
		r.damage(b, []byte("brought back"))
		if r.read(t, b.ID) != "brought back" || len(r.findings(t)) != 0 {
			t.Error("what was brought back is not read")
		}
		if u := r.use(t); u.Bytes != int64(len("was removed")+len("was cut")+len("was changed")+len("brought back")) {
			t.Errorf("healing was counted: %+v", u)
		}
	})
}

// The scrub reads every blob once in 30 days, a little at a time, and finds damage in blobs
// that nobody opens. Another node does not read what one has claimed.
func TestScrub(t *testing.T) {
	run(t, func(t *testing.T, r *fixture) {
		large := strings.Repeat("x", 9<<20)
		var list []blob.Blob
		for _, text := range []string{"a" + large, "b" + large, "c", "d", "e"} {
			b, err := r.Put(t.Context(), r.tenant, strings.NewReader(text), 32<<20)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, b)
			r.clock.Advance(time.Second)
		}
		if n := r.scrub(t); n != 0 {
			t.Errorf("%d read at once", n)
		}
		changed := []byte("a" + large)
		changed[1<<20] = 'y'
		r.damage(list[0], changed)
		r.damage(list[3], nil)
		r.clock.Advance(31 * day)
		if n := r.scrub(t); n != 1 {
			t.Errorf("%d read in a round that has no bytes for two", n)
		}
		if n := r.scrub(t); n != 4 {
			t.Errorf("%d read in the second round", n)
		}
		if n := r.scrub(t); n != 0 {
			t.Errorf("%d read twice", n)
		}
		if got := r.findings(t); len(got) != 2 || got[list[0].ID] != blob.Damaged || got[list[3].ID] != blob.Missing || r.alarms() != 2 {
			t.Errorf("%v, %d alarms", got, r.alarms())
		}
		// A damaged blob is checked again the next day, without logging another error.
		r.damage(list[3], []byte("d"))
		r.clock.Advance(25 * time.Hour)
		if n := r.scrub(t); n != 2 || len(r.findings(t)) != 1 || r.alarms() != 2 {
			t.Errorf("%d read again, %v, %d alarms", n, r.findings(t), r.alarms())
		}
		// A swept blob is not reported as damaged.
		r.sweep(t)
		if got := r.findings(t); len(got) != 0 {
			t.Errorf("swept, and still %v", got)
		}
	})
}

// A folder that cannot be read is not damage, and the blobs claimed in it are read when the
// claim ends.
func TestScrubGoesOnAfterAnOutage(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		r := open(t, d, c, false)
		r.put(t, "a")
		r.clock.Advance(31 * day)
		folder := filepath.Join(r.folder, r.tenant.String())
		if err := os.Rename(folder, folder+"-away"); err != nil {
			t.Fatal(err)
		}
		overwriteFile(t, folder, []byte("not a folder"))
		if _, err := r.Scrub(t.Context()); err == nil {
			t.Error("the outage is no error")
		}
		if got := r.findings(t); len(got) != 0 || r.alarms() != 0 {
			t.Errorf("%v, %d alarms", got, r.alarms())
		}
		overwriteFile(t, folder, nil)
		if err := os.Rename(folder+"-away", folder); err != nil {
			t.Fatal(err)
		}
		if n := r.scrub(t); n != 0 {
			t.Error("claimed twice")
		}
		r.clock.Advance(16 * time.Minute)
		if n := r.scrub(t); n != 1 {
			t.Error("not read again")
		}
	})
}

// The number of findings and the bytes of files are metrics.
func TestDamagedMetric(t *testing.T) {
	run(t, func(t *testing.T, r *fixture) {
		metrics := prometheus.NewRegistry()
		if _, err := blob.New(blob.Config{DB: r.db, Metrics: metrics, Folder: r.folder}); err != nil {
			t.Fatal(err)
		}
		b := r.put(t, "a")
		r.damage(b, nil)
		_, _ = r.Open(t.Context(), r.tenant, b.ID)
		got, err := metrics.Gather()
		if err != nil || len(got) != 2 || got[1].GetName() != "konak_files_damaged" || got[1].GetMetric()[0].GetGauge().GetValue() != 1 {
			t.Error(got, err)
		} else if got[0].GetName() != "konak_files_bytes" || got[0].GetMetric()[0].GetGauge().GetValue() != 1 {
			t.Error(got)
		}
	})
}

func (r *fixture) scrub(t *testing.T) int {
	t.Helper()
	n, err := r.Scrub(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}
