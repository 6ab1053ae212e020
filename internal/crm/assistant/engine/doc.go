// Package engine answers questions from texts that a workspace wrote, and
// summarises conversations, without any service outside and without a database.
//
// An Index holds the texts of a workspace cut into passages. Answer compares the
// words of a question with the words of each passage and of the text it stands
// in. A word weighs more the fewer texts have it; a word that no text has weighs
// most, so a question about something else stays below the bound. Words of the title
// make the topic: a text that only mentions what is asked is no answer, and where
// two texts answer equally well neither is sure. An answer is a quotation: the engine
// writes no sentence about the subject itself.
//
// Turkish and English are understood. The same question on the same texts always
// gives the same answer, and the work is linear in the size of the texts.
package engine
