import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { withTexts } from '@/i18n'
import { shellRoute } from '@/routes/shell'
import { defineModule } from '../module'
import { settingsIcon } from '../settingsIcons'

const channelsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/crm/channels',
  component: lazyRouteComponent(withTexts(() => import('./ChannelsScreen'), 'channels', 'hours', 'mailboxes'), 'ChannelsScreen'),
  staticData: {
    screen: { title: 'channels.title', lead: 'channels.lead', icon: settingsIcon('Cable'), permission: 'crm.channels.view', licence: 'crm', nav: true, settings: 'channels', shortcut: 'g k' },
  },
})

const templatesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/crm/templates',
  component: lazyRouteComponent(withTexts(() => import('./templates/TemplatesScreen'), 'templates'), 'TemplatesScreen'),
  staticData: {
    screen: { title: 'templates.title', lead: 'templates.lead', icon: settingsIcon('LayoutTemplate'), permission: 'crm.templates.view', licence: 'crm', nav: true, settings: 'channels', shortcut: 'g l' },
  },
})

const help = { title: 'helpcenter.title', lead: 'helpcenter.lead', icon: settingsIcon('ScrollText'), permission: 'crm.articles.view', licence: 'crm' } as const

const articlesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/help-center',
  component: lazyRouteComponent(withTexts(() => import('./helpcenter/ArticlesScreen'), 'helpcenter'), 'ArticlesScreen'),
  staticData: { screen: { ...help, nav: true, settings: 'channels', shortcut: 'g y' } },
})

const articleRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/help-center/$articleId',
  component: lazyRouteComponent(withTexts(() => import('./helpcenter/ArticleScreen'), 'helpcenter'), 'ArticleScreen'),
  staticData: { screen: { ...help, settings: 'channels' } },
})

export const channelsModule = defineModule({
  id: 'channels',
  title: 'nav.crm',
  routes: [channelsRoute, templatesRoute, articlesRoute, articleRoute],
  finders: [{ ...help, find: (words) => import('./helpcenter/find').then((m) => m.findArticles(words)) }],
  live: {
    channel: [['crm', 'channels'], ['crm', 'helpcenter']],
    article: [['crm', 'helpcenter']],
    template: [['crm', 'templates'], ['crm', 'conversations', 'templates']],
  },
})
