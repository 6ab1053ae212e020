// Package recording writes calls to disk in real time: WAV files with what a leg says on
// the left channel and what it hears on the right.
//
// A recording is a file `<id>.<leg>.part` while it grows and `<id>.wav` once it has
// ended, in a folder of its tenant. A file left behind by a crash is ended by Recover at
// the next start. Memory is bounded: if one side is ahead of the other by more than
// maxAhead, the other side is filled with silence.
package recording

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"konak/internal/exchange/rtp"
	"konak/internal/exchange/sdp"
	"konak/internal/exchange/sound"
	"konak/internal/kit/clock"
)

const (
	headerSize = 44
	frameBytes = 4 // two 16-bit samples
	// maxAhead is how far one side may be ahead of the other, and a packet off the clock:
	// one second.
	maxAhead = sound.PhoneRate
	// maxBytes limits one recording: 18 hours, and the size that a WAV file can state.
	maxBytes = 2 << 30
)

// Folder stores the recordings of an exchange.
type Folder struct {
	dir   string
	clock clock.Source
}

// NewFolder returns a folder on disk, which is created with the first recording.
func NewFolder(dir string, c clock.Source) Folder { return Folder{dir, c} }

// Result is a recording that has ended, and its length.
type Result struct {
	Tenant, ID, Leg uuid.UUID
	Bytes           int64
	Duration        time.Duration
}

func (f Folder) ended(tenant, id uuid.UUID) string {
	return filepath.Join(f.dir, tenant.String(), id.String()+".wav")
}

// Open opens a recording that has ended. The error is fs.ErrNotExist if there is none.
func (f Folder) Open(tenant, id uuid.UUID) (*os.File, error) { return os.Open(f.ended(tenant, id)) }

