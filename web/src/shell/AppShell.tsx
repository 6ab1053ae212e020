import { useQuery } from '@tanstack/react-query'
import { Outlet, useMatches, useNavigate } from '@tanstack/react-router'
import { Keyboard, Languages, LogOut, Moon, Route, Sun, SwatchBook, UserRoundCog, Zap } from 'lucide-react'
import { lazy, Suspense, useEffect, useMemo, useState, type ReactNode } from 'react'
import { meets, metaQuery, useMe } from '@/api/session'
import { stepUpWaiting } from '@/api/stepUp'
import { chooseLanguage, useI18n, withTexts } from '@/i18n'
import { cx } from '@/lib/cx'
import { useStore } from '@/lib/store'
import { chooseTheme } from '@/lib/theme'
import { fetchAhead } from '@/lib/part'
import { LiveUpdates } from '@/live/LiveUpdates'
import { allEntries } from '@/modules/module'
import { SkeletonRows } from '@/ui/Skeleton'
import type { Command } from './command'
import { ConnectionBanner } from './ConnectionBanner'
import { InsideMain } from './insideMain'
import { activeShortcuts, groupOf, useShortcuts, type Shortcut } from './shortcuts'
import { useNavWidth } from './navWidth'
import { SideNav } from './SideNav'
import { useSignOut } from './signOut'
import { TopBar } from './TopBar'
import { WaitingTitle } from './waiting'
import { beginTourOnce, endTour, tourOpen } from './tourState'

// What opens on demand is fetched on demand, or once the screen is there and nothing else is to do.
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
  const commands = useCommands(openShortcuts)
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
    <div className={cx('min-h-dvh transition-[padding] duration-150', inSettings ? 'lg:pl-[calc(var(--k-nav-w)+14rem)]' : 'lg:pl-(--k-nav-w)')}>
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
        className={cx('outline-none', fills ? 'h-[calc(100dvh-3.75rem)]' : 'mx-auto w-full max-w-6xl px-4 py-7 sm:px-8')}
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
        {paletteOpen && <CommandPalette open onOpenChange={setPaletteOpen} commands={commands} />}
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

/** A change of screen is silent in a page that never reloads: this says its name. */
function ScreenAnnouncer() {
  const { t } = useI18n()
  const screen = useMatches().at(-1)?.staticData.screen
  return (
    <p aria-live="polite" className="sr-only">
      {screen && t(screen.title)}
    </p>
  )
}

/** What a screen declares it needs is checked here, once for all of them. */
function ScreenGate({ children }: { children: ReactNode }) {
  const me = useMe()
  const screen = useMatches().at(-1)?.staticData.screen
  if (screen?.licence && !meets(me, { licence: screen.licence, orLicence: screen.orLicence })) return <UnlicensedPage licence={screen.licence} />
  if (screen?.permission && !meets(me, { permission: screen.permission })) {
    return <ForbiddenPage permission={screen.permission} />
  }
  return children
}

function useEntries() {
  const me = useMe()
  return useMemo(() => allEntries(me), [me])
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

function useCommands(openShortcuts: () => void): Command[] {
  const { t, language } = useI18n()
  const entries = useEntries()
  const navigate = useNavigate()
  const signOut = useSignOut()
  const other = language === 'tr' ? 'en' : 'tr'
  const settings = t('palette.settings')
  // What the open screen can do by key can be done by name, too.
  const here = useStore(activeShortcuts).filter((shortcut) => groupOf(shortcut) === 'screen')
  return [
    ...here.map((shortcut) => ({
      id: `key-${shortcut.keys}`,
      group: t('shortcuts.screen'),
      label: t(shortcut.label),
      icon: Zap,
      shortcut: shortcut.keys,
      run: shortcut.run,
    })),
    ...entries.map((entry) => ({
      id: entry.path.replaceAll('/', '-'),
      group: entry.settings ? settings : t('palette.screens'),
      label: t(entry.title),
      icon: entry.icon,
      shortcut: entry.shortcut,
      run: () => void navigate({ to: entry.path }),
    })),
    { id: 'light', group: settings, label: t('palette.light'), icon: Sun, run: () => chooseTheme('light') },
    { id: 'dark', group: settings, label: t('palette.dark'), icon: Moon, run: () => chooseTheme('dark') },
    { id: 'language', group: settings, label: t('palette.language'), icon: Languages, run: () => void chooseLanguage(other) },
    { id: 'shortcuts', group: settings, label: t('shortcuts.title'), icon: Keyboard, shortcut: '?', run: openShortcuts },
    { id: 'account', group: settings, label: t('profile.title'), icon: UserRoundCog, run: () => void navigate({ to: '/account' }) },
    { id: 'tour', group: settings, label: t('tour.take'), icon: Route, run: () => tourOpen.set(true) },
    ...(import.meta.env.DEV
      ? [{ id: 'design', group: settings, label: t('design.title'), icon: SwatchBook, run: () => void navigate({ to: '/design' }) }]
      : []),
    { id: 'sign-out', group: settings, label: t('user.signOut'), icon: LogOut, run: signOut },
  ]
}
