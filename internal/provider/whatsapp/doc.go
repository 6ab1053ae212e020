// Package whatsapp is a client of Meta's Graph API for the WhatsApp Business Platform:
// numbers, messages, files, templates, and the webhooks that Meta sends. It implements the
// wire format and none of our rules.
package whatsapp
