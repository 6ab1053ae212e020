import type { Key } from '../en'
import { shell } from './shell'
import { mail } from './mail'
import { crm } from './crm'
import { erp } from './erp'
import { design } from './design'

export const tr: Record<Key, string> = { ...shell, ...mail, ...crm, ...erp, ...design }
