// Package blob keeps files: attachments, original e-mails, recordings, pictures.
//
// Put takes a stream and returns a Blob, whose id the caller stores in its own
// record. In the transaction that writes that record the caller calls Hold, and in
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
// An unheld blob is removed a day after it was last put or dropped, so a caller
// that dies between Put and Hold leaves nothing behind, and there is a day to
// roll back. The same bytes put twice by one workspace are normally stored once;
// workspaces share nothing.
//
// Guarantees: a Blob returned by Put is complete and on stable storage; a held
// blob can be opened unless the storage has lost it. Lost or changed bytes are
// detected when the blob is opened or read, and by a scrub that reads every blob
// once a month; the damage is recorded in the blob's row, logged once as an error,
// and repaired when the same bytes are put again. Neither content nor names are
// checked: whether a type is allowed, and how it is served, is up to the record's
// owner.
//
// The bytes are stored in a folder, or on an S3 service if one is configured.
package blob
