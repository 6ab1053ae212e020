import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseMarkdown, type Block } from './markdown'

interface Case {
  name: string
  source: string
  blocks: Block[] | null
}

// The server's own cases: a reply is read here as it is sent there.
const cases = JSON.parse(readFileSync(new URL('../../../../../internal/kit/markdown/testdata/cases.json', import.meta.url), 'utf8')) as Case[]

describe('parseMarkdown', () => {
  it.each(cases)('$name', ({ source, blocks }) => {
    expect(parseMarkdown(source)).toEqual(blocks ?? [])
  })
})
