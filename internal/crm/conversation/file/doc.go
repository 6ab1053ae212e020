// Package file keeps the files of messages. It owns the table attachment; the
// bytes are in the blob store.
//
// A channel stores the files of a message with Prepare, outside any transaction.
// People upload first (Upload) and name the ids in what they write. Take collects
// both for an item, Attach assigns them to it. A file belongs to one item, waits with
// a draft or a scheduled message, or is kept unattached for a day (CleanUploads).
package file
