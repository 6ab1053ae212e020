// Package whatsapp is a client of Meta's Graph API for the WhatsApp Business
// Platform: numbers, messages, files, templates, and the webhooks that Meta
// sends. It knows the wire format and no rule of ours.
package whatsapp
