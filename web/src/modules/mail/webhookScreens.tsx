import { webhookScreens } from '@/webhooks/screens'
import { mailWebhooks } from './webhookSource'

export const { ListScreen, OneScreen } = webhookScreens(mailWebhooks, '/shell/mail/webhooks/$webhookId')
