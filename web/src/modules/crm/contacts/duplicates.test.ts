import { expect, it } from 'vitest'
import { sameName } from './duplicates'

const named = (id: string, name: string, merged_into_id: string | null = null) => ({ id, name, merged_into_id })

it('finds another record of the same full name, without regard to marks', () => {
  const all = [named('1', 'Ayşe Yılmaz'), named('2', 'AYSE YILMAZ'), named('3', 'Ayşe Yıldız'), named('4', 'ayse yilmaz', '1')]
  expect(sameName(named('1', 'Ayşe Yılmaz'), all).map(({ id }) => id)).toEqual(['2'])
  expect(sameName(named('9', 'Ayşe'), [named('8', 'Ayşe')])).toEqual([])
})
