import { useQueries } from '@tanstack/react-query'
import { useEffect } from 'react'
import { meets, useMe } from '@/api/session'
import { formatNumber, useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { setWaitingInTitle } from '@/lib/title'
import { installedModules } from '@/modules/module'

/** Returns how many items wait for this person on each screen, by the screen's path. */
export function useWaiting(): ReadonlyMap<string, number> {
  const me = useMe()
  const sources = installedModules().flatMap((module) => module.waiting ?? [])
  const results = useQueries({
    queries: sources.map((source) => ({ queryKey: source.key, queryFn: source.load, enabled: meets(me, source) })),
  })
  return new Map(sources.map((source, at) => [source.path, results[at]?.data ?? 0]))
}

function useAllWaiting(): number {
  return [...useWaiting().values()].reduce((sum, count) => sum + count, 0)
}

/** The number next to a navigation entry, if something waits there. */
export function WaitingCount({ path, narrow }: { path: string; narrow: boolean }) {
  return <Count count={useWaiting().get(path) ?? 0} narrow={narrow} />
}

/** The number on the button that opens the navigation. */
export function AllWaitingCount() {
  return <Count count={useAllWaiting()} narrow />
}

function Count({ count, narrow }: { count: number; narrow: boolean }) {
  const { tCount } = useI18n()
  if (count === 0) return null
  return (
    <span
      className={cx(
        'flex h-5 min-w-5 shrink-0 items-center justify-center rounded-full bg-warm-ink px-1.5 text-xs font-semibold text-on-warm tabular-nums',
        narrow ? 'pointer-events-none absolute -top-0.5 right-0' : 'ml-auto',
      )}
    >
      <span className="sr-only">{tCount('nav.waiting', count)}</span>
      <span aria-hidden>{formatNumber(count)}</span>
    </span>
  )
}

/** Shows in the browser tab how many items wait, whichever screen is open. */
export function WaitingTitle() {
  const all = useAllWaiting()
  useEffect(() => {
    setWaitingInTitle(all)
    return () => setWaitingInTitle(0)
  }, [all])
  return null
}
