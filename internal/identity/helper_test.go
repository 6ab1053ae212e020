package identity_test

import (
	"regexp"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/identity/signin"
)

const (
	auth   = "/api/v1/auth"
	strong = "dört at yeşil çayırda koşar"
)

type object = map[string]any

var tokenInMail = regexp.MustCompile(`#token=(\S+)`)

func signIn(s *apptest.Server, email, password string) signin.SignInAnswer {
	var in signin.SignInAnswer
	s.Client("").Post(auth+"/sign-in", object{"email": email, "password": password}).Want(200).Data(&in)
	return in
}

// behindProxy lets a test choose the address that a request comes from.
func behindProxy(cfg *app.Config) {
	cfg.LimitFactor = 1
	cfg.TrustedProxies = []string{"127.0.0.0/8"}
}
