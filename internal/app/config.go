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

// Config holds the settings of a node. The command line, KONAK_* variables and a file fill
// it; `konak config` lists it.
type Config struct {
	Listen           string   `env:"KONAK_LISTEN" default:"127.0.0.1:8080" help:"Listen address of the panel and the API."`
	PrivateListen    string   `env:"KONAK_PRIVATE_LISTEN" default:"127.0.0.1:8081" help:"Listen address of /metrics and /debug/pprof; 'off' disables it."`
	Data             string   `env:"KONAK_DATA" default:"./data" help:"Folder for the embedded database, keys and files."`
	DB               string   `env:"KONAK_DB" name:"db" placeholder:"URL" help:"postgres://… to use PostgreSQL instead of the embedded database."`
	S3URL            string   `env:"KONAK_S3_URL" name:"s3-url" placeholder:"URL" help:"https://KEY:SECRET@HOST/BUCKET to store files in an S3 service instead of the data folder."`
	StorageQuota     Size     `env:"KONAK_STORAGE_QUOTA" default:"10737418240" help:"Default storage quota of a workspace, in bytes or as a number with MiB, GiB or TiB; konak workspace storage sets another one. Live chat visitors have an additional tenth of it."`
	NATS             string   `env:"KONAK_NATS" name:"nats" placeholder:"URL" help:"Reserved; several nodes on one PostgreSQL do not need it."`
	Domain           string   `env:"KONAK_DOMAIN" default:"localhost" help:"Base host; workspaces are at {slug}.crm.DOMAIN and so on."`
	PublicURL        string   `env:"KONAK_PUBLIC_URL" name:"public-url" placeholder:"URL" help:"URL that people use, if Konak is behind a proxy."`
	TrustedProxies   []string `env:"KONAK_TRUSTED_PROXIES" placeholder:"CIDR" help:"Proxies whose X-Forwarded-For is trusted."`
	WebhookAllow     []string `env:"KONAK_WEBHOOK_ALLOW" placeholder:"CIDR" help:"Internal address ranges that webhooks are allowed to reach."`
	ModelAllow       []string `env:"KONAK_MODEL_ALLOW" placeholder:"CIDR" help:"Internal address ranges where the assistant's language models can be, even unencrypted."`
	SQLiteSync       string   `env:"KONAK_SQLITE_SYNC" name:"sqlite-sync" enum:"full,normal" default:"full" help:"full: acknowledged writes survive a power cut."`
	RowSecurity      bool     `env:"KONAK_ROW_SECURITY" help:"Let PostgreSQL also check the tenant of every row (slower reads)."`
	MasterKey        string   `env:"KONAK_MASTER_KEY" placeholder:"BASE64" help:"Key that encrypts secrets; by default a file in the data folder."`
	BackupFolder     string   `env:"KONAK_BACKUP_FOLDER" placeholder:"FOLDER" help:"Folder for backups of the embedded database and its files; without it the server creates none."`
	BackupKeep       int64    `env:"KONAK_BACKUP_KEEP" default:"7" help:"Number of those backups to keep."`
	LogLevel         string   `env:"KONAK_LOG_LEVEL" enum:"debug,info,warn,error" default:"info" help:"Log level."`
	AccessLog        bool     `env:"KONAK_ACCESS_LOG" help:"Log each API request: method, route, status and time, never the path."`
	LimitKey         int      `env:"KONAK_LIMIT_KEY" default:"600" help:"Requests per minute of one API key."`
	LimitAccount     int      `env:"KONAK_LIMIT_ACCOUNT" default:"1200" help:"Requests per minute of one person."`
	LimitAddress     int      `env:"KONAK_LIMIT_ADDRESS" default:"300" help:"Requests per minute from one IP address without a credential."`
	LimitWorkspace   int      `env:"KONAK_LIMIT_WORKSPACE" default:"0" help:"Requests per minute of all people and API keys of a workspace together; 0 means no limit."`
	LogFormat        string   `env:"KONAK_LOG_FORMAT" enum:"text,json" default:"text" help:"Format of log lines."`
	SMTPURL          string   `env:"KONAK_SMTP_URL" name:"smtp-url" placeholder:"URL" help:"smtp://user:password@host:587 or smtps://…:465 to send mail; without it mail is kept in an outbox (konak mail outbox)."`
	SMTPCA           string   `env:"KONAK_SMTP_CA" name:"smtp-ca" placeholder:"FILE" help:"Additional CA certificates (PEM) to trust for the mail server."`
	MailFrom         string   `env:"KONAK_MAIL_FROM" placeholder:"ADDRESS" help:"Sender of the service's own mail; no-reply@DOMAIN by default."`
	MailDailyQuota   int64    `env:"KONAK_MAIL_DAILY_QUOTA" default:"2000" help:"Recipients per day of a workspace's mail over --smtp-url; mail beyond that waits until midnight UTC."`
	MailListen       string   `env:"KONAK_MAIL_LISTEN" placeholder:"ADDRESS" help:"Listen address for customers' mail over SMTP, such as 0.0.0.0:25; without it, mail is only fetched from mailboxes elsewhere."`
	MailDomain       string   `env:"KONAK_MAIL_DOMAIN" placeholder:"DOMAIN" help:"Domain of forwarding and reply addresses; its MX must point to --mail-listen."`
	MailHost         string   `env:"KONAK_MAIL_HOST" placeholder:"HOST" help:"Host name of --mail-listen, for the MX records of workspaces' own domains; --mail-domain by default."`
	MailSPF          string   `env:"KONAK_MAIL_SPF" name:"mail-spf" default:"mx" help:"SPF term for the servers that send the installation's mail, such as include:_spf.example.com."`
	MailTLSCert      string   `env:"KONAK_MAIL_TLS_CERT" name:"mail-tls-cert" placeholder:"FILE" help:"Certificate (PEM) for STARTTLS; mailboxes can sign in only over an encrypted connection."`
	MailTLSKey       string   `env:"KONAK_MAIL_TLS_KEY" name:"mail-tls-key" placeholder:"FILE" help:"Private key (PEM) of that certificate."`
	MailTLSListen    string   `env:"KONAK_MAIL_TLS_LISTEN" name:"mail-tls-listen" placeholder:"ADDRESS" help:"Listen address for mail programs with implicit TLS, such as 0.0.0.0:465; needs --mail-tls-cert."`
	HelpDomains      []string `env:"KONAK_HELP_DOMAIN" name:"help-domain" placeholder:"HOST=WORKSPACE" help:"Custom host for a workspace's help center, with the workspace's slug. DNS and the reverse proxy must point it here."`
	MailRoutes       []string `env:"KONAK_MAIL_ROUTE" name:"mail-route" placeholder:"DOMAIN=HOST:PORT" help:"Server that receives mail from mailboxes to this domain, or to all domains with *, instead of the domain's MX."`
	MailBlockLists   []string `env:"KONAK_MAIL_BLOCK_LIST" name:"mail-block-list" placeholder:"ZONE" help:"DNS block list, such as zen.spamhaus.org: mail from listed addresses is refused. None by default."`
	MailRspamd       string   `env:"KONAK_MAIL_RSPAMD" name:"mail-rspamd" placeholder:"URL" help:"rspamd server that checks incoming mail, such as http://127.0.0.1:11333."`
	MailMaxSize      Size     `env:"KONAK_MAIL_MAX_SIZE" default:"37748736" help:"Largest mail accepted: bytes, or a number with MiB."`
	SignUp           string   `env:"KONAK_SIGN_UP" enum:"open,invite,closed" default:"invite" help:"open: anyone who reaches the panel can create an account with a workspace. invite: accounts are by invitation. closed: only konak workspace create creates accounts and workspaces. The first start always prints a link for the first owner."`
	Captcha          string   `env:"KONAK_CAPTCHA" enum:"off,adaptive,always" default:"adaptive" help:"When people must solve a captcha."`
	CaptchaProvider  string   `env:"KONAK_CAPTCHA_PROVIDER" enum:"altcha,turnstile,hcaptcha" default:"altcha" help:"Captcha provider; altcha is built in and contacts no other service."`
	CaptchaSiteKey   string   `env:"KONAK_CAPTCHA_SITE_KEY" placeholder:"KEY" help:"Site key of turnstile or hcaptcha."`
	CaptchaSecret    string   `env:"KONAK_CAPTCHA_SECRET" placeholder:"SECRET" help:"Secret of turnstile or hcaptcha."`
	CaptchaAddress   string   `env:"KONAK_CAPTCHA_ADDRESS" placeholder:"URL" help:"URL of turnstile or hcaptcha, if not its own: a stand-in for development."`
	WhatsAppAddress  string   `env:"KONAK_WHATSAPP_ADDRESS" name:"whatsapp-address" placeholder:"URL" help:"URL of Meta's Graph API, if not its own: a stand-in for development. A demo includes one."`
	MetaAppID        string   `env:"KONAK_META_APP_ID" name:"meta-app-id" placeholder:"ID" help:"The operator's Meta app, with which workspaces connect WhatsApp, Messenger and Instagram in one step; a demo includes one."`
	MetaAppSecret    string   `env:"KONAK_META_APP_SECRET" name:"meta-app-secret" placeholder:"SECRET" help:"Secret of the Meta app."`
	MetaConfigID     string   `env:"KONAK_META_CONFIG_ID" name:"meta-config-id" placeholder:"ID" help:"Configuration id of the Meta app's sign-up."`
	TelegramBotToken string   `env:"KONAK_TELEGRAM_BOT_TOKEN" name:"telegram-bot-token" placeholder:"TOKEN" help:"The operator's Telegram bot, for one workspace that links a personal account and has no bot of its own."`
	IyzicoKey        string   `env:"KONAK_IYZICO_KEY" placeholder:"KEY" help:"Key of the operator's iyzico account, for card payments of call credit; a demo includes its own bank."`
	IyzicoSecret     string   `env:"KONAK_IYZICO_SECRET" placeholder:"SECRET" help:"Secret of the iyzico account."`
	IyzicoAddress    string   `env:"KONAK_IYZICO_ADDRESS" placeholder:"URL" help:"URL of iyzico, if not its own: https://sandbox-api.iyzipay.com to try it out."`
	WalletCurrency   string   `env:"KONAK_WALLET_CURRENCY" default:"TRY" placeholder:"CODE" help:"Currency of call credit before the first top-up, as three letters."`
	TwilioAccount    string   `env:"KONAK_TWILIO_ACCOUNT" placeholder:"SID" help:"The operator's Twilio account, for renting phone numbers; a demo includes its own provider."`
	TwilioToken      string   `env:"KONAK_TWILIO_TOKEN" placeholder:"TOKEN" help:"Token of the Twilio account."`
	TwilioAddress    string   `env:"KONAK_TWILIO_ADDRESS" placeholder:"URL" help:"URL of Twilio, if not its own: a stand-in for development."`
	NumberFee        int64    `env:"KONAK_NUMBER_FEE" default:"50000000" help:"Monthly fee for a phone number, in millionths of the wallet's currency."`
	Espeak           string   `env:"KONAK_ESPEAK" default:"espeak-ng" placeholder:"FILE" help:"Speech program for greetings; without it they cannot be previewed."`
	SpeechFee        int64    `env:"KONAK_SPEECH_FEE" default:"100000" help:"Fee per hundred characters of speech, in millionths of the wallet's currency."`
	CallRates        string   `env:"KONAK_CALL_RATES" placeholder:"FILE" help:"CSV file of rates for outside calls: prefix, per minute, connect fee, increment in seconds; amounts in millionths of the wallet's currency."`
	SIPTrunkServer   string   `env:"KONAK_SIP_TRUNK_SERVER" name:"sip-trunk-server" placeholder:"HOST" help:"The operator's SIP trunk, which carries calls of bought numbers."`
	SIPTrunkUser     string   `env:"KONAK_SIP_TRUNK_USER" name:"sip-trunk-user" placeholder:"NAME" help:"User name of the SIP trunk."`
	SIPTrunkSecret   string   `env:"KONAK_SIP_TRUNK_PASSWORD" name:"sip-trunk-password" placeholder:"PASSWORD" help:"Password of the SIP trunk."`
	SIPTrunkOver     string   `env:"KONAK_SIP_TRUNK_TRANSPORT" name:"sip-trunk-transport" enum:"udp,tcp,tls" default:"udp" help:"Transport of the SIP trunk."`
	SIPTrunkMedia    string   `env:"KONAK_SIP_TRUNK_MEDIA_ENCRYPTION" name:"sip-trunk-media-encryption" enum:"off,optional,required" default:"off" help:"Whether the SIP trunk's audio is encrypted; needs --sip-trunk-transport tls."`
	SIPCA            string   `env:"KONAK_SIP_CA" name:"sip-ca" placeholder:"FILE" help:"Additional CA certificates (PEM) to trust for carriers over TLS."`
	SIPTrunkFrom     []string `env:"KONAK_SIP_TRUNK_FROM" name:"sip-trunk-from" placeholder:"CIDR" help:"Addresses from which the SIP trunk's calls to bought numbers come, if not its host's."`
	TelephonySwitch  string   `env:"KONAK_TELEPHONY_SWITCH_URL" name:"telephony-switch-url" placeholder:"URL" help:"URL where a workspace can request another telephony tier."`
	SIPListen        string   `env:"KONAK_SIP_LISTEN" name:"sip-listen" placeholder:"ADDRESS" help:"Listen address for SIP calls over UDP and TCP, such as 0.0.0.0:5060; without it this node handles no calls. A demo listens on loopback, unless this is 'off'."`
	SIPPublicAddress string   `env:"KONAK_SIP_PUBLIC_ADDRESS" name:"sip-public-address" placeholder:"IP" help:"Address at which phones and lines reach this node, if not its own."`
	SIPTLSListen     string   `env:"KONAK_SIP_TLS_LISTEN" name:"sip-tls-listen" placeholder:"ADDRESS" help:"Listen address for SIP calls over TLS, such as 0.0.0.0:5061; needs --sip-tls-cert."`
	SIPTLSHost       string   `env:"KONAK_SIP_TLS_HOST" name:"sip-tls-host" placeholder:"HOST" help:"Host name in the certificate for SIP over TLS, to which messaging providers send calls; --domain by default."`
	SIPTLSCert       string   `env:"KONAK_SIP_TLS_CERT" name:"sip-tls-cert" placeholder:"FILE" help:"Certificate (PEM) for SIP over TLS."`
	SIPTLSKey        string   `env:"KONAK_SIP_TLS_KEY" name:"sip-tls-key" placeholder:"FILE" help:"Private key (PEM) of that certificate."`
	RTPPorts         string   `env:"KONAK_RTP_PORTS" name:"rtp-ports" default:"20000-29999" placeholder:"FIRST-LAST" help:"UDP ports for call audio; each call uses one or two."`
	TelegramAddress  string   `env:"KONAK_TELEGRAM_ADDRESS" name:"telegram-address" placeholder:"URL" help:"URL of Telegram's Bot API, if not its own: your own server, or a stand-in for development. A demo includes one."`
	Demo             bool     `env:"KONAK_DEMO" help:"Fill an empty database with demo workspaces; loopback only."`

	Traces trace.Config `embed:""`

	BackupEvery  time.Duration `env:"KONAK_BACKUP_EVERY" default:"24h" help:"Interval between backups in --backup-folder."`
	WebhookLease time.Duration `env:"KONAK_WEBHOOK_LEASE" default:"40s" help:"How long a dead node keeps its webhook endpoints before another node takes over."`

	AssistantTime time.Duration `env:"KONAK_ASSISTANT_TIME" default:"30s" help:"How long a call to a workspace's language model can take before the conversation is handed over."`

	// PasswordCost is for tests, which hash many passwords that protect nothing.
	PasswordCost password.Cost `kong:"-"`
	// CaptchaWork is for tests, which answer many challenges.
	CaptchaWork int `kong:"-"`
	// NewRSAKey is for tests: the source of the DKIM keys of mail domains; nil generates
	// new ones.
	NewRSAKey func() (*rsa.PrivateKey, error) `kong:"-"`
	// LimitFactor raises rate limits: in tests everything comes from one address at one
	// moment, and in measurements from one caller.
	LimitFactor int `kong:"-"`
	// PeerPatience is for tests: how long outside services may be silent; nil leaves it to
	// each call.
	PeerPatience func() time.Duration `kong:"-"`
	// SourceAllow are internal ranges that the assistant may read pages from, for tests.
	SourceAllow []string `kong:"-"`
	// DNS is for tests: it answers TXT look-ups instead of the system's resolver.
	DNS email.Resolver `kong:"-"`
	// MailDNS is for tests: it answers look-ups about the senders of incoming mail, even
	// from this machine.
	MailDNS origin.Resolver `kong:"-"`
	// NameServers is for tests: the servers asked for the records of mail domains instead
	// of the authoritative ones.
	NameServers func(ctx context.Context, name string) ([]netip.AddrPort, error) `kong:"-"`
	// StreamCheck is for tests: how often open streams check whether their watchers may
	// still watch.
	StreamCheck time.Duration `kong:"-"`
}

