import { describe, expect, it } from 'vitest'
import { readSearch } from './regulations'

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
