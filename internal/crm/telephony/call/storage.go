package call

import (
	"konak/internal/exchange"
	"konak/internal/kit/audit"
	"konak/internal/kit/blob"
)

const (
	// recordingHead and recordingMS are what a recording takes: a header, and two
	// channels of 16 bits for every millisecond.
	recordingHead = 44
	recordingMS   = 32
)

// causeFull is why a call ended whose caller could not leave a message.
const causeFull exchange.Cause = "storage_full"

// mayRecord says whether the workspace's storage takes a recording. Where it is full,
// the audit log says that none was made.
func (w *work) mayRecord() (bool, error) {
	full, err := w.s.Greetings.Blobs.Full(&w.tx.Reader)
	if err != nil || !full {
		return err == nil, err
	}
	return false, audit.Write(w.tx, "recording.refused", w.ID.String(), map[string]any{"reason": "storage_full"})
}

// countRecording counts the recording of a call in the workspace's storage.
func (w *work) countRecording() error {
	return blob.CountBeside(w.tx, recordingHead+w.RecordingMS*recordingMS)
}

// uncountRecording takes it out again; one that was never heard of is not counted.
func (w *work) uncountRecording() error {
	if w.RecordingMS == 0 {
		return nil
	}
	return blob.CountBeside(w.tx, -recordingHead-w.RecordingMS*recordingMS)
}
