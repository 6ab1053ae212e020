// Package whole handles conversations as a whole: it merges one into another, undoes a
// merge, and splits one in two. It also follows the merges of contacts. It owns the table
// conversation_merge; everything else is changed through package conversation and the
// stores below it.
package whole
