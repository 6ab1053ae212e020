import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { ContactRound, Inbox, MessagesSquare } from 'lucide-react'
import { meets, meQuery } from '@/api/session'
import { withTexts } from '@/i18n'
import { shellRoute } from '@/routes/shell'
import { defineModule } from '../module'
import { settingsIcon } from '../settingsIcons'
import { readInboxSearch } from './inbox/search'
import { notePresence, presenceNeed } from './presence'
import { PresenceMark } from './PresenceMark'
import { PresenceMenu } from './PresenceMenu'
import { everything, staleByEvent } from './stale'

const inboxRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/inbox',
  validateSearch: readInboxSearch,
  component: lazyRouteComponent(withTexts(() => import('./inbox/InboxScreen'), 'inbox'), 'InboxScreen'),
  staticData: {
    screen: {
      title: 'inbox.title',
      lead: 'inbox.lead',
      icon: Inbox,
      permission: 'crm.conversations.view',
      licence: 'crm',
      nav: true,
      shortcut: 'g i',
      fills: true,
    },
  },
})

const need = { permission: 'crm.contacts.view', licence: 'crm' } as const

const contactsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/contacts',
  component: lazyRouteComponent(withTexts(() => import('./contacts/ContactsScreen'), 'contacts', 'inbox'), 'ContactsScreen'),
  staticData: {
    screen: { ...need, title: 'contacts.title', lead: 'contacts.lead', icon: ContactRound, nav: true, shortcut: 'g c' },
  },
})

const contactRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/contacts/$contactId',
  component: lazyRouteComponent(withTexts(() => import('./contacts/ContactScreen'), 'contacts', 'inbox', 'desk'), 'ContactScreen'),
  staticData: { screen: { ...need, title: 'contacts.title', lead: 'contacts.lead', icon: ContactRound } },
})

const mailboxesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/channels/mailboxes',
  component: lazyRouteComponent(withTexts(() => import('./mailboxes/MailboxesScreen'), 'mailboxes'), 'MailboxesScreen'),
  staticData: {
    screen: {
      title: 'mailboxes.title',
      lead: 'mailboxes.lead',
      icon: settingsIcon('Mails'),
      permission: 'crm.channels.view',
      licence: 'crm',
      nav: true, settings: 'channels',
      shortcut: 'g b',
    },
  },
})

const repliesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/canned-replies',
  component: lazyRouteComponent(withTexts(() => import('./desk/RepliesScreen'), 'macros'), 'RepliesScreen'),
  staticData: {
    screen: {
      title: 'replies.title',
      lead: 'replies.lead',
      icon: settingsIcon('MessageSquareQuote'),
      permission: 'crm.conversations.reply',
      licence: 'crm',
      nav: true, settings: 'inbox',
      shortcut: 'g q',
    },
  },
})

const macrosRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/macros',
  component: lazyRouteComponent(withTexts(() => import('./desk/MacrosScreen'), 'macros', 'inbox'), 'MacrosScreen'),
  staticData: {
    screen: { title: 'macros.title', lead: 'macros.lead', icon: settingsIcon('Zap'), permission: 'crm.macros.use', licence: 'crm', nav: true, settings: 'inbox', shortcut: 'g m' },
  },
})

const rulesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/conversations',
  component: lazyRouteComponent(withTexts(() => import('./rules/RulesScreen'), 'rules'), 'RulesScreen'),
  staticData: {
    screen: { title: 'rules.title', lead: 'rules.lead', icon: settingsIcon('UsersRound'), permission: 'crm.settings.view', licence: 'crm', nav: true, settings: 'inbox', shortcut: 'g g' },
  },
})

const commerce = [[...everything, 'commerce'], ['crm', 'contacts', 'orders']]

/** The events that may alert an agent by a sound or a notification. */
const alerting = new Set(['conversation.created', 'conversation.replied', 'conversation.assigned', 'conversation.noted'])

export const crmModule = defineModule({
  id: 'crm',
  title: 'nav.crm',
  routes: [inboxRoute, contactsRoute, contactRoute, mailboxesRoute, repliesRoute, macrosRoute, rulesRoute],
  live: {
    channel: [['crm', 'mailboxes']],
    conversation: staleByEvent,
    // These concern two conversations or two customers, or change what belongs to one.
    'conversation.updated': [everything],
    'conversation.merged': [everything],
    'conversation.deleted': [everything],
    'conversation.restored': [everything],
    'conversation.tagged': [['crm', 'tags']],
    message: staleByEvent,
    contact: [['crm', 'contacts'], everything],
    order: commerce,
    shipment: commerce,
    return: commerce,
    ledger: commerce,
    macro: [['crm', 'macros']],
    canned_reply: [['crm', 'canned']],
  },
  finders: [
    { ...need, title: 'palette.people', icon: ContactRound, find: (words) => import('./find').then((m) => m.findContacts(words)) },
    {
      title: 'palette.conversations',
      icon: MessagesSquare,
      permission: 'crm.conversations.view',
      licence: 'crm',
      find: (words) => import('./find').then((m) => m.findConversations(words)),
    },
  ],
  notices: [
    {
      key: ['crm', 'conversations', 'notices'],
      permission: 'crm.conversations.view',
      licence: 'crm',
      load: () => import('./inbox/notices').then((m) => m.loadMessageNotices()),
    },
  ],
  waiting: [
    {
      path: '/inbox',
      key: ['crm', 'conversations', 'waiting'],
      permission: 'crm.conversations.view',
      licence: 'crm',
      load: () => import('./inbox/notices').then((m) => m.countWaiting()),
    },
  ],
  start: (client) => {
    const me = client.getQueryData(meQuery.queryKey)
    // Without the browser's permission there is no subscription to keep, and nothing to fetch.
    if (me && meets(me, { permission: 'crm.conversations.view', licence: 'crm' }) && 'Notification' in window && Notification.permission === 'granted') {
      void import('./inbox/push').then((m) => m.keepPush(client, me.membership.id))
    }
  },
  person: { ...presenceNeed, Menu: PresenceMenu, Mark: PresenceMark },
  signals: ['conversation.typing', 'conversation.read', 'agent.presence'],
  apply: (client, event) => {
    if (event.type === 'conversation.typing') return void import('./inbox/typing').then((m) => m.noteTyping(event.data))
    if (event.type === 'conversation.read') return void import('./inbox/live').then((m) => m.applyRead(client, event.data))
    if (event.type === 'agent.presence') return notePresence(client, event.data)
    if (alerting.has(event.type)) {
      const agent = client.getQueryData(meQuery.queryKey)?.membership.id
      if (agent) void import('./inbox/ring').then((m) => m.alertAgent(client, event, agent, (id) => location.assign(`/inbox?c=${id}`)))
    }
    const listed = client.getQueriesData({ queryKey: ['crm', 'conversations', 'list'] }).length > 0
    if (listed && /^(conversation|message)\./.test(event.type)) void import('./inbox/live').then((m) => m.applyConversation(client, event.type, event.data))
  },
})
