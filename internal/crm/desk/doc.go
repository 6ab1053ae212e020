// Package desk is what agents keep at hand: macros, canned replies and saved
// views.
//
// A macro is a list of actions on a conversation. Each action needs the same
// permission as outside a macro; all permissions are checked before the first action,
// and all actions run in one transaction. If one is refused or fails, nothing is left
// behind, and the answer says which it was.
//
// Canned replies and views are shared by the workspace or belong to one agent, who
// alone can see them. A view is a named filter of the conversation list and can hold
// every parameter of the list.
//
// Open panels are told of every change of a macro or a canned reply by an event that
// carries only its id; webhooks are not.
//
// The desk does not change conversations itself: it runs steps through the
// conversation's gate.
package desk
