// @vitest-environment jsdom
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import '@/api/testOrigin'
import { expect, it } from 'vitest'
import { withTexts } from '@/i18n'
import { answers, prepareInbox, show } from '@/modules/crm/inbox/testInbox'
import { ImportDialog } from './ImportDialog'

prepareInbox()

it('says what was there already, what failed and what readers will not see', async () => {
  await withTexts(() => Promise.resolve(null), 'helpcenter')()
  const file = { article_id: null, language: 'en', title: 'x', skipped: false, warnings: [], error: null }
  answers.set('POST /api/crm/v1/help-center/import', {
    created: 1,
    skipped: 2,
    failed: 1,
    files: [
      { ...file, file: 'a.md', warnings: ['picture_not_shown', 'language_not_shown'] },
      { ...file, file: 'b.md', error: 'unsupported_type' },
      { ...file, file: 'c.md', skipped: true },
    ],
  })
  await show(<ImportDialog categories={[]} language="de" onClose={() => undefined} />)
  const dialog = within(await screen.findByRole('dialog'))
  expect((await dialog.findByLabelText('Language')).textContent).toContain('Deutsch')
  await userEvent.upload(await dialog.findByLabelText('File'), new File(['x'], 'a.zip', { type: 'application/zip' }))
  await userEvent.click(dialog.getByRole('button', { name: 'Import' }))
  await dialog.findByText('1 article was imported')
  expect(dialog.getByText('2 already existed and were left unchanged.')).toBeTruthy()
  expect(dialog.getAllByRole('listitem').map((row) => row.textContent)).toEqual([
    'a.md: This text contains a picture without a full address (https://…), which readers will not see.',
    'a.md: The site does not have this language. Add it in the site settings so that readers see this text.',
    'b.md could not be imported: check its category, its language, its length and that it is plain text (UTF-8).',
  ])
})
