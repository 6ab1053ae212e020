package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"konak/internal/app"
	"konak/internal/identity"
	"konak/internal/kit/clock"
)

type workspaceCmd struct {
	Licences licencesCmd `cmd:"" help:"Set which modules a workspace has."`
	Storage  storageCmd  `cmd:"" help:"Show what a workspace's files take, or set what they may take."`
}

type licencesCmd struct {
	app.Config
	Slug     string   `arg:"" help:"The workspace."`
	Licences []string `arg:"" optional:"" help:"The modules it is to have; none for none. One or more of advisor, ai, commerce, crm, erp, mail, telephony, or all."`
}

// Run sets the licences. Nodes that run notice within seconds.
func (l *licencesCmd) Run(ctx context.Context, out io.Writer) error {
	a, err := app.OpenExisting(ctx, l.Config, logger(l.Config), clock.System{})
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	if len(l.Licences) == 1 && l.Licences[0] == "all" {
		l.Licences = identity.AllLicences
	}
	if err := a.Identity.SetLicences(ctx, l.Slug, l.Licences); err != nil {
		return fmt.Errorf("workspace %q: %w", l.Slug, err)
	}
	_, err = fmt.Fprintf(out, "%s: %s\n", l.Slug, strings.Join(l.Licences, ", "))
	return err
}

type storageCmd struct {
	app.Config
	Slug  string `arg:"" help:"The workspace."`
	Quota string `placeholder:"SIZE" help:"How much it may keep: bytes, or a number with MiB, GiB or TiB, or 'default'."`
}

// Run sets the quota where one is given, and prints the workspace's storage.
// Nodes that run use the new quota at once.
func (s *storageCmd) Run(ctx context.Context, out io.Writer) error {
	var quota *int64
	if s.Quota != "" && s.Quota != "default" {
		n, err := parseSize(s.Quota)
		if err != nil {
			return fmt.Errorf("--quota %q: %w", s.Quota, err)
		}
		quota = &n
	}
	a, err := app.OpenExisting(ctx, s.Config, logger(s.Config), clock.System{})
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	if s.Quota != "" {
		if err := a.SetStorageQuota(ctx, s.Slug, quota); err != nil {
			return err
		}
	}
	u, err := a.Storage(ctx, s.Slug)
	if err != nil {
		return err
	}
	source := "the default"
	if u.OwnQuota {
		source = "its own"
	}
	_, err = fmt.Fprintf(out, "%s: %d of %d bytes (%s); visitors %d of %d\n", s.Slug, u.Bytes, u.Quota, source, u.VisitorBytes, u.VisitorQuota)
	return err
}

var errSize = errors.New("write bytes, or a number with MiB, GiB or TiB, such as 50GiB")

// parseSize reads a number of bytes with or without a unit.
func parseSize(text string) (int64, error) {
	shift := 0
	for unit, bits := range map[string]int{"MiB": 20, "GiB": 30, "TiB": 40} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			text, shift = strings.TrimSpace(number), bits
			break
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n<<shift>>shift != n {
		return 0, errSize
	}
	return n << shift, nil
}
