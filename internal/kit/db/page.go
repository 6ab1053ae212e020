package db

import (
	"math"

	"github.com/google/uuid"
)

// Page asks for a part of a list: at most Limit rows after the key. Lists sort
// by a number (mostly a time in microseconds) and an id that breaks ties.
type Page struct {
	Limit int
	After Key
	// Window is the number of rows that the list examines for the page if no index serves
	// its filters; zero for the list's own default.
	Window int
}

// Key is the position where a page ended.
type Key struct {
	Sort int64     `json:"s"`
	ID   uuid.UUID `json:"i"`
}

// First is the key before the start of a list that runs from newest to oldest.
var First = Key{Sort: math.MaxInt64, ID: uuid.Max}

// Before is the key before the start of a list that runs the other way.
var Before = Key{Sort: math.MinInt64}

// List is one page of rows and the position where it ended.
type List[T any] struct {
	Rows []T
	Next *Key
}

// Cut returns a page of rows that were fetched with Limit+1.
func Cut[T any](rows []T, p Page, key func(T) Key) List[T] {
	if len(rows) <= p.Limit {
		return List[T]{Rows: rows}
	}
	rows = rows[:p.Limit]
	k := key(rows[len(rows)-1])
	return List[T]{Rows: rows, Next: &k}
}
