package app

import (
	"cmp"
	"context"
	"crypto/rsa"
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"time"

	"konak/internal/crm/email"
	"konak/internal/identity/captcha"
	"konak/internal/identity/password"
	"konak/internal/kit/db"
	"konak/internal/kit/secret"
	"konak/internal/kit/setting"
	"konak/internal/kit/trace"
	"konak/internal/mail/origin"
	"konak/internal/provider/hcaptcha"
	"konak/internal/provider/turnstile"
)

// Size is a number of bytes.
type Size = setting.Size

// Config is how a node runs. The command line, KONAK_* variables and a file
// fill it; `konak config` lists it.
type Config struct {
	Listen           string   `env:"KONAK_LISTEN" default:"127.0.0.1:8080" help:"Address to serve the panel and the API on."`
	PrivateListen    string   `env:"KONAK_PRIVATE_LISTEN" default:"127.0.0.1:8081" help:"Address for /metrics and /debug/pprof; 'off' for none."`
	Data             string   `env:"KONAK_DATA" default:"./data" help:"Folder of the embedded database, keys and files."`
	DB               string   `env:"KONAK_DB" name:"db" placeholder:"URL" help:"postgres://… to use PostgreSQL instead of the embedded database."`
	S3URL            string   `env:"KONAK_S3_URL" name:"s3-url" placeholder:"URL" help:"https://KEY:SECRET@HOST/BUCKET to keep files with an S3 service instead of the data folder."`
	StorageQuota     Size     `env:"KONAK_STORAGE_QUOTA" default:"10737418240" help:"Bytes of files, or a number with MiB, GiB or TiB, that a workspace may keep, unless it has a quota of its own (konak workspace storage); visitors of the live chat have a tenth of it beside it."`
	NATS             string   `env:"KONAK_NATS" name:"nats" placeholder:"URL" help:"Reserved; several nodes on one PostgreSQL work without it."`
	Domain           string   `env:"KONAK_DOMAIN" default:"localhost" help:"Bare host; workspaces are at {slug}.crm.DOMAIN and so on."`
	PublicURL        string   `env:"KONAK_PUBLIC_URL" name:"public-url" placeholder:"URL" help:"Address that people use, when a proxy stands before us."`
	TrustedProxies   []string `env:"KONAK_TRUSTED_PROXIES" placeholder:"CIDR" help:"Proxies whose X-Forwarded-For counts."`
	WebhookAllow     []string `env:"KONAK_WEBHOOK_ALLOW" placeholder:"CIDR" help:"Ranges inside the network that webhooks may reach all the same."`
	ModelAllow       []string `env:"KONAK_MODEL_ALLOW" placeholder:"CIDR" help:"Ranges inside the network where the assistant's language models may be, unencrypted too."`
	SQLiteSync       string   `env:"KONAK_SQLITE_SYNC" name:"sqlite-sync" enum:"full,normal" default:"full" help:"full: what was acknowledged survives a power cut."`
	RowSecurity      bool     `env:"KONAK_ROW_SECURITY" help:"Let PostgreSQL check the tenant of every row as a second wall (slower reads)."`
	MasterKey        string   `env:"KONAK_MASTER_KEY" placeholder:"BASE64" help:"Key that seals secrets; by default a file in the data folder."`
	BackupFolder     string   `env:"KONAK_BACKUP_FOLDER" placeholder:"FOLDER" help:"Folder to keep backups of the embedded database and its files in; without it the server makes none."`
	BackupKeep       int64    `env:"KONAK_BACKUP_KEEP" default:"7" help:"How many of those backups stay."`
	LogLevel         string   `env:"KONAK_LOG_LEVEL" enum:"debug,info,warn,error" default:"info" help:"How much to log."`
	AccessLog        bool     `env:"KONAK_ACCESS_LOG" help:"Log a line for each request of the API: method, route, status and time, and never its path."`
	LimitKey         int      `env:"KONAK_LIMIT_KEY" default:"600" help:"Requests a minute that one API key may make."`
	LimitAccount     int      `env:"KONAK_LIMIT_ACCOUNT" default:"1200" help:"Requests a minute that one person may make."`
	LimitAddress     int      `env:"KONAK_LIMIT_ADDRESS" default:"300" help:"Requests a minute from one address without a credential."`
	LimitWorkspace   int      `env:"KONAK_LIMIT_WORKSPACE" default:"0" help:"Requests a minute of all people and keys of one workspace together; 0 for no limit."`
	LogFormat        string   `env:"KONAK_LOG_FORMAT" enum:"text,json" default:"text" help:"How log lines look."`
	SMTPURL          string   `env:"KONAK_SMTP_URL" name:"smtp-url" placeholder:"URL" help:"smtp://user:password@host:587 or smtps://…:465 to send mail; without it mail is kept in an outbox (konak mail outbox)."`
	SMTPCA           string   `env:"KONAK_SMTP_CA" name:"smtp-ca" placeholder:"FILE" help:"Certificates (PEM) that vouch for the mail server beside those that the system trusts."`
	MailFrom         string   `env:"KONAK_MAIL_FROM" placeholder:"ADDRESS" help:"Sender of the service's own mail; no-reply@DOMAIN by default."`
	MailDailyQuota   int64    `env:"KONAK_MAIL_DAILY_QUOTA" default:"2000" help:"Recipients that a workspace's mail over --smtp-url may have in a day; what is more waits until midnight UTC."`
	MailListen       string   `env:"KONAK_MAIL_LISTEN" placeholder:"ADDRESS" help:"Address to take customers' mail on by SMTP, such as 0.0.0.0:25; without it only mailboxes elsewhere are fetched."`
	MailDomain       string   `env:"KONAK_MAIL_DOMAIN" placeholder:"DOMAIN" help:"Domain of forwarding and reply addresses, whose MX leads to --mail-listen."`
	MailHost         string   `env:"KONAK_MAIL_HOST" placeholder:"HOST" help:"Host name of --mail-listen, for the MX records of workspaces' own domains; --mail-domain by default."`
	MailSPF          string   `env:"KONAK_MAIL_SPF" name:"mail-spf" default:"mx" help:"Term of SPF records that stands for the servers that send the installation's mail, such as include:_spf.example.com."`
	MailTLSCert      string   `env:"KONAK_MAIL_TLS_CERT" name:"mail-tls-cert" placeholder:"FILE" help:"Certificate in PEM to offer STARTTLS with; mailboxes can sign in only over an encrypted connection."`
	MailTLSKey       string   `env:"KONAK_MAIL_TLS_KEY" name:"mail-tls-key" placeholder:"FILE" help:"Its key."`
	MailTLSListen    string   `env:"KONAK_MAIL_TLS_LISTEN" name:"mail-tls-listen" placeholder:"ADDRESS" help:"Address where mail programs hand mail over by TLS from the beginning, such as 0.0.0.0:465; needs --mail-tls-cert."`
	HelpDomains      []string `env:"KONAK_HELP_DOMAIN" name:"help-domain" placeholder:"HOST=WORKSPACE" help:"Host of its own for the help center of a workspace, named by its slug. The DNS and the reverse proxy lead it here."`
	MailRoutes       []string `env:"KONAK_MAIL_ROUTE" name:"mail-route" placeholder:"DOMAIN=HOST:PORT" help:"Server that takes the mail of workspaces' mailboxes for a domain, or for all of them with * as the domain, instead of those that the DNS names."`
	MailBlockLists   []string `env:"KONAK_MAIL_BLOCK_LIST" name:"mail-block-list" placeholder:"ZONE" help:"Zone of a block list, such as zen.spamhaus.org: mail from addresses on it is refused. None by default."`
	MailRspamd       string   `env:"KONAK_MAIL_RSPAMD" name:"mail-rspamd" placeholder:"URL" help:"rspamd server that judges mail that comes in, such as http://127.0.0.1:11333."`
	MailMaxSize      Size     `env:"KONAK_MAIL_MAX_SIZE" default:"37748736" help:"Largest mail that is taken: bytes, or a number with MiB."`
	SignUp           string   `env:"KONAK_SIGN_UP" enum:"open,invite,closed" default:"invite" help:"open: whoever reaches the panel may open an account with a workspace. invite: accounts come by invitation. closed: only konak workspace create makes accounts and workspaces. The first start prints a link for the first owner in any case."`
	Captcha          string   `env:"KONAK_CAPTCHA" enum:"off,adaptive,always" default:"adaptive" help:"When people must show that they are no robots."`
	CaptchaProvider  string   `env:"KONAK_CAPTCHA_PROVIDER" enum:"altcha,turnstile,hcaptcha" default:"altcha" help:"Who checks it; altcha is embedded and asks nobody."`
	CaptchaSiteKey   string   `env:"KONAK_CAPTCHA_SITE_KEY" placeholder:"KEY" help:"Site key of turnstile or hcaptcha."`
	CaptchaSecret    string   `env:"KONAK_CAPTCHA_SECRET" placeholder:"SECRET" help:"Secret of turnstile or hcaptcha."`
	CaptchaAddress   string   `env:"KONAK_CAPTCHA_ADDRESS" placeholder:"URL" help:"Where turnstile or hcaptcha is, if not at its own address: a stand-in while developing."`
	WhatsAppAddress  string   `env:"KONAK_WHATSAPP_ADDRESS" name:"whatsapp-address" placeholder:"URL" help:"Where Meta's Graph API is, if not at its own address: a stand-in while developing. A demo brings its own."`
	MetaAppID        string   `env:"KONAK_META_APP_ID" name:"meta-app-id" placeholder:"ID" help:"The operator's app at Meta, by which workspaces connect WhatsApp, Messenger and Instagram in one go; a demo has one of its own."`
	MetaAppSecret    string   `env:"KONAK_META_APP_SECRET" name:"meta-app-secret" placeholder:"SECRET" help:"Its secret."`
	MetaConfigID     string   `env:"KONAK_META_CONFIG_ID" name:"meta-config-id" placeholder:"ID" help:"The configuration of its sign-up."`
	TelegramBotToken string   `env:"KONAK_TELEGRAM_BOT_TOKEN" name:"telegram-bot-token" placeholder:"TOKEN" help:"The operator's own bot on Telegram, for a workspace that links a person's account and has no bot; one workspace can have it."`
	IyzicoKey        string   `env:"KONAK_IYZICO_KEY" placeholder:"KEY" help:"Key of the operator's account at iyzico, to take card payments for call credit; a demo has a bank of its own."`
	IyzicoSecret     string   `env:"KONAK_IYZICO_SECRET" placeholder:"SECRET" help:"Its secret."`
	IyzicoAddress    string   `env:"KONAK_IYZICO_ADDRESS" placeholder:"URL" help:"Where iyzico is, if not at its own address: https://sandbox-api.iyzipay.com to try it out."`
	WalletCurrency   string   `env:"KONAK_WALLET_CURRENCY" default:"TRY" placeholder:"CODE" help:"Currency of call credit that is not topped up yet, as three letters."`
	TwilioAccount    string   `env:"KONAK_TWILIO_ACCOUNT" placeholder:"SID" help:"The operator's account at Twilio, which rents phone numbers; a demo has a provider of its own."`
	TwilioToken      string   `env:"KONAK_TWILIO_TOKEN" placeholder:"TOKEN" help:"Its token."`
	TwilioAddress    string   `env:"KONAK_TWILIO_ADDRESS" placeholder:"URL" help:"Where Twilio is, if not at its own address: a stand-in while developing."`
	NumberFee        int64    `env:"KONAK_NUMBER_FEE" default:"50000000" help:"What a workspace pays for a phone number each month, in millionths of the wallet's currency."`
	Espeak           string   `env:"KONAK_ESPEAK" default:"espeak-ng" placeholder:"FILE" help:"Program that speaks greetings; without it they cannot be heard before they are used."`
	SpeechFee        int64    `env:"KONAK_SPEECH_FEE" default:"100000" help:"What a workspace pays for every hundred characters of speech, in millionths of the wallet's currency."`
	CallRates        string   `env:"KONAK_CALL_RATES" placeholder:"FILE" help:"CSV file of what calls to the outside cost: prefix, per minute, connect fee, increment in seconds; amounts in millionths of the wallet's currency."`
	SIPTrunkServer   string   `env:"KONAK_SIP_TRUNK_SERVER" name:"sip-trunk-server" placeholder:"HOST" help:"The operator's line at a carrier, over which bought numbers call."`
	SIPTrunkUser     string   `env:"KONAK_SIP_TRUNK_USER" name:"sip-trunk-user" placeholder:"NAME" help:"Its user."`
	SIPTrunkSecret   string   `env:"KONAK_SIP_TRUNK_PASSWORD" name:"sip-trunk-password" placeholder:"PASSWORD" help:"Its password."`
	SIPTrunkOver     string   `env:"KONAK_SIP_TRUNK_TRANSPORT" name:"sip-trunk-transport" enum:"udp,tcp,tls" default:"udp" help:"What it speaks."`
	SIPTrunkMedia    string   `env:"KONAK_SIP_TRUNK_MEDIA_ENCRYPTION" name:"sip-trunk-media-encryption" enum:"off,optional,required" default:"off" help:"Whether its sound is encrypted, over TLS."`
	SIPCA            string   `env:"KONAK_SIP_CA" name:"sip-ca" placeholder:"FILE" help:"Certificates (PEM) that vouch for the carriers of lines over TLS beside those that the system trusts."`
	SIPTrunkFrom     []string `env:"KONAK_SIP_TRUNK_FROM" name:"sip-trunk-from" placeholder:"CIDR" help:"Addresses that its calls to bought numbers come from, if not those of its host."`
	TelephonySwitch  string   `env:"KONAK_TELEPHONY_SWITCH_URL" name:"telephony-switch-url" placeholder:"URL" help:"Where a workspace can ask for another telephony tier."`
	SIPListen        string   `env:"KONAK_SIP_LISTEN" name:"sip-listen" placeholder:"ADDRESS" help:"Address to take calls on by SIP, over UDP and TCP, such as 0.0.0.0:5060; without it this node carries no calls. A demo takes them on loopback, unless it is 'off'."`
	SIPPublicAddress string   `env:"KONAK_SIP_PUBLIC_ADDRESS" name:"sip-public-address" placeholder:"IP" help:"Address that telephones and lines reach this node at, where it is not its own."`
	SIPTLSListen     string   `env:"KONAK_SIP_TLS_LISTEN" name:"sip-tls-listen" placeholder:"ADDRESS" help:"Address to take calls on by SIP over TLS, such as 0.0.0.0:5061; needs --sip-tls-cert."`
	SIPTLSHost       string   `env:"KONAK_SIP_TLS_HOST" name:"sip-tls-host" placeholder:"HOST" help:"Host name of the certificate for SIP over TLS, which messaging providers lead calls to; --domain by default."`
	SIPTLSCert       string   `env:"KONAK_SIP_TLS_CERT" name:"sip-tls-cert" placeholder:"FILE" help:"Certificate in PEM for SIP over TLS."`
	SIPTLSKey        string   `env:"KONAK_SIP_TLS_KEY" name:"sip-tls-key" placeholder:"FILE" help:"Its key."`
	RTPPorts         string   `env:"KONAK_RTP_PORTS" name:"rtp-ports" default:"20000-29999" placeholder:"FIRST-LAST" help:"UDP ports for the sound of calls; each call uses one or two."`
	TelegramAddress  string   `env:"KONAK_TELEGRAM_ADDRESS" name:"telegram-address" placeholder:"URL" help:"Where Telegram's Bot API is, if not at its own address: a server of one's own, or a stand-in while developing. A demo brings its own."`
	Demo             bool     `env:"KONAK_DEMO" help:"Fill an empty database with demo workspaces; loopback only."`

	Traces trace.Config `embed:""`

	BackupEvery  time.Duration `env:"KONAK_BACKUP_EVERY" default:"24h" help:"Time from one backup in --backup-folder to the next."`
	WebhookLease time.Duration `env:"KONAK_WEBHOOK_LEASE" default:"40s" help:"How long a node that has died keeps its webhook endpoints before another takes them over."`

	AssistantTime time.Duration `env:"KONAK_ASSISTANT_TIME" default:"30s" help:"How long one call of a workspace's language model may take before the conversation is handed over."`

	// PasswordCost is for tests, which hash many passwords that guard nothing.
	PasswordCost password.Cost `kong:"-"`
	// CaptchaWork is for tests, which answer many challenges that keep nobody out.
	CaptchaWork int `kong:"-"`
	// NewRSAKey is for tests: where the DKIM keys of mail domains come from; nil for new ones.
	NewRSAKey func() (*rsa.PrivateKey, error) `kong:"-"`
	// LimitFactor widens rate limits: tests stand on one address in one moment,
	// measurements are all one caller.
	LimitFactor int `kong:"-"`
	// PeerPatience is for tests: how long services outside may be silent; nil leaves it
	// to each call.
	PeerPatience func() time.Duration `kong:"-"`
	// SourceAllow are ranges inside that the assistant may read pages from, for tests.
	SourceAllow []string `kong:"-"`
	// DNS is for tests: who is asked for TXT records instead of the system.
	DNS email.Resolver `kong:"-"`
	// MailDNS is for tests: who is asked about the senders of mail that comes in, from
	// this machine too.
	MailDNS origin.Resolver `kong:"-"`
	// NameServers is for tests: who is asked for the records of mail domains
	// instead of the servers that are responsible.
	NameServers func(ctx context.Context, name string) ([]netip.AddrPort, error) `kong:"-"`
	// StreamCheck is for tests: how often open streams look whether their
	// watchers may still watch.
	StreamCheck time.Duration `kong:"-"`
}

