package sipexchange_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/exchange/baresiptest"
)

// newCertificate returns a certificate for 127.0.0.1, and the file to verify it with.
func newCertificate(t *testing.T) (config *tls.Config, file string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, file
}

// wantBothHeard joins two legs and checks that each side's tone reaches the other.
func (d *desk) wantBothHeard(a, b uuid.UUID) {
	d.t.Helper()
	d.join(tenantA, a, b)
	id := uuid.New()
	d.must(d.Record(d.t.Context(), tenantA, a, id))
	baresiptest.WaitForFile(d.t, filepath.Join(d.cfg.Dir, "recordings", tenantA.String(), id.String()+"."+a.String()+".part"), 3*32000)
	d.must(d.StopRecord(d.t.Context(), tenantA, id))
	d.event(exchange.RecordEndedEvent)
	left, right := readStereo(d.t, d, id)
	baresiptest.WantTone(d.t, "said", left, toneA, toneB)
	baresiptest.WantTone(d.t, "heard", right, toneB, toneA)
}

// Telephones of another vendor call and are called over TLS with encrypted sound, with a
// peer whose sound is not encrypted.
func TestBaresipEncrypted(t *testing.T) { // not parallel: the peers run in real time
	baresiptest.Need(t)
	for name, encryption := range map[string]string{"where it can": "srtp", "always": "srtp-mand"} {
		for called, dial := range map[string]string{"called": "", "calls": "444"} {
			t.Run(name+", "+called, func(t *testing.T) {
				config, authority := newCertificate(t)
				d := startDeskOn(t, "127.0.0.1:0", config)
				d.addDevice(tenantA, "ayse", "101")
				d.addDevice(tenantA, "veli", "102")
				plain := startBaresip(t, d, "veli", toneB)
				d.event(exchange.DeviceRegisteredEvent)
				secured := baresiptest.Start(t, baresiptest.Config{
					Server: d.sockets.TLSAddr().String(), Username: "ayse", Password: "secret", Hz: toneA,
					Transport: "tls", Encryption: encryption, Authority: authority, Dial: dial,
				})
				var leg uuid.UUID
				if dial == "" {
					d.event(exchange.DeviceRegisteredEvent)
					leg = d.ring(tenantA, "ayse")
				} else {
					leg = d.event(exchange.LegIncomingEvent).Leg
					d.must(d.Answer(t.Context(), tenantA, leg))
				}
				d.event(exchange.LegAnsweredEvent)
				for _, r := range must(d.Registrations(t.Context(), tenantA)) {
					if (r.Username == "ayse") != (r.Transport == "tls") {
						t.Errorf("registration %+v", r)
					}
				}
				if !d.IsEncrypted(leg) {
					t.Error("the sound is not encrypted")
				}
				other := d.ring(tenantA, "veli")
				d.event(exchange.LegAnsweredEvent)
				d.wantBothHeard(leg, other)
				d.must(d.Hangup(t.Context(), tenantA, leg, exchange.CauseNormal))
				d.must(d.Hangup(t.Context(), tenantA, other, exchange.CauseNormal))
				secured.WantHeard(toneB)
				plain.WantHeard(toneA)
			})
		}
	}
}

// Telephones of another vendor work over IPv6.
func TestBaresipOverIPv6(t *testing.T) { // not parallel: the peers run in real time
	baresiptest.Need(t)
	d := startDeskOn(t, "[::1]:0", nil)
	var legs []uuid.UUID
	for user, hz := range map[string]float64{"ayse": toneA, "veli": toneB} {
		d.addDevice(tenantA, user, map[string]string{"ayse": "101", "veli": "102"}[user])
		baresiptest.Start(t, baresiptest.Config{Server: d.Addr().String(), Username: user, Password: "secret", Hz: hz, Listen: "[::1]:0"})
		d.event(exchange.DeviceRegisteredEvent)
	}
	for _, user := range []string{"ayse", "veli"} {
		legs = append(legs, d.ring(tenantA, user))
		d.event(exchange.LegAnsweredEvent)
	}
	d.wantBothHeard(legs[0], legs[1])
	for _, leg := range legs {
		d.must(d.Hangup(t.Context(), tenantA, leg, exchange.CauseNormal))
	}
}
