// Package live tells who is present in the inbox and who is typing right now.
//
// Nothing of this is stored except the presence that an agent chose (online, away …),
// which the agents' module keeps. An agent is connected while one of their streams is
// open on any node, or shortly after they set their presence. Every node tells the
// others every few seconds who is connected to it; this expires, so the agents of a
// dead node do not stay shown for long.
//
// It does not guess: an agent who is not connected is offline, whatever they chose.
package live
