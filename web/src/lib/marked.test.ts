import { describe, expect, it } from 'vitest'
import { nearMark, pieces, unmarked } from './marked'

describe('pieces', () => {
  it('marks what the server marked and takes nothing else for markup', () => {
    expect(pieces('a &lt;b&gt; <em>kira</em> &amp;amp; <em>&#34;bedel&#34;</em>')).toEqual([
      { text: 'a <b> ', marked: false },
      { text: 'kira', marked: true },
      { text: ' &amp; ', marked: false },
      { text: '"bedel"', marked: true },
    ])
  })
})

describe('unmarked', () => {
  it('is the text alone', () => {
    expect(unmarked('a &lt;b&gt; <em>kira</em>')).toBe('a <b> kira')
  })
})

describe('nearMark', () => {
  const cut = (text: string) => nearMark(pieces(text)).map((piece) => piece.text).join('')

  it('begins at a word shortly before the first mark', () => {
    expect(cut('A long story about nothing at all and then the <em>guarantee</em> of it')).toBe('… at all and then the guarantee of it')
  })

  it('leaves alone what is short or has no mark', () => {
    expect(cut('The <em>guarantee</em>')).toBe('The guarantee')
    expect(cut('A long story about nothing at all')).toBe('A long story about nothing at all')
  })
})
