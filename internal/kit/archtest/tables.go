package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tableOwners maps each table to the package that owns it: only the owner may name it in
// SQL.
var tableOwners = map[string][]string{
	"internal/advisor": {"advisor_import", "advisor_law", "advisor_provision", "advisor_revision", "provision_version"},
	"internal/commerce": {
		"commerce_balance", "commerce_customer", "commerce_entry", "commerce_order", "commerce_return", "commerce_shipment",
	},
	"internal/crm/agent":            {"agent", "mobile_qr"},
	"internal/crm/assistant":        {"assistant_answer", "assistant_configuration", "assistant_spending"},
	"internal/crm/assistant/source": {"assistant_source"},
	"internal/crm/channel":          {"channel_account", "channel_inbound_test"},
	"internal/crm/channel/custom":   {"form_guard", "form_submission", "opportunity"},
	"internal/crm/channel/widget":   {"widget_visitor"},
	"internal/crm/channel/partner":  {"partner_signup", "partner_signup_failure"},
	"internal/crm/channel/social":   {"social_page", "social_part"},
	"internal/crm/channel/telegram": {"telegram_bot", "telegram_connection", "telegram_link"},
	"internal/crm/channel/whatsapp": {"whatsapp_number"},
	"internal/crm/contact": {
		"contact", "contact_claim", "contact_consent", "contact_email", "contact_identity", "contact_import",
		"contact_import_batch", "contact_import_error", "contact_merge", "contact_note", "contact_phone", "contact_tag",
		"contact_term",
	},
	"internal/crm/conversation": {
		"conversation", "conversation_agent", "conversation_ai_record", "conversation_badge", "conversation_cc",
		"conversation_item", "conversation_participant", "conversation_settings",
		"conversation_tag", "conversation_term", "conversation_unread",
		"item_email", "item_mention", "item_reaction", "item_source",
	},
	"internal/crm/conversation/airecord": {"conversation_ai_attribute", "conversation_summary", "item_feedback"},
	"internal/crm/conversation/count":    {"conversation_count"},
	"internal/crm/conversation/draft":    {"conversation_draft"},
	"internal/crm/conversation/edit":     {"item_early", "item_edit"},
	"internal/crm/conversation/file":     {"attachment"},
	"internal/crm/conversation/group":    {"crm_group", "crm_group_member"},
	"internal/crm/conversation/hourly":   {"conversation_hour"},
	"internal/crm/conversation/later":    {"scheduled_message"},
	"internal/crm/conversation/survey":   {"csat_survey"},
	"internal/crm/conversation/whole":    {"conversation_merge"},
	"internal/crm/desk":                  {"crm_canned_reply", "crm_canned_term", "crm_macro", "crm_view"},
	"internal/crm/email": {
		"email_auto_reply", "email_domain", "email_inbound", "email_mailbox", "email_message", "email_party", "email_token",
	},
	"internal/crm/helpcenter":          {"help_article", "help_category", "help_site", "help_text", "help_version"},
	"internal/crm/notice":              {"notice_preference", "push_key", "push_subscription"},
	"internal/crm/telephony/block":     {"phone_block"},
	"internal/crm/telephony/call":      {"phone_call", "phone_cursor", "phone_leg"},
	"internal/crm/telephony/command":   {"phone_command"},
	"internal/crm/telephony/greeting":  {"phone_greeting"},
	"internal/crm/telephony/line":      {"phone_line"},
	"internal/crm/telephony/messaging": {"phone_channel"},
	"internal/crm/telephony/number":    {"phone_number"},
	"internal/crm/telephony/setting":   {"phone_settings"},
	"internal/crm/telephony/socket":    {"phone_ticket"},
	"internal/crm/telephony/team":      {"phone_member"},
	"internal/crm/telephony/wallet": {
		"wallet", "wallet_buyer", "wallet_entry", "wallet_posting", "wallet_reservation", "wallet_topup",
	},
	"internal/crm/template":   {"message_template", "template_barred"},
	"internal/exchange/lease": {"exchange_lease"},
	"internal/identity": {
		"api_key", "app_user", "handover", "invitation", "membership", "role", "session", "tenant",
	},
	"internal/identity/captcha": {"captcha_used"},
	"internal/identity/oauth":   {"oauth_app", "oauth_client", "oauth_code", "oauth_grant"},
	"internal/identity/signin": {
		"first_owner_link", "mfa_ticket", "passkey", "passkey_challenge", "password_reset", "recovery_code", "sign_up",
	},
	"internal/kit/audit":       {"audit_log"},
	"internal/kit/blob":        {"blob", "storage"},
	"internal/kit/db":          {"installation_mark"},
	"internal/kit/event":       {"outbox", "tenant_sequence"},
	"internal/kit/idempotency": {"idempotency"},
	"internal/kit/jobs":        {"job", "job_hold"},
	"internal/kit/limit":       {"limit_act", "limit_use"},
	"internal/kit/ledger":      {"privacy_ledger", "privacy_ledger_head", "privacy_ledger_signature", "privacy_subject_key"},
	"internal/kit/mailer":      {"mail_outbox", "mail_use"},
	"internal/kit/node":        {"serving_node"},
	"internal/kit/secret":      {"installation_key"},
	"internal/mail":            {"dlp_exception", "dlp_incident", "dlp_rule", "dlp_rule_hit", "gdpr_request", "mail_journal", "mail_settings"},
	"internal/webhook/hour":    {"webhook_hour"},
	"internal/mail/domain":     {"mail_domain", "mail_domain_owner", "mail_mailbox", "mail_send_as", "mail_sent_hour"},
	"internal/mail/engine":     {"mail_queue", "mail_queue_recipient", "mail_sts_policy", "mail_suppression", "mail_tls_session"},
	"internal/mail/migration":  {"mail_migration"},
	"internal/mail/setup":      {"mail_setup"},
	"internal/webhook": {
		"webhook_attempt", "webhook_delivery", "webhook_endpoint", "webhook_lane", "webhook_recovery", "webhook_setting",
	},
}

