import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { ContactRound, Inbox } from 'lucide-react'
import { shellRoute } from '@/routes/shell'
import { defineModule } from '../module'
import { readInboxSearch } from './inbox/views'

const inboxRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/inbox',
  validateSearch: readInboxSearch,
  component: lazyRouteComponent(() => import('./inbox/InboxScreen'), 'InboxScreen'),
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
  component: lazyRouteComponent(() => import('./contacts/ContactsScreen'), 'ContactsScreen'),
  staticData: {
    screen: { ...need, title: 'contacts.title', lead: 'contacts.lead', icon: ContactRound, nav: true, shortcut: 'g c' },
  },
})

const contactRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/contacts/$contactId',
  component: lazyRouteComponent(() => import('./contacts/ContactScreen'), 'ContactScreen'),
  staticData: { screen: { ...need, title: 'contacts.title', lead: 'contacts.lead', icon: ContactRound } },
})

export const crmModule = defineModule({
  id: 'crm',
  title: 'nav.crm',
  routes: [inboxRoute, contactsRoute, contactRoute],
  live: {
    conversation: [['crm', 'conversations']],
    message: [['crm', 'conversations']],
    contact: [['crm', 'contacts'], ['crm', 'conversations']],
  },
})
