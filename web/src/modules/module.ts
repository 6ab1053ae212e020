import type { QueryClient } from '@tanstack/react-query'
import type { AnyRoute } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import { meets, type Me, type Need } from '@/api/session'
import type { PlainKey } from '@/i18n'
import type { LiveTable } from '@/live/refresh'
import type { StreamEvent } from '@/live/sse'
import type { Finder } from '@/shell/finder'
import type { NoticeSource, WaitingSource } from '@/shell/notice'

/** The groups of the settings, in the order of their list. */
export const settingsGroups = ['channels', 'phone', 'inbox', 'team', 'mail', 'developers', 'workspace'] as const
export type SettingsGroup = (typeof settingsGroups)[number]

/** What the shell knows about a screen: its place in navigation, palette, home and the gate. */
export interface ScreenInfo {
  title: PlainKey
  lead: PlainKey
  icon: LucideIcon
  permission?: string
  /** Set by the module's licence; a screen does not repeat it. */
  licence?: string
  /** Another licence that is accepted instead. */
  orLicence?: string
  /** A sequence such as "g w". Screens without `nav` are reached from another screen. */
  shortcut?: string
  nav?: boolean
  /**
   * The settings group that lists it, or the settings overview. Without one, a navigation entry is
   * daily work.
   */
  settings?: SettingsGroup | 'index'
  /** The screen fills the window below the top bar and scrolls inside its panes. */
  fills?: boolean
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    screen?: ScreenInfo
  }
}

export interface Module<Routes extends readonly AnyRoute[] = readonly AnyRoute[]> {
  id: string
  /** The heading under which its events are grouped. */
  title: PlainKey
  routes: Routes
  live?: LiveTable
  /** What the palette can find in this module by words. */
  finders?: readonly Finder[]
  /** What may wait for a person in this module. */
  notices?: readonly NoticeSource[]
  /**
   * The numbers of waiting items on this module's screens, for the navigation and the browser tab.
   */
  waiting?: readonly WaitingSource[]
  /** The module's personal part: an entry in the person's menu, and a mark on its button. */
  person?: Need & { Menu: ComponentType; Mark: ComponentType<{ agentId: string; className?: string }> }
  /** Called when the panel opens for a signed-in person. */
  start?: (client: QueryClient) => void
  /** Names of transient signals without a record: nothing becomes stale and nothing is listed. */
  signals?: readonly string[]
  /** Applies an event's data to the caches at once, before the refresh. */
  apply?: (client: QueryClient, event: StreamEvent) => void
}

export function defineModule<const Routes extends readonly AnyRoute[]>(module: Module<Routes>): Module<Routes> {
  return module
}

let installed: readonly Module[] = []

/** Registers the modules with the shell; called once, before anything is rendered. */
export function installModules(modules: readonly Module[]): void {
  installed = modules
}

/**
 * Returns all modules of the panel. Code that modules import uses this, to avoid circular imports.
 */
export function installedModules(): readonly Module[] {
  return installed
}

export interface NavEntry extends ScreenInfo {
  path: string
}

/** Returns the entries of a module that this person may open. */
export function entriesFor(module: Module, me: Me): NavEntry[] {
  return module.routes.flatMap((route) => {
    const screen = route.options.staticData?.screen
    if (!screen?.nav || !meets(me, screen)) return []
    return [{ ...screen, path: route.fullPath as string }]
  })
}

/** Returns all navigation entries that this person may open. */
export function allEntries(me: Me): NavEntry[] {
  return installed.flatMap((module) => entriesFor(module, me))
}

/** Returns the entries for daily work. */
export function dailyEntries(me: Me): NavEntry[] {
  return allEntries(me).filter((entry) => !entry.settings)
}

/** Returns the settings that this person may open, in their groups; empty groups are omitted. */
export function settingsFor(me: Me): { group: SettingsGroup; entries: NavEntry[] }[] {
  const entries = allEntries(me)
  return settingsGroups
    .map((group) => ({ group, entries: entries.filter((entry) => entry.settings === group) }))
    .filter(({ entries: found }) => found.length > 0)
}
