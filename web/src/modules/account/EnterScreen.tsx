import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { api, ask } from '@/api/client'
import { errorText } from '@/api/message'
import { forgetSession } from '@/api/session'
import { useI18n } from '@/i18n'
import { useLinkToken } from '@/lib/linkToken'
import { useOnce } from '@/lib/once'
import { AuthPage, AuthWaiting } from '@/shell/AuthPage'
import { buttonClass } from '@/ui/Button'
import { Notice } from '@/ui/Notice'

/** Receives a session that comes from another workspace's host. */
export function EnterScreen() {
  const { t } = useI18n()
  const code = useLinkToken()
  const router = useRouter()
  const client = useQueryClient()
  const { mutate, error } = useMutation({
    mutationFn: () => ask(api.POST('/api/v1/auth/handover/claim', { body: { code: code ?? '-' } })),
    onSuccess: async () => {
      forgetSession(client)
      await router.navigate({ to: '/', replace: true })
    },
  })
  useOnce(mutate)

  if (!error) return <AuthWaiting title={t('enter.title')} />
  return (
    <AuthPage title={t('enter.failed')}>
      <Notice tone="danger" className="mb-5">
        {errorText(error)}
      </Notice>
      <Link to="/sign-in" className={`${buttonClass('primary')} h-10.5 w-full`}>
        {t('signIn.submit')}
      </Link>
    </AuthPage>
  )
}
