import { describe, expect, it } from 'vitest'
import { applyFormat, continueList, formatOfKey, insertLink, type Edit, type Format, type Selection } from './formatting'

/** Parses a text whose selection is between two bars; a single bar is the caret. */
function read(marked: string): Selection {
  const [before = '', inside, after] = marked.split('|')
  if (after === undefined) return { text: before + (inside ?? ''), from: before.length, to: before.length }
  return { text: before + (inside ?? '') + after, from: before.length, to: before.length + (inside ?? '').length }
}

function show({ text }: Selection, edit: Edit | null): string | null {
  if (!edit) return null
  const made = text.slice(0, edit.from) + edit.text + text.slice(edit.to)
  const [from, to] = edit.select
  return from === to ? `${made.slice(0, from)}|${made.slice(from)}` : `${made.slice(0, from)}|${made.slice(from, to)}|${made.slice(to)}`
}

describe('applyFormat', () => {
  it.each<[Format, string, string]>([
    ['bold', 'a |b| c', 'a **|b|** c'],
    ['bold', 'a **|b|** c', 'a |b| c'],
    ['bold', 'a |**b**| c', 'a |b| c'],
    ['bold', 'a |', 'a **|**'],
    ['italic', 'a| b |c', 'a| _b_ |c'],
    ['italic', '|a\n\nb|', '|_a_\n\n_b_|'],
    ['bullets', 'a\nb|c\nd', 'a\n- bc|\nd'],
    ['bullets', '|1. a\n2. b|', '|- a\n- b|'],
    ['bullets', '|- a\n- b|', '|a\nb|'],
    ['numbers', '|a\nb|', '|1. a\n2. b|'],
    ['quote', '|a\n- b|', '|> a\n> - b|'],
    ['link', 'see |here|', 'see [here](|https://|)'],
    ['link', 'see |https://a.example|', 'see [|](https://a.example)'],
    ['link', 'see |', 'see [|](https://)'],
  ])('%s: %j becomes %j', (format, before, after) => {
    expect(show(read(before), applyFormat(format, read(before)))).toBe(after)
  })

  it('links the selected words to a pasted address', () => {
    const selection = read('see |here|.')
    expect(show(selection, insertLink(selection, 'https://a.example'))).toBe('see [here](https://a.example)|.')
  })
})

describe('continueList', () => {
  it.each<[string, string | null]>([
    ['- a|', '- a\n- |'],
    ['2. a|b', '2. a\n3. |b'],
    ['- a\n- |', '- a\n|'],
    ['a|', null],
    ['- |a|', null],
  ])('%j becomes %j', (before, after) => {
    expect(show(read(before), continueList(read(before)))).toBe(after)
  })
})

describe('formatOfKey', () => {
  const press = (key: string, more: object = {}) => formatOfKey({ key, code: '', ctrlKey: true, metaKey: false, shiftKey: false, altKey: false, ...more })
  it('knows the keys of formats and leaves the others alone', () => {
    expect([press('b'), press('I'), press('K', { shiftKey: true }), press('(', { shiftKey: true, code: 'Digit8' })]).toEqual(['bold', 'italic', 'link', 'bullets'])
    expect([press('k'), press('b', { ctrlKey: false }), press('b', { altKey: true }), press('b', { shiftKey: true })]).toEqual([null, null, null, null])
  })
})
