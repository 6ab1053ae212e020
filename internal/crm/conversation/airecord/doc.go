// Package airecord keeps what the assistant did with a conversation: the
// attributes that it understood, summaries, and votes on its answers.
//
// Whether the assistant holds a conversation is a state of the conversation and
// is changed by package conversation only.
package airecord
