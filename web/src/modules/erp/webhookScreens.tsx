import { webhookScreens } from '@/webhooks/screens'
import { erpWebhooks } from './webhookSource'

export const { ListScreen, OneScreen } = webhookScreens(erpWebhooks, '/shell/erp/webhooks/$webhookId')
