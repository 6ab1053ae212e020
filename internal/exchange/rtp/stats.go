package rtp

import (
	"time"

	"konak/internal/exchange"
)

// incoming holds the statistics of a received stream, by RFC 3550 section 6.4 and appendix
// A.
type incoming struct {
	ssrc     uint32
	started  bool
	base     uint32 // first number
	highest  uint32 // highest number, including wrap-arounds
	received int64  // of this stream
	total    int64  // of all streams
	lost     int64  // of earlier streams
	arrived  time.Time
	ts       uint32
	jitter   float64 // in samples
}

func (in *incoming) count(p Packet, now time.Time) {
	in.total++
	if !in.started || in.ssrc != p.SSRC {
		in.lost += in.missing()
		*in = incoming{
			ssrc: p.SSRC, started: true, base: uint32(p.Seq), highest: uint32(p.Seq), received: 1,
			total: in.total, lost: in.lost, arrived: now, ts: p.Timestamp, jitter: in.jitter,
		}
		return
	}
	in.received++
	if step := int16(p.Seq - uint16(in.highest)); step > 0 {
		in.highest += uint32(step)
	}
	// The difference between the gaps of two packets on sending and on arrival.
	if p.Timestamp != in.ts {
		d := now.Sub(in.arrived).Seconds()*8000 - float64(int32(p.Timestamp-in.ts))
		if d < 0 {
			d = -d
		}
		in.jitter += (d - in.jitter) / 16
	}
	in.arrived, in.ts = now, p.Timestamp
}

// missing returns the number of packets of the current stream that did not arrive.
func (in *incoming) missing() int64 {
	if !in.started {
		return 0
	}
	return max(int64(in.highest-in.base)+1-in.received, 0)
}

func (in *incoming) stats() exchange.MediaStats {
	return exchange.MediaStats{
		PacketsReceived: in.total, PacketsLost: in.lost + in.missing(), JitterMicros: int64(in.jitter / 8000 * 1e6),
	}
}
