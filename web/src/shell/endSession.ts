import type { QueryClient } from '@tanstack/react-query'
import { api, ask } from '@/api/client'
import { asApiError } from '@/api/error'
import { errorText } from '@/api/message'
import { forgetSession, meQuery } from '@/api/session'
import { t } from '@/i18n'
import { runBeforeSignOut } from '@/lib/beforeSignOut'
import { forgetAll } from '@/lib/storage'
import { activity } from '@/live/LiveUpdates'
import { toast } from '@/ui/Toast'

/** Ends the session on the server, then forgets everything that was cached during it. */
export async function endSession(client: QueryClient, leave: () => Promise<void>): Promise<void> {
  const person = client.getQueryData(meQuery.queryKey)?.user.id
  await runBeforeSignOut()
  try {
    await ask(api.POST('/api/v1/auth/sign-out'))
  } catch (error) {
    if (asApiError(error)?.status !== 401) {
      toast('danger', t('user.signOutFailed'), errorText(error))
      return
    }
  }
  await leave()
  // Drafts are on the server; the next person at this browser must not find them here.
  if (person) forgetAll(`draft.${person}.`)
  activity.set([])
  forgetSession(client)
}
