// Package notice notifies agents of what concerns them: by sound, by a desktop
// notification, and by a push to a browser in which no panel is open.
//
// Each agent has their own preferences in each workspace. The panel reads them and
// produces sounds and desktop notifications; pushes are sent from here.
//
// A push belongs to the session that the browser subscribed with. Right before it is
// sent, the session must be open, or the subscription is removed, and its person must
// be allowed to see conversations, or nothing is sent. It says what kind of thing
// happened and where, and nothing that a customer wrote. Pushes that could not be sent
// within some minutes are dropped: nobody waits for them, and the panel shows the same.
package notice
