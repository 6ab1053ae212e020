import type { en } from '../en'
import { account } from './account'
import { advisor } from './advisor'
import { channels } from './channels'
import { contacts } from './contacts'
import { design } from './design'
import { desk } from './desk'
import { door } from './door'
import { home } from './home'
import { identity } from './identity'
import { inbox } from './inbox'
import { macros } from './macros'
import { mail } from './mail'
import { mailboxes } from './mailboxes'
import { screens } from './screens'
import { shell } from './shell'
import { templates } from './templates'
import { thread } from './thread'
import { tour } from './tour'
import { webhooks } from './webhooks'

export const tr = { shell, screens, home, tour, door, account, identity, mail, mailboxes, webhooks, inbox, thread, desk, macros, contacts, channels, templates, advisor, design } satisfies {
  [S in keyof typeof en]: Record<keyof (typeof en)[S], string>
}
