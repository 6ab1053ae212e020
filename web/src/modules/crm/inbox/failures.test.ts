import { describe, expect, it } from 'vitest'
import { refusedRecipients } from './failures'

describe('refusedRecipients', () => {
  it('reads whom a mail did not reach', () => {
    const detail = { refused_recipients: [{ address: 'ali@kaya.example', reason: '550 no such user' }, { address: 'veli@kaya.example' }] }
    expect(refusedRecipients(detail)).toEqual([
      { address: 'ali@kaya.example', reason: '550 no such user' },
      { address: 'veli@kaya.example', reason: '' },
    ])
  })

  it('finds nobody in other details', () => {
    for (const detail of [null, undefined, {}, { refused_recipients: 'x' }, { refused_recipients: [null, 7, {}] }]) {
      expect(refusedRecipients(detail)).toEqual([])
    }
  })
})
