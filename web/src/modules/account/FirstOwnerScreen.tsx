import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, ask } from '@/api/client'
import { asApiError } from '@/api/error'
import { useI18n } from '@/i18n'
import { useLinkToken } from '@/lib/linkToken'
import { AuthPage, ToSignIn } from '@/shell/AuthPage'
import { buttonClass } from '@/ui/Button'
import { AccountForm, type NewAccount } from './AccountForm'

/** The page behind the link that an installation prints on its first start. */
export function FirstOwnerScreen() {
  const { t } = useI18n()
  const token = useLinkToken()
  const open = useMutation({
    mutationFn: (account: NewAccount) => ask(api.POST('/api/v1/auth/first-owner', { body: { token: token ?? '', ...account } })),
  })

  if (open.isSuccess) {
    return (
      <AuthPage title={t('firstOwner.done.title')} lead={t('firstOwner.done.text')}>
        <Link to="/sign-in" className={`${buttonClass('primary')} h-10.5 w-full`}>
          {t('signIn.submit')}
        </Link>
      </AuthPage>
    )
  }
  if (!token || asApiError(open.error)?.code === 'link_expired') {
    return (
      <AuthPage title={t('firstOwner.dead.title')} lead={t('firstOwner.dead.text')}>
        <ToSignIn />
      </AuthPage>
    )
  }
  return (
    <AuthPage title={t('firstOwner.title')} lead={t('firstOwner.lead')}>
      <AccountForm error={open.error} busy={open.isPending} onSubmit={(account) => open.mutate(account)} />
    </AuthPage>
  )
}
