import { expect, signIn, startReceiver, test } from './helpers'
import { nameSight, readTexts, twoSights } from './sights'

for (const sight of twoSights) {
  const { language, locale, colorScheme, viewport } = sight
  test.describe(nameSight(sight), () => {
    test.use({ locale, colorScheme, viewport })
    test.beforeEach(({ page }) => page.addInitScript((lang) => localStorage.setItem('konak.lang', lang), language))

    test('a survey is sent shortly after closing, unless the closing is undone', async ({ page }) => {
      const t = await readTexts(language)
      test.slow() // a survey is sent ten seconds after closing
      const stamp = Date.now()
      const receiver = await startReceiver()
      await signIn(page)
      const api = async <T>(method: 'get' | 'post' | 'put', path: string, data?: object, headers?: Record<string, string>): Promise<T> => {
        const answer = await page.request[method](path, { data, headers })
        expect(answer.ok(), `${path}: ${await answer.text()}`).toBe(true)
        return ((await answer.json()) as { data: T }).data
      }
      const settings = await api<{ csat: boolean }>('get', '/api/crm/v1/conversations/settings')
      await api('put', '/api/crm/v1/conversations/settings', { ...settings, csat: true })
      const { id: channel } = await api<{ id: string }>('post', '/api/crm/v1/channels/custom', { name: `App ${stamp}`, address: receiver.address })
      const { key } = await api<{ key: string }>('post', '/api/v1/auth/api-keys', { name: `App ${stamp}`, environment: 'live', scopes: ['channels.write'] })
      const write = (name: string) =>
        api<{ conversation: { id: string } }>(
          'post',
          `/api/crm/public/v1/channels/custom/${channel}/messages`,
          { message_id: `${name}-${stamp}`, body: 'Thank you!', contact: { external_id: `${name}-${stamp}`, name: `${name} ${stamp}` } },
          { Authorization: `Bearer ${key}` },
        ).then((made) => made.conversation.id)
      const [undone, closed] = [await write('Ada'), await write('Bora')]
      /** The conversations for which a survey was sent. */
      const asked = () =>
        receiver.received
          .map(({ body }) => JSON.parse(body) as { type: string; data: { object: { conversation_id?: string } } })
          .filter(({ type }) => type === 'channel.csat_requested')
          .map(({ data }) => data.object.conversation_id)

      await page.goto(`/inbox?c=${undone}`)
      await page.getByRole('region', { name: t('inbox.thread', { name: `Ada ${stamp}` }) }).getByRole('button', { name: t('inbox.close'), exact: true }).click()
      await page.getByRole('button', { name: t('common.undo') }).click()
      await expect.poll(async () => (await api<{ state: string }>('get', `/api/crm/v1/conversations/${undone}`)).state).toBe('open')

      const from = Date.now()
      await page.goto(`/inbox?c=${closed}`)
      await page.getByRole('region', { name: t('inbox.thread', { name: `Bora ${stamp}` }) }).getByRole('button', { name: t('inbox.close'), exact: true }).click()
      // The conversation closed first would be asked about first: once the second was, the first is
      // not.
      await expect.poll(asked, { timeout: 60_000 }).toEqual([closed])
      expect(Date.now() - from).toBeGreaterThanOrEqual(10_000)
      await api('put', '/api/crm/v1/conversations/settings', settings)
      await receiver.stop()
    })
  })
}
