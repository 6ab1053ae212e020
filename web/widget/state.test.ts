import { afterEach, expect, test, vi } from 'vitest'
import { newId, Note } from './state'

afterEach(() => vi.unstubAllGlobals())

test('ids are made on pages without TLS, where randomUUID is missing', () => {
  const { crypto } = globalThis
  vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes) })
  const ids = new Set(Array.from({ length: 100 }, newId))
  expect(ids.size).toBe(100)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/)
})

test('what was not sent is said until it is sent, whatever happens meanwhile', () => {
  let shown = { text: '', bad: false }
  const note = new Note((text, bad) => (shown = { text, bad }))
  note.say('We open on Monday')
  note.fail('Not sent')
  expect(shown).toEqual({ text: 'Not sent', bad: true })
  note.say('is typing…')
  note.say('')
  expect(shown.text).toBe('Not sent')
  note.say('Connection lost', true)
  note.unsay('Connection lost')
  expect(shown.text).toBe('Not sent')
  note.say('is typing…')
  note.fail('')
  expect(shown).toEqual({ text: 'is typing…', bad: false })
  note.unsay('something else')
  expect(shown.text).toBe('is typing…')
})
