// Package block manages the numbers that may not call a workspace: single numbers and
// number prefixes.
//
// Blocking applies to incoming calls only; a blocked number can still be called.
package block
