package backup

// WriteSynced creates a file completely or not at all.
var WriteSynced = writeSynced
