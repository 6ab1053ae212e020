import type { Key } from '../en'
import { shell } from './shell'
import { mail } from './mail'
import { erp } from './erp'
import { advisor } from './advisor'
import { design } from './design'

export const tr: Record<Key, string> = { ...shell, ...mail, ...erp, ...advisor, ...design }
