// Package setting manages the telephony settings of a workspace: business hours, whom an
// incoming call rings, what is recorded, what callers can choose by pressing a key, and
// the caps that keep a stolen phone from spending the credit.
//
// A workspace that has not set anything has the defaults.
package setting
