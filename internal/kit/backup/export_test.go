package backup

// WriteSynced makes a new file, whole or not at all.
var WriteSynced = writeSynced
