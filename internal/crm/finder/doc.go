// Package finder finds conversations and contacts by their words.
//
// Every workspace has an index of its own, so no search can reach another's
// text, and a small workspace pays for its own size only. A node makes the
// index of a workspace when somebody there searches for the first time, from
// a file if there is a good one, else from the database, and gives up those
// that were not used for long when memory runs short. Ten thousand workspaces
// cost what the few who search at the moment do.
//
// An index says up to which event of the workspace it is. Before it answers it
// reads the events that came after, and the records that these speak of, so
// what was dispatched is found at once, on every node, without anybody
// telling a node anything. While an index is used it is also brought up to
// date in the background, so that a search finds little left to do.
//
// It refuses to serve half an index: a search waits for it, and is told to
// come back if that takes too long. A file that does not verify, or whose
// events are no longer kept, is thrown away.
package finder
