import { api, ask } from '@/api/client'
import type { Found } from '@/shell/finder'

const shown = 4

export async function findProvisions(words: string): Promise<Found[]> {
  const { data } = await ask(api.GET('/api/musavir/v1/arama', { params: { query: { q: words, limit: shown } } }))
  return data.map((hit) => ({
    id: hit.id,
    label: [hit.provision.label, hit.provision.heading].filter(Boolean).join(' – '),
    detail: hit.law.title,
    href: `/advisor/${encodeURIComponent(hit.id)}`,
  }))
}
