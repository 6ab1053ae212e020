import type { Key } from '../en'
import { shell } from './shell'
import { account } from './account'
import { identity } from './identity'
import { mail } from './mail'
import { crm } from './crm'
import { channels } from './channels'
import { erp } from './erp'
import { advisor } from './advisor'
import { design } from './design'

export const tr: Record<Key, string> = { ...shell, ...account, ...identity, ...mail, ...crm, ...channels, ...erp, ...advisor, ...design }
