// Package notice is how agents are told of what concerns them: by sound, by a
// notice of the desktop, and by a push to a browser in which no panel is open.
//
// Preferences are each agent's own, in each workspace. Sound and desktop are the
// panel's work, which reads them; pushes are sent from here.
package notice