// backupCheckEvery is how often a node checks whether a backup is due.
const backupCheckEvery = time.Minute

// limitFactor gives a demo higher limits: everybody who tries it, by browser or script,
// comes from one address.
func (c *Config) limitFactor() int {
	if c.LimitFactor == 0 && c.Demo {
		return 20
	}
	return c.LimitFactor
}

// StreamCheckOn returns how often open streams check whether their watchers may still
// watch. Revocations on this node end them at once; frequent checks are needed only if
// other nodes may revoke something.
func (c *Config) StreamCheckOn(d db.Dialect) time.Duration {
	switch {
	case c.StreamCheck != 0:
		return c.StreamCheck
	case d == db.Postgres:
		return 4 * time.Second
	}
	return 15 * time.Second
}

// captcha builds the robot check; unset values have the defaults of the command line.
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

// mailDomain returns the domain of incoming mail; a demo has one that does not exist
// outside.
func (c *Config) mailDomain() string {
	if c.MailDomain == "" && c.Demo {
		return "in.konak.example"
	}
	return c.MailDomain
}

// mailHost returns the name of the server that takes mail.
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

// resolver returns the resolver for TXT records.
func (c *Config) resolver() email.Resolver {
	if c.DNS != nil {
		return c.DNS
	}
	return net.DefaultResolver
}

func (c *Config) mailFrom() string {
	return cmp.Or(c.MailFrom, "Konak <no-reply@"+c.Domain+">")
}

// BaseURL returns the address where people open the panel.
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

// DatabaseURL returns the address of the database.
func (c *Config) DatabaseURL() string {
	if c.DB != "" {
		return c.DB
	}
	return "sqlite:" + filepath.Join(c.Data, databaseFile)
}

// FilesFolder returns the folder of files and uploads.
func (c *Config) FilesFolder() string { return filepath.Join(c.Data, "files") }
