package outbound

import (
	"crypto/x509"
	"fmt"
	"os"
)

// LoadRoots returns the system's trusted certificates together with those of a PEM file.
// Without a file it returns nil, which means the system's only. Errors name the setting.
func LoadRoots(setting, file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: %s contains no PEM certificate", setting, file)
	}
	return pool, nil
}
