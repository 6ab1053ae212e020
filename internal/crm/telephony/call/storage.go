package call

import (
	"konak/internal/exchange"
	"konak/internal/kit/audit"
	"konak/internal/kit/blob"
)

const (
	// recordingHead and recordingMS are the size of a recording: a header, and two channels
	// of 16 bits for every millisecond.
	recordingHead = 44
	recordingMS   = 32
)

// causeFull is the cause of a call that ended because its caller could not leave a message.
const causeFull exchange.Cause = "storage_full"

// mayRecord reports whether the workspace's storage has space for a recording. If it is
// full, the audit log records that none was made.
func (w *work) mayRecord() (bool, error) {
	full, err := w.s.Greetings.Blobs.Full(&w.tx.Reader)
	if err != nil || !full {
		return err == nil, err
	}
	return false, audit.Write(w.tx, "recording.refused", w.ID.String(), map[string]any{"reason": "storage_full"})
}

// countRecording adds the recording of a call to the workspace's storage usage.
func (w *work) countRecording() error {
	return blob.CountBeside(w.tx, recordingHead+w.RecordingMS*recordingMS)
}

// uncountRecording subtracts it again; a recording without a known length was never
// counted.
func (w *work) uncountRecording() error {
	if w.RecordingMS == 0 {
		return nil
	}
	return blob.CountBeside(w.tx, -recordingHead-w.RecordingMS*recordingMS)
}
