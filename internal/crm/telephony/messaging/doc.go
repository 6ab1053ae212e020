// Package messaging keeps the messaging accounts whose calls the exchange takes: a
// customer calls a number on WhatsApp, and its provider dials our exchange.
//
// What always holds:
//   - The provider's call shows a key that nobody can guess. Only its hash is kept, and it
//     is compared in constant time. A new key ends the one before it once the provider has it.
//   - A key opens the number of its own account and no other, while the account is
//     connected.
package messaging