// tableReaders lists the packages that may read another package's table, each with its
// reason. None may write one.
var tableReaders = map[string]map[string]string{
	"channel_account": {
		"internal/crm/channel/social":   "a page that another account uses goes on telling",
		"internal/crm/channel/whatsapp": "a number is looked up together with its account",
	},
	"conversation": {
		"internal/crm/conversation/file":  "a file is shown to whom its conversation is shown",
		"internal/crm/conversation/group": "a group that has conversations stays",
		"internal/crm/conversation/tag":   "a tag is spelt as in the conversation that had it last",
	},
	"conversation_item": {
		"internal/crm/conversation/airecord": "a rating is of an item, and a summary is stale once items changed",
		"internal/crm/conversation/file":     "a file is shown to whom its conversation is shown",
	},
	"conversation_tag": {"internal/crm/conversation/tag": "the tags that are in use are listed by their index"},
	"membership":       {"internal/identity/oauth": "a code and a consent count only while their member is active"},
	"oauth_grant":      {"internal/identity": "the switch of a session is one statement, and an app goes only where it has consent"},
	"phone_leg":        {"internal/crm/telephony/team": "a row of the team says who is in a call"},
	"tenant": {
		"internal/crm/channel":    "a channel's key leads to its workspace's slug and licences",
		"internal/identity/oauth": "a consent names the app's publisher",
		"internal/kit/db":         "the work of a suspended workspace waits",
		"internal/kit/event":      "an event carries its workspace's slug",
		"internal/webhook":        "what leaves carries its workspace's slug",
	},
}

// namedTable matches the tables that a statement names, and the keyword that shows whether
// it writes them.
var namedTable = regexp.MustCompile(`(?i)\b(insert\s+into|update|delete\s+from|from|join)\s+(\w+)\b`)

// tablesHaveOwners checks every statement against tableOwners and tableReaders. Tests, and
// the code that only tests use, may read any table.
func tablesHaveOwners(f *file) (faults []string) {
	if f.syntax == nil || f.test || strings.Contains(f.dir, "test") || areaOf(f.dir).kind == areaTools {
		return nil
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(lit.Value)
		if err != nil {
			return true
		}
		for _, m := range namedTable.FindAllStringSubmatch(text, -1) {
			verb, table := strings.ToLower(m[1]), m[2]
			owner := ownerOf(table)
			if owner == "" || owner == f.dir {
				continue
			}
			reads := verb == "from" || verb == "join"
			if _, listed := tableReaders[table][f.dir]; reads && listed {
				continue
			}
			what := "writes"
			if reads {
				what = "reads"
			}
			faults = append(faults, fmt.Sprintf("%s: %s %s, which belongs to %s", f.at(lit.Pos()), what, table, owner))
		}
		return true
	})
	return faults
}

// ownerOf returns the folder of the package that owns a table, "" if it is not a table.
func ownerOf(table string) string {
	for owner, tables := range tableOwners {
		if slices.Contains(tables, table) {
			return owner
		}
	}
	return ""
}
