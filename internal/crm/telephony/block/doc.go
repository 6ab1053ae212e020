// Package block keeps the numbers that may not call a workspace: single numbers, and
// all numbers that begin alike.
//
// What is blocked is blocked for calls that come in. It keeps nobody from calling
// such a number.
package block
