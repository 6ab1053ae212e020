// Package notice is how agents are told of what concerns them: by sound, by a
// notice of the desktop, and by a push to a browser in which no panel is open.
//
// Preferences are each agent's own, in each workspace. Sound and desktop are the
// panel's work, which reads them; pushes are sent from here.
//
// A push belongs to the session that the browser subscribed with: right before it is
// sent, the session must be open and its person allowed to see conversations, or the
// subscription is removed. It says what kind of thing happened and where, and nothing
// that a customer wrote. Pushes that could not be sent within some minutes are dropped:
// nobody waits for them, and the panel shows the same.
package notice
