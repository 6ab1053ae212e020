package line

import (
	"net"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
)

// StatusNone is the status of a workspace without a line.
const StatusNone = "none"

// Line is a workspace's own SIP line.
type Line struct {
	ID         *uuid.UUID  `json:"id" nullable:"true" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c" doc:"null if there is no line"`
	Server     string      `json:"server" example:"sip.santral.example" doc:"Host, or host and port"`
	Transport  string      `json:"transport" enum:"udp,tcp,tls" example:"tls"`
	Encryption string      `json:"media_encryption" enum:"off,optional,required" example:"required" doc:"Audio encryption (SRTP)"`
	Username   string      `json:"username" example:"902125550101"`
	AuthUser   string      `json:"auth_user" example:"" doc:"Authentication name, if it differs from username"`
	Register   bool        `json:"register" example:"true" doc:"Whether the line registers with its server; otherwise the provider recognises the exchange by its address"`
	Number     string      `json:"e164" example:"+902125550101" doc:"Number shown on calls over the line"`
	Status     string      `json:"status" enum:"none,needs_password,registering,registered,ready,failed,unknown" example:"registered" doc:"ready: a line that does not register; failed: it is tried again; unknown: the exchange has not reported yet"`
	LastError  string      `json:"last_error" example:"unreachable: The server does not answer" doc:"Why it does not work, as a code and a sentence: needs_password, wrong_password, unsupported, no_address, refused_address, unreachable, connection_lost, no_tls, certificate or refused. Empty if it works"`
	UpdatedAt  *clock.Time `json:"updated_at" nullable:"true"`
}

// Usable reports whether calls can be made over the line.
func (l Line) Usable() bool { return l.Status == "registered" || l.Status == "ready" }

var (
	hostForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$`)
	userForm = regexp.MustCompile(`^[A-Za-z0-9+._-]{1,64}$`)
)

// checkServer reports whether server is a host or an address, with or without a port.
func checkServer(server string) bool {
	host := server
	if h, port, err := net.SplitHostPort(server); err == nil {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return false
		}
		host = h
	}
	return net.ParseIP(strings.Trim(host, "[]")) != nil || hostForm.MatchString(host)
}

// check refuses an invalid line.
func (l *Line) check() error {
	f := fault.New(fault.ValidationFailed)
	if !checkServer(l.Server) {
		f.Field("server", "invalid_host")
	}
	if !userForm.MatchString(l.Username) {
		f.Field("username", "invalid_user")
	}
	if l.AuthUser != "" && !userForm.MatchString(l.AuthUser) {
		f.Field("auth_user", "invalid_user")
	}
	if l.Encryption != string(exchange.EncryptionOff) && l.Transport != "tls" {
		f.Field("media_encryption", "needs_tls")
	}
	return f.OrNil()
}
