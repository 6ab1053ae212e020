package sipexchange_test

import (
	"net"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/exchange"
)

// metrics returns the sum of each metric of the exchange.
func (d *desk) metrics() map[string]float64 {
	d.t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(d.Exchange)
	families, err := registry.Gather()
	d.must(err)
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			out[f.GetName()] += m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return out
}

func TestCallsAreCounted(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p := d.addPhone(tenantA, "ayse", "101")
	leg, c := d.talk(tenantA, p)
	if m := d.metrics(); m["konak_exchange_registrations"] != 1 || m["konak_exchange_legs"] != 1 {
		t.Errorf("metrics %v", m)
	}
	_, err := p.sound.WriteToUDP(rtpPacket(101, 1, 1, 1, []byte{5, 10, 0, 160}), &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: c.port})
	d.must(err)
	d.event(exchange.LegDTMFEvent)
	p.send(p.text(c.call, "BYE", ""))
	d.ended(leg, exchange.CauseNormal, exchange.EndedByPeer)
	m := d.metrics()
	if n, shown := m["konak_exchange_legs"]; !shown || n != 0 || m["konak_exchange_rtp_packets_total"] != 1 {
		t.Errorf("metrics %v", m)
	}
}
