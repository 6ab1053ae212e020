package dlp

import (
	"bytes"
	"compress/zlib"
	"io"

	"konak/internal/mail/dlp/pdfdict"
	"konak/internal/mail/dlp/pdfstream"
)

// params returns the parameters of a stream's filters.
func (f *pdfFile) params(values map[string]string) []map[string]string {
	value := values["DecodeParms"]
	if value == "" {
		value = values["DP"]
	}
	return pdfdict.Params(value, f.value)
}

// unpack undoes the filters of a stream. It returns the data and, if that is incomplete,
// the reason. A limit below maxPDFStream requests only the beginning.
func (f *pdfFile) unpack(values map[string]string, body []byte, limit int64) ([]byte, string) {
	data := body
	params := f.params(values)
	for i, name := range f.filters(values) {
		var own map[string]string
		if i < len(params) {
			own = params[i]
		}
		var reason string
		switch name {
		case "FlateDecode", "Fl":
			data, reason = f.inflate(data, limit)
			data, reason = undoPredictor(data, own, reason)
		case "LZWDecode", "LZW":
			early := 1
			if own["EarlyChange"] == "0" {
				early = 0
			}
			data, reason = f.bounded(limit, int64(len(data)), func(most int64) []byte { return pdfstream.LZW(data, early, most) })
			data, reason = undoPredictor(data, own, reason)
		case "RunLengthDecode", "RL":
			data, reason = f.bounded(limit, int64(len(data)), func(most int64) []byte { return pdfstream.RunLength(data, most) })
		case "ASCIIHexDecode", "AHx":
			data = pdfstream.Hex(data)
		case "ASCII85Decode", "A85":
			data = pdfstream.Base85(data)
		default:
			return nil, ReasonUnsupported
		}
		if reason != "" {
			return data, reason
		}
	}
	return data, ""
}

// undoPredictor undoes the predictor that was applied before compression.
func undoPredictor(data []byte, params map[string]string, reason string) ([]byte, string) {
	out, ok := pdfstream.Predict(data, params)
	if !ok {
		return data, ReasonUnsupported
	}
	return out, reason
}

// bounded unpacks a stream up to its limit. If the whole stream is requested, its bytes
// count towards the scan's limit.
func (f *pdfFile) bounded(limit, packed int64, unpack func(most int64) []byte) ([]byte, string) {
	whole := limit == maxPDFStream
	if whole {
		limit = max(0, min(limit, max(1<<20, packed*f.x.limits.Ratio), f.x.limits.Bytes-f.x.bytes))
	}
	out := unpack(limit)
	if whole {
		f.x.bytes += int64(len(out))
	}
	if int64(len(out)) <= limit {
		return out, ""
	}
	if whole {
		return out, ReasonTooLarge
	}
	return out[:limit], ""
}

func (f *pdfFile) inflate(data []byte, limit int64) ([]byte, string) {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, ReasonDamaged
	}
	out, reason := f.bounded(limit, int64(len(data)), func(most int64) (out []byte) {
		out, err = io.ReadAll(io.LimitReader(z, most+1))
		return out
	})
	if err != nil && len(out) == 0 {
		return nil, ReasonDamaged
	}
	return out, reason // PDF readers show the beginning of a truncated stream
}