// backupCheckEvery is how often a node looks whether a backup is due.
const backupCheckEvery = time.Minute

// limitFactor gives a demo higher limits: whoever plays with it, browsers and
// scripts alike, comes from one address.
func (c *Config) limitFactor() int {
	if c.LimitFactor == 0 && c.Demo {
		return 20
	}
	return c.LimitFactor
}

// StreamCheckOn is how often open streams look whether their watchers may still
// watch. What this node revokes ends them at once; only where other nodes may
// revoke something do they have to look often.
func (c *Config) StreamCheckOn(d db.Dialect) time.Duration {
	switch {
	case c.StreamCheck != 0:
		return c.StreamCheck
	case d == db.Postgres:
		return 4 * time.Second
	}
	return 15 * time.Second
}

// captcha makes the robot check; what is not set is as on the command line.
func (c *Config) captcha() captcha.Config {
	out := captcha.Config{
		Mode: cmp.Or(c.Captcha, captcha.Adaptive), Provider: cmp.Or(c.CaptchaProvider, captcha.Embedded),
		SiteKey: c.CaptchaSiteKey, Patience: c.limitFactor(), LeastWork: c.CaptchaWork,
	}
	switch key := secret.Of(c.CaptchaSecret); out.Provider {
	case "turnstile":
		out.Verifier, out.Script = turnstile.New(c.CaptchaAddress, key), turnstile.Script(c.CaptchaAddress)
	case "hcaptcha":
		out.Verifier, out.Script = hcaptcha.New(c.CaptchaAddress, key, c.CaptchaSiteKey), hcaptcha.Script(c.CaptchaAddress)
	}
	return out
}

