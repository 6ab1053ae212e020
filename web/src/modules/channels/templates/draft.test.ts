import { describe, expect, it } from 'vitest'
import { componentsOf, draftOf, freshButton, placeOf } from './draft'
import type { Template } from './templates'

describe('componentsOf', () => {
  const draft = { ...draftOf(null), body: 'Merhaba {{1}}, {{2}} yolda.', samples: { 1: 'Elif', 2: '4711' } }

  it('sends only what was written', () => {
    expect(componentsOf(draft)).toEqual([{ type: 'BODY', text: 'Merhaba {{1}}, {{2}} yolda.', example: { body_text: [['Elif', '4711']] } }])
    expect(componentsOf({ ...draft, body: ' Merhaba. ' })).toEqual([{ type: 'BODY', text: 'Merhaba.' }])
  })

  it('gives a header its sample, and a button what its kind takes', () => {
    const parts = componentsOf({
      ...draft,
      header: 'TEXT',
      headerText: '{{1}} siparişi',
      headerSample: '4711',
      footer: 'Demo A.Ş.',
      buttons: [
        { ...freshButton('URL'), text: 'Kargom', target: 'https://example.com/{{1}}', sample: '4711' },
        { ...freshButton('QUICK_REPLY'), text: 'Teşekkürler' },
        { ...freshButton('COPY_CODE'), target: 'BAHAR10' },
      ],
    })
    expect(parts[0]).toEqual({ type: 'HEADER', format: 'TEXT', text: '{{1}} siparişi', example: { header_text: ['4711'] } })
    expect(parts[3]).toEqual({
      type: 'BUTTONS',
      buttons: [
        { type: 'URL', text: 'Kargom', url: 'https://example.com/{{1}}', example: ['4711'] },
        { type: 'QUICK_REPLY', text: 'Teşekkürler' },
        { type: 'COPY_CODE', example: ['BAHAR10'] },
      ],
    })
    expect(placeOf(parts, 'BUTTONS')).toBe('components.3')
  })

  it('leaves the text of an authentication template to the provider', () => {
    expect(componentsOf({ ...draft, category: 'AUTHENTICATION', minutes: '10' })).toEqual([
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 10 },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
    ])
  })

  it('reads back what it wrote', () => {
    const components = componentsOf({ ...draft, header: 'IMAGE', headerHandle: 'h1', footer: 'Demo' })
    expect(componentsOf(draftOf({ category: 'UTILITY', components } as unknown as Template))).toEqual(components)
  })
})
