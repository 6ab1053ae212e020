// Package file keeps the files of messages. It owns the table attachment; the
// bytes are in the blob store.
//
// A channel stores what a message brings with Prepare, outside of any
// transaction. People upload first (Upload) and name the ids in what they write.
// Take collects both for an item, Attach gives them to it. A file belongs to one
// item, waits with a draft or a scheduled message, or belongs to nobody for a
// day (CleanUploads).
package file