// Remove deletes a recording that has ended. It is no error if it does not exist.
func (f Folder) Remove(tenant, id uuid.UUID) error {
	if err := os.Remove(f.ended(tenant, id)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Recorder writes one recording.
type Recorder struct {
	result Result
	folder Folder
	part   string
	start  time.Time

	mu     sync.Mutex
	file   *os.File
	w      *bufio.Writer
	err    error
	frames int64 // written
	pause  bool
	// sides are the samples that are not written yet: said and heard.
	sides   [2][]int16
	streams [2]stream
}

// Start begins a recording. The error is fs.ErrExist if a recording of this id exists.
func (f Folder) Start(tenant, leg, id uuid.UUID) (*Recorder, error) {
	if _, err := os.Stat(f.ended(tenant, id)); err == nil {
		return nil, fs.ErrExist
	}
	r := &Recorder{result: Result{Tenant: tenant, ID: id, Leg: leg}, folder: f, start: f.clock.Now()}
	r.part = filepath.Join(f.dir, tenant.String(), id.String()+"."+leg.String()+".part")
	if err := os.MkdirAll(filepath.Dir(r.part), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(r.part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	r.file, r.w = file, bufio.NewWriterSize(file, 16<<10)
	_, r.err = r.w.Write(header(0))
	return r, nil
}

// header returns the header of a file with this many bytes of sound.
func header(size int64) []byte {
	return sound.AppendWAVHeader(make([]byte, 0, headerSize), sound.PhoneRate, 2, size)
}

// Said adds what the leg says. It and Heard implement rtp.Tap.
func (r *Recorder) Said(p rtp.Packet) { r.add(0, p) }

// Heard adds what the leg hears.
func (r *Recorder) Heard(p rtp.Packet) { r.add(1, p) }

// Pause writes silence until it is called with false.
func (r *Recorder) Pause(pause bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pause = pause
}

// stream is the position of a side's last packet, from which that of the next one is
// computed.
type stream struct {
	known bool
	ssrc  uint32
	ts    uint32
	at    int64
}

// packetStart returns where a packet begins, in samples since the start: as far after the one
// before it as its sender says, so that network delays leave no gaps. If that is too far
// behind the clock, or the stream is new, the clock decides. It returns false for sound
// that comes faster than real time.
func (r *Recorder) packetStart(side int, p rtp.Packet) (at int64, ok bool) {
	now := r.folder.clock.Now().Sub(r.start).Microseconds() * sound.PhoneRate / 1e6
	s := &r.streams[side]
	at = max(now-int64(len(p.Payload)), 0)
	if s.known && s.ssrc == p.SSRC {
		if next := s.at + int64(int32(p.Timestamp-s.ts)); next >= now-maxAhead {
			at = next
		}
	}
	if at > now+maxAhead {
		return 0, false
	}
	*s = stream{true, p.SSRC, p.Timestamp, at}
	return at, true
}

func (r *Recorder) add(side int, p rtp.Packet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, ok := r.packetStart(side, p)
	over := r.frames + int64(len(r.sides[side])) - at // the part that is there already
	if !ok || over >= int64(len(p.Payload)) {
		return
	}
	r.pad(side, at-r.frames)
	payload := p.Payload[max(over, 0):]
	if r.pause {
		r.pad(side, int64(len(r.sides[side])+len(payload)))
	} else {
		r.sides[side] = rtp.Decode(r.sides[side], sdp.Codec(p.PayloadType), payload)
	}
	if other := 1 - side; len(r.sides[side])-len(r.sides[other]) > maxAhead {
		r.pad(other, int64(len(r.sides[side])-maxAhead/2))
	}
	r.write(min(len(r.sides[0]), len(r.sides[1])))
}

// pad appends silence to a side until it has n samples. A gap of hours is written in
// pieces.
func (r *Recorder) pad(side int, n int64) {
	for int64(len(r.sides[side])) < n {
		piece := min(n-int64(len(r.sides[side])), maxAhead)
		r.sides[side] = append(r.sides[side], make([]int16, piece)...)
		if other := 1 - side; len(r.sides[side])-len(r.sides[other]) > maxAhead {
			r.sides[other] = append(r.sides[other], make([]int16, len(r.sides[side])-len(r.sides[other])-maxAhead/2)...)
		}
		before := r.frames
		r.write(min(len(r.sides[0]), len(r.sides[1])))
		n -= r.frames - before
	}
}

// write moves n frames from memory to the file.
func (r *Recorder) write(n int) {
	if n == 0 {
		return
	}
	r.frames += int64(n)
	if r.err == nil && r.frames*frameBytes < maxBytes {
		var b [frameBytes]byte
		for i := range n {
			binary.LittleEndian.PutUint16(b[:], uint16(r.sides[0][i]))
			binary.LittleEndian.PutUint16(b[2:], uint16(r.sides[1][i]))
			if _, r.err = r.w.Write(b[:]); r.err != nil {
				break
			}
		}
	}
	for side := range r.sides {
		r.sides[side] = append(r.sides[side][:0], r.sides[side][n:]...)
	}
}

// Stop ends the recording and returns its length. After the first call it returns an error.
func (r *Recorder) Stop() (Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return Result{}, fs.ErrClosed
	}
	longest := int64(max(len(r.sides[0]), len(r.sides[1])))
	r.pad(0, longest)
	r.pad(1, longest)
	err := errors.Join(r.err, r.w.Flush(), r.file.Close())
	r.file = nil
	if err != nil {
		return Result{}, err
	}
	return r.folder.finish(r.part, r.result)
}

// finish writes the length into a file and gives it its final name.
func (f Folder) finish(part string, result Result) (Result, error) {
	file, err := os.OpenFile(part, os.O_RDWR, 0o600)
	if err != nil {
		return result, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return result, err
	}
	size := max(info.Size()-headerSize, 0) / frameBytes * frameBytes
	if _, err := file.WriteAt(header(size), 0); err != nil {
		return result, err
	}
	if err := errors.Join(file.Truncate(headerSize+size), file.Sync(), os.Rename(part, f.ended(result.Tenant, result.ID))); err != nil {
		return result, err
	}
	result.Bytes = headerSize + size
	result.Duration = time.Duration(size/frameBytes) * time.Second / sound.PhoneRate
	return result, nil
}

// Recover ends the recordings left behind by a crash, and calls ended for each.
func (f Folder) Recover(ended func(Result) error) error {
	parts, err := filepath.Glob(filepath.Join(f.dir, "*", "*.part"))
	if err != nil {
		return err
	}
	for _, part := range parts {
		names := strings.Split(strings.TrimSuffix(filepath.Base(part), ".part"), ".")
		if len(names) != 2 {
			return fmt.Errorf("recording: %s is not the name of a recording", part)
		}
		var result Result
		var errs [3]error
		result.Tenant, errs[0] = uuid.Parse(filepath.Base(filepath.Dir(part)))
		result.ID, errs[1] = uuid.Parse(names[0])
		result.Leg, errs[2] = uuid.Parse(names[1])
		if err := errors.Join(errs[:]...); err != nil {
			return err
		}
		if result, err = f.finish(part, result); err != nil {
			return err
		}
		if err := ended(result); err != nil {
			return err
		}
	}
	return nil
}
