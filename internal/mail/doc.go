// Package mail is mail administration: data-loss prevention, settings,
// domains, send-as, journaling and migration.
//
// Today it holds the DLP exceptions: addresses for which DLP is skipped when
// they send or receive. An address is unique per workspace whatever its case.
package mail
