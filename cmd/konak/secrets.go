package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// secretFlags are the settings that are never printed, and that may come from their own
// file.
var secretFlags = []string{
	"master-key", "db", "smtp-url", "s3-url", "captcha-secret", "meta-app-secret", "iyzico-secret", "twilio-token", "sip-trunk-password",
	"telegram-bot-token", "traces-header", "to",
}

// secretFiles reads secret settings from files: the one that KONAK_…_FILE names, or a
// credential of systemd (LoadCredential=) with the name of the flag.
type secretFiles struct{}

// Validate implements kong.Resolver.
func (secretFiles) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver.
func (secretFiles) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	path, err := secretFile(flag)
	if err != nil || path == "" {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag.Name, err)
	}
	value := strings.TrimSpace(string(text))
	if value == "" {
		return nil, fmt.Errorf("--%s: %s is empty", flag.Name, path)
	}
	return value, nil
}

// secretFile returns the file that a flag's value comes from, or "" if there is none. It is
// an error if both a variable and a file set it.
func secretFile(flag *kong.Flag) (string, error) {
	if !slices.Contains(secretFlags, flag.Name) || len(flag.Envs) == 0 {
		return "", nil
	}
	variable := flag.Envs[0]
	_, plain := os.LookupEnv(variable)
	if path := os.Getenv(variable + fileSuffix); path != "" {
		if plain {
			return "", fmt.Errorf("%s and %s%s are both set; remove one", variable, variable, fileSuffix)
		}
		return path, nil
	}
	folder := os.Getenv("CREDENTIALS_DIRECTORY")
	if folder == "" || plain {
		return "", nil
	}
	path := filepath.Join(folder, flag.Name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return path, nil
}

// fileSuffix turns the name of a secret's variable into that of the variable that names its
// file.
const fileSuffix = "_FILE"
