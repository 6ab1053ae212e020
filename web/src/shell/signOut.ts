import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, ask } from '@/api/client'
import { asApiError } from '@/api/error'
import { errorText } from '@/api/message'
import { forgetSession } from '@/api/session'
import { useI18n } from '@/i18n'
import { activity } from '@/live/LiveUpdates'
import { toast } from '@/ui/Toast'

/** Ends the session on the server, then forgets everything that was seen with it. */
export function useSignOut(): () => void {
  const { t } = useI18n()
  const client = useQueryClient()
  const navigate = useNavigate()
  return () => {
    void (async () => {
      try {
        await ask(api.POST('/api/v1/auth/sign-out'))
      } catch (error) {
        if (asApiError(error)?.status !== 401) {
          toast('danger', t('user.signOutFailed'), errorText(error))
          return
        }
      }
      await navigate({ to: '/sign-in' })
      activity.set([])
      forgetSession(client)
    })()
  }
}
