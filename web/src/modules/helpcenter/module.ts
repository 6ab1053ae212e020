import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { BookOpenText } from 'lucide-react'
import { withTexts } from '@/i18n'
import { shellRoute } from '@/routes/shell'
import { defineModule } from '../module'

const screen = { title: 'helpcenter.title', lead: 'helpcenter.lead', icon: BookOpenText, permission: 'crm.articles.view', licence: 'crm' } as const

const articlesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/help-center',
  component: lazyRouteComponent(withTexts(() => import('./ArticlesScreen'), 'helpcenter'), 'ArticlesScreen'),
  staticData: { screen: { ...screen, nav: true, settings: 'channels', shortcut: 'g y' } },
})

const articleRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/help-center/$articleId',
  component: lazyRouteComponent(withTexts(() => import('./ArticleScreen'), 'helpcenter'), 'ArticleScreen'),
  staticData: { screen },
})

export const helpcenterModule = defineModule({
  id: 'helpcenter',
  title: 'nav.crm',
  routes: [articlesRoute, articleRoute],
  live: { article: [['crm', 'helpcenter']] },
})
