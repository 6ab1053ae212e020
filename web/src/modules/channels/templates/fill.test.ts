import { describe, expect, it } from 'vitest'
import { fillText, nextVariable, noValues, samplesOf, toSend, variablesIn } from './fill'
import type { Template } from './templates'

describe('variablesIn', () => {
  it('gives each once, numbers by their size', () => {
    expect(variablesIn('{{2}} ve {{ 1 }}, sonra {{2}}, {{10}}')).toEqual(['1', '2', '10'])
    expect(variablesIn('{{soyad}} {{ad}}')).toEqual(['soyad', 'ad'])
    expect(variablesIn('{tek} {{}')).toEqual([])
  })
})

describe('fillText', () => {
  it('fills in what is there and leaves the rest', () => {
    expect(fillText('Merhaba {{1}}, {{2}}', ['1', '2'], ['Elif', ' '])).toBe('Merhaba Elif, {{2}}')
    expect(fillText('{{ad}}', ['ad'], ['$& Elif'])).toBe('$& Elif')
  })
})

describe('nextVariable', () => {
  it('goes on after the largest', () => {
    expect(nextVariable('')).toBe(1)
    expect(nextVariable('{{1}} {{3}}')).toBe(4)
  })
})

describe('samplesOf', () => {
  it('reads numbered and named samples', () => {
    expect(samplesOf({ type: 'BODY', example: { body_text: [['Elif', '4711']] } }, ['1', '2'])).toEqual(['Elif', '4711'])
    expect(samplesOf({ type: 'BODY', example: { body_text_named_params: [{ param_name: 'no', example: '4711' }] } }, ['ad', 'no'])).toEqual(['', '4711'])
    expect(samplesOf(undefined, ['1'])).toEqual([])
  })
})

describe('toSend', () => {
  const template = {
    id: 't1',
    variables: { header: [], header_media: 'DOCUMENT', body: ['1', '2'], buttons: [{ index: 1, type: 'URL', text: 'Kargom' }] },
  } as unknown as Template

  it('sends a value for each variable, and nothing that the template lacks', () => {
    expect(toSend(template, { ...noValues, media: ' https://example.com/a.pdf ', body: ['Elif'], buttons: { 1: '4711', 0: 'x' } })).toEqual({
      template_id: 't1',
      header: [],
      header_media: 'https://example.com/a.pdf',
      body: ['Elif', ''],
      buttons: [{ index: 1, value: '4711' }],
    })
  })
})
