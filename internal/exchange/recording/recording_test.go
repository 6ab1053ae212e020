package recording_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/exchange/recording"
	"konak/internal/exchange/rtp"
	"konak/internal/exchange/sdp"
	"konak/internal/kit/clock"
)

var tenant, leg = uuid.New(), uuid.New()

func start(t *testing.T) (recording.Folder, *recording.Recorder, uuid.UUID, *clock.Fake) {
	t.Helper()
	now := clock.NewFake(time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC))
	f, id := recording.NewFolder(t.TempDir(), now), uuid.New()
	r, err := f.Start(tenant, leg, id)
	if err != nil {
		t.Fatal(err)
	}
	return f, r, id, now
}

// frame returns packet i of a stream.
func frame(codec sdp.Codec, i int) rtp.Packet {
	return rtp.Packet{PayloadType: uint8(codec), SSRC: uint32(codec), Timestamp: uint32(i * rtp.FrameSamples), Payload: make([]byte, rtp.FrameSamples)}
}

func stop(t *testing.T, r *recording.Recorder) recording.Result {
	t.Helper()
	result, err := r.Stop()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Stop(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("stopped twice: %v", err)
	}
	return result
}

// A recording is as long as the call, even if one side or both are silent for hours, and
// only its owner can read the file.
func TestSilenceIsRecorded(t *testing.T) {
	t.Parallel()
	f, r, id, now := start(t)
	for i := range 50 { // a second of one side
		now.Advance(rtp.FrameDuration)
		r.Said(frame(sdp.PCMU, i))
	}
	now.Advance(3 * time.Hour) // held
	r.Said(frame(sdp.PCMU, 50))
	r.Heard(frame(sdp.PCMA, 0))
	result := stop(t, r)
	if want := 3*time.Hour + time.Second; result.Duration < want-100*time.Millisecond || result.Duration > want+100*time.Millisecond {
		t.Errorf("the recording lasts %s", result.Duration)
	}
	file, err := f.Open(tenant, id)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if info, _ := file.Stat(); info.Size() != result.Bytes || info.Mode().Perm() != 0o600 {
		t.Errorf("%d bytes, mode %v", info.Size(), info.Mode())
	}
}

// Sound that comes faster than real time is dropped.
func TestPacketFloodIsNotRecorded(t *testing.T) {
	t.Parallel()
	_, r, _, now := start(t)
	now.Advance(time.Second)
	for i := range 5000 {
		r.Said(frame(sdp.PCMU, i))
	}
	if result := stop(t, r); result.Duration > 3*time.Second {
		t.Errorf("a second lasts %s", result.Duration)
	}
}

// Packets that were delayed, duplicated or reordered leave no gaps and no echoes.
func TestDelayedPacketsLeaveNoGaps(t *testing.T) {
	t.Parallel()
	f, r, id, now := start(t)
	send := func(side func(rtp.Packet), order ...int) {
		for _, i := range order {
			p := frame(sdp.PCMU, i)
			for k := range p.Payload {
				p.Payload[k] = byte(i) // a code that is not silence
			}
			side(p)
		}
	}
	now.Advance(rtp.FrameDuration)
	send(r.Said, 0)
	now.Advance(20 * rtp.FrameDuration)
	send(r.Said, 1, 2, 3, 3, 2, 5, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20)
	result := stop(t, r)
	if result.Duration != 21*rtp.FrameDuration {
		t.Errorf("the recording lasts %s", result.Duration)
	}
	file, err := f.Open(tenant, id)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	b, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	silent := 0
	for i := range 21 {
		if b[44+i*rtp.FrameSamples*4] == 0 && b[45+i*rtp.FrameSamples*4] == 0 {
			silent++
		}
	}
	if silent != 1 { // the delayed packet
		t.Errorf("%d frames are silent", silent)
	}
}

func TestRecordingIDIsUsedOnce(t *testing.T) {
	t.Parallel()
	f, r, id, _ := start(t)
	if _, err := f.Start(tenant, leg, id); !errors.Is(err, fs.ErrExist) {
		t.Errorf("while it grows: %v", err)
	}
	stop(t, r)
	if _, err := f.Start(tenant, leg, id); !errors.Is(err, fs.ErrExist) {
		t.Errorf("after its end: %v", err)
	}
	if err := f.Remove(tenant, id); err != nil {
		t.Error(err)
	}
	if err := f.Remove(tenant, id); err != nil {
		t.Errorf("removed twice: %v", err)
	}
}

// A file that was cut within a frame, or before its header was complete, is ended.
func TestRecoverEndsCutFiles(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int64{"in a frame": 44 + 4001, "in the header": 10} {
		dir := t.TempDir()
		f, id := recording.NewFolder(dir, clock.System{}), uuid.New()
		path := dir + "/" + tenant.String()
		if err := errors.Join(os.MkdirAll(path, 0o700), os.WriteFile(path+"/"+id.String()+"."+leg.String()+".part", make([]byte, size), 0o600)); err != nil {
			t.Fatal(err)
		}
		var got []recording.Result
		if err := f.Recover(func(r recording.Result) error { got = append(got, r); return nil }); err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || got[0].ID != id || got[0].Leg != leg || got[0].Tenant != tenant || got[0].Bytes != max((size-44)/4*4, 0)+44 {
			t.Errorf("%s: %+v", name, got)
		}
		if err := f.Recover(func(recording.Result) error { return errors.New("again") }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
