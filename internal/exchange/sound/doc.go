// Package sound works on what is heard in a call: samples of 16 bits on one
// channel, WAV files of them, and the G.711 coding of telephones (µ-law, 8,000
// samples a second).
//
// It refuses files that are not PCM with 16 bits on one channel. Reading costs time
// and memory in proportion to the file.
package sound
