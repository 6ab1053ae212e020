// Package engine answers questions from texts that a workspace wrote, and
// summarises conversations, without an external service or a database.
//
// An Index holds the texts of a workspace split into passages. Answer compares
// the words of a question with the words of each passage and of the text it
// belongs to. The fewer texts have a word, the more it weighs; a word that no
// text has weighs most, so a question about something else stays below the
// bound. The words of the title are the topic: a text that merely mentions the
// subject of the question is no answer, and if two texts answer equally well
// neither is sure. An answer is a quotation: the engine writes no sentence about
// the subject itself.
//
// It understands Turkish and English. The same question on the same texts always
// gives the same answer, and the work is linear in the size of the texts.
package engine
