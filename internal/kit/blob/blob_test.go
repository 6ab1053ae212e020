package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/uuid"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"pgregory.net/rapid"

	"konak/internal/kit/blob"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

const day = 24 * time.Hour

// fixture is a store, its workspace and access to its stored bytes.
type fixture struct {
	*blob.Store
	db     *db.DB
	clock  *clock.Fake
	tenant uuid.UUID
	folder string
	// names lists what is stored.
	names func() []string
	// overwrite replaces what is stored under a name, and removes it for nil.
	overwrite func(name string, content []byte)
	logs      *bytes.Buffer
}

// run runs fn on both databases, each with a folder and with a bucket.
func run(t *testing.T, fn func(t *testing.T, r *fixture)) {
	t.Helper()
	t.Parallel()
	for place, remote := range map[string]bool{"disk": false, "s3": true} {
		t.Run(place, func(t *testing.T) {
			dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) { fn(t, open(t, d, c, remote)) })
		})
	}
}

func open(t *testing.T, d *db.DB, c *clock.Fake, remote bool) *fixture {
	t.Helper()
	r := &fixture{db: d, clock: c, tenant: dbtest.Tenant(t, d, "a"), folder: t.TempDir(), logs: &bytes.Buffer{}}
	address := ""
	if remote {
		address, r.names, r.overwrite = bucket(t)
	} else {
		r.names = func() []string { return files(t, r.folder) }
		r.overwrite = func(name string, content []byte) {
			overwriteFile(t, filepath.Join(r.folder, filepath.FromSlash(name)), content)
		}
	}
	var err error
	log := slog.New(slog.NewTextHandler(r.logs, nil))
	if r.Store, err = blob.New(blob.Config{DB: d, Log: log, Folder: r.folder, S3URL: address}); err != nil {
		t.Fatal(err)
	}
	if err := r.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// bucket starts a server that speaks S3.
func bucket(t *testing.T) (address string, names func() []string, overwrite func(string, []byte)) {
	t.Helper()
	back := s3mem.New()
	if err := back.CreateBucket("files"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(back).Server())
	t.Cleanup(server.Close)
	address = "http://key:secret@" + strings.TrimPrefix(server.URL, "http://") + "/files/konak"
	names = func() []string {
		list, err := back.ListBucket("files", nil, gofakes3.ListBucketPage{})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, c := range list.Contents {
			out = append(out, strings.TrimPrefix(c.Key, "konak/"))
		}
		return out
	}
	overwrite = func(name string, content []byte) {
		if _, err := back.DeleteObject("files", "konak/"+name); err != nil {
			t.Fatal(err)
		}
		if content == nil {
			return
		}
		if _, err := back.PutObject("files", "konak/"+name, map[string]string{"Last-Modified": "Sun, 15 Nov 2026 09:00:00 GMT"}, bytes.NewReader(content), int64(len(content)), nil); err != nil {
			t.Fatal(err)
		}
	}
	return address, names, overwrite
}

func overwriteFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if content == nil {
		return
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// files lists the files in the folder except those being received.
func files(t *testing.T, folder string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && e.Name() == "incoming" {
			return fs.SkipDir
		}
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(folder, path)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (r *fixture) put(t *testing.T, text string) blob.Blob {
	t.Helper()
	b, err := r.Put(t.Context(), r.tenant, strings.NewReader(text), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (r *fixture) tx(t *testing.T, fn func(*db.Tx) error) {
	t.Helper()
	if err := r.db.Tenant(r.tenant).InTx(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

func (r *fixture) hold(t *testing.T, id uuid.UUID) {
	t.Helper()
	r.tx(t, func(tx *db.Tx) error { return blob.Hold(tx, id) })
}

func (r *fixture) drop(t *testing.T, id uuid.UUID) {
	t.Helper()
	r.tx(t, func(tx *db.Tx) error { return blob.Drop(tx, id) })
}

func (r *fixture) sweep(t *testing.T) int {
	t.Helper()
	n, err := r.Sweep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (r *fixture) read(t *testing.T, id uuid.UUID) string {
	t.Helper()
	f, err := r.Open(t.Context(), r.tenant, id)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPutAndOpen(t *testing.T) {
	run(t, func(t *testing.T, r *fixture) {
		b := r.put(t, "merhaba dünya")
		want := sha256.Sum256([]byte("merhaba dünya"))
		if b.Size != 14 || !bytes.Equal(b.Hash, want[:]) {
			t.Errorf("%+v", b)
		}
		if got := r.read(t, b.ID); got != "merhaba dünya" {
			t.Errorf("%q", got)
		}
		f, err := r.Open(t.Context(), r.tenant, b.ID)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		if _, err := f.Seek(8, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if part, err := io.ReadAll(f); err != nil || string(part) != "dünya" {
			t.Errorf("%q, %v", part, err)
		}
		err = r.db.Tenant(r.tenant).Read(t.Context(), func(rd *db.Reader) error {
			found, err := blob.Find(rd, b.ID)
			if found.Size != b.Size || !bytes.Equal(found.Hash, b.Hash) {
				t.Errorf("%+v", found)
			}
			if _, err := blob.Find(rd, uuid.New()); !errors.Is(err, blob.ErrMissing) {
				t.Error(err)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestEmptyAndTooLargeBlobs(t *testing.T) {
	run(t, func(t *testing.T, r *fixture) {
		if b := r.put(t, ""); b.Size != 0 || r.read(t, b.ID) != "" {
			t.Errorf("%+v", b)
		}
		before := len(r.names())
		if _, err := r.Put(t.Context(), r.tenant, strings.NewReader("12345"), 4); !errors.Is(err, blob.ErrTooLarge) {
			t.Error(err)
		}
		broken := iotest.ErrReader(io.ErrUnexpectedEOF)
		if _, err := r.Put(t.Context(), r.tenant, broken, 4); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Error(err)
		}
		if b, err := r.Put(t.Context(), r.tenant, strings.NewReader("1234"), 4); err != nil || b.Size != 4 {
			t.Error(b, err)
		}
		if got := len(r.names()); got != before+1 {
			t.Errorf("%d blobs, there were %d", got, before)
		}
		if left, err := os.ReadDir(filepath.Join(r.folder, "incoming")); err != nil || len(left) != 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
}

func TestLargeFilesGoToS3Whole(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, db.SQLite, clock.NewFake(dbtest.Start))
	r := open(t, d, d.Clock().(*clock.Fake), true)
	text := strings.Repeat("0123456789abcdef", 17<<16) + "end"
	b, err := r.Put(t.Context(), r.tenant, strings.NewReader(text), 32<<20)
	if err != nil || b.Size != int64(len(text)) {
		t.Fatal(b, err)
	}
	if got := r.read(t, b.ID); got != text {
		t.Errorf("%d bytes came back of %d", len(got), len(text))
	}
}

func TestSameBytesAreStoredOncePerWorkspace(t *testing.T) {
	run(t, func(t *testing.T, r *fixture) {
		first, second := r.put(t, "same"), r.put(t, "same")
		if first.ID != second.ID || len(r.names()) != 1 {
			t.Errorf("%v and %v: %v", first.ID, second.ID, r.names())
		}
		other := dbtest.Tenant(t, r.db, "b")
		b, err := r.Put(t.Context(), other, strings.NewReader("same"), 10)
		if err != nil || b.ID == first.ID || len(r.names()) != 2 {
			t.Errorf("workspaces share %v, %v", b, err)
		}
		if _, err := r.Open(t.Context(), other, first.ID); !errors.Is(err, blob.ErrMissing) {
			t.Errorf("another workspace opens it: %v", err)
		}
		err = r.db.Tenant(other).InTx(t.Context(), func(tx *db.Tx) error { return blob.Hold(tx, first.ID) })
		if !errors.Is(err, blob.ErrMissing) {
			t.Errorf("another workspace holds it: %v", err)
		}
	})
}

func TestSweep(t *testing.T) {
	run(t, func(t *testing.T, r *fixture) {
		held, unheld := r.put(t, "held"), r.put(t, "unheld")
		r.hold(t, held.ID)
		r.hold(t, held.ID)
		if n := r.sweep(t); n != 0 {
			t.Errorf("swept %d at once", n)
		}
		r.clock.Advance(day + time.Second)
		if n := r.sweep(t); n != 1 {
			t.Errorf("swept %d", n)
		}
		if _, err := r.Open(t.Context(), r.tenant, unheld.ID); !errors.Is(err, blob.ErrMissing) {
			t.Error(err)
		}
		r.drop(t, held.ID)
		r.clock.Advance(2 * day)
		if n := r.sweep(t); n != 0 || r.read(t, held.ID) != "held" {
			t.Error("swept while one still holds it")
		}
		r.drop(t, held.ID)
		r.drop(t, held.ID) // one too many does no harm
		r.clock.Advance(day / 2)
		if again := r.put(t, "held"); again.ID != held.ID {
			t.Error("not found again")
		}
		r.clock.Advance(day / 2)
		if n := r.sweep(t); n != 0 {
			t.Error("swept half a day after it was put again")
		}
		r.clock.Advance(day)
		if n := r.sweep(t); n != 1 || len(r.names()) != 0 {
			t.Errorf("swept %d, left %v", n, r.names())
		}
		err := r.db.Tenant(r.tenant).InTx(t.Context(), func(tx *db.Tx) error { return blob.Hold(tx, held.ID) })
		if !errors.Is(err, blob.ErrMissing) {
			t.Error(err)
		}
		if b := r.put(t, "held"); b.ID == held.ID || r.read(t, b.ID) != "held" {
			t.Error("what was swept cannot be put again")
		}
	})
}

// cut is a stream whose process dies before its end.
type cut struct{}

func (cut) Read([]byte) (int, error) { panic("killed") }

func TestLeftoversOfDeadProcessAreRemoved(t *testing.T) {
	run(t, func(t *testing.T, r *fixture) {
		func() {
			defer func() { _ = recover() }()
			_, _ = r.Put(t.Context(), r.tenant, io.MultiReader(strings.NewReader("half"), cut{}), 100)
		}()
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, _ = r.Put(gone, r.tenant, strings.NewReader("never acknowledged"), 100)
		spool := filepath.Join(r.folder, "incoming")
		if left, _ := os.ReadDir(spool); len(left) != 1 {
			t.Fatalf("%v", left)
		}
		// Files have the machine's time.
		r.clock.Set(time.Now().Add(day + time.Hour))
		r.sweep(t)
		if left, err := os.ReadDir(spool); err != nil || len(left) != 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
		if left := r.names(); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

func TestConcurrentPuts(t *testing.T) {
	run(t, func(t *testing.T, r *fixture) {
		var wg sync.WaitGroup
		for i := range 24 {
			wg.Go(func() {
				b, err := r.Put(t.Context(), r.tenant, strings.NewReader(strings.Repeat("x", i%3)), 10)
				if err == nil {
					err = r.db.Tenant(r.tenant).InTx(t.Context(), func(tx *db.Tx) error { return blob.Hold(tx, b.ID) })
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		r.clock.Advance(2 * day)
		r.sweep(t)
		for _, name := range r.names() {
			r.read(t, uuid.MustParse(name[len(name)-36:]))
		}
	})
}

// Whatever happens in whatever order, a held blob can be read, and one not held for a day
// is gone after a sweep.
func TestHeldBlobsStayAndUnheldAreSwept(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, db.SQLite, clock.NewFake(dbtest.Start))
	tenant := dbtest.Tenant(t, d, "a")
	c := d.Clock().(*clock.Fake)
	rapid.Check(t, func(rt *rapid.T) {
		store, err := blob.New(blob.Config{DB: d, Folder: t.TempDir()})
		if err != nil {
			rt.Fatal(err)
		}
		refs, text, touched := map[uuid.UUID]int{}, map[uuid.UUID]string{}, map[uuid.UUID]time.Time{}
		// Each run begins with content that no other run has put.
		salt := c.NewID().String()
		pick := func() (uuid.UUID, bool) {
			var ids []uuid.UUID
			for id := range text {
				ids = append(ids, id)
			}
			if len(ids) == 0 {
				return uuid.Nil, false
			}
			slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
			return rapid.SampledFrom(ids).Draw(rt, "blob"), true
		}
		do := func(fn func(*db.Tx) error) {
			if err := d.Tenant(tenant).InTx(t.Context(), fn); err != nil {
				rt.Fatal(err)
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) {
				word := salt + rapid.SampledFrom([]string{"bir", "iki", "üç"}).Draw(rt, "text")
				b, err := store.Put(t.Context(), tenant, strings.NewReader(word), 100)
				if err != nil {
					rt.Fatal(err)
				}
				text[b.ID], touched[b.ID] = word, c.Now()
			},
			"hold": func(*rapid.T) {
				if id, ok := pick(); ok {
					do(func(tx *db.Tx) error { return blob.Hold(tx, id) })
					refs[id]++
				}
			},
			"drop": func(*rapid.T) {
				if id, ok := pick(); ok && refs[id] > 0 {
					do(func(tx *db.Tx) error { return blob.Drop(tx, id) })
					refs[id]--
					touched[id] = c.Now()
				}
			},
			"sweep": func(rt *rapid.T) {
				c.Advance(time.Duration(rapid.IntRange(1, 30).Draw(rt, "hours")) * time.Hour)
				if _, err := store.Sweep(t.Context()); err != nil {
					rt.Fatal(err)
				}
				for id := range text {
					if refs[id] == 0 && c.Now().Sub(touched[id]) > day {
						if _, err := store.Open(t.Context(), tenant, id); !errors.Is(err, blob.ErrMissing) {
							rt.Fatalf("%v is still there: %v", id, err)
						}
						delete(text, id)
					}
				}
			},
			"": func(rt *rapid.T) {
				for id, want := range text {
					f, err := store.Open(t.Context(), tenant, id)
					if err != nil {
						rt.Fatal(err)
					}
					got, err := io.ReadAll(f)
					_ = f.Close()
					if err != nil || string(got) != want {
						rt.Fatalf("%q, %v", got, err)
					}
				}
			},
		})
	})
}
