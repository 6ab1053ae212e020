import { Link, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useMe, type Me } from '@/api/session'
import { useI18n, type PlainKey } from '@/i18n'
import { cx } from '@/lib/cx'
import { entriesFor, installedModules, type NavEntry } from '@/modules/module'
import { Logo } from './Logo'
import { WaitingCount } from './waiting'

export function SideNav({ onNavigate }: { onNavigate?: () => void }) {
  const { t } = useI18n()
  const me = useMe()
  const nav = useRef<HTMLElement>(null)
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname })
  useEffect(() => {
    nav.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' })
  }, [path])
  return (
    <div className="flex h-full flex-col bg-nav text-nav-ink">
      <div className="flex h-15 shrink-0 items-center gap-2.5 px-5">
        <Logo className="size-6.5" />
        <span className="text-[17px] font-semibold tracking-[-0.01em]">Konak</span>
      </div>
      <nav ref={nav} aria-label={t('nav.label')} data-tour="nav" className="min-h-0 flex-1 overflow-y-auto px-3 pt-2 pb-4">
        {groupsFor(me).map(({ title, entries }) => {
          return (
            <section key={title} aria-labelledby={`nav-${title}`} className="mb-5">
              <h2 id={`nav-${title}`} className="px-2.5 pb-1.5 text-xs font-semibold text-nav-ink-2">
                {t(title)}
              </h2>
              <ul className="flex flex-col gap-0.5">
                {entries.map((entry) => (
                  <li key={entry.path}>
                    <Link
                      to={entry.path}
                      onClick={onNavigate}
                      data-tour={entry.path === '/inbox' ? 'inbox' : undefined}
                      activeOptions={{ exact: entry.path === '/' }}
                      className="group relative flex min-h-9 items-center gap-2.5 rounded-md px-2.5 text-sm font-medium transition-colors focus-visible:outline-nav-ink"
                      activeProps={{ className: 'bg-nav-active text-nav-ink' }}
                      inactiveProps={{ className: 'text-nav-ink-2 hover:bg-nav-hover hover:text-nav-ink' }}
                    >
                      {({ isActive }) => (
                        <>
                          <span
                            aria-hidden
                            className={cx('absolute top-2 bottom-2 -left-3 w-1 rounded-r-full', isActive && 'bg-mark')}
                          />
                          <entry.icon aria-hidden className="size-[18px] shrink-0" strokeWidth={1.9} />
                          <span className="truncate">{t(entry.title)}</span>
                          <WaitingCount path={entry.path} />
                        </>
                      )}
                    </Link>
                  </li>
                ))}
              </ul>
            </section>
          )
        })}
      </nav>
    </div>
  )
}

interface Group {
  title: PlainKey
  entries: NavEntry[]
}

/** Modules of one title stand under one heading, where the first of them stands. */
function groupsFor(me: Me): Group[] {
  const groups: Group[] = []
  for (const module of installedModules()) {
    const entries = entriesFor(module, me)
    const same = groups.find((group) => group.title === module.title)
    if (same) same.entries.push(...entries)
    else if (entries.length > 0) groups.push({ title: module.title, entries })
  }
  return groups
}
