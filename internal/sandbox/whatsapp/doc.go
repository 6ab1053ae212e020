// Package whatsapp stands in for Meta's Graph API of the WhatsApp Business Platform: a
// server that keeps numbers, files and templates, refuses what Meta refuses with Meta's
// codes, reviews templates, and posts signed webhooks.
//
// Templates are reviewed at once and always alike: one whose name contains "reject" is
// rejected, one whose name contains "pending" stays in review, any other is approved. A
// message to a number that ends in 0000 is accepted and then reported as failed (131026),
// as is free text to customers who have not written within 24 hours (131047). Everything
// else is reported as sent and delivered.
//
// A customer's actions are reported to the sandbox by Write and React, or over HTTP with
// POST /sandbox/{phone_number_id}/messages.
package whatsapp
