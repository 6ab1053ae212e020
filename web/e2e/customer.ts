import type { Page } from '@playwright/test'
import { expect } from './helpers'

/** Simulates a customer's own software: it writes to the workspace with an API key. */
export async function startCustomer(page: Page, name: string, environment: 'live' | 'test' = 'live') {
  const made = await page.request.post('/api/v1/auth/api-keys', {
    data: { name: `Shop ${name}`, environment, scopes: ['conversations.write', 'contacts.write'] },
  })
  expect(made.status(), await made.text()).toBe(201)
  const { data } = (await made.json()) as { data: { key: string } }
  const headers = { Authorization: `Bearer ${data.key}` }
  async function write(subject: string, body: string, email: string) {
    const response = await page.request.post('/api/crm/public/v1/conversations', {
      headers,
      data: { contact: { name, email }, subject, body },
    })
    expect(response.status(), await response.text()).toBe(201)
    return ((await response.json()) as { data: { id: string } }).data.id
  }
  async function typing(id: string) {
    const response = await page.request.post(`/api/crm/public/v1/conversations/${id}/typing`, { headers, data: { typing: true } })
    expect(response.status(), await response.text()).toBe(200)
  }
  return { write, typing }
}
