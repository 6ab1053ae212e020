import type { Section } from './en'

type Texts = Record<string, string>
type Loaders = Record<Section, () => Promise<Texts>>

/**
 * One file per section and language: a visitor fetches only the open screen's texts, in one
 * language.
 */
export const loaders: Record<'tr' | 'en', Loaders> = {
  tr: {
    shell: () => import('./tr/shell').then((m) => m.shell),
    layers: () => import('./tr/layers').then((m) => m.layers),
    screens: () => import('./tr/screens').then((m) => m.screens),
    home: () => import('./tr/home').then((m) => m.home),
    tour: () => import('./tr/tour').then((m) => m.tour),
    auth: () => import('./tr/auth').then((m) => m.auth),
    account: () => import('./tr/account').then((m) => m.account),
    identity: () => import('./tr/identity').then((m) => m.identity),
    mail: () => import('./tr/mail').then((m) => m.mail),
    mailboxes: () => import('./tr/mailboxes').then((m) => m.mailboxes),
    mailQueue: () => import('./tr/mailQueue').then((m) => m.mailQueue),
    privacy: () => import('./tr/privacy').then((m) => m.privacy),
    webhooks: () => import('./tr/webhooks').then((m) => m.webhooks),
    inbox: () => import('./tr/inbox').then((m) => m.inbox),
    thread: () => import('./tr/thread').then((m) => m.thread),
    desk: () => import('./tr/desk').then((m) => m.desk),
    macros: () => import('./tr/macros').then((m) => m.macros),
    rules: () => import('./tr/rules').then((m) => m.rules),
    contacts: () => import('./tr/contacts').then((m) => m.contacts),
    channels: () => import('./tr/channels').then((m) => m.channels),
    hours: () => import('./tr/hours').then((m) => m.hours),
    assistant: () => import('./tr/assistant').then((m) => m.assistant),
    helpcenter: () => import('./tr/helpcenter').then((m) => m.helpcenter),
    telephony: () => import('./tr/telephony').then((m) => m.telephony),
    templates: () => import('./tr/templates').then((m) => m.templates),
    advisor: () => import('./tr/advisor').then((m) => m.advisor),
    design: () => import('./tr/design').then((m) => m.design),
  },
  en: {
    shell: () => import('./en/shell').then((m) => m.shell),
    layers: () => import('./en/layers').then((m) => m.layers),
    screens: () => import('./en/screens').then((m) => m.screens),
    home: () => import('./en/home').then((m) => m.home),
    tour: () => import('./en/tour').then((m) => m.tour),
    auth: () => import('./en/auth').then((m) => m.auth),
    account: () => import('./en/account').then((m) => m.account),
    identity: () => import('./en/identity').then((m) => m.identity),
    mail: () => import('./en/mail').then((m) => m.mail),
    mailboxes: () => import('./en/mailboxes').then((m) => m.mailboxes),
    mailQueue: () => import('./en/mailQueue').then((m) => m.mailQueue),
    privacy: () => import('./en/privacy').then((m) => m.privacy),
    webhooks: () => import('./en/webhooks').then((m) => m.webhooks),
    inbox: () => import('./en/inbox').then((m) => m.inbox),
    thread: () => import('./en/thread').then((m) => m.thread),
    desk: () => import('./en/desk').then((m) => m.desk),
    macros: () => import('./en/macros').then((m) => m.macros),
    rules: () => import('./en/rules').then((m) => m.rules),
    contacts: () => import('./en/contacts').then((m) => m.contacts),
    channels: () => import('./en/channels').then((m) => m.channels),
    hours: () => import('./en/hours').then((m) => m.hours),
    assistant: () => import('./en/assistant').then((m) => m.assistant),
    helpcenter: () => import('./en/helpcenter').then((m) => m.helpcenter),
    telephony: () => import('./en/telephony').then((m) => m.telephony),
    templates: () => import('./en/templates').then((m) => m.templates),
    advisor: () => import('./en/advisor').then((m) => m.advisor),
    design: () => import('./en/design').then((m) => m.design),
  },
}
