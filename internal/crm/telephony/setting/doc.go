// Package setting keeps how a workspace telephones: when somebody is there, whom an
// incoming call rings, what is recorded, what callers can choose by pressing a key,
// and the caps that keep a stolen phone from spending the credit.
//
// A workspace that never chose anything has the defaults.
package setting
