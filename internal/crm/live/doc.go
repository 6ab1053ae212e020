// Package live is what is true in the inbox only now: who is there, and who is
// writing.
//
// Nothing of it is stored but what an agent chose to be (online, away …), which
// the agents' module keeps. An agent is there while one of their streams
// is open on any node, or shortly after they said so. Every node tells the
// others every few seconds who is on it; what a node said expires, so a node
// that dies takes nobody with it for long.
//
// It refuses to guess: who is not connected is offline, whatever they chose.
package live
