import { useQuery } from '@tanstack/react-query'
import { Outlet, useMatches, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useMemo, useState, type ReactNode } from 'react'
import { meets, metaQuery, useMe } from '@/api/session'
import { stepUpWaiting } from '@/api/stepUp'
import { useI18n, withTexts } from '@/i18n'
import { cx } from '@/lib/cx'
import { useStore } from '@/lib/store'
import { fetchAhead } from '@/lib/part'
import { LiveUpdates } from '@/live/LiveUpdates'
import { SkeletonRows } from '@/ui/Skeleton'
import { ConnectionBanner } from './ConnectionBanner'
import { InsideMain } from './insideMain'
import { useShortcuts, type Shortcut } from './shortcuts'
import { useNavWidth } from './navWidth'
import { SideNav } from './SideNav'
import { TopBar } from './TopBar'
import { useEntries } from './useEntries'
import { WaitingTitle } from './waiting'
import { beginTourOnce, endTour, tourOpen } from './tourState'

// What opens on demand is fetched on demand, or when the screen is shown and the browser is idle.
const SettingsNav = lazy(() => import('./SettingsNav').then((m) => ({ default: m.SettingsNav })))
const ForbiddenPage = lazy(() => withTexts(() => import('./DeniedPages'), 'layers')().then((m) => ({ default: m.ForbiddenPage })))
const UnlicensedPage = lazy(() => withTexts(() => import('./DeniedPages'), 'layers')().then((m) => ({ default: m.UnlicensedPage })))
const CommandPalette = lazy(() => import('./CommandPalette').then((m) => ({ default: m.CommandPalette })))
const MobileNav = lazy(() => import('./MobileNav').then((m) => ({ default: m.MobileNav })))
const ShortcutsSheet = lazy(() => withTexts(() => import('./ShortcutsSheet'), 'layers', 'inbox', 'thread')().then((m) => ({ default: m.ShortcutsSheet })))
const StepUpDialog = lazy(() => withTexts(() => import('./StepUpDialog'), 'layers')().then((m) => ({ default: m.StepUpDialog })))
const Tour = lazy(() => withTexts(() => import('./Tour'), 'tour')().then((m) => ({ default: m.Tour })))
const calm = 1500

function useLayersAhead(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      void fetchAhead(() => import('@/ui/Layer'), () => import('@/ui/PickerParts'), () => import('./CommandPalette'), () => import('./MobileNav'))
    }, calm)
    return () => clearTimeout(timer)
  }, [])
}

function useFirstTour(): void {
  const demo = useQuery(metaQuery).data?.demo === true
  const atHome = useMatches().at(-1)?.fullPath === '/'
  useEffect(() => {
    if (atHome) beginTourOnce(demo)
  }, [demo, atHome])
}

export function AppShell() {
  const { t } = useI18n()
  const [navOpen, setNavOpen] = useState(false)
  const [paletteOpen, setPaletteOpen] = useState(false)
  const [shortcutsOpen, setShortcutsOpen] = useState(false)
  const openShortcuts = () => setShortcutsOpen(true)
  useShellShortcuts(setPaletteOpen, setShortcutsOpen)
  const proving = useStore(stepUpWaiting).length > 0
  const touring = useStore(tourOpen)
  const navigate = useNavigate()
  useLayersAhead()
  useFirstTour()

  function openInbox() {
    endTour()
    void navigate({ to: '/inbox' })
  }

  const me = useMe()
  const screen = useMatches().at(-1)?.staticData.screen
  const fills = screen?.fills === true && meets(me, screen)
  const inSettings = screen?.settings !== undefined
  const nav = useNavWidth(fills || inSettings)

  return (
    <div className={cx('transition-[padding] duration-150', fills ? 'flex h-dvh flex-col' : 'min-h-dvh', inSettings ? 'lg:pl-[calc(var(--k-nav-w)+14rem)]' : 'lg:pl-(--k-nav-w)')}>
      <a
        href="#main"
        className="sr-only z-60 rounded-md bg-accent px-4 py-2 font-medium text-on-accent focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        {t('shell.skip')}
      </a>
      <aside className="fixed inset-y-0 left-0 z-20 hidden w-(--k-nav-w) overflow-hidden transition-[width] duration-150 lg:block">
        <SideNav narrow={nav.narrow} onResize={nav.toggle} />
      </aside>
      <Suspense>{inSettings && <SettingsNav />}</Suspense>
      <TopBar
        onOpenNav={() => setNavOpen(true)}
        onOpenPalette={() => setPaletteOpen(true)}
        onOpenShortcuts={openShortcuts}
      />
      <ConnectionBanner />
      <main
        id="main"
        tabIndex={-1}
        data-fills={fills || undefined}
        className={cx('outline-none', fills ? 'min-h-0 flex-1' : 'mx-auto w-full max-w-6xl px-4 py-7 sm:px-8')}
      >
        <InsideMain value>
          <Suspense fallback={<SkeletonRows />}>
            <ScreenGate>
              <Outlet />
            </ScreenGate>
          </Suspense>
        </InsideMain>
      </main>
      <Suspense>
        {navOpen && <MobileNav open onOpenChange={setNavOpen} />}
        {paletteOpen && <CommandPalette open onOpenChange={setPaletteOpen} onOpenShortcuts={openShortcuts} />}
        {shortcutsOpen && <ShortcutsSheet open onOpenChange={setShortcutsOpen} />}
        {proving && <StepUpDialog />}
        {touring && <Tour onClose={endTour} onInbox={openInbox} />}
      </Suspense>
      <ScreenAnnouncer />
      <LiveUpdates />
      <WaitingTitle />
    </div>
  )
}

/** Announces the name of the new screen to screen readers, because the page never reloads. */
function ScreenAnnouncer() {
  const { t } = useI18n()
  const screen = useMatches().at(-1)?.staticData.screen
  return (
    <p aria-live="polite" className="sr-only">
      {screen && t(screen.title)}
    </p>
  )
}

/** Checks what a screen declares that it needs, once for all screens. */
function ScreenGate({ children }: { children: ReactNode }) {
  const me = useMe()
  const screen = useMatches().at(-1)?.staticData.screen
  if (screen?.licence && !meets(me, { licence: screen.licence, orLicence: screen.orLicence })) return <UnlicensedPage licence={screen.licence} />
  if (screen?.permission && !meets(me, { permission: screen.permission })) {
    return <ForbiddenPage permission={screen.permission} />
  }
  return children
}

function useShellShortcuts(openPalette: (open: boolean) => void, openSheet: (open: boolean) => void): void {
  const entries = useEntries()
  const navigate = useNavigate()
  const shortcuts = useMemo<Shortcut[]>(
    () => [
      { keys: 'mod+k', label: 'palette.open', run: () => openPalette(true), opens: true },
      { keys: '?', label: 'shortcuts.title', run: () => openSheet(true), opens: true },
      ...entries.flatMap((entry) =>
        entry.shortcut
          ? [{ keys: entry.shortcut, label: entry.title, run: () => void navigate({ to: entry.path }) }]
          : [],
      ),
    ],
    [entries, navigate, openPalette, openSheet],
  )
  useShortcuts(shortcuts)
}
