import type { QueryClient } from '@tanstack/react-query'
import type { AnyRoute } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import { meets, type Me, type Need } from '@/api/session'
import type { PlainKey } from '@/i18n'
import type { LiveTable } from '@/live/refresh'
import type { StreamEvent } from '@/live/sse'
import type { NoticeSource, WaitingSource } from '@/shell/notice'

/** What the shell knows of a screen: its place in navigation, palette, home and the gate. */
export interface ScreenInfo {
  title: PlainKey
  lead: PlainKey
  icon: LucideIcon
  permission?: string
  /** Set by the module's licence; a screen does not repeat it. */
  licence?: string
  /** A sequence such as "g w". Screens without `nav` are reached from another screen. */
  shortcut?: string
  nav?: boolean
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
  title: PlainKey
  routes: Routes
  live?: LiveTable
  /** What of this module may wait for a person. */
  notices?: readonly NoticeSource[]
  /** How much waits on a screen of this module, for the navigation and the browser's tab. */
  waiting?: readonly WaitingSource[]
  /** What of this module belongs to the person: a part of their menu, and a mark on its button. */
  person?: Need & { Menu: ComponentType; Mark: ComponentType<{ agentId: string; className?: string }> }
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
