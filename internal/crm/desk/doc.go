// Package desk is what agents keep at hand: macros, canned replies and saved
// views.
//
// A macro is a list of actions on a conversation. Each action needs the
// permission that the same act needs by itself; all of them are checked before
// the first is taken, and they are taken in one transaction. One that is
// refused or fails leaves nothing behind, and the answer says which it was.
//
// Canned replies and views are shared by the workspace or belong to one agent;
// nobody else sees those. A view is a filter of the conversation list under a
// name: whatever the list takes, a view may hold.
//
// Open panels are told of every change of a macro or a canned reply by an event
// that carries its id alone; webhooks are not.
//
// The desk changes no conversation by itself: it takes steps through the
// conversation's gate.
package desk
