// Package messaging manages the messaging accounts whose calls the exchange takes: a
// customer calls a number on WhatsApp, and its provider dials our exchange.
//
// What always holds:
//   - The provider's call carries a key that nobody can guess. Only its hash is stored, and
//     it is compared in constant time. A new key replaces the old one once the provider
//     has it.
//   - A key is valid only for the number of its own account, while the account is
//     connected.
package messaging
