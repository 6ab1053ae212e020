// Package survey asks customers how a conversation went, a little after it was closed, and
// stores their answers. It owns the table csat_survey. If the conversation was reopened
// meanwhile, nobody is asked; only the first answer to a survey counts.
package survey
