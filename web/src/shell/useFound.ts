import { useQueries } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { meets, useMe } from '@/api/session'
import { t } from '@/i18n'
import { useSettled } from '@/lib/settled'
import { installedModules } from '@/modules/module'
import type { Command } from './command'

const pause = 180
const shortest = 2

/** Searches people, conversations and articles and returns commands that open them. */
export function useFound(query: string): { found: Command[]; looking: boolean } {
  const me = useMe()
  const router = useRouter()
  const words = useSettled(query.trim(), pause)
  const enabled = words.length >= shortest
  const finders = installedModules()
    .flatMap((module) => module.finders ?? [])
    .filter((finder) => meets(me, finder))
  const answers = useQueries({
    queries: finders.map((finder) => ({
      queryKey: ['palette', finder.title, words],
      queryFn: () => finder.find(words),
      enabled,
    })),
  })
  const found = answers.flatMap((answer, at) => {
    const finder = finders[at]
    if (!finder || !enabled) return []
    return (answer.data ?? []).map((one) => ({
      id: `found-${one.id}`,
      group: t(finder.title),
      label: one.label,
      detail: one.detail,
      icon: finder.icon,
      run: () => router.history.push(one.href),
    }))
  })
  return { found, looking: query.trim() !== words || (enabled && answers.some((answer) => answer.isLoading)) }
}
