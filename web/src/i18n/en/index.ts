import { shell } from './shell'
import { account } from './account'
import { identity } from './identity'
import { mail } from './mail'
import { crm } from './crm'
import { channels } from './channels'
import { erp } from './erp'
import { advisor } from './advisor'
import { design } from './design'

/** English is the shape: its keys and placeholders are what the compiler knows. */
export const en = { ...shell, ...account, ...identity, ...mail, ...crm, ...channels, ...erp, ...advisor, ...design } as const

export type Dictionary = typeof en
export type Key = keyof Dictionary
