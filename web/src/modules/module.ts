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

/** What the shell knows of a screen: its place in navigation, palette, home and the gate. */
export interface ScreenInfo {
  title: PlainKey
  lead: PlainKey
  icon: LucideIcon
  permission?: string
  /** Set by the module's licence; a screen does not repeat it. */
  licence?: string
  /** Another licence that suffices in its place. */
  orLicence?: string
  /** A sequence such as "g w". Screens without `nav` are reached from another screen. */
  shortcut?: string
  nav?: boolean
  /** The group of the settings that it stands in, or their overview. Without one, an entry of the navigation is daily work. */
  settings?: SettingsGroup | 'index'
  /** The screen fills the window below the top bar and scrolls inside of its panes. */
  fills?: boolean
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    screen?: ScreenInfo
  }
}

export interface Module<Routes extends readonly AnyRoute[] = readonly AnyRoute[]> {
  id: string
  /** What its events are grouped under. */
  title: PlainKey
  routes: Routes
  live?: LiveTable
  /** What of this module the palette finds by words. */
  finders?: readonly Finder[]
  /** What of this module may wait for a person. */
  notices?: readonly NoticeSource[]
  /** How much waits on a screen of this module, for the navigation and the browser's tab. */
  waiting?: readonly WaitingSource[]
  /** What of this module belongs to the person: a part of their menu, and a mark on its button. */
  person?: Need & { Menu: ComponentType; Mark: ComponentType<{ agentId: string; className?: string }> }
  /** Called when the panel opens for somebody who is signed in. */
  start?: (client: QueryClient) => void
  /** Names of signals that pass without a record: nothing becomes stale and nothing is listed. */
  signals?: readonly string[]
  /** Puts what an event carries into the caches at once, ahead of the refresh. */
  apply?: (client: QueryClient, event: StreamEvent) => void
}

export function defineModule<const Routes extends readonly AnyRoute[]>(module: Module<Routes>): Module<Routes> {
  return module
}

let installed: readonly Module[] = []

/** Makes the modules known to the shell; called once, before anything is drawn. */
export function installModules(modules: readonly Module[]): void {
  installed = modules
}

/** All modules of the panel. Whatever a module itself imports asks here, so that nothing imports in a circle. */
export function installedModules(): readonly Module[] {
  return installed
}

export interface NavEntry extends ScreenInfo {
  path: string
}

/** The entries of a module that this person may open. */
export function entriesFor(module: Module, me: Me): NavEntry[] {
  return module.routes.flatMap((route) => {
    const screen = route.options.staticData?.screen
    if (!screen?.nav || !meets(me, screen)) return []
    return [{ ...screen, path: route.fullPath as string }]
  })
}

/** All entries of the navigation that this person may open. */
export function allEntries(me: Me): NavEntry[] {
  return installed.flatMap((module) => entriesFor(module, me))
}

/** What a person works with every day. */
export function dailyEntries(me: Me): NavEntry[] {
  return allEntries(me).filter((entry) => !entry.settings)
}

/** The settings that this person may open, in their groups; a group with nothing in it is left out. */
export function settingsFor(me: Me): { group: SettingsGroup; entries: NavEntry[] }[] {
  const entries = allEntries(me)
  return settingsGroups
    .map((group) => ({ group, entries: entries.filter((entry) => entry.settings === group) }))
    .filter(({ entries: found }) => found.length > 0)
}
