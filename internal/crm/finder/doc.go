// Package finder finds conversations and contacts by their words.
//
// Every workspace has its own index, so no search can reach another's text, and a
// small workspace only pays for its own size. A node builds the index of a workspace
// at the first search, from a file if there is a valid one, else from the database,
// and drops the longest unused ones when memory runs short. Ten thousand workspaces
// cost as much as the few that are searching at the moment.
//
// An index knows up to which event of the workspace it is current. Before it answers
// it reads the later events, and the records that these name, so what was dispatched
// is found at once, on every node, without messages between nodes. While an index is
// in use it is also updated in the background, so that a search has little left to do.
//
// It does not serve a partial index: a search waits for the index, and is told to
// come back if that takes too long. A file that does not verify, or whose events are
// no longer kept, is discarded.
package finder
