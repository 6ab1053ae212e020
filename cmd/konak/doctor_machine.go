package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"konak/internal/kit/db"
)

// leastDisk is the free space in bytes below which a disk is too full to serve from. The
// alert rules of the packages warn at five times that.
const leastDisk = 1_000_000_000

// disk checks the free space of each folder that grows.
func (d *checkup) disk(context.Context) (string, error) {
	folders := []string{d.Data}
	if d.S3URL == "" {
		folders = append(folders, d.FilesFolder())
	}
	if d.BackupFolder != "" {
		folders = append(folders, d.BackupFolder)
	}
	var free []string
	for _, folder := range folders {
		there, err := nearestFolder(folder)
		if err != nil {
			return "", err
		}
		n, err := d.freeDisk(there)
		if err != nil {
			return "", fmt.Errorf("%s: %w", there, err)
		}
		if n < leastDisk {
			return "", fmt.Errorf("%.1f GB are free for %s; free up space until there are %.0f GB, or use a larger disk", float64(n)/1e9, folder, leastDisk/1e9)
		}
		free = append(free, fmt.Sprintf("%.1f GB free for %s", float64(n)/1e9, folder))
	}
	return strings.Join(free, ", "), nil
}

// nearestFolder returns a path, or its nearest existing parent folder.
func nearestFolder(path string) (string, error) {
	for {
		_, err := os.Stat(path)
		if !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path) {
			return path, err
		}
		path = filepath.Dir(path)
	}
}

// clockTolerance is the accepted difference between clocks.
const clockTolerance = 5 * time.Second

// clock compares the clock of this machine with those of the database server and of the S3
// service, if it uses them.
func (d *checkup) clock(ctx context.Context) (string, error) {
	var compared []string
	if d.db != nil && d.db.Dialect() == db.Postgres {
		if err := d.compareClock("the database", 0, func() (time.Time, error) { return d.db.ServerTime(ctx) }); err != nil {
			return "", err
		}
		compared = append(compared, "the database")
	}
	if d.S3URL != "" {
		// The header has whole seconds.
		if err := d.compareClock("the S3 service", time.Second, func() (time.Time, error) { return askTime(ctx, d.S3URL) }); err != nil {
			return "", err
		}
		compared = append(compared, "the S3 service")
	}
	if len(compared) == 0 {
		return "cannot be compared: no database or S3 service on another machine responds; let the system set it (timedatectl)", nil
	}
	return fmt.Sprintf("within %s of %s", clockTolerance, strings.Join(compared, " and ")), nil
}

// compareClock asks for the time of another machine and returns an error if it differs from
// this one's by more than clockTolerance, not counting what the round trip may explain.
func (d *checkup) compareClock(whose string, precision time.Duration, ask func() (time.Time, error)) error {
	before := d.now()
	there, err := ask()
	after := d.now()
	if err != nil {
		return fmt.Errorf("the time of %s cannot be read: %w", whose, err)
	}
	ahead, behind := before.Sub(there.Add(precision)), there.Sub(after)
	switch {
	case ahead > clockTolerance:
		return fmt.Errorf("this machine is %s ahead of %s; let the system set its clock (timedatectl set-ntp true), and check the other clock", ahead.Round(time.Second), whose)
	case behind > clockTolerance:
		return fmt.Errorf("this machine is %s behind %s; let the system set its clock (timedatectl set-ntp true), and check the other clock", behind.Round(time.Second), whose)
	}
	return nil
}

// askTime returns the time that a web server reports. The rest of its answer does not
// matter.
func askTime(ctx context.Context, address string) (time.Time, error) {
	u, err := url.Parse(address)
	if err != nil {
		return time.Time{}, errors.New("its address cannot be read") // the error would show the secret in it
	}
	u.User, u.RawQuery = nil, ""
	ctx, cancel := context.WithTimeout(ctx, reach)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, u.String(), nil)
	if err != nil {
		return time.Time{}, err
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return time.Time{}, err
	}
	_ = resp.Body.Close()
	return http.ParseTime(resp.Header.Get("Date"))
}

// names checks whether the DNS knows the names that people and mail servers use.
func (d *checkup) names(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, reach)
	defer cancel()
	text, err := d.panelNames(ctx)
	if err != nil || d.MailDomain == "" {
		return text, err
	}
	mail, err := d.mailNames(ctx)
	return text + "; " + mail, err
}

// mailNames checks whether mail reaches --mail-domain: by an MX record, or else by the
// address of the domain itself.
func (d *checkup) mailNames(ctx context.Context) (string, error) {
	found, err := d.lookUpMX(ctx, d.MailDomain)
	if err == nil && len(found) > 0 {
		return fmt.Sprintf("mail for %s goes to %s", d.MailDomain, strings.TrimSuffix(found[0].Host, ".")), nil
	}
	if _, err := d.lookUp(ctx, d.MailDomain); err != nil {
		return "", fmt.Errorf("--mail-domain: %w; add an MX record that points to the host of --mail-listen", err)
	}
	return d.MailDomain + " has no MX record, so its mail goes to the domain's own address", nil
}

// panelNames checks whether the DNS knows the names of the panel.
func (d *checkup) panelNames(ctx context.Context) (string, error) {
	if d.PublicURL == "" {
		return "no name to look up: --public-url is not set", nil
	}
	u, err := url.Parse(d.PublicURL)
	if err != nil || u.Hostname() == "" {
		return "", errors.New("--public-url: write https://example.com")
	}
	host := u.Hostname()
	if _, err := netip.ParseAddr(host); err == nil {
		return "no name to look up: --public-url has the address " + host, nil
	}
	found, err := d.lookUp(ctx, host)
	if err != nil {
		return "", fmt.Errorf("--public-url: %w; add an A or AAAA record with the address of this server or of its proxy", err)
	}
	text := host + " is " + strings.Join(found, ", ")
	if d.Domain == "" || d.Domain == "localhost" {
		return text, nil
	}
	// Any name works if there is a wildcard record; if each workspace has its own record,
	// this name has none.
	workspace := "konak-doctor.crm." + d.Domain
	if _, err := d.lookUp(ctx, workspace); err != nil {
		return fmt.Sprintf("%s; *.crm.%s does not resolve, so each workspace needs its own record", text, d.Domain), nil
	}
	return fmt.Sprintf("%s; *.crm.%s resolves", text, d.Domain), nil
}

// backups tries to write in the backup folder.
func (d *checkup) backups(context.Context) (string, error) {
	if d.BackupFolder == "" {
		return "the server creates none (--backup-folder)", nil
	}
	if err := tryWriting(d.BackupFolder); err != nil {
		return "", fmt.Errorf("--backup-folder is not writable: %w", err)
	}
	return d.BackupFolder + " is writable", nil
}
