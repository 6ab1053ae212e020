// Package blob keeps files: attachments, original e-mails, recordings, pictures.
//
// Put takes a stream and gives a Blob, whose id the caller writes into a record
// of its own. In the transaction that writes that record it calls Hold, and in
// the one that removes it Drop:
//
//	b, err := blobs.Put(ctx, tenant, body, 25<<20)       // no transaction open
//	err = db.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
//		if err := blob.Hold(tx, b.ID); err != nil { … }  // ErrMissing: put it again
//		return putRecord(tx, Record{BlobID: b.ID, …})
//	})
//	f, err := blobs.Open(ctx, tenant, b.ID)               // io.ReadSeekCloser; file_missing, file_damaged
//	f, err := blobs.OpenFile(ctx, tenant, b.ID)           // *os.File, for reading in any order
//
// What nobody holds is removed a day after it was last put or dropped, so a
// caller that dies between Put and Hold leaves nothing behind, and there is a
// day to roll back into. The same bytes put twice by one workspace are
// normally kept once; workspaces share nothing.
//
// What always holds: a Blob that Put gave is whole and on stable storage; a
// blob that is held can be opened unless the place that keeps it lost it. What
// was lost or changed there is found when it is opened or read, and by a scrub
// that reads every blob once a month; it is written into the blob's row, raised
// as an alarm once, and healed by the same bytes put again. Neither content nor names are looked at:
// whether a type is allowed, and how it is served, is for the record's owner.
//
// The bytes lie in a folder, or with an S3 service when one is configured.
package blob
