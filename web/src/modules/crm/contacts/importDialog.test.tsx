// @vitest-environment jsdom
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import '@/api/testOrigin'
import { expect, it } from 'vitest'
import { withTexts } from '@/i18n'
import { answers, prepareInbox, show } from '../inbox/testInbox'
import { ImportDialog } from './ImportDialog'

prepareInbox()

it('names the line of the file, its column and the fault in words', async () => {
  await withTexts(() => Promise.resolve(null), 'contacts')()
  const done = { id: 'i1', status: 'done', filename: 'a.csv', total: 3, processed: 3, created: 0, updated: 0, failed: 3 }
  answers.set('POST /api/crm/v1/contacts/imports', done)
  answers.set('GET /api/crm/v1/contacts/imports/i1', done)
  answers.set('GET /api/crm/v1/contacts/imports/i1/errors', [
    { id: 'e1', line: 2, field: 'kind', code: 'not_allowed' },
    { id: 'e2', line: 3, field: 'custom_attributes.Plan', code: 'wrong_type' },
    { id: 'e3', line: 4, field: '', code: 'never_heard_of' },
  ])
  await show(<ImportDialog onClose={() => undefined} />)
  const dialog = within(await screen.findByRole('dialog'))
  // A blank line, a row of empty cells, and a cell with two lines.
  const csv = 'Ad Soyad;Tür;Plan\n\nElif;boss;pro\n;;\n"Can\nÖz";lead;gold\nAda;lead;x\n'
  await userEvent.upload(await dialog.findByLabelText('CSV file'), new File([csv], 'a.csv', { type: 'text/csv' }))
  await userEvent.click(await dialog.findByRole('button', { name: /Import 3/ }))
  const rows = within(await dialog.findByRole('list', { name: 'Rows that could not be imported' })).getAllByRole('listitem')
  expect(rows.map((row) => row.textContent)).toEqual([
    'Line 3Tür “boss”: Only lead or customer is allowed here.',
    'Line 5Plan “gold”: This value is not valid.',
    'Line 7This value was not accepted (never_heard_of).',
  ])
})
