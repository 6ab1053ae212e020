import { api, ask } from '@/api/client'
import { unmarked } from '@/lib/marked'
import type { Found } from '@/shell/finder'

const shown = 4

/**
 * Searches published articles of the help center; an article in several languages is found in each
 * of them.
 */
export async function findArticles(words: string): Promise<Found[]> {
  const { data } = await ask(api.GET('/api/crm/v1/help-center/search', { params: { query: { q: words } } }))
  return data.slice(0, shown).map(({ id, language, title, snippet }) => ({
    id: `${id}-${language}`,
    label: title,
    detail: unmarked(snippet),
    href: `/help-center/${id}`,
  }))
}
