import { expect, it } from 'vitest'
import { modules } from '.'

/** Only a router builds the full paths; all screens are directly below the shell. */
const screens = modules.flatMap((module) => module.routes.map(({ options }) => ({ path: String(Reflect.get(options, 'path')), ...options.staticData?.screen })))

it('gives every shortcut to one screen only, and none that begins another', () => {
  const given = screens.flatMap(({ path, shortcut }) => (shortcut ? [{ shortcut, path }] : []))
  expect(given.length).toBeGreaterThan(10)
  expect(new Set(given.map(({ path }) => path)).size).toBe(given.length)
  const twice = given.filter(({ shortcut, path }) => given.some((other) => other.path !== path && (other.shortcut === shortcut || other.shortcut.startsWith(`${shortcut} `))))
  expect(twice).toEqual([])
})

it('keeps detail screens of a settings screen in the settings', () => {
  const inside = screens.flatMap((one) => screens.filter((list) => list.settings && one.path.startsWith(`${list.path}/$`)).map((list) => ({ path: one.path, settings: one.settings, list: list.settings })))
  expect(inside.length).toBeGreaterThan(2)
  expect(inside.filter(({ settings, list }) => settings !== list)).toEqual([])
})
