// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import { chooseLanguage, withTexts } from '@/i18n'
import { failureText, refusedRecipients } from './failures'

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

describe('failureText', () => {
  it('says in the person’s language what WhatsApp says by a number, and leaves other words as they are', async () => {
    await chooseLanguage('tr')
    await withTexts(() => Promise.resolve(null), 'thread')()
    expect(failureText('Message Undeliverable. (131026)')).toContain('WhatsApp’ta yok')
    expect(failureText('550 no such user (1)')).toBe('550 no such user (1)')
    expect(failureText('no_route')).toBe('müşteriye ulaşan bir kanal yok')
  })
})
