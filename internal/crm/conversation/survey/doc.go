// Package survey asks customers how a conversation went, a little after it was
// closed, and keeps what they answer. It owns the table csat_survey. A closing
// that was taken back meanwhile asks nobody; of the answers to one survey the
// first stands.
package survey
