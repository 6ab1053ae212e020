package engine

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/smtp"

	"konak/internal/kit/mtasts"
)

// tlsSession records how one connection to a destination's server was encrypted.
type tlsSession struct {
	policy *mtasts.Policy // nil if the destination has none
	server string
	// failure is a result type of RFC 8460, "" for success.
	failure string
}

// Result types of RFC 8460.
const (
	failedStartTLS   = "starttls-not-supported"
	failedName       = "certificate-host-mismatch"
	failedExpired    = "certificate-expired"
	failedTrust      = "certificate-not-trusted"
	failedValidation = "validation-failure"
)

func (t *transfer) addSession(server target, failure string) {
	t.sessions = append(t.sessions, tlsSession{server.policy, server.host, failure})
}

// startTLS encrypts the connection if the server offers it, and adds the session to the
// transfer. It returns errTLS if encryption fails, or if a verified server offers none or
// has no valid certificate.
func (s *Service) startTLS(c *smtp.Client, server target, t *transfer) error {
	if offered, _ := c.Extension("STARTTLS"); !offered {
		t.addSession(server, failedStartTLS)
		if server.verified {
			return fmt.Errorf("%w: the server offers none", errTLS)
		}
		return nil
	}
	var wrong error // with the certificate
	err := c.StartTLS(&tls.Config{
		ServerName: server.host, MinVersion: tls.VersionTLS12,
		InsecureSkipVerify: true, //nolint:gosec // the certificate is checked below: without a policy nothing says which name it must have (RFC 7435)
		VerifyConnection: func(state tls.ConnectionState) error {
			if wrong = checkCertificate(state, server.host, s.Roots); server.verified {
				return wrong
			}
			return nil
		},
	})
	switch {
	case wrong != nil && server.policy != nil:
		t.addSession(server, classifyCertificate(wrong))
	case err != nil, server.policy != nil && !server.named:
		t.addSession(server, failedValidation)
	default:
		t.addSession(server, "")
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errTLS, err)
	}
	return nil
}

// checkCertificate returns an error if the certificate of a server is not valid for host.
func checkCertificate(state tls.ConnectionState, host string, roots *x509.CertPool) error {
	others := x509.NewCertPool()
	for _, c := range state.PeerCertificates[1:] {
		others.AddCert(c)
	}
	_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{DNSName: host, Roots: roots, Intermediates: others})
	return err
}

// classifyCertificate returns the result type for an invalid certificate.
func classifyCertificate(err error) string {
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return failedName
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
		return failedExpired
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return failedTrust
	}
	return failedValidation
}
