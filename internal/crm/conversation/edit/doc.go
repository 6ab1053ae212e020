// Package edit changes and deletes messages and notes after they were written,
// within a policy that it can also explain, and keeps what they said before. It
// owns the table item_edit.
package edit
