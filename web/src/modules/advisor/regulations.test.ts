import { describe, expect, it } from 'vitest'
import { pieces, readSearch } from './regulations'

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

describe('readSearch', () => {
  it('keeps what it knows and drops the rest', () => {
    expect(readSearch({ q: 6102, tur: 'kanun', durum: 'eski', mevzuat: '', tarih: 'dün', rg_from: 2020 })).toEqual({
      q: '6102',
      tur: 'kanun',
      durum: undefined,
      mevzuat: undefined,
      tarih: undefined,
      rg_from: undefined,
      rg_to: undefined,
    })
  })
})
