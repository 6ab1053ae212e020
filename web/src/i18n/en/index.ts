import { shell } from './shell'
import { mail } from './mail'
import { crm } from './crm'
import { erp } from './erp'
import { design } from './design'

/** English is the shape: its keys and placeholders are what the compiler knows. */
export const en = { ...shell, ...mail, ...crm, ...erp, ...design } as const

export type Dictionary = typeof en
export type Key = keyof Dictionary
