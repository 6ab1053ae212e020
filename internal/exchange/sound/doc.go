// Package sound processes the sound of calls: 16-bit samples on one channel, WAV files,
// and the G.711 codecs of telephones (8,000 samples per second).
//
// It reads PCM files with 8, 16, 24 or 32 bits on one or two channels and refuses all
// others. Reading takes time and memory in proportion to the file.
package sound
