// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { chooseLanguage } from '@/i18n'
import { countryName, languageName } from './languageName'

it('names a language in the person’s own', async () => {
  await chooseLanguage('en')
  expect(languageName('tr')).toBe('Turkish')
  expect(languageName('en_US')).toBe('American English')
  await chooseLanguage('tr')
  expect(languageName('tr')).toBe('Türkçe')
})

it('leaves what is no code as it is: a customer’s program writes what it likes', () => {
  for (const odd of ['', '*', 'Türkçe', 'x']) expect(languageName(odd)).toBe(odd)
})

it('names a country in the person’s language', async () => {
  await chooseLanguage('tr')
  expect(['TR', 'DE'].map(countryName)).toEqual(['Türkiye', 'Almanya'])
})
