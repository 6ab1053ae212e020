import { choose, expect, expectAccessible, newcomer, test } from './helpers'
import { readTexts } from './sights'

const languages = [
  { language: 'en', locale: 'en-US' },
  { language: 'tr', locale: 'tr-TR' },
] as const

for (const { language, locale } of languages) {
  test.describe(language, () => {
    test('mail is set up at once, its keys are changed, and the setup is hidden', async ({ browser }) => {
      const t = await readTexts(language)
      const stamp = Date.now()
      const domain = `kurulum-${language}-${stamp}.example`
      const { page, context } = await newcomer(browser, `setup-${language}`, { locale })
      await page.addInitScript((lang) => localStorage.setItem('konak.lang', lang), language)
      const connected = await page.request.post('/api/crm/v1/channels/email', { data: { name: `Orders ${stamp}`, address: `orders-${stamp}@example.com` } })
      expect(connected.status(), await connected.text()).toBe(201)

      await page.goto('/mail/setup')
      const step = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) })
      await expect(step(t('mailSetup.domain'))).toContainText(t('mailSetup.status.pending'))

      await test.step('a line that is refused is named', async () => {
        await page.getByRole('button', { name: t('mailSetup.apply') }).click()
        const dialog = page.getByRole('dialog', { name: t('mailSetup.apply') })
        await dialog.getByLabel(t('domains.domain')).fill(domain)
        await dialog.getByLabel(t('mailSetup.mailboxes')).fill(`destek\ninfo@other-${stamp}.example`)
        await dialog.getByRole('button', { name: t('mailSetup.applyAction'), exact: true }).click()
        await expect(dialog.getByRole('alert').filter({ hasText: t('mailSetup.applyLine', { line: 2, why: t('mailSetup.applyOtherDomain') }) })).toBeVisible()
        await expectAccessible(page)
        await dialog.getByLabel(t('mailSetup.mailboxes')).fill(`destek\ninfo@${domain}`)
        await dialog.getByRole('button', { name: t('mailSetup.applyAction'), exact: true }).click()
        await expect(dialog).toBeHidden()
      })
      await expect(step(t('mailSetup.domain'))).toContainText(domain)
      await expect(step(t('mailSetup.mailboxes'))).toContainText(t('mailSetup.status.done'))
      await page.goto('/mail/addresses')
      await expect(page.getByRole('row').filter({ hasText: `destek@${domain}` })).toContainText(`Orders ${stamp}`)
      await expect(page.getByRole('row').filter({ hasText: `info@${domain}` })).toContainText(`Orders ${stamp}`)

      await test.step('another selector has other records', async () => {
        await page.goto('/mail/domains')
        await page.getByRole('link', { name: domain }).click()
        await page.getByRole('button', { name: t('domains.rotate') }).click()
        const dialog = page.getByRole('dialog', { name: t('domains.rotate') })
        await dialog.getByLabel(t('domains.selector')).fill('Not a selector')
        await dialog.getByRole('button', { name: t('domains.rotateAction') }).click()
        await expect(dialog.getByRole('alert').filter({ hasText: t('domains.selectorInvalid') })).toBeVisible()
        await expectAccessible(page)
        await dialog.getByLabel(t('domains.selector')).fill('yeni1')
        await dialog.getByRole('button', { name: t('domains.rotateAction') }).click()
        await expect(dialog).toBeHidden()
        await expect(page.getByRole('table', { name: t('domains.records') })).toContainText('yeni1r._domainkey')
      })

      await test.step('it is hidden for good, and its steps can be looked at', async () => {
        await page.goto('/mail/setup')
        await page.getByRole('button', { name: t('mailSetup.dismiss') }).click()
        await expect(page.getByText(t('mailSetup.dismissed'))).toBeVisible()
        await page.reload()
        await expect(page.getByText(t('mailSetup.dismissed'))).toBeVisible()
        await expect(step(t('mailSetup.domain'))).toHaveCount(0)
        await expectAccessible(page)
        await page.getByRole('button', { name: t('mailSetup.show') }).click()
        await expect(step(t('mailSetup.domain'))).toContainText(domain)
      })
      await context.close()
    })

    test('a rule is narrowed, and a subject is tried', async ({ browser }) => {
      const t = await readTexts(language)
      const { page, context } = await newcomer(browser, `rule-${language}`, { locale })
      await page.addInitScript((lang) => localStorage.setItem('konak.lang', lang), language)
      await page.goto('/mail/dlp/rules')
      await page.getByRole('button', { name: t('dlpRules.add') }).first().click()
      const dialog = page.getByRole('dialog', { name: t('dlpRules.add') })
      await dialog.getByLabel(t('dlpRules.name'), { exact: true }).fill('Kartal')
      await choose(dialog.getByLabel(t('dlpRules.type')), t('dlpRules.pattern.keyword'))
      await dialog.getByLabel(t('dlpRules.pattern'), { exact: true }).fill('kartal')
      await choose(dialog.getByLabel(t('dlpRules.scope'), { exact: true }), t('dlpRules.scope.external'))
      await dialog.getByLabel(t('dlpRules.minCount')).fill('0')
      await dialog.getByLabel(t('dlpRules.words')).fill('proje\nplan')
      await dialog.getByLabel(t('dlpRules.field.subject'), { exact: true }).check()
      await dialog.getByRole('button', { name: t('common.save') }).click()
      await expect(dialog.getByLabel(t('dlpRules.minCount'))).toBeFocused() // one at least
      await expectAccessible(page)
      await dialog.getByLabel(t('dlpRules.minCount')).fill('2')
      await dialog.getByRole('button', { name: t('common.save') }).click()
      await expect(dialog).toBeHidden()
      const row = page.getByRole('row').filter({ hasText: 'Kartal' })
      await expect(row).toContainText(t('dlpRules.minCountShown', { count: 2 }))
      await expect(row).toContainText(t('dlpRules.wordsShown', { words: 'proje, plan' }))
      await expect(row).toContainText(t('dlpRules.fieldsShown', { fields: t('dlpRules.field.subject') }))

      const attempt = async (subject: string, text: string) => {
        await page.getByLabel(t('dlpRules.test.subject')).fill(subject)
        await page.getByLabel(t('dlpRules.test.text'), { exact: true }).fill(text)
        await page.getByRole('button', { name: t('dlpRules.test.run'), exact: true }).click()
      }
      await attempt('Merhaba', 'kartal kartal proje')
      await expect(page.getByText(t('dlpRules.test.pass'))).toBeVisible()
      await attempt('kartal kartal proje', 'Merhaba')
      await expect(page.getByRole('status').filter({ hasText: t('dlpRules.action.quarantine') })).toContainText(t('dlpRules.field.subject'))
      await expectAccessible(page)
      await context.close()
    })

    test('the ledger shows the lines about one address', async ({ browser }) => {
      const t = await readTexts(language)
      const { page, context } = await newcomer(browser, `ledger-${language}`, { locale })
      await page.addInitScript((lang) => localStorage.setItem('konak.lang', lang), language)
      for (const mailbox of ['elif@example.com', 'ali@example.com']) {
        expect((await page.request.post('/api/mail/v1/gdpr', { data: { kind: 'export', mailbox } })).status()).toBe(201)
      }
      await page.goto('/mail/privacy')
      await page.getByRole('tab', { name: t('privacy.ledger') }).click()
      const lines = page.getByRole('row').filter({ hasText: 'gdpr.export.received' })
      await expect(lines).toHaveCount(2)
      await page.getByLabel(t('privacy.filter')).fill('elif@example.com')
      await page.getByRole('button', { name: t('privacy.filterAction'), exact: true }).click()
      await expect(lines).toHaveCount(1)
      await expect(lines).toContainText('elif@example.com')
      await expectAccessible(page)
      await page.getByLabel(t('privacy.filter')).fill('nobody@example.com')
      await page.getByRole('button', { name: t('privacy.filterAction'), exact: true }).click()
      await expect(page.getByText(t('privacy.filterEmpty'))).toBeVisible()
      await page.getByLabel(t('privacy.filter')).fill('')
      await page.getByRole('button', { name: t('privacy.filterAction'), exact: true }).click()
      await expect(lines).toHaveCount(2)
      await context.close()
    })
  })
}
