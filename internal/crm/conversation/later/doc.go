// Package later stores scheduled messages, and cancels them. It owns the table
// scheduled_message. Package reply writes and sends them; package conversation cancels
// those that should not go once the customer has answered.
package later
