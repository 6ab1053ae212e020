import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseMarkdown, wordsOf, type Block } from './markdown'

interface Case {
  name: string
  source: string
  blocks: Block[] | null
}

// The server's own cases: a reply is parsed here as it is sent there.
const cases = JSON.parse(readFileSync(new URL('../../../../../internal/kit/markdown/testdata/cases.json', import.meta.url), 'utf8')) as Case[]

describe('parseMarkdown', () => {
  it.each(cases)('$name', ({ source, blocks }) => {
    expect(parseMarkdown(source)).toEqual(blocks ?? [])
  })
})

it('gives the words of a text without their marks', () => {
  expect(wordsOf('**Hello** Elif,\n\n- your _chair_\n- [the table](https://shop.example/2)\n\n> Where is it?\n> Soon.')).toBe('Hello Elif, your chair the table Where is it? Soon.')
  expect(wordsOf('')).toBe('')
})