// mailDomain is where mail arrives; a demo has one that leads nowhere.
func (c *Config) mailDomain() string {
	if c.MailDomain == "" && c.Demo {
		return "in.konak.example"
	}
	return c.MailDomain
}

// mailHost is the name of the server that takes mail.
func (c *Config) mailHost() string {
	return strings.ToLower(cmp.Or(c.MailHost, c.mailDomain(), "mail."+c.Domain))
}

// captchaSources are the origins that the panel may load a captcha from.
func (c *Config) captchaSources() []string {
	switch c.CaptchaProvider {
	case "turnstile":
		return turnstile.Sources(c.CaptchaAddress)
	case "hcaptcha":
		return hcaptcha.Sources(c.CaptchaAddress)
	}
	return nil
}

// Values of --sign-up.
const (
	SignUpOpen   = "open"
	SignUpInvite = "invite"
	SignUpClosed = "closed"
)

// resolver is who is asked for TXT records.
func (c *Config) resolver() email.Resolver {
	if c.DNS != nil {
		return c.DNS
	}
	return net.DefaultResolver
}

func (c *Config) mailFrom() string {
	if c.MailFrom != "" {
		return c.MailFrom
	}
	return "Konak <no-reply@" + c.Domain + ">"
}

// BaseURL is where people open the panel.
func (c *Config) BaseURL() string {
	if c.PublicURL != "" {
		return strings.TrimSuffix(c.PublicURL, "/")
	}
	base := "http://" + c.Domain
	if _, port, err := net.SplitHostPort(c.Listen); err == nil && port != "0" && port != "80" {
		base += ":" + port
	}
	return base
}

func (c *Config) secure() bool { return strings.HasPrefix(c.PublicURL, "https://") }

// DatabaseURL is the address of the database.
func (c *Config) DatabaseURL() string {
	if c.DB != "" {
		return c.DB
	}
	return "sqlite:" + filepath.Join(c.Data, databaseFile)
}

// FilesFolder is where files lie, and where they come in.
func (c *Config) FilesFolder() string { return filepath.Join(c.Data, "files") }
