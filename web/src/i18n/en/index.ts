import { shell } from './shell'
import { mail } from './mail'
import { erp } from './erp'
import { advisor } from './advisor'
import { design } from './design'

/** English is the shape: its keys and placeholders are what the compiler knows. */
export const en = { ...shell, ...mail, ...erp, ...advisor, ...design } as const

export type Dictionary = typeof en
export type Key = keyof Dictionary
