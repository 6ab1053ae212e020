// Package edit changes and deletes messages and notes after they were written, within a
// policy that it can also explain, and keeps the earlier versions. A change that a channel
// reports before its message waits here for it. It owns the tables item_edit and
// item_early.
package edit
