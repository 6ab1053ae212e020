import * as Radix from '@radix-ui/react-dialog'
import { Outlet, useMatches, useNavigate } from '@tanstack/react-router'
import { Keyboard, Languages, LogOut, Moon, Sun, SwatchBook, UserRoundCog } from 'lucide-react'
import { Suspense, useMemo, useState, type ReactNode } from 'react'
import { meets, useMe } from '@/api/session'
import { chooseLanguage, useI18n } from '@/i18n'
import { chooseTheme } from '@/lib/theme'
import { LiveUpdates } from '@/live/LiveUpdates'
import { modules } from '@/modules'
import { entriesFor } from '@/modules/module'
import { Scrim } from '@/ui/Scrim'
import { SkeletonRows } from '@/ui/Skeleton'
import { CommandPalette, type Command } from './CommandPalette'
import { ConnectionBanner } from './ConnectionBanner'
import { ForbiddenPage, UnlicensedPage } from './ErrorPages'
import { ShortcutsSheet } from './ShortcutsSheet'
import { useShortcuts, type Shortcut } from './shortcuts'
import { SideNav } from './SideNav'
import { useSignOut } from './signOut'
import { StepUpDialog } from './StepUpDialog'
import { TopBar } from './TopBar'

export function AppShell() {
  const { t } = useI18n()
  const [navOpen, setNavOpen] = useState(false)
  const [paletteOpen, setPaletteOpen] = useState(false)
  const [shortcutsOpen, setShortcutsOpen] = useState(false)
  const openShortcuts = () => setShortcutsOpen(true)
  useShellShortcuts(setPaletteOpen, setShortcutsOpen)
  const commands = useCommands(openShortcuts)

  return (
    <div className="min-h-dvh lg:pl-62">
      <a
        href="#main"
        className="sr-only z-60 rounded-md bg-accent px-4 py-2 font-medium text-on-accent focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        {t('shell.skip')}
      </a>
      <aside className="fixed inset-y-0 left-0 z-20 hidden w-62 lg:block">
        <SideNav />
      </aside>
      <MobileNav open={navOpen} onOpenChange={setNavOpen} />
      <TopBar
        onOpenNav={() => setNavOpen(true)}
        onOpenPalette={() => setPaletteOpen(true)}
        onOpenShortcuts={openShortcuts}
      />
      <ConnectionBanner />
      <main id="main" tabIndex={-1} className="mx-auto w-full max-w-6xl px-4 py-7 outline-none sm:px-8">
        <ScreenGate>
          <Suspense fallback={<SkeletonRows />}>
            <Outlet />
          </Suspense>
        </ScreenGate>
      </main>
      <CommandPalette open={paletteOpen} onOpenChange={setPaletteOpen} commands={commands} />
      <ShortcutsSheet open={shortcutsOpen} onOpenChange={setShortcutsOpen} />
      <StepUpDialog />
      <ScreenAnnouncer />
      <LiveUpdates />
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
  if (screen?.licence && !meets(me, { licence: screen.licence })) return <UnlicensedPage licence={screen.licence} />
  if (screen?.permission && !meets(me, { permission: screen.permission })) {
    return <ForbiddenPage permission={screen.permission} />
  }
  return children
}

function MobileNav({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useI18n()
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Scrim />
        <Radix.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-50 w-[min(18rem,85vw)] animate-slide shadow-2 lg:hidden"
        >
          <Radix.Title className="sr-only">{t('nav.label')}</Radix.Title>
          <SideNav onNavigate={() => onOpenChange(false)} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

function useEntries() {
  const me = useMe()
  return useMemo(
    () => modules.flatMap((module) => entriesFor(module, me).map((entry) => ({ ...entry, group: module.title }))),
    [me],
  )
}

function useShellShortcuts(openPalette: (open: boolean) => void, openSheet: (open: boolean) => void): void {
  const entries = useEntries()
  const navigate = useNavigate()
  const shortcuts = useMemo<Shortcut[]>(
    () => [
      { keys: 'mod+k', label: 'palette.open', run: () => openPalette(true) },
      { keys: '?', label: 'shortcuts.title', run: () => openSheet(true) },
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
  return [
    ...entries.map((entry) => ({
      id: entry.path.replaceAll('/', '-'),
      group: t(entry.group),
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
    { id: 'design', group: settings, label: t('design.title'), icon: SwatchBook, run: () => void navigate({ to: '/design' }) },
    { id: 'sign-out', group: settings, label: t('user.signOut'), icon: LogOut, run: signOut },
  ]
}
