package app

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"konak/internal/crm/telephony/call"
	"konak/internal/identity/captcha"
	"konak/internal/kit/backup"
	"konak/internal/kit/blob"
	"konak/internal/kit/mailer"
	"konak/internal/kit/move"
	"konak/internal/kit/setting"
	"konak/internal/mail/origin"
	"konak/internal/provider/rspamd"
)

const (
	// leastLease is the shortest lease that can be renewed in time.
	leastLease = 2 * time.Second
	// leastMail is the size below which hardly any mail would be accepted.
	leastMail = 64 << 10
	// longestAnswer is the maximum time to wait for a language model.
	longestAnswer = 10 * time.Minute
)

var (
	currencyCode  = regexp.MustCompile(`^[A-Z]{3}$`)
	workspaceSlug = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
)

// Check refuses settings that cannot work, and says how to correct them. A number that is 0
// means its default here; the command line refuses 0 for numbers that cannot be 0.
func (c *Config) Check() error {
	for _, check := range []func() error{
		c.checkData, c.checkNumbers, c.checkBackups, c.checkAddresses, c.checkHosts, c.checkTogether, c.checkURLs, c.checkMail, c.checkSIP, c.Traces.Check,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	_, rates := call.ReadRates(c.CallRates)
	_, files := blob.New(blob.Config{Folder: c.FilesFolder(), S3URL: c.S3URL})
	var key error
	if c.MasterKey != "" {
		_, key = c.readBox()
	}
	return errors.Join(c.CheckEmptied(), move.CheckMark(c.DatabaseURL()), backup.CheckUnfinished(c.Data), rates, files, key)
}

// checkData refuses invalid places for data.
func (c *Config) checkData() error {
	switch {
	case c.NATS != "":
		return errors.New("--nats: not used by this version, and several nodes on one PostgreSQL do not need it; leave it out")
	case c.DB != "" && !c.embedded() && !strings.HasPrefix(c.DB, "postgres://") && !strings.HasPrefix(c.DB, "postgresql://"):
		// The address may hold a password, so it is not repeated.
		return errors.New("--db: write postgres://USER@HOST/DATABASE, or leave it out for the embedded database")
	case c.Data == "":
		return errors.New("--data: name a folder, such as /var/lib/konak/data")
	case c.RowSecurity && c.embedded():
		return errors.New("--row-security needs PostgreSQL (--db postgres://…): the embedded database has none")
	}
	return nil
}

// checkNumbers refuses numbers that are too small or too large.
func (c *Config) checkNumbers() error {
	switch {
	case c.WebhookLease != 0 && c.WebhookLease < leastLease:
		return fmt.Errorf("--webhook-lease %s: must be at least %s, or a busy node loses its endpoints to another", c.WebhookLease, leastLease)
	case c.AssistantTime < 0 || c.AssistantTime > longestAnswer:
		return fmt.Errorf("--assistant-time %s: write a time up to %s, such as 30s", c.AssistantTime, longestAnswer)
	case c.MailDailyQuota < 0:
		return fmt.Errorf("--mail-daily-quota %d: write a number of recipients", c.MailDailyQuota)
	case c.MailMaxSize != 0 && c.MailMaxSize < leastMail:
		return fmt.Errorf("--mail-max-size %d: must be at least %d bytes, or hardly any mail is accepted", c.MailMaxSize, leastMail)
	case min(c.LimitKey, c.LimitAccount, c.LimitAddress, c.LimitWorkspace) < 0:
		return errors.New("--limit-key, --limit-account, --limit-address, --limit-workspace: write a number of requests a minute")
	case c.NumberFee < 0:
		return fmt.Errorf("--number-fee %d: write millionths, for example 50000000", c.NumberFee)
	case c.SpeechFee < 0:
		return fmt.Errorf("--speech-fee %d: write millionths, for example 100000", c.SpeechFee)
	case c.WalletCurrency != "" && !currencyCode.MatchString(c.WalletCurrency):
		return fmt.Errorf("--wallet-currency %q: write three capital letters, for example TRY", c.WalletCurrency)
	}
	return nil
}

// checkBackups refuses settings with which backups could not be made.
func (c *Config) checkBackups() error {
	switch {
	case c.BackupFolder == "":
		return nil
	case !c.embedded():
		return errors.New("--backup-folder is for the embedded database; PostgreSQL has its own tools (docs/operating.md)")
	case c.BackupEvery < time.Minute:
		return fmt.Errorf("--backup-every %s: must be at least a minute", c.BackupEvery)
	case c.BackupKeep < 1:
		return fmt.Errorf("--backup-keep %d: must be at least one", c.BackupKeep)
	}
	if info, err := os.Stat(c.BackupFolder); err != nil || !info.IsDir() {
		return fmt.Errorf("--backup-folder %s is not a folder; create it first: is a disk not mounted?", c.BackupFolder)
	}
	if err := c.checkOutside(c.BackupFolder); err != nil {
		return fmt.Errorf("--backup-folder: %w", err)
	}
	return nil
}

// checkAddresses refuses addresses that cannot be listened on, duplicates, and addresses of
// a demo that others can reach.
func (c *Config) checkAddresses() error {
	all := []struct{ flag, value string }{
		{"--listen", c.Listen},
		{"--private-listen", c.PrivateListen},
		{"--mail-listen", c.MailListen},
		{"--mail-tls-listen", c.MailTLSListen},
		{"--sip-listen", c.SIPListen}, // checkSIP checks the form of these two
		{"--sip-tls-listen", c.SIPTLSListen},
	}
	for i, a := range all {
		off := i > 0 && (a.value == "" || a.value == "off")
		if !off && i < 4 && !setting.IsAddress(a.value) {
			return fmt.Errorf("%s %q: write HOST:PORT, for example 127.0.0.1:8080", a.flag, a.value)
		}
		if host, _, _ := net.SplitHostPort(a.value); c.Demo && !off && i < 4 && !setting.IsLoopback(host) {
			return fmt.Errorf("--demo has publicly known passwords, so it listens on loopback only; %s %q is not", a.flag, a.value)
		}
		for _, b := range all[:i] {
			if setting.Overlap(a.value, b.value) {
				return fmt.Errorf("%s %s and %s %s are the same address; choose another port", b.flag, b.value, a.flag, a.value)
			}
		}
	}
	return nil
}

// checkTogether refuses settings that have no effect without another one.
func (c *Config) checkTogether() error {
	for _, p := range []struct{ flag, value, other, with string }{
		{"--mail-tls-cert", c.MailTLSCert, "--mail-tls-key", c.MailTLSKey},
		{"--sip-tls-cert", c.SIPTLSCert, "--sip-tls-key", c.SIPTLSKey},
		{"--meta-app-id", c.MetaAppID, "--meta-app-secret", c.MetaAppSecret},
		{"--iyzico-key", c.IyzicoKey, "--iyzico-secret", c.IyzicoSecret},
		{"--twilio-account", c.TwilioAccount, "--twilio-token", c.TwilioToken},
		{"--sip-trunk-user", c.SIPTrunkUser, "--sip-trunk-password", c.SIPTrunkSecret},
	} {
		if (p.value == "") != (p.with == "") {
			return fmt.Errorf("%s and %s go together", p.flag, p.other)
		}
	}
	for _, p := range []struct{ flag, value, needs, with string }{
		{"--sip-trunk-user", c.SIPTrunkUser, "--sip-trunk-server", c.SIPTrunkServer},
		{"--sip-trunk-from", strings.Join(c.SIPTrunkFrom, ","), "--sip-trunk-server", c.SIPTrunkServer},
		{"--meta-config-id", c.MetaConfigID, "--meta-app-id", c.MetaAppID},
		{"--smtp-ca", c.SMTPCA, "--smtp-url", c.SMTPURL},
		{"--traces-header", c.Traces.Header, "--traces", c.Traces.Address},
	} {
		if p.value != "" && p.with == "" {
			return fmt.Errorf("%s needs %s", p.flag, p.needs)
		}
	}
	if c.CaptchaProvider != "" && c.CaptchaProvider != captcha.Embedded && (c.CaptchaSiteKey == "" || c.CaptchaSecret == "") {
		return fmt.Errorf("--captcha-provider %s needs --captcha-site-key and --captcha-secret", c.CaptchaProvider)
	}
	return nil
}

// checkHosts refuses invalid names and ranges of addresses.
func (c *Config) checkHosts() error {
	if !setting.IsHost(c.Domain) {
		return fmt.Errorf("--domain %q: write a bare host such as example.com", c.Domain)
	}
	if c.MailDomain != "" && !setting.IsHost(c.MailDomain) {
		return fmt.Errorf("--mail-domain %q: write a bare domain such as in.example.com", c.MailDomain)
	}
	for flag, host := range map[string]string{"--mail-host": c.MailHost, "--sip-tls-host": c.SIPTLSHost} {
		if host != "" && !setting.IsHost(host) {
			return fmt.Errorf("%s %q: write a bare host such as mail.example.com", flag, host)
		}
	}
	if c.SIPTrunkServer != "" && !setting.IsServer(c.SIPTrunkServer) {
		return fmt.Errorf("--sip-trunk-server %q: write a host, with or without a port, such as sip.example.com", c.SIPTrunkServer)
	}
	for _, zone := range c.MailBlockLists {
		if !setting.IsHost(zone) {
			return fmt.Errorf("--mail-block-list %q: write a zone such as zen.spamhaus.org", zone)
		}
	}
	if _, err := c.helpDomains(); err != nil {
		return err
	}
	_, proxies := setting.Prefixes("trusted-proxies", c.TrustedProxies)
	_, inside := setting.Prefixes("webhook-allow", c.WebhookAllow)
	_, models := setting.Prefixes("model-allow", c.ModelAllow)
	_, carrier := setting.Prefixes("sip-trunk-from", c.SIPTrunkFrom)
	return errors.Join(proxies, inside, models, carrier)
}

// checkURLs refuses invalid addresses of services.
func (c *Config) checkURLs() error {
	for _, a := range []struct{ flag, value string }{
		{"--whatsapp-address", c.WhatsAppAddress},
		{"--telegram-address", c.TelegramAddress},
		{"--iyzico-address", c.IyzicoAddress},
		{"--twilio-address", c.TwilioAddress},
		{"--telephony-switch-url", c.TelephonySwitch},
	} {
		if a.value != "" && !setting.IsURL(a.value) {
			return fmt.Errorf("%s %q: write http://HOST:PORT or https://HOST", a.flag, a.value)
		}
	}
	// It is part of the page's policy, so it must be just an origin.
	if c.CaptchaAddress != "" && !setting.IsOrigin(c.CaptchaAddress) {
		return fmt.Errorf("--captcha-address %q: write http://HOST:PORT or https://HOST", c.CaptchaAddress)
	}
	if c.PublicURL != "" && !setting.IsOrigin(strings.TrimSuffix(c.PublicURL, "/")) {
		return fmt.Errorf("--public-url %q: write http://HOST or https://HOST, without a path", c.PublicURL)
	}
	return nil
}

// checkMail refuses mail settings that cannot work.
func (c *Config) checkMail() error {
	if c.TakesMail() && c.mailDomain() == "" {
		return errors.New("--mail-listen needs --mail-domain, the domain of the addresses that mail arrives at")
	}
	if c.MailTLSListen != "" && (c.MailTLSCert == "" || !c.TakesMail()) {
		return errors.New("--mail-tls-listen needs --mail-listen and --mail-tls-cert")
	}
	if c.MailSPF != "" && !setting.IsSPFTerm(c.MailSPF) {
		return fmt.Errorf("--mail-spf %q: write one term of an SPF record, such as mx or include:_spf.example.com", c.MailSPF)
	}
	if _, err := c.mailFilter(); err != nil {
		return err
	}
	if _, err := c.mailRoutes(); err != nil {
		return err
	}
	return mailer.Check(mailer.Config{URL: c.SMTPURL, CA: c.SMTPCA, From: c.mailFrom()})
}

// helpDomains parses --help-domain into the slugs of workspaces by the hosts of their help
// centers. It refuses a host of the installation, a host that is named twice, and a second
// host of a workspace.
func (c *Config) helpDomains() (map[string]string, error) {
	out, of := map[string]string{}, map[string]bool{}
	for _, text := range c.HelpDomains {
		host, slug, _ := strings.Cut(strings.ToLower(text), "=")
		if !setting.IsHost(host) || !workspaceSlug.MatchString(slug) {
			return nil, fmt.Errorf("--help-domain %q: write HOST=WORKSPACE, such as help.example.com=demo", text)
		}
		if host == c.Domain || strings.HasSuffix(host, "."+c.Domain) {
			return nil, fmt.Errorf("--help-domain %q: hosts below --domain are the installation's own", text)
		}
		if out[host] != "" || of[slug] {
			return nil, fmt.Errorf("--help-domain %q: each host has one workspace, and each workspace one host", text)
		}
		out[host], of[slug] = slug, true
	}
	return out, nil
}

// mailFilter parses --mail-rspamd.
func (c *Config) mailFilter() (origin.Filter, error) {
	if c.MailRspamd == "" {
		return nil, nil
	}
	at, err := url.Parse(c.MailRspamd)
	if err != nil || !setting.IsURL(c.MailRspamd) {
		return nil, fmt.Errorf("--mail-rspamd %q: write an address such as http://127.0.0.1:11333", c.MailRspamd)
	}
	return rspamd.New(at), nil
}

// mailRoutes parses --mail-route.
func (c *Config) mailRoutes() (map[string]string, error) {
	out := map[string]string{}
	for _, text := range c.MailRoutes {
		name, server, _ := strings.Cut(text, "=")
		if _, _, err := net.SplitHostPort(server); err != nil || !setting.IsServer(server) || name != "*" && !setting.IsHost(name) {
			return nil, fmt.Errorf("--mail-route %q: write DOMAIN=HOST:PORT, or *=HOST:PORT for all domains", text)
		}
		out[strings.ToLower(name)] = server
	}
	return out, nil
}
