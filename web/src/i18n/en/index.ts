import { account } from './account'
import { advisor } from './advisor'
import { assistant } from './assistant'
import { channels } from './channels'
import { contacts } from './contacts'
import { design } from './design'
import { desk } from './desk'
import { auth } from './auth'
import { helpcenter } from './helpcenter'
import { home } from './home'
import { hours } from './hours'
import { identity } from './identity'
import { inbox } from './inbox'
import { layers } from './layers'
import { macros } from './macros'
import { mail } from './mail'
import { mailboxes } from './mailboxes'
import { mailQueue } from './mailQueue'
import { privacy } from './privacy'
import { rules } from './rules'
import { screens } from './screens'
import { shell } from './shell'
import { telephony } from './telephony'
import { templates } from './templates'
import { thread } from './thread'
import { tour } from './tour'
import { webhooks } from './webhooks'

/** English defines the shape: the compiler takes the keys and placeholders from it. */
export const en = { shell, layers, screens, home, tour, auth, account, identity, mail, mailboxes, mailQueue, privacy, webhooks, inbox, thread, desk, macros, rules, contacts, channels, hours, assistant, helpcenter, telephony, templates, advisor, design } as const

export type Section = keyof typeof en

type Union<T> = (T extends unknown ? (each: T) => void : never) extends (all: infer All) => void ? All : never
export type Dictionary = Union<(typeof en)[Section]>
export type Key = keyof Dictionary
